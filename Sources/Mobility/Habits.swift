internal import Foundation
internal import Scenarios

/// How often a kind of person does what, on one kind of day.
///
/// Set so that a city of 70 % commuters, 20 % cyclists and 10 % homebodies meets the rule book's
/// section 4: 10–20 % of days spent at home, 2.3–3.4 trips and about 60 min of travel a day.
struct Habits: BitwiseCopyable {
  /// Probability of a day of work; 83 % of employed people work on a weekday.
  var works: Double
  /// Of the days without work, the share without any trip.
  var staysHome: Double
  var lunch: Double
  var afterWork: Double
  var eveningOut: Double
  /// Mean hour of a free day's first departure.
  var firstTour: Double
  var secondTour: Double
  /// Hours.
  var stayMedian: Double

  init(_ kind: MobilityKind, isWeekend: Bool) {
    switch kind {
    case .commuter, .cyclist:
      works = isWeekend ? 0.06 : 0.85
      staysHome = 0.34
      lunch = 0.4
      afterWork = 0.4
      eveningOut = 0.3
      firstTour = isWeekend ? 11.5 : 10.5
      secondTour = 0.5
      stayMedian = isWeekend ? 2 : 1.6
    case .homebody:
      works = 0
      staysHome = 0.3
      lunch = 0
      afterWork = 0
      eveningOut = 0
      firstTour = 10.8
      secondTour = 0.5
      stayMedian = 1.3
    }
  }
}

enum Pareto {
  /// 1, 2, 3 … with P(rank > n) = (n + 1)^-0.65.
  static func rank(_ u: Double) -> Double { pow(1 - u, -1 / 0.65).rounded(.down) }
}
