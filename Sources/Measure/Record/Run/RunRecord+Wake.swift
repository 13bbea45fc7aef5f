internal import SimulationCore

extension RunRecord {
  /// Silent pushes and what became of them.
  package struct Wake: Equatable, Sendable, Codable {
    package var requested = 0
    package var eligible = 0
    package var withheld = 0
    /// W.
    @Nullable package var withinSeconds: Double?
    package var outcomes: [String: Int] = [:]
    @Nullable package var answered: Ratio?
    @Nullable package var caused: Ratio?
    /// By the best method that the run has; the method stands beside it.
    @Nullable package var uplift: Ratio?
    @Nullable package var upliftMethod: UpliftMethod?
    /// By the other method too, where the run has both.
    @Nullable package var upliftHoldout: Ratio?
    /// Answered by themselves: without the push, by the method of `uplift`.
    @Nullable package var answeredWithout: Ratio?
    /// Ascending W, the scenario's own among them.
    @Nullable package var windows: [Window]?
    @Nullable package var cohorts: [Group]?
    @Nullable package var systems: [Group]?
    /// By the local hour of the push: "00" … "23".
    @Nullable package var hours: [Group]?
    @Nullable package var allSilent: AllSilent?
    @Nullable package var curves: Curves?
    /// Key → which side of the run it is known from.
    @Nullable package var knownBy: [String: Side]?
    package init() {}

    package enum UpliftMethod: String, Sendable, Codable {
      /// With each push, and with the same push withheld, on the same phones and seed.
      case paired
      /// Against the pushes that were withheld at random.
      case holdout
    }

    package enum Side: String, Sendable, Codable {
      /// What a real server knows.
      case server
      /// What only a simulated phone can tell; joined after the run.
      case simulator
    }

    /// The figures of one W.
    package struct Window: Equatable, Sendable, Codable {
      package var withinSeconds: Double
      package var eligible: Int
      @Nullable package var answered: Ratio?
      @Nullable package var caused: Ratio?
      @Nullable package var uplift: Ratio?
      @Nullable package var upliftMethod: UpliftMethod?
    }

    /// The figures of a part of the pushes, at the scenario's W.
    package struct Group: Equatable, Sendable, Codable {
      package var name: String
      package var requested: Int
      package var eligible: Int
      /// Those that occurred.
      package var outcomes: [String: Int]
      @Nullable package var answered: Ratio?
      @Nullable package var caused: Ratio?
      @Nullable package var uplift: Ratio?
      @Nullable package var upliftMethod: UpliftMethod?
    }

    /// Pushed phones, and silent ones that no push can reach, together.
    package struct AllSilent: Equatable, Sendable, Codable {
      package var occasions: Int
      package var unreachable: Int
      @Nullable package var answered: Ratio?
      @Nullable package var caused: Ratio?
    }

    package struct Curves: Equatable, Sendable, Codable {
      /// From the push to the report that the server takes for its answer.
      @Nullable package var answered: Curve?
      /// From the push to the fix of its own wake.
      @Nullable package var caused: Curve?
      /// To the phone's own report, had the push been withheld.
      @Nullable package var without: Curve?
    }

    /// A Kaplan–Meier curve, turned round: the share that is done by a time.
    package struct Curve: Equatable, Sendable, Codable {
      package var pushes: Int
      package var events: Int
      package var lastSeconds: Double
      /// By the end of the curve.
      package var reached: Double
      /// null: fewer than that share ever did.
      @Nullable package var lowerQuartileSeconds: Double?
      @Nullable package var medianSeconds: Double?
      @Nullable package var upperQuartileSeconds: Double?
      package var points: [Point]
    }

    package struct Point: Equatable, Sendable, Codable {
      package var seconds: Double
      /// Done by then, with the pointwise 95 % band.
      package var share: Double
      package var low: Double
      package var high: Double
      /// Still watched and not yet done just before.
      package var atRisk: Int
    }
  }
}

/// What groups of pushes are called, by their places in the scenario's lists.
package struct WakeNames: Sendable {
  package var cohorts: [String]
  package var systems: [String]

  package init(cohorts: [String], systems: [String]) {
    self.cohorts = cohorts
    self.systems = systems
  }
}

extension RunRecord.Wake {
  /// More steps than this are thinned: a picture shows no more.
  private static let curvePoints = 80

  package init(_ ledger: WakeLedger, names: WakeNames, seed: UInt64) {
    requested = ledger.requested
    withinSeconds = ledger.within.seconds
    let ended = ledger.outcomes
    for outcome in WakeOutcome.allCases { outcomes[outcome.rawValue] = ended[outcome] ?? 0 }
    let all = ledger.figures(within: ledger.within, seed: seed)
    eligible = all.eligible
    withheld = all.withheld
    answered = all.answered
    caused = all.caused
    (uplift, upliftMethod) = all.bestUplift
    upliftHoldout = all.upliftHoldout
    answeredWithout = all.withoutPaired ?? all.withoutHoldout
    guard requested > 0 else { return }
    windows = ledger.windows.map { window in
      Window(
        window,
        window == ledger.within ? all : ledger.figures(within: window, seed: seed))
    }
    cohorts = ledger.groups(by: { Int($0.cohort) }, seed: seed).map {
      Group($0, name: names.cohorts[$0.key])
    }
    systems = ledger.groups(by: { Int($0.system) }, seed: seed).map {
      Group($0, name: names.systems[$0.key])
    }
    hours = ledger.groups(by: { Int($0.hour) }, seed: seed).map {
      Group($0, name: $0.key < 10 ? "0\($0.key)" : "\($0.key)")
    }
    if all.unreachable > 0 { allSilent = AllSilent(all) }
    curves = Curves(
      answered: ledger.answerCurve().map { Curve($0, points: Self.curvePoints) },
      caused: ledger.causedCurve().map { Curve($0, points: Self.curvePoints) },
      without: ledger.counterfactualCurve().map { Curve($0, points: Self.curvePoints) })
    knownBy = sides
  }

  /// Which side of the run knows what.
  private var sides: [String: Side] {
    var sides: [String: Side] = [
      "requested": .server, "withheld": .server, "answered": .server,
      // Which pushes are still held, and so outside the ratio, a phone alone can tell.
      "eligible": .simulator, "outcomes": .simulator, "caused": .simulator,
      "curves.answered": .server, "curves.caused": .simulator, "curves.without": .simulator,
    ]
    if let upliftMethod { sides["uplift"] = upliftMethod == .paired ? .simulator : .server }
    if upliftHoldout != nil { sides["upliftHoldout"] = .server }
    if allSilent != nil { sides["allSilent"] = .simulator }
    return sides
  }
}

extension WakeLedger.Metrics {
  fileprivate typealias Method = RunRecord.Wake.UpliftMethod

  fileprivate var bestUplift: (Ratio?, Method?) {
    if let upliftPaired { return (upliftPaired, .paired) }
    return (upliftHoldout, upliftHoldout == nil ? nil : .holdout)
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

extension RunRecord.Wake.Group {
  fileprivate init(_ group: WakeLedger.Group, name: String) {
    let (uplift, method) = group.figures.bestUplift
    var outcomes: [String: Int] = [:]
    for (outcome, count) in group.outcomes where count > 0 { outcomes[outcome.rawValue] = count }
    self.init(
      name: name, requested: group.requested, eligible: group.figures.eligible,
      outcomes: outcomes, answered: group.figures.answered, caused: group.figures.caused,
      uplift: uplift, upliftMethod: method)
  }
}

extension RunRecord.Wake.AllSilent {
  fileprivate init(_ figures: WakeLedger.Metrics) {
    self.init(
      occasions: figures.eligible + figures.unreachable, unreachable: figures.unreachable,
      answered: figures.allSilentAnswered, caused: figures.allSilentCaused)
  }
}

extension RunRecord.Wake {
  /// All silent phones where a server told only how many occasions its unreachable ones had.
  ///
  /// Those are a count and no sample: the interval is that of the pushed phones alone.
  package mutating func setAllSilent(unreachable: Int, answeredByThemselves: Int) {
    guard unreachable > 0 else { return }
    let (pushed, all) = (Double(eligible), Double(eligible + unreachable))
    func widened(_ ratio: Ratio?, by others: Int) -> Ratio? {
      ratio.map { ratio in
        let share = { (ratio: Double) in (ratio * pushed + Double(others)) / all }
        return Ratio(
          value: share(ratio.value), low: share(ratio.low), high: share(ratio.high))
      }
    }
    allSilent = AllSilent(
      occasions: eligible + unreachable, unreachable: unreachable,
      answered: widened(answered, by: answeredByThemselves), caused: widened(caused, by: 0))
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
