internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

/// Counts the messages that a server sends to viewers: one for each upload of a phone
/// and each viewer of that phone whose owner looks at the app.
struct WatchMeter {
  private let schedule: ViewSchedule
  /// The places of the viewers that watch a phone.
  private var watchers: [UInt32: [Int]] = [:]
  /// The session that the last question about a viewer found, and the instant of that question.
  private var sessions: [(asked: SimInstant, window: Window)?] = []
  /// The starts and the ends of all looks, in order, if viewers see every phone.
  private var looks: (starts: [SimInstant], ends: [SimInstant])?
  /// The messages in each second.
  private(set) var messages: [Double]

  /// Returns nil for a scenario without viewers.
  ///
  /// - Parameter seesAll: whether viewers get the messages of every phone, whomever they watch.
  init?(_ scenario: Scenario, seconds: Int, seesAll: Bool = false) {
    let phones = 0..<scenario.fleet.phones
    guard let schedule = ViewSchedule(FleetContext(scenario), phones: phones) else { return nil }
    self.schedule = schedule
    messages = Array(repeating: 0, count: seconds)
    guard !seesAll, !schedule.seesAll else {
      let windows = schedule.sessions(in: scenario.measureStart..<scenario.measureEnd)
      looks = (windows.map(\.start).sorted(), windows.map(\.end).sorted())
      return
    }
    for (place, viewer) in schedule.viewers.enumerated() {
      for phone in viewer.watched { watchers[phone, default: []].append(place) }
    }
    sessions = schedule.viewers.map { _ in nil }
  }

  /// Notes an upload. Instants may come in any order.
  mutating func note(_ phone: PhoneID, at instant: SimInstant, _ second: Int) {
    if let looks {
      let open = looks.starts.count(upTo: instant) - looks.ends.count(upTo: instant)
      messages[second] += Double(open)
    }
    for place in watchers[phone.rawValue] ?? [] {
      let window = session(of: place, at: instant)
      if window.start <= instant, instant < window.end { messages[second] += 1 }
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

extension [SimInstant] {
  /// Returns how many instants of a sorted list are at an instant or before it.
  fileprivate func count(upTo instant: SimInstant) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] <= instant { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
