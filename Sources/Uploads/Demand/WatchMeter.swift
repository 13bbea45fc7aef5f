internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

/// Counts the messages that a server sends to viewers over WebSocket: one for each upload of a phone
/// and each viewer of that phone whose owner looks at the app.
struct WatchMeter {
  private let schedule: ViewSchedule
  /// The places of the viewers that watch a phone.
  private var watchers: [UInt32: [Int]] = [:]
  /// The session that the last question about a viewer found, and the instant of that question.
  private var sessions: [(asked: SimInstant, window: Window)?]
  private(set) var messages: [Double]

  /// Returns nil for a scenario without viewers.
  init?(_ scenario: Scenario, minutes: Int) {
    let phones = 0..<scenario.fleet.phones
    guard let schedule = ViewSchedule(FleetContext(scenario), phones: phones) else { return nil }
    self.schedule = schedule
    for (place, viewer) in schedule.viewers.enumerated() {
      for phone in viewer.watched { watchers[phone, default: []].append(place) }
    }
    sessions = schedule.viewers.map { _ in nil }
    messages = Array(repeating: 0, count: minutes)
  }

  /// Notes an upload. Instants may come in any order.
  mutating func note(_ phone: PhoneID, at instant: SimInstant, _ minute: Int) {
    for place in watchers[phone.rawValue] ?? [] {
      let window = session(of: place, at: instant)
      if window.start <= instant, instant < window.end { messages[minute] += 1 }
    }
  }

  /// Returns the first session that ends after an instant.
  private mutating func session(of place: Int, at instant: SimInstant) -> Window {
    if let known = sessions[place], known.asked <= instant, instant < known.window.end {
      return known.window
    }
    let window = schedule.session(of: schedule.viewers[place], endingAfter: instant)
    sessions[place] = (instant, window)
    return window
  }
}
