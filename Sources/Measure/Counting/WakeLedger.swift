/// How a silent push ended: charged to the first gate that stopped it, in this order.
package enum WakeOutcome: String, CaseIterable, Sendable, Codable, BitwiseCopyable {
  case rejected, unregistered
  case switchedOff = "switched-off"
  case offline, overwritten, expired
  case forceQuit = "force-quit"
  case lowPower = "low-power"
  case refreshOff = "refresh-off"
  case throttled
  case appCrashed = "app-crashed"
  case noPermission = "no-permission"
  case noFix = "no-fix"
  case uploadFailed = "upload-failed"
  /// Caused a fix, after W.
  case late
  /// Caused a fix within W.
  case caused
  /// The phone reported by itself before delivery.
  case raced
  /// Held, or too near the end: outside the ratio.
  case pending
}

/// A share with its 95 % interval.
package struct Ratio: Equatable, Sendable, Codable {
  package var value: Double
  package var low: Double
  package var high: Double

  package init(value: Double, low: Double, high: Double) {
    self.value = value
    self.low = low
    self.high = high
  }
}

/// Silent pushes and what became of them, kept by phone so that intervals know that the pushes of
/// one phone are alike.
package struct WakeLedger: Equatable, Sendable {
  /// What one phone adds to the ratios.
  struct Tally: Hashable, Sendable {
    var eligible = 0
    var answered = 0
    var caused = 0
    var withheld = 0
    var answeredWithheld = 0
  }

  package private(set) var requested = 0
  package private(set) var outcomes: [WakeOutcome: Int] = [:]
  private var phones: [UInt32: Tally] = [:]

  package init() {}

  /// A push ended.
  ///
  /// - Parameters:
  ///   - eligible: for a reachable phone and requested at least W before the end.
  ///   - answered: a fresh enough and accurate enough fix arrived within W (what a server sees).
  package mutating func record(
    phone: UInt32, _ outcome: WakeOutcome, eligible: Bool, answered: Bool
  ) {
    requested += 1
    outcomes[outcome, default: 0] += 1
    guard eligible else { return }
    phones[phone, default: Tally()].eligible += 1
    if answered { phones[phone, default: Tally()].answered += 1 }
    if outcome == .caused { phones[phone, default: Tally()].caused += 1 }
  }

  /// A push that the holdout withheld, of an eligible phone.
  package mutating func recordWithheld(phone: UInt32, answered: Bool) {
    phones[phone, default: Tally()].withheld += 1
    if answered { phones[phone, default: Tally()].answeredWithheld += 1 }
  }

  package mutating func merge(_ other: WakeLedger) {
    requested += other.requested
    outcomes.merge(other.outcomes, uniquingKeysWith: +)
    phones.merge(other.phones) {
      Tally(
        eligible: $0.eligible + $1.eligible, answered: $0.answered + $1.answered,
        caused: $0.caused + $1.caused, withheld: $0.withheld + $1.withheld,
        answeredWithheld: $0.answeredWithheld + $1.answeredWithheld)
    }
  }

  package var eligible: Int { phones.values.reduce(0) { $0 + $1.eligible } }
  package var answered: Int { phones.values.reduce(0) { $0 + $1.answered } }
  package var withheld: Int { phones.values.reduce(0) { $0 + $1.withheld } }

  /// Outcomes must sum to the pushes requested; as sentences, empty: they do.
  package func check() -> [String] {
    let sum = outcomes.values.reduce(0, +)
    return sum == requested ? [] : ["\(requested) pushes requested, but \(sum) outcomes."]
  }

  /// The three ratios with bootstrap intervals; a ratio is nil where there is no data.
  package struct Ratios: Equatable, Sendable {
    package var answered: Ratio?
    package var caused: Ratio?
    package var uplift: Ratio?
  }

  package func ratios(seed: UInt64, resamples: Int = 1_000) -> Ratios {
    let tallies = phones.values.filter { $0.eligible + $0.withheld > 0 }
    let bootstrap = ClusterBootstrap(
      tallies: Array(tallies), seed: seed, resamples: resamples)
    return Ratios(
      answered: bootstrap.ratio { $0.eligible > 0 ? $0.share(\.answered, of: \.eligible) : nil },
      caused: bootstrap.ratio { $0.eligible > 0 ? $0.share(\.caused, of: \.eligible) : nil },
      uplift: bootstrap.ratio {
        $0.eligible > 0 && $0.withheld > 0
          ? $0.share(\.answered, of: \.eligible) - $0.share(\.answeredWithheld, of: \.withheld)
          : nil
      })
  }
}

extension WakeLedger.Tally {
  func share(_ part: KeyPath<Self, Int>, of whole: KeyPath<Self, Int>) -> Double {
    Double(self[keyPath: part]) / Double(self[keyPath: whole])
  }
}
