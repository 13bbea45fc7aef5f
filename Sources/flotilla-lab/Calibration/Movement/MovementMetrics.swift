internal import Core
internal import Foundation
internal import Phone
package import Scenarios

/// All published figures of movement, measured on one scenario's people without recorded cohorts.
/// For 200 people and 14 days, a release build takes about one second.
package struct MovementMetrics: Sendable {
  package let scenario: String
  package let seed: UInt64
  package let days: Int
  package let phones: [UInt32]
  package let measures: [MovementMeasure]

  /// Follows people for `days` from the start's Monday: `tracedDays` of these second by second.
  package init(_ scenario: Scenario, people: Int, days: Int = 14, tracedDays: Int = 4) {
    let town = Town(seed: scenario.seed, city: scenario.city)
    let clock = scenario.clock
    let today = clock.day(at: scenario.start)
    let monday = clock.midnight(of: today - clock.weekday(of: today)) + .hours(4)
    var phones: [UInt32] = []
    var diaries: [MovementDiary] = []
    var first = 0.0
    for cohort in scenario.fleet.cohorts {
      let last = first + cohort.share * Double(people)
      if case .agenda(let kind) = cohort.mobility {
        for phone in Int(first.rounded())..<Int(last.rounded()) {
          let life = Life(town: town, phone: UInt32(phone), kind: kind)
          phones.append(UInt32(phone))
          diaries.append(
            MovementDiary(of: life, from: monday, days: days, tracedDays: tracedDays))
        }
      }
      first = last
    }
    self.scenario = scenario.name
    seed = scenario.seed
    self.days = days
    self.phones = phones
    measures = MovementClaims(diaries).all
  }

  package subscript(_ id: String) -> MovementMeasure? { measures.first { $0.id == id } }
}
