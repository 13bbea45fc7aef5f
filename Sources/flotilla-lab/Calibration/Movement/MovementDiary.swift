internal import Core
internal import Foundation
internal import Phone

/// The days of a simulated person as a diary, as defined in STATS section 5. A stay lasts at least
/// 20 min. A trip is the time between two stays, at most 4 h. A leg connects two places.
struct MovementDiary {
  static let stayMin = SimDuration.minutes(20)
  static let tripMax = SimDuration.hours(4)
  typealias Samples = MovementSamples

  let days: Int
  var speeds = TravelMode.allCases.map { Samples.Tally(limit: Self.speedLimit($0)) }
  var rideSeconds = [Double](repeating: 0, count: TravelMode.allCases.count)
  var stopsOnRoad = [Double](repeating: 0, count: TravelMode.allCases.count)
  var stopLengths = Samples.Tally(limit: 400)
  var stays = 0.0
  var stayLength = Samples.Moments()
  var tripStraight = Samples.Moments()
  var detours = Samples.Tally(limit: 4)
  var displacements = Samples.Moments()
  var legs = [Double](repeating: 0, count: TravelMode.allCases.count)
  var travelSeconds = 0.0
  var trackMeters = 0.0
  var commutes: [Double] = []
  var weekdayHours = [Double](repeating: 0, count: 24)
  var leavesForWork = [Double](repeating: 0, count: MovementReference.leavingHours.count)
  var motifDays = 0.0
  var homeDays = 0.0
  var placesPerDay = 0.0
  var dayGyration = Samples.Tally(limit: 20)
  var userGyration = 0.0
  /// The shares of the two top places by number of stays; `topHours` has their shares by hours.
  var topStays = [0.0, 0.0]
  var topHours = [0.0, 0.0]
  var placesSeen: [Double] = []

  private var visits: [UInt16: Double] = [:]
  private var hours: [UInt16: Double] = [:]
  private var stayPoints: [PlanePoint] = []
  private var tripFrom: PlanePoint?
  private var tripMeters = 0.0
  private var tripStart = SimInstant(microseconds: 0)

  static let growthDays = [1, 2, 4, 7, 14, 28]

  /// Returns the greatest plausible speed, in km/h.
  static func speedLimit(_ mode: TravelMode) -> Double {
    switch mode {
    case .walk: 20
    case .bicycle: 50
    case .bus, .tram, .car: 160
    case .rail: 200
    }
  }

  /// - Parameter first: The first day at 04:00 local time.
  /// - Parameter tracedDays: The number of first days whose legs are followed second by second.
  init(of life: Life, from first: SimInstant, days: Int, tracedDays: Int) {
    self.days = days
    for day in 0..<days {
      note(life, from: first + .hours(24 * Int64(day)), traced: day < tracedDays, day)
    }
    close()
  }

  private mutating func note(_ life: Life, from: SimInstant, traced: Bool, _ day: Int) {
    let to = from + .hours(24)
    var path: [UInt16] = []
    var masses: [(weight: Double, point: PlanePoint)] = []
    var segment = life.segment(at: from)
    var last = segment.place
    while segment.start < to {
      let begin = max(segment.start, from)
      let end = min(segment.end, to)
      let seconds = (end - begin).seconds
      if segment.isMoving {
        note(leg: segment, from: last, life, traced: traced)
        for part in 0..<4 {
          let at = begin + SimDuration(seconds: seconds * (Double(part) + 0.5) / 4)
          masses.append((seconds / 4, segment.position(at: at)))
        }
      } else {
        path.append(segment.place)
        let point = segment.position(at: begin)
        masses.append((seconds, point))
        hours[segment.place, default: 0] += seconds
        if segment.start >= from { note(stay: segment, at: point) }
      }
      last = segment.place
      segment = life.segment(after: segment)
    }
    let names = Set(path)
    for name in names where visits[name] == nil { visits[name] = 0 }
    placesPerDay += Double(names.count)
    if names.count == 1 { homeDays += 1 }
    if MovementMotif.isCommon(path) { motifDays += 1 }
    dayGyration.add(Self.gyration(masses) / 1_000)
    if Self.growthDays.contains(day + 1) { placesSeen.append(Double(visits.count)) }
  }

  private mutating func note(leg: Segment, from: UInt16, _ life: Life, traced: Bool) {
    let clock = life.town.clock
    let mode = Int(leg.mode.rawValue)
    legs[mode] += 1
    travelSeconds += leg.duration.seconds
    trackMeters += leg.trackLength
    if leg.straightLength >= 1_000, leg.straightLength <= 50_000 {
      displacements.add(leg.straightLength / 1_000)
    }
    if tripFrom == nil {
      tripFrom = leg.position(at: leg.start)
      tripStart = leg.start
    }
    tripMeters += leg.trackLength
    let hour = clock.timeOfDay(at: leg.start).seconds / 3_600
    if clock.weekday(of: clock.day(at: leg.start)) < 5 { weekdayHours[min(23, Int(hour))] += 1 }
    if from == 0, leg.place == 1 {
      commutes.append(leg.duration.seconds / 60)
      leavesForWork[MovementReference.leavingSlot(hour)] += 1
    }
    if traced { trace(leg) }
  }

  private mutating func note(stay: Segment, at point: PlanePoint) {
    guard stay.duration >= Self.stayMin else { return }
    stays += 1
    stayLength.add(stay.duration.seconds / 60)
    visits[stay.place, default: 0] += 1
    stayPoints.append(point)
    if let from = tripFrom, stay.start - tripStart <= Self.tripMax {
      let straight = from.distance(to: point)
      if straight >= 200 {
        tripStraight.add(straight / 1_000)
        detours.add(tripMeters / straight)
      }
    }
    tripFrom = nil
    tripMeters = 0
  }

  /// Follows a leg second by second. Notes speeds over 10 s, and stops of at least 10 s, which are
  /// slower than 0.5 m/s on foot or else 1 m/s.
  private mutating func trace(_ leg: Segment) {
    let mode = Int(leg.mode.rawValue)
    let crawl = leg.mode == .walk ? 0.5 : 1.0
    rideSeconds[mode] += leg.duration.seconds
    var window = leg.position(at: leg.start)
    var last = window
    var standing = 0.0
    var second = 1
    while leg.start + .seconds(Int64(second)) <= leg.end {
      let here = leg.position(at: leg.start + .seconds(Int64(second)))
      if here.distance(to: last) < crawl {
        standing += 1
      } else {
        noteStop(standing, leg.mode)
        standing = 0
      }
      if second % 10 == 0 {
        let speed = here.distance(to: window) / 10
        if speed >= crawl { speeds[mode].add(speed * 3.6) }
        window = here
      }
      last = here
      second += 1
    }
    noteStop(standing, leg.mode)
  }

  private mutating func noteStop(_ seconds: Double, _ mode: TravelMode) {
    guard seconds >= 9 else { return }
    stopsOnRoad[Int(mode.rawValue)] += 1
    if mode != .walk { stopLengths.add(seconds + 1) }
  }

  private mutating func close() {
    userGyration = Self.gyration(stayPoints.map { (1, $0) }) / 1_000
    topStays = Self.topShares(visits)
    topHours = Self.topShares(hours)
  }

  private static func topShares(_ amounts: [UInt16: Double]) -> [Double] {
    let sum = amounts.values.reduce(0, +)
    let sorted = amounts.values.sorted(by: >) + [0, 0]
    return sum > 0 ? sorted.prefix(2).map { $0 / sum } : [0, 0]
  }

  /// Returns the root mean square distance from the centre of mass, in metres.
  private static func gyration(_ masses: [(weight: Double, point: PlanePoint)]) -> Double {
    let sum = masses.reduce(0) { $0 + $1.weight }
    guard sum > 0 else { return 0 }
    let centre = masses.reduce(PlanePoint(x: 0, y: 0)) { $0 + $1.point * ($1.weight / sum) }
    return masses.reduce(0) { $0 + $1.weight / sum * $1.point.distanceSquared(to: centre) }
      .squareRoot()
  }
}
