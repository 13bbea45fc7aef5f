package import SimulationCore

/// Phone-time spread over equal slots of scenario time, exact to the microsecond.
///
/// A stretch of time costs the same however many slots it crosses: the two ends go in as
/// microseconds, the slots between as a step up and a step down.
package struct PhoneTimeProfile: Codable, Equatable, Sendable {
  /// Is the scenario instant at which the first slot begins.
  package let start: SimInstant
  /// Is the length of every slot.
  package let width: SimDuration
  private var steps: [Int64]
  private var partial: [Int64]

  /// Makes an empty profile; it needs a slot or more, of a width above zero.
  package init(start: SimInstant, width: SimDuration, slots: Int) {
    precondition(width > .zero && slots > 0, "a profile needs slots (has \(slots))")
    self.start = start
    self.width = width
    steps = [Int64](repeating: 0, count: slots + 1)
    partial = [Int64](repeating: 0, count: slots)
  }

  /// Counts the slots.
  package var slots: Int { partial.count }

  /// Adds one phone's time; what lies outside all slots is left out.
  package mutating func add(from: SimInstant, to: SimInstant) {
    let end = width.microseconds * Int64(slots)
    let low = min(max((from - start).microseconds, 0), end)
    let high = min(max((to - start).microseconds, 0), end)
    guard low < high else { return }
    let first = Int(low / width.microseconds)
    let last = Int(high / width.microseconds)
    if first == last {
      partial[first] += high - low
      return
    }
    partial[first] += Int64(first + 1) * width.microseconds - low
    if last < slots { partial[last] += high - Int64(last) * width.microseconds }
    steps[first + 1] += 1
    steps[last] -= 1
  }

  /// Adds another profile's phone-time, slot by slot; both must have the same slots.
  package mutating func merge(_ other: Self) {
    precondition(
      start == other.start && width == other.width && slots == other.slots,
      "profiles merge only slot by slot")
    for i in steps.indices { steps[i] += other.steps[i] }
    for i in partial.indices { partial[i] += other.partial[i] }
  }

  /// Phone-time of each slot, µs.
  package var microseconds: [Int64] {
    var whole: Int64 = 0
    return partial.indices.map { i in
      whole += steps[i]
      return whole * width.microseconds + partial[i]
    }
  }

  /// Phone-time of each slot as the mean number of phones.
  package var phones: [Double] {
    microseconds.map { Double($0) / Double(width.microseconds) }
  }
}

/// When phones were fresh or silent and why, and where the silent ones were.
///
/// What `StaleLedger` and the freshness integrals have as sums, over time and over the map.
package struct SilenceHistory: Codable, Equatable, Sendable {
  /// Holds the phone-time of one population, fresh and in all.
  package struct Population: Codable, Equatable, Sendable {
    /// Is the phone-time in which the age was at most the scenario's X.
    package var fresh: PhoneTimeProfile
    /// Is all phone-time of the population.
    package var total: PhoneTimeProfile
  }

  /// Holds the phone-time that was not fresh for each `StaleCause`, in the order of its cases.
  package private(set) var causes: [PhoneTimeProfile]
  /// Holds the phone-time of all phones.
  package var installed: Population
  /// Holds the phone-time of phones that the server could reach by push.
  package var reachable: Population
  /// Holds the phone-time in which the truth moved.
  package var moving: Population
  /// Holds where in the city phones were, and where they were silent.
  package var map: SilenceMap

  /// Enough for a picture, and little beside a phone's own state.
  package static let slotsWanted = 240

  /// - Parameter map: without any time yet.
  package init(start: SimInstant, duration: SimDuration, map: SilenceMap) {
    let wanted = duration.microseconds / Int64(Self.slotsWanted)
    let width = max(1_000_000, wanted)
    let slots = Int((duration.microseconds + width - 1) / width)
    let empty = PhoneTimeProfile(
      start: start, width: .microseconds(width), slots: max(1, slots))
    causes = StaleCause.allCases.map { _ in empty }
    let population = Population(fresh: empty, total: empty)
    installed = population
    reachable = population
    moving = population
    self.map = map
  }

  /// Is the phone-time that was not fresh for one cause, over time.
  package subscript(_ cause: StaleCause) -> PhoneTimeProfile { causes[cause.slot] }

  /// Adds a stretch of one phone's time that was not fresh for a cause.
  package mutating func addStale(from: SimInstant, to: SimInstant, _ cause: StaleCause) {
    causes[cause.slot].add(from: from, to: to)
  }

  /// Adds another history's phone-time; both must have the same slots and the same map.
  package mutating func merge(_ other: Self) {
    for i in causes.indices { causes[i].merge(other.causes[i]) }
    installed.merge(other.installed)
    reachable.merge(other.reachable)
    moving.merge(other.moving)
    map.merge(other.map)
  }
}

extension SilenceHistory.Population {
  /// - Parameter freshUntil: when the newest fix grows too old.
  package mutating func add(from: SimInstant, to: SimInstant, freshUntil: SimInstant) {
    total.add(from: from, to: to)
    fresh.add(from: from, to: min(to, freshUntil))
  }

  /// Adds another population's phone-time, slot by slot.
  package mutating func merge(_ other: Self) {
    fresh.merge(other.fresh)
    total.merge(other.total)
  }
}

/// Phone-time by squares of the city: how long phones were there, and how long silent.
package struct SilenceMap: Codable, Equatable, Sendable {
  /// Metres; the map is centred on the city.
  package let cellMeters: Double
  /// Counts the squares in each row and in each column.
  package let cellsAcross: Int
  /// µs, row by row from the south-west.
  package private(set) var present: [Int64]
  /// Is the part of `present` in which phones were not fresh, µs, in the same order.
  package private(set) var silent: [Int64]
  /// Phone-time beyond the map, µs.
  package private(set) var outside: Int64 = 0

  /// - Parameter radius: of the city, metres.
  package init(radius: Double) {
    // Homes lie within the radius, work and leisure may lie a little beyond.
    cellsAcross = 30
    cellMeters = max(1, radius / 12)
    present = [Int64](repeating: 0, count: cellsAcross * cellsAcross)
    silent = present
  }

  /// Adds one phone's time at a place, and how much of it was silent; a place beyond the map counts
  /// as `outside`.
  package mutating func add(
    at place: PlanePoint, present time: SimDuration, silent silentTime: SimDuration
  ) {
    let half = Double(cellsAcross) / 2
    let column = (place.x / cellMeters + half).rounded(.down)
    let row = (place.y / cellMeters + half).rounded(.down)
    let inside = 0..<Double(cellsAcross)
    guard inside.contains(column), inside.contains(row) else {
      outside += time.microseconds
      return
    }
    let cell = Int(row) * cellsAcross + Int(column)
    present[cell] += time.microseconds
    silent[cell] += silentTime.microseconds
  }

  /// Adds another map's phone-time, square by square; both must have squares of one size.
  package mutating func merge(_ other: Self) {
    precondition(cellMeters == other.cellMeters, "maps merge only cell by cell")
    for i in present.indices {
      present[i] += other.present[i]
      silent[i] += other.silent[i]
    }
    outside += other.outside
  }
}
