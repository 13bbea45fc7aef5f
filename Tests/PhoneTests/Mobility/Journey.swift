@testable import Phone
@testable import Scenarios

import Core

/// A town, its phones in the shares of the shipped city, and a Monday.
enum Fixture {
  static let city = Scenario.City(
    centreLatitude: 52.52, centreLongitude: 13.405, radius: .kilometers(12),
    utcOffset: .hours(1))
  static let town = Town(seed: 42, city: city)
  /// 2026-03-02, a Monday, 04:00 local.
  static let monday = SimInstant(microseconds: 1_772_420_400_000_000)

  static func kind(_ phone: Int) -> MobilityKind {
    phone % 10 < 7 ? .commuter : phone % 10 < 9 ? .cyclist : .homebody
  }
  static func life(_ phone: Int, town: Town = town) -> Life {
    Life(town: town, phone: UInt32(phone), kind: kind(phone))
  }

  /// All segments that touch [from, to).
  static func segments(_ life: Life, from: SimInstant, to: SimInstant) -> [Segment] {
    var found: [Segment] = []
    var segment = life.segment(at: from)
    while segment.start < to {
      found.append(segment)
      segment = life.segment(after: segment)
    }
    return found
  }

  /// The first `count` legs of as many phones.
  static func legs(_ count: Int) -> [Segment] {
    var legs: [Segment] = []
    var phone = 0
    while legs.count < count {
      let week = segments(life(phone), from: monday, to: monday + .hours(24 * 3))
      legs += week.filter(\.isMoving).prefix(4)
      phone += 1
    }
    return Array(legs.prefix(count))
  }
}
