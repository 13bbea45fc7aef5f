internal import Core
internal import Fleet
internal import Phone
package import Scenarios

/// Who watches whom, and when: a viewer's app reads the newest positions of the other phones of the
/// viewer's group while its owner looks at it.
package struct ViewSchedule {
  struct Viewer {
    var phone: UInt32
    /// The phones that the viewer watches, by their numbers in the whole fleet; the viewer's own if
    /// viewers see every phone at once.
    var watched: [UInt32]
  }

  let viewers: [Viewer]
  let every: SimDuration
  let seesAll: Bool
  private let context: FleetContext

  /// Returns nil for a scenario without viewers.
  init?(_ context: FleetContext, phones: Range<Int>) {
    let scenario = context.scenario
    guard let settings = scenario.viewers, settings.share > 0 else { return nil }
    self.context = context
    every = settings.every
    seesAll = settings.sees == nil
    let size = (settings.sees ?? 0) + 1
    viewers = phones.compactMap { phone in
      var draw = Draw(seed: scenario.seed, phone: UInt32(phone), .viewer)
      guard draw.chance(settings.share) else { return nil }
      if size == 1 { return Viewer(phone: UInt32(phone), watched: [UInt32(phone)]) }
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
    forEachSession(in: span) { viewer, window in
      var at = window.start
      while at < min(window.end, span.upperBound) {
        if at >= span.lowerBound { body(at, viewer.watched.count) }
        at += every
      }
    }
  }

  /// The most phones whose viewers' sessions are counted; a larger fleet has as many per phone.
  private static let countedPhonesMax = 50_000

  /// Returns the reads in each second of the measured time if the scenario had this number of phones;
  /// nil without viewers.
  package static func reads(_ scenario: Scenario, phones: Int) -> [Double]? {
    let counted = min(phones, scenario.fleet.phones, countedPhonesMax)
    guard let schedule = ViewSchedule(FleetContext(scenario), phones: 0..<counted) else {
      return nil
    }
    let (begin, end) = (scenario.measureStart, scenario.measureEnd)
    let weight = Double(phones) / Double(max(1, counted))
    var reads = [Double](repeating: 0, count: max(1, Int((end - begin).seconds.rounded(.up))))
    schedule.forEachRound(in: begin..<end) { at, count in
      reads[min(reads.count - 1, Int((at - begin).seconds))] += weight * Double(count)
    }
    return reads
  }

  /// Returns all looks at the app that are in a span, also in part.
  func sessions(in span: Range<SimInstant>) -> [Window] {
    var windows: [Window] = []
    forEachSession(in: span) { windows.append($1) }
    return windows
  }

  private func forEachSession(in span: Range<SimInstant>, _ body: (Viewer, Window) -> Void) {
    for viewer in viewers {
      var window = session(of: viewer, endingAfter: span.lowerBound)
      while window.start < span.upperBound {
        body(viewer, window)
        window = session(of: viewer, endingAfter: window.end)
      }
    }
  }
}
