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
  private let context: FleetContext

  /// Returns nil for a scenario without viewers.
  init?(_ context: FleetContext, phones: Range<Int>) {
    let scenario = context.scenario
    guard let settings = scenario.viewers, settings.share > 0 else { return nil }
    self.context = context
    every = settings.every
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
    let habits = context.habits(context.cohort(of: Int(viewer.phone)))
    let id = PhoneID(rawValue: viewer.phone)
    return habits.session(
      endingAfter: instant, phone: id, habits.traits(of: id), clock: context.scenario.clock)
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
