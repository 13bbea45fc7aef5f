package import Core

/// A question about the phones of a live run, which a screen asks once a second.
package enum PhoneQuestion: Equatable, Sendable {
  case phone(Int)
  case page(PhoneFilter, from: Int)

  package static let pageSize = 20
}

package struct PhoneFilter: Equatable, Sendable {
  /// The cohort's index in `Snapshot.cohorts`; nil for all cohorts.
  package var cohort: Int?
  package var state: PhoneState

  package init(cohort: Int? = nil, state: PhoneState = .any) {
    self.cohort = cohort
    self.state = state
  }
}

package enum PhoneState: Hashable, Sendable {
  case any
  /// Phones by the age of their newest fix at the server, as in the run's freshness.
  case fresh, stale
  case because(StaleCause)
  case foreground, background, suspended, notRunning
  case moving, offline, switchedOff
  /// Phones without Always permission or a valid push token.
  case unreachable

  package static let all: [PhoneState] =
    [
      .any, .fresh, .stale, .foreground, .background, .suspended, .notRunning, .moving, .offline,
      .switchedOff, .unreachable,
    ] + StaleCause.allCases.map(PhoneState.because)

  package var title: String {
    switch self {
    case .any: "any state"
    case .fresh: "fresh"
    case .stale: "stale"
    case .because(let cause): "stale, \(cause.rawValue)"
    case .foreground: "foreground"
    case .background: "background"
    case .suspended: "suspended"
    case .notRunning: "not running"
    case .moving: "moving"
    case .offline: "offline"
    case .switchedOff: "switched off"
    case .unreachable: "unreachable by push"
    }
  }
}

package struct PhoneAnswer: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    case phone(PhoneFacts)
    /// Another process of the run simulates the phone.
    case elsewhere
    case page(PhonePage)
  }

  package var question: PhoneQuestion
  /// The time of day in the scenario.
  package var clock: String
  package var content: Content

  package init(_ question: PhoneQuestion, at clock: String, _ content: Content) {
    self.question = question
    self.clock = clock
    self.content = content
  }
}

package struct PhonePage: Equatable, Sendable {
  /// The phones found, in the order of their numbers: at most `PhoneQuestion.pageSize`.
  package var phones: [PhoneFacts] = []
  /// The phones of this process over which the search goes.
  package var range: Range<Int>
  /// The number of the first phone that the search has not examined.
  package var next: Int
  /// Whether other processes simulate phones that the filter may accept.
  package var isPart = false

  package init(_ range: Range<Int>, next: Int) {
    self.range = range
    self.next = next
  }

  package var isFull: Bool { phones.count >= PhoneQuestion.pageSize }
  package var isAtEnd: Bool { next >= range.upperBound }
}

package struct PhoneFacts: Equatable, Sendable {
  package enum App: String, Sendable {
    case foreground, background, suspended
    case notRunning = "not running"
  }

  package struct Past: Equatable, Sendable {
    package var ago: SimDuration
    package var clock: String

    package init(ago: SimDuration, clock: String) {
      self.ago = ago
      self.clock = clock
    }
  }

  package struct Event: Equatable, Sendable {
    package var at: Past
    package var what: String

    package init(_ what: String, at: Past) {
      self.what = what
      self.at = at
    }
  }

  package var number: Int
  package var cohort = ""
  package var policy = ""
  /// The profile of the phone's operating system.
  package var system = ""
  package var permission = Authorization.notDetermined
  package var isPrecise = true
  package var hasPushToken = true
  package var app = App.notRunning
  package var isMoving = false
  package var isOnWifi = false
  package var isOffline = false
  package var isSwitchedOff = false
  package var cause: StaleCause?
  /// The instant of the newest position at the server; nil without any.
  package var newest: Past?
  package var outboxFixes = 0
  /// The number of outbox fixes that are being sent.
  package var inFlightFixes = 0
  package var batteryPercent = 0
  package var batteryAt: Past?
  package var isCharging = false
  package var isInLowPowerMode = false
  /// The last start or wake of the app, and its cause; nil if none since the run began.
  package var wake: Event?
  /// The last push: the instant of its request, and its outcome or progress; nil without a push.
  package var push: Event?

  package init(_ number: Int) { self.number = number }
}
