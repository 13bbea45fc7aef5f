package import Core

extension RunRecord {
  package struct Wake: Equatable, Sendable, Codable {
    /// The pushes requested in the measured time, without withheld ones.
    package var requested = 0
    /// Pushes requested at least W before the end, neither held by the system nor `unanswerable`.
    package var eligible = 0
    package var withheld = 0
    /// W, the scenario's limit for an answer, in seconds.
    @Nullable package var withinSeconds: Double?
    /// The number of requested pushes by `WakeOutcome`. Every outcome has a key, but those of
    /// Android only where they occurred.
    package var outcomes: [String: Int] = [:]
    /// The alerts shown to owners; null if no push was an alert.
    @Nullable package var shown: Int?
    /// Pushes to cohorts whose policy answers no push with a new position; null if there are none.
    /// Of all ratios, only `allSilent`, `cohorts` and `types` include such pushes.
    @Nullable package var unanswerable: Unanswerable?
    /// The share of eligible pushes answered within W.
    @Nullable package var answered: Ratio?
    /// The share of eligible pushes whose wake produced the answering fix within W.
    @Nullable package var caused: Ratio?
    /// The share answered with the push minus the share answered without it; paired where known.
    @Nullable package var uplift: Ratio?
    @Nullable package var upliftMethod: UpliftMethod?
    /// The uplift by holdout; null where the run withheld too few pushes or none.
    @Nullable package var upliftHoldout: Ratio?
    /// The share of pushes that would be answered without the push, by `upliftMethod`.
    @Nullable package var answeredWithout: Ratio?
    /// The figures at each W, ascending; the scenario's W is among them.
    @Nullable package var windows: [Window]?
    @Nullable package var cohorts: [WakeGroup]?
    @Nullable package var systems: [WakeGroup]?
    /// Figures by the local hour of the push: "00" … "23".
    @Nullable package var hours: [WakeGroup]?
    /// Figures by push type: background, alert, location, or other, which runs no tracker.
    /// Null where all pushes are of the scenario's type.
    @Nullable package var types: [WakeGroup]?
    /// Pushed and unreachable phones together; null where no unreachable phone was silent.
    @Nullable package var allSilent: AllSilent?
    /// The distributions of the time until an answer; null without pushes.
    @Nullable package var curves: Curves?
    /// The side of the run that knows a figure, by the figure's key.
    @Nullable package var knownBy: [String: Side]?
    package init() {}

    /// The share of all silent phones that answered, unreachable ones included; nil if unknown.
    package var answeredOfSilent: Ratio? { allSilent?.answered }

    package struct Unanswerable: Equatable, Sendable, Codable {
      package var requested: Int
      /// Pushes requested at least W before the end and not held by the system.
      package var eligible: Int
      /// Eligible pushes after which the phone reported by itself within W.
      package var answered: Int
      /// The outcomes of the pushes to phones whose policy answers pushes.
      package var othersOutcomes: [String: Int]
    }

    package enum Side: String, Sendable, Codable {
      case server
      /// Figures that only a simulated phone knows; the run adds them at its end.
      case simulator
    }

    package struct Window: Equatable, Sendable, Codable {
      package var withinSeconds: Double
      /// Pushes requested at least W before the end and not held by the system.
      package var eligible: Int
      @Nullable package var answered: Ratio?
      /// The share caused by the push within W; null where unknown for this W.
      @Nullable package var caused: Ratio?
      /// The share answered with the push minus the share answered without it; null where unknown.
      @Nullable package var uplift: Ratio?
      @Nullable package var upliftMethod: UpliftMethod?
    }

    /// The figures of pushed phones together with silent phones that no push can reach.
    package struct AllSilent: Equatable, Sendable, Codable {
      /// Judged pushes, unanswerable ones included, plus `unreachable`.
      package var occasions: Int
      /// The times at which the server would have pushed an unreachable phone.
      package var unreachable: Int
      /// The share of occasions followed by a report within W.
      @Nullable package var answered: Ratio?
      /// The share of occasions with a report caused by a push within W.
      @Nullable package var caused: Ratio?
    }

    package struct Curves: Equatable, Sendable, Codable {
      /// The time to the report that counts as the answer.
      @Nullable package var answered: Curve?
      /// The time to the fix that the push's wake produced.
      @Nullable package var caused: Curve?
      /// The time to the phone's next report if the push had been withheld.
      @Nullable package var without: Curve?
    }

    /// An inverted Kaplan–Meier curve: the share of pushes followed by the event up to each time.
    package struct Curve: Equatable, Sendable, Codable {
      package var pushes: Int
      package var events: Int
      /// The longest observation, in seconds since its push was requested.
      package var lastSeconds: Double
      /// The share at `lastSeconds`.
      package var reached: Double
      /// The time at which the share reaches 25 %; null if it stays below.
      @Nullable package var lowerQuartileSeconds: Double?
      @Nullable package var medianSeconds: Double?
      /// The time at which the share reaches 75 %; null if it stays below.
      @Nullable package var upperQuartileSeconds: Double?
      /// At most 80 points of the curve, ascending in time.
      package var points: [Point]
    }

    package struct Point: Equatable, Sendable, Codable {
      package var seconds: Double
      /// The share up to `seconds`; `low` and `high` are its pointwise 95 % band.
      package var share: Double
      package var low: Double
      package var high: Double
      /// The pushes still observed just before `seconds`, without the event so far.
      package var atRisk: Int
    }
  }
}

/// The names of push groups, in the order of the scenario's lists: cohorts, distinct OS profiles,
/// and push types. `types` is empty where all pushes are of the scenario's type.
package typealias WakeNames = (cohorts: [String], systems: [String], types: [String])

extension RunRecord.Wake {
  private static let curvePoints = 80

  package init(_ ledger: WakeLedger, names: WakeNames, seed: UInt64) {
    requested = ledger.requested
    withinSeconds = ledger.within.seconds
    let ended = ledger.outcomes
    for outcome in WakeOutcome.allCases where !outcome.isOfAndroid || ended[outcome] != nil {
      outcomes[outcome.rawValue] = ended[outcome] ?? 0
    }
    let ratios = ledger.figures(within: ledger.windows, seed: seed)
    guard let own = ledger.windows.firstIndex(of: ledger.within) else {
      preconditionFailure("a ledger's own W is one of its windows")
    }
    let all = ratios[own]
    unanswerable = Unanswerable(ledger, all)
    eligible = all.eligible
    withheld = all.withheld
    answered = all.answered
    caused = all.caused
    (uplift, upliftMethod) = all.bestUplift
    upliftHoldout = all.upliftHoldout
    answeredWithout = all.withoutPaired ?? all.withoutHoldout
    guard requested > 0 else { return }
    windows = zip(ledger.windows, ratios).map { Window($0, $1) }
    cohorts = ledger.groups(
      by: { Int($0.cohort) }, named: { names.cohorts[$0] }, judgesAll: true, seed: seed)
    systems = ledger.groups(by: { Int($0.system) }, named: { names.systems[$0] }, seed: seed)
    hours = ledger.groups(
      by: { Int($0.hour) }, named: { $0 < 10 ? "0\($0)" : "\($0)" }, seed: seed)
    if !names.types.isEmpty {
      types = ledger.groups(
        by: { Int($0.type) }, named: { names.types[$0] }, judgesAll: true, seed: seed)
    }
    if all.unreachable > 0 { allSilent = AllSilent(all) }
    curves = Curves(
      answered: ledger.answerCurve().map { Curve($0, points: Self.curvePoints) },
      caused: ledger.causedCurve().map { Curve($0, points: Self.curvePoints) },
      without: ledger.counterfactualCurve().map { Curve($0, points: Self.curvePoints) })
    knownBy = sides
  }

  package mutating func setShown(_ alerts: Int) {
    shown = alerts
    knownBy = (knownBy ?? [:]).merging(["shown": .simulator]) { _, new in new }
  }

  private var sides: [String: Side] {
    var sides: [String: Side] = [
      "requested": .server, "withheld": .server, "answered": .server,
      // Only a phone knows which pushes are still held; `eligible` leaves these out.
      "eligible": .simulator, "outcomes": .simulator, "caused": .simulator,
      "curves.answered": .server, "curves.caused": .simulator, "curves.without": .simulator,
    ]
    if let upliftMethod { sides["uplift"] = upliftMethod == .paired ? .simulator : .server }
    if upliftHoldout != nil { sides["upliftHoldout"] = .server }
    if allSilent != nil { sides["allSilent"] = .simulator }
    if unanswerable != nil { sides["unanswerable"] = .simulator }
    return sides
  }
}

extension RunRecord.Wake.Unanswerable {
  fileprivate init?(_ ledger: WakeLedger, _ figures: WakeLedger.Metrics) {
    guard ledger.unanswerable > 0 else { return nil }
    var outcomes: [String: Int] = [:]
    for (outcome, count) in ledger.answerableOutcomes { outcomes[outcome.rawValue] = count }
    self.init(
      requested: ledger.unanswerable, eligible: figures.unanswerable,
      answered: figures.unanswerableAnswered, othersOutcomes: outcomes)
  }
}

extension RunRecord.Wake.Window {
  fileprivate init(_ window: SimDuration, _ figures: WakeLedger.Metrics) {
    let (uplift, method) = figures.bestUplift
    self.init(
      withinSeconds: window.seconds, eligible: figures.eligible, answered: figures.answered,
      caused: figures.caused, uplift: uplift, upliftMethod: method)
  }
}

extension RunRecord.Wake.AllSilent {
  fileprivate init(_ figures: WakeLedger.Metrics) {
    self.init(
      occasions: figures.eligible + figures.unanswerable + figures.unreachable,
      unreachable: figures.unreachable,
      answered: figures.allSilentAnswered, caused: figures.allSilentCaused)
  }
}

extension RunRecord.Wake {
  /// Computes `allSilent` from the counts that a server reported of its unreachable phones. Counts
  /// are exact, so the width of the interval comes from the pushed phones alone.
  package mutating func setAllSilent(unreachable: Int, answeredByThemselves: Int) {
    guard unreachable > 0 else { return }
    let occasions = eligible + (unanswerable?.eligible ?? 0) + unreachable
    let (pushed, all) = (Double(eligible), Double(occasions))
    func widened(_ ratio: Ratio?, by others: Int) -> Ratio? {
      ratio.map { ratio in
        let share = { (ratio: Double) in (ratio * pushed + Double(others)) / all }
        return Ratio(
          value: share(ratio.value), low: share(ratio.low), high: share(ratio.high))
      }
    }
    allSilent = AllSilent(
      occasions: occasions, unreachable: unreachable,
      answered: widened(answered, by: answeredByThemselves + (unanswerable?.answered ?? 0)),
      caused: widened(caused, by: 0))
    knownBy = (knownBy ?? [:]).merging(["allSilent": .simulator]) { _, new in new }
  }
}

extension RunRecord.Wake.Curve {
  fileprivate init(_ curve: KaplanMeier, points: Int) {
    self.init(
      pushes: curve.subjects, events: curve.events, lastSeconds: curve.lastTime,
      reached: curve.reached, lowerQuartileSeconds: curve.time(ofShare: 0.25),
      medianSeconds: curve.median, upperQuartileSeconds: curve.time(ofShare: 0.75),
      points: curve.thinned(to: points).map {
        .init(
          seconds: $0.time, share: 1 - $0.survival, low: 1 - $0.high, high: 1 - $0.low,
          atRisk: $0.atRisk)
      })
  }
}
