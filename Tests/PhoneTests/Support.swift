import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios

/// A town, its people, and a Monday.
enum World {
  static let town = Town(
    seed: 42,
    city: Scenario.City(
      centreLatitude: 52.52, centreLongitude: 13.405, radius: .kilometers(12),
      utcOffset: .hours(1)))
  /// 2026-03-02, a Monday, 04:00 local.
  static let monday = SimInstant(microseconds: 1_772_420_400_000_000)
  static let maker = FixMaker(seed: 42, projection: town.projection)

  static func life(_ phone: UInt32) -> Life { Life(town: town, phone: phone, kind: .commuter) }

  static func phone(_ n: Int) -> PhoneID { PhoneID(rawValue: UInt32(n)) }

  /// All segments that touch the `hours` after Monday 04:00.
  static func segments(_ phone: UInt32, hours: Int64 = 24) -> [Segment] {
    let life = life(phone)
    var found: [Segment] = []
    var segment = life.segment(at: monday)
    while segment.start < monday + .hours(hours) {
      found.append(segment)
      segment = life.segment(after: segment)
    }
    return found
  }

  /// Returns the first legs of as many phones as are needed.
  static func legs(_ count: Int) -> [(phone: PhoneID, segment: Segment)] {
    var legs: [(PhoneID, Segment)] = []
    var number: UInt32 = 0
    while legs.count < count {
      let phone = PhoneID(rawValue: number)
      legs += segments(number).filter(\.isMoving).prefix(2).map { (phone, $0) }
      number += 1
    }
    return Array(legs.prefix(count))
  }

  /// A night at home.
  static func stay(_ phone: UInt32 = 0) -> Segment { life(phone).segment(at: monday) }
}

extension Purpose {
  /// Random numbers of the tests.
  static let sample = Purpose(rawValue: 290)
}

extension [Double] {
  var mean: Double { reduce(0, +) / Double(count) }
  var variance: Double {
    let centre = mean
    return map { ($0 - centre) * ($0 - centre) }.mean
  }
}

extension Array {
  func share(_ holds: (Element) -> Bool) -> Double {
    Double(count(where: holds)) / Double(count)
  }
}

extension SignificantChangeProfile {
  static let modern = loaded { try shipped.significantChangeProfile("modern").value }
  static let legacy = loaded { try shipped.significantChangeProfile("legacy").value }
}

extension OSProfile {
  static let ios7 = loaded { try shipped.osProfile("ios7").value }
  static let ios12 = loaded { try shipped.osProfile("ios12").value }
  static let ios15 = loaded { try shipped.osProfile("ios15").value }
  static let ios17 = loaded { try shipped.osProfile("ios17").value }
  static let ios26 = loaded { try shipped.osProfile("ios26").value }
}

extension ServiceRequest {
  static func asking(_ accuracy: DesiredAccuracy, filter: Distance? = nil) -> ServiceRequest {
    var use = PolicySettings.standard.background.service
    use.accuracy = accuracy
    use.distanceFilter = filter.map { .atLeast($0) } ?? .none
    return ServiceRequest(use, PolicySettings.standard.app)
  }
}

extension StandardService {
  mutating func start(
    _ request: ServiceRequest, now: SimInstant,
    lastKnown: SimInstant, surroundings: Surroundings, keepsAppAlive: Bool, isAlone: Bool = false,
    mayUseNetwork: Bool = true, defers: Bool = false, _ profile: FirstFixProfile, seed: UInt64,
    phone: PhoneID
  ) {
    configure(request, defers: defers)
    self.keepsAppAlive = keepsAppAlive
    if isOn { return }
    run(
      now: now, lastKnown: lastKnown, surroundings: surroundings, spot: 0, isAlone: isAlone,
      mayUseNetwork: mayUseNetwork, profile, seed: seed, phone: phone)
  }

  /// Returns the next fix for a caller that keeps no memory of sightings.
  mutating func nextFix(
    upTo limit: SimInstant, segment: Segment, maker: FixMaker, phone: PhoneID
  ) -> Fix? {
    var memory = SightingMemory()
    return nextFix(upTo: limit, segment: segment, maker: maker, .all, phone: phone, &memory)
  }
}
