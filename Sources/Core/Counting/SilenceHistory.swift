/// Phone-time in equal slots of scenario time, exact to the microsecond. Adding takes constant
/// time: it changes a partial slot at each end, and one step up and one step down between slots.
package struct PhoneTimeProfile: Codable, Equatable, Sendable {
  package let start: SimInstant
  package let width: SimDuration
  private var steps: [Int64]
  private var partial: [Int64]

  /// Creates an empty profile; it needs at least one slot, of a width above zero.
  package init(start: SimInstant, width: SimDuration, slots: Int) {
    precondition(width > .zero && slots > 0, "a profile needs slots (has \(slots))")
    self.start = start
    self.width = width
    steps = [Int64](repeating: 0, count: slots + 1)
    partial = [Int64](repeating: 0, count: slots)
  }

  package var slots: Int { partial.count }

  /// Adds one phone's time, and ignores time outside all slots.
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

  /// The mean number of phones in each slot.
  package var phones: [Double] {
    microseconds.map { Double($0) / Double(width.microseconds) }
  }
}

/// When and why phones were fresh or stale, and where the stale phones were: the sums of
/// `StaleLedger` and of the freshness integrals, over time and over the map.
package struct SilenceHistory: Codable, Equatable, Sendable {
  package struct Population: Codable, Equatable, Sendable {
    /// The phone-time in which the newest fix was at most as old as the freshness limit.
    package var fresh: PhoneTimeProfile
    package var total: PhoneTimeProfile
  }

  /// The stale phone-time for each `StaleCause`, in the order of its cases.
  package private(set) var causes: [PhoneTimeProfile]
  package var installed: Population
  package var reachable: Population
  package var moving: Population
  package var map: SilenceMap

  package static let slotsWanted = 240

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

  package subscript(_ cause: StaleCause) -> PhoneTimeProfile { causes[cause.slot] }

  package mutating func addStale(from: SimInstant, to: SimInstant, _ cause: StaleCause) {
    causes[cause.slot].add(from: from, to: to)
  }

  package mutating func merge(_ other: Self) {
    for i in causes.indices { causes[i].merge(other.causes[i]) }
    installed.merge(other.installed)
    reachable.merge(other.reachable)
    moving.merge(other.moving)
    map.merge(other.map)
  }
}

extension SilenceHistory.Population {
  package mutating func add(from: SimInstant, to: SimInstant, freshUntil: SimInstant) {
    total.add(from: from, to: to)
    fresh.add(from: from, to: min(to, freshUntil))
  }

  package mutating func merge(_ other: Self) {
    fresh.merge(other.fresh)
    total.merge(other.total)
  }
}

/// The phone-time in square cells of the city: all time (`present`) and stale time (`silent`).
package struct SilenceMap: Codable, Equatable, Sendable {
  /// The side of a cell; the map is centred on the city.
  package let cellMeters: Double
  package let cellsAcross: Int
  /// The phone-time per cell in µs, row by row from the south-west.
  package private(set) var present: [Int64]
  package private(set) var silent: [Int64]
  package private(set) var outside: Int64 = 0

  package init(radius: Double) {
    // Homes lie within the radius, work and leisure may lie a little beyond.
    cellsAcross = 30
    cellMeters = max(1, radius / 12)
    present = [Int64](repeating: 0, count: cellsAcross * cellsAcross)
    silent = present
  }

  /// Adds a phone's time at a point, and its stale part; time beyond the map counts as `outside`.
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

  package mutating func merge(_ other: Self) {
    precondition(cellMeters == other.cellMeters, "maps merge only cell by cell")
    for i in present.indices {
      present[i] += other.present[i]
      silent[i] += other.silent[i]
    }
    outside += other.outside
  }
}
