import Core
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("Spectators", .quick)
struct SpectatorTests {
  /// A Saturday's match, 15:30 to 17:20, 11 km west of the centre.
  static let kickOff = Fixture.monday + .hours(5 * 24 + 11) + .minutes(30)
  static let whistle = kickOff + .minutes(110)

  static func town(from: SimInstant = kickOff, until: SimInstant = whistle) -> Town {
    var city = Fixture.city
    city.event = CityEvent(
      place: [52.5147, 13.2395], from: from, until: until, radius: .meters(150),
      arrivals: .minutes(90), departures: .minutes(15))
    return Town(seed: 42, city: city)
  }

  static func life(_ phone: Int, _ town: Town) -> Life {
    Life(town: town, phone: UInt32(phone), kind: .spectator)
  }

  static func venue(_ town: Town) -> PlanePoint {
    town.projection.point(latitude: 52.5147, longitude: 13.2395)
  }

  static func isThere(_ life: Life, _ instant: SimInstant) -> Bool {
    let segment = life.segment(at: instant)
    return segment.position(at: instant).distance(to: venue(life.town)) <= 150.1
      && !segment.isMoving
  }

  @Test("everybody is within the radius during the match, under the open sky")
  func during() {
    let town = Self.town()
    for phone in 0..<400 {
      let life = Self.life(phone, town)
      for instant in [Self.kickOff, Self.kickOff + .minutes(55), Self.whistle - .seconds(1)] {
        #expect(Self.isThere(life, instant), "phone \(phone)")
        #expect(life.segment(at: instant).surroundings(at: instant) == .open)
      }
    }
  }

  @Test("they arrive over the time of arrivals, and have left after that of departures")
  func comeAndGo() {
    let town = Self.town()
    func share(_ instant: SimInstant) -> Double {
      let there = (0..<400).filter { Self.isThere(Self.life($0, town), instant) }.count
      return Double(there) / 400
    }
    #expect(share(Self.kickOff - .minutes(91)) == 0)
    #expect(abs(share(Self.kickOff - .minutes(45)) - 0.5) < 0.08)
    #expect(abs(share(Self.whistle + .seconds(450)) - 0.5) < 0.08)
    #expect(share(Self.whistle + .minutes(15)) == 0)
  }

  @Test("their places are spread evenly over the disc")
  func seats() {
    let town = Self.town()
    let distances = (0..<400).map { phone in
      Self.life(phone, town).segment(at: Self.kickOff).position(at: Self.kickOff)
        .distance(to: Self.venue(town))
    }
    let inner = distances.filter { $0 < 75 }.count
    #expect(abs(Double(inner) / 400 - 0.25) < 0.07)
    #expect(Set(distances).count == 400)
  }

  @Test("on other days they behave exactly as commuters")
  func otherDays() {
    let town = Self.town()
    for phone in 0..<50 {
      let spectator = Self.life(phone, town)
      let commuter = Life(town: Fixture.town, phone: UInt32(phone), kind: .commuter)
      for hour in 0..<(4 * 24) {
        let instant = Fixture.monday + .hours(Int64(hour))
        let segment = spectator.segment(at: instant)
        #expect(
          segment.position(at: instant) == commuter.segment(at: instant).position(at: instant))
      }
    }
  }

  @Test(
    "segments tile the day, in order, and the day ends at home",
    arguments: [
      // A Saturday afternoon, a Wednesday evening, and a Tuesday noon during work.
      (5 * 24 * 60 + 690, 110), (2 * 24 * 60 + 945, 135), (24 * 60 + 480, 180),
    ])
  func contiguous(minute: Int, length: Int) {
    let from = Fixture.monday + .minutes(Int64(minute))
    let until = from + .minutes(Int64(length))
    let town = Self.town(from: from, until: until)
    var attending = 0
    for phone in 0..<300 {
      let life = Self.life(phone, town)
      let segments = Fixture.segments(
        life, from: from - .hours(36), to: from + .hours(36))
      for (a, b) in zip(segments, segments.dropFirst()) {
        #expect(a.end == b.start && a.start < a.end)
        #expect(a.position(at: a.end) == b.position(at: b.start))
      }
      let day = town.clock.day(at: from)
      let plan = DayPlanner.plan(life, day: day)
      let border = town.clock.midnight(of: day) + Life.dayBorder
      #expect(plan.departure >= border && plan.homecoming < border + .hours(24))
      #expect(plan[plan.count - 1].place == 0)
      if Self.isThere(life, from + .minutes(Int64(length / 2))) { attending += 1 }
    }
    #expect(attending >= 290, "\(attending) of 300")
  }

  @Test("a result does not depend on earlier queries")
  func order() {
    let town = Self.town()
    let instants = (0..<200).map { Self.kickOff - .hours(12) + .minutes(Int64($0 * 7)) }
    let forwards = instants.map { Self.life(3, town).segment(at: $0) }
    for (instant, expected) in zip(instants, forwards).reversed() {
      let found = Self.life(3, town).segment(at: instant)
      #expect(found.start == expected.start && found.end == expected.end)
      #expect(found.position(at: instant) == expected.position(at: instant))
    }
  }

  @Test("without an event they are commuters")
  func noEvent() {
    for phone in 0..<50 {
      let life = Life(town: Fixture.town, phone: UInt32(phone), kind: .spectator)
      let commuter = Life(town: Fixture.town, phone: UInt32(phone), kind: .commuter)
      #expect(
        life.segment(at: Self.kickOff).position(at: Self.kickOff)
          == commuter.segment(at: Self.kickOff).position(at: Self.kickOff))
    }
  }
}
