internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

/// Who watches whom, and when: a viewer's app reads the newest positions of the other phones of the
/// viewer's group while its owner looks at it.
struct ViewSchedule {
  struct Viewer {
    var phone: UInt32
    /// The phones that the viewer watches, by their numbers in the whole fleet.
    var watched: [UInt32]
  }

  let viewers: [Viewer]
  let every: SimDuration
  private let habits: [Habits]
  private let cohorts: [Int]
  private let clock: CivilClock

  /// Returns nil for a scenario without viewers.
  init?(_ scenario: Scenario, phones: Range<Int>) {
    guard let settings = scenario.viewers, settings.share > 0 else { return nil }
    every = settings.every
    clock = scenario.clock
    cohorts = FleetContext.cohortStarts(scenario)
    habits = scenario.fleet.cohorts.map {
      Habits(seed: scenario.seed, mix: $0.phone ?? scenario.fleet.phone, faults: [])
    }
    let size = settings.sees + 1
    viewers = phones.compactMap { phone in
      var draw = Draw(seed: scenario.seed, phone: UInt32(phone), .viewer)
      guard draw.chance(settings.share) else { return nil }
      let first = phone / size * size
      let watched = (first..<first + size).clamped(to: phones).filter { $0 != phone }
      return watched.isEmpty ? nil : Viewer(phone: UInt32(phone), watched: watched.map(UInt32.init))
    }
  }

  /// Returns the owner's first look at the app that ends after an instant; `never` without any.
  func session(of viewer: Viewer, endingAfter instant: SimInstant) -> Window {
    let habits = habits[cohort(of: Int(viewer.phone))]
    let id = PhoneID(rawValue: viewer.phone)
    return habits.session(
      endingAfter: instant, phone: id, habits.traits(of: id), clock: clock)
  }

  private func cohort(of phone: Int) -> Int {
    max(0, min(habits.count, cohorts.firstIndex { $0 > phone } ?? habits.count) - 1)
  }

  /// Calls `body` with the instant and the number of reads of each round in a span.
  func forEachRound(in span: Range<SimInstant>, _ body: (SimInstant, Int) -> Void) {
    for viewer in viewers {
      var window = session(of: viewer, endingAfter: span.lowerBound)
      while window.start < span.upperBound {
        var at = window.start
        while at < min(window.end, span.upperBound) {
          if at >= span.lowerBound { body(at, viewer.watched.count) }
          at += every
        }
        window = session(of: viewer, endingAfter: window.end)
      }
    }
  }
}
