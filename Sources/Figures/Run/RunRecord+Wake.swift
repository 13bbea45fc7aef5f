package import Core

extension RunRecord {
  package struct Wake: Equatable, Sendable, Codable {
    /// Requested in the measured time, without withheld ones.
    package var requested = 0
    /// Requested at least W before the end, neither still held by the system nor `unanswerable`.
    package var eligible = 0
    package var withheld = 0
    /// W.
    @Nullable package var withinSeconds: Double?
    /// Requested pushes by `WakeOutcome`, with every key.
    package var outcomes: [String: Int] = [:]
    /// Alerts shown to owners; null where no push was an alert.
    @Nullable package var shown: Int?
    /// Pushes to cohorts whose policy answers none with a new position; null if there were none.
    /// Only their own cohorts' ratios and `allSilent` include them.
    @Nullable package var unanswerable: Unanswerable?
    /// The share of eligible pushes answered within W.
    @Nullable package var answered: Ratio?
    /// The share of eligible pushes whose own wake brought the answer within W.
    @Nullable package var caused: Ratio?
    /// By the best available method, `upliftMethod`.
    @Nullable package var uplift: Ratio?
    @Nullable package var upliftMethod: UpliftMethod?
    /// By the other method too, where the run has both.
    @Nullable package var upliftHoldout: Ratio?
    /// The share answered without the push, by the method of `uplift`.
    @Nullable package var answeredWithout: Ratio?
    /// Ascending W, the scenario's own included.
    @Nullable package var windows: [Window]?
    @Nullable package var cohorts: [WakeGroup]?
    @Nullable package var systems: [WakeGroup]?
    /// By the local hour of the push: "00" … "23".
    @Nullable package var hours: [WakeGroup]?
    /// By push type (background, alert, location, or other for what runs nothing of a tracker),
    /// each with the gates that stopped it; null where all are of the scenario's type.
    @Nullable package var types: [WakeGroup]?
    /// Pushed and unreachable phones together; null where no unreachable phone was silent.
    @Nullable package var allSilent: AllSilent?
    /// null without pushes.
    @Nullable package var curves: Curves?
    /// Key → the side of the run that knows it.
    @Nullable package var knownBy: [String: Side]?
    package init() {}

    /// `answered` of all silent phones, those that no push can reach included; nil if unknown.
    package var answeredOfSilent: Ratio? { allSilent?.answered }

    package struct Unanswerable: Equatable, Sendable, Codable {
      package var requested: Int
      /// Requested at least W before the end and not held.
      package var eligible: Int
      /// Eligible pushes followed by a report of the phone's own within W.
      package var answered: Int
      /// The outcomes of pushes to all other phones.
      package var othersOutcomes: [String: Int]
    }

    package enum Side: String, Sendable, Codable {
      case server
      /// Known only to a simulated phone; joined after the run.
      case simulator
    }

    package struct Window: Equatable, Sendable, Codable {
      package var withinSeconds: Double
      /// Requested at least W before the end, without those still held.
      package var eligible: Int
      @Nullable package var answered: Ratio?
      /// null where unknown for this W.
      @Nullable package var caused: Ratio?
      /// Answered with the push minus answered without it; null where unknown.
      @Nullable package var uplift: Ratio?
      @Nullable package var upliftMethod: UpliftMethod?
    }

    /// Pushed phones, and silent ones that no push can reach, together.
    package struct AllSilent: Equatable, Sendable, Codable {
      /// Judged pushes, unanswerable ones included, plus `unreachable`.
      package var occasions: Int
      /// Times at which an unreachable phone would have been pushed.
      package var unreachable: Int
      /// The share of occasions followed by a report within W.
      @Nullable package var answered: Ratio?
      /// The share of occasions with a report caused by a push within W.
      @Nullable package var caused: Ratio?
    }

    package struct Curves: Equatable, Sendable, Codable {
      /// To the report that counts as the answer.
      @Nullable package var answered: Curve?
      /// To the fix of the push's wake.
      @Nullable package var caused: Curve?
      /// To the phone's own report, had the push been withheld.
      @Nullable package var without: Curve?
    }

    /// A Kaplan–Meier curve, inverted: the share done by a time.
    package struct Curve: Equatable, Sendable, Codable {
      package var pushes: Int
      package var events: Int
      /// The longest observation, from its request.
      package var lastSeconds: Double
      /// The share at the end of the curve.
      package var reached: Double
      /// null if the curve does not reach that share.
      @Nullable package var lowerQuartileSeconds: Double?
      @Nullable package var medianSeconds: Double?
      /// null if the curve does not reach that share.
      @Nullable package var upperQuartileSeconds: Double?
      /// Ascending in time, thinned to 80 at most.
      package var points: [Point]
    }

    package struct Point: Equatable, Sendable, Codable {
      package var seconds: Double
      /// Done by then, with the pointwise 95 % band.
      package var share: Double
      package var low: Double
      package var high: Double
      /// Observed until just before, and not yet done.
      package var atRisk: Int
    }
  }
}

/// The names of push groups, by their indices in the scenario's lists: cohorts, distinct OS
/// profiles, and push types (empty where all are of the scenario's type).
package typealias WakeNames = (cohorts: [String], systems: [String], types: [String])

extension RunRecord.Wake {
  private static let curvePoints = 80

  package init(_ ledger: WakeLedger, names: WakeNames, seed: UInt64) {
    requested = ledger.requested
    withinSeconds = ledger.within.seconds
    let ended = ledger.outcomes
    for outcome in WakeOutcome.allCases { outcomes[outcome.rawValue] = ended[outcome] ?? 0 }
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
      // Only a phone knows which pushes are still held and so outside the ratio.
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
  /// Computes `allSilent` if a server reported only the occasions of its unreachable phones: a
  /// count, not a sample, so the interval is that of the pushed phones alone.
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
