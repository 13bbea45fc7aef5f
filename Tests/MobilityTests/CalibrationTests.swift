import Foundation
import Scenarios
import SimulationCore
import Testing

@testable import Mobility

/// What a simulated city does, against surveys and recorded traces (rule book section 4, STATS).
@Suite("Calibration of lives")
struct CalibrationTests {
  struct Survey: Sendable {
    var days = 0.0
    var homeOnly = 0.0
    var legs: [Segment] = []
    var commutes: [Double] = []
    var officeHours = 0.0
    var workDepartures = 0.0
    var stays: [Double] = []
    var places = 0.0
  }

  static let survey: Survey = {
    var survey = Survey()
    for phone in 0..<600 {
      let life = Fixture.life(phone)
      for day in 0..<14 {
        let from = Fixture.monday + .hours(24 * Int64(day))
        let segments = Fixture.segments(life, from: from, to: from + .hours(24))
        survey.days += 1
        if segments.count == 1 { survey.homeOnly += 1 }
        survey.places += Double(Set(segments.filter { !$0.isMoving }.map(\.place)).count)
        for (i, segment) in segments.enumerated() where segment.start >= from {
          if segment.isMoving {
            survey.legs.append(segment)
            guard segment.place == 1, i > 0, segments[i - 1].place == 0 else { continue }
            if life.person.kind == .commuter { survey.commutes.append(segment.duration.seconds) }
            let hour = life.town.clock.timeOfDay(at: segment.start).seconds / 3_600
            survey.workDepartures += 1
            if hour >= 6, hour < 8.5 { survey.officeHours += 1 }
          } else if segment.place > 1 {
            survey.stays.append(segment.duration.seconds)
          }
        }
      }
    }
    return survey
  }()

  func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
  func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  @Test("people make 2.3–3.4 trips and travel about an hour a day")
  func trips() {
    let survey = Self.survey
    let trips = Double(survey.legs.count) / survey.days
    #expect(trips >= 2.3 && trips <= 3.4, "\(trips) trips a day")
    let minutes = survey.legs.reduce(0) { $0 + $1.duration.seconds } / 60 / survey.days
    #expect(abs(minutes - 60) <= 9, "\(minutes) min of travel a day")
    let kilometers = survey.legs.reduce(0) { $0 + $1.trackLength } / 1_000 / survey.days
    #expect(kilometers > 18 && kilometers < 36, "\(kilometers) km a day")
    let home = survey.homeOnly / survey.days
    #expect(home >= 0.1 && home <= 0.2, "\(home) of days at home")
    let places = survey.places / survey.days
    #expect(abs(places - 3) <= 0.7, "\(places) places a day")
  }

  @Test("commutes last 27.6 min on average, and start when people start")
  func commutes() {
    let survey = Self.survey
    let minutes = mean(survey.commutes) / 60
    #expect(abs(minutes - 27.6) <= 27.6 * 0.15, "\(minutes) min")
    let short = survey.commutes.filter { $0 < 600 }.count
    let long = survey.commutes.filter { $0 >= 3_600 }.count
    let shares = [short, long].map { Double($0) / Double(survey.commutes.count) }
    #expect(abs(shares[0] - 0.119) <= 0.06, "\(shares[0]) below 10 min")
    #expect(abs(shares[1] - 0.098) <= 0.05, "\(shares[1]) of an hour and more")
    let office = survey.officeHours / survey.workDepartures
    #expect(abs(office - 0.57) <= 0.05, "\(office) leave 06:00–08:29")
  }

  @Test("modes are as fast as recorded ones", arguments: TravelMode.allCases)
  func speeds(_ mode: TravelMode) {
    let expected: (kilometersPerHour: Double, tolerance: Double) =
      switch mode {
      case .walk: (5.0, 0.1)
      case .bicycle: (21, 0.15)
      case .bus: (33, 0.2)
      case .car: (45, 0.2)
      case .rail: (63, 0.35)
      }
    var speeds: [Double] = []
    var standing = 0.0
    for leg in Self.survey.legs where leg.mode == mode {
      var at = leg.start
      while at + .seconds(10) <= leg.end, speeds.count < 60_000 {
        let moved = leg.position(at: at).distance(to: leg.position(at: at + .seconds(10)))
        if moved > 5 { speeds.append(moved / 10 * 3.6) } else { standing += 1 }
        at += .seconds(10)
      }
    }
    #expect(speeds.count > 300, "\(speeds.count) windows of \(mode)")
    let found = median(speeds)
    let range = expected.kilometersPerHour * expected.tolerance
    #expect(
      abs(found - expected.kilometersPerHour) <= range,
      "\(mode): \(found) km/h, standing \(standing / (standing + Double(speeds.count)))")
  }

  @Test("tracks are 1.3–1.5 times as long as the straight line")
  func ratio() {
    let far = Self.survey.legs.filter { $0.straightLength > 300 }
    let ratio = mean(far.map { $0.trackLength / $0.straightLength })
    #expect(ratio >= 1.3 && ratio <= 1.5, "\(ratio)")
  }

  @Test("other stays are log-normal about one to two hours")
  func stays() {
    let minutes = median(Self.survey.stays) / 60
    #expect(minutes > 40 && minutes < 130, "median \(minutes) min")
  }

  /// Share of person trips on a weekday by start hour, USA 2001, all ages (STATS section 6).
  static let tripsByHour = [
    0.003, 0.002, 0.001, 0.001, 0.005, 0.012, 0.033, 0.080, 0.064, 0.046, 0.054, 0.064, 0.071,
    0.062, 0.074, 0.091, 0.083, 0.087, 0.055, 0.042, 0.032, 0.021, 0.011, 0.006,
  ]

  @Test("weekday trips start when surveys say: total variation distance near a tenth")
  func hours() {
    let clock = Fixture.town.clock
    var hours = [Double](repeating: 0, count: 24)
    for leg in Self.survey.legs where clock.weekday(of: clock.day(at: leg.start)) < 5 {
      hours[Int(clock.timeOfDay(at: leg.start).seconds / 3_600)] += 1
    }
    let sum = hours.reduce(0, +)
    let distance = zip(hours, Self.tripsByHour).reduce(0) { $0 + abs($1.0 / sum - $1.1) } / 2
    #expect(distance < 0.12, "\(distance): \(hours.map { ($0 / sum * 1_000).rounded() / 1_000 })")
  }

  @Test("most trips are driven or walked")
  func modes() {
    let legs = Self.survey.legs
    func share(_ mode: TravelMode) -> Double {
      Double(legs.filter { $0.mode == mode }.count) / Double(legs.count)
    }
    let shares = TravelMode.allCases.map { "\($0) \((share($0) * 100).rounded()) %" }
    #expect(share(.car) > 0.3 && share(.walk) > 0.16, "\(shares)")
  }
}
