internal import SimulationCore

extension RunRecord {
  /// Silent pushes and what became of them.
  package struct Wake: Equatable, Sendable, Codable {
    /// Counts the pushes requested in the measured time, without the withheld ones.
    package var requested = 0
    /// Counts the pushes requested at least W before the end, without those that the phone's system
    /// still holds and those in `unanswerable`.
    package var eligible = 0
    /// Counts the pushes that the holdout withheld at least W before the end.
    package var withheld = 0
    /// W.
    @Nullable package var withinSeconds: Double?
    /// Counts the requested pushes by how they ended; the keys are those of `WakeOutcome`, all of
    /// them.
    package var outcomes: [String: Int] = [:]
    /// Counts the alerts that phones showed to their owners; null where no push was an alert.
    @Nullable package var shown: Int?
    /// Holds the pushes to cohorts whose policy answers none with a new position; null where there
    /// were none. They are outside every ratio but those of their own cohorts and of `allSilent`.
    @Nullable package var unanswerable: Unanswerable?
    /// Is the share of eligible pushes that were answered within W.
    @Nullable package var answered: Ratio?
    /// Is the share of eligible pushes whose own wake brought the answer within W.
    @Nullable package var caused: Ratio?
    /// By the best method that the run has; the method stands beside it.
    @Nullable package var uplift: Ratio?
    /// Names the method by which `uplift` was found; null where there is no uplift.
    @Nullable package var upliftMethod: UpliftMethod?
    /// By the other method too, where the run has both.
    @Nullable package var upliftHoldout: Ratio?
    /// Answered by themselves: without the push, by the method of `uplift`.
    @Nullable package var answeredWithout: Ratio?
    /// Ascending W, the scenario's own among them.
    @Nullable package var windows: [Window]?
    /// Holds the figures by cohort, in the scenario's order, of cohorts with a push; null without
    /// pushes.
    @Nullable package var cohorts: [Group]?
    /// Holds the figures by OS profile, of profiles with a push; null without pushes.
    @Nullable package var systems: [Group]?
    /// By the local hour of the push: "00" … "23".
    @Nullable package var hours: [Group]?
    /// Holds the figures by type of push (background, alert, location, or other for what runs
    /// nothing of a tracker), each with the gates that stopped its own; null where all pushes are
    /// of the scenario's type.
    @Nullable package var types: [Group]?
    /// Holds pushed and unreachable phones together; null where no unreachable phone was silent.
    @Nullable package var allSilent: AllSilent?
    /// Holds the curves of time from the push; null without pushes.
    @Nullable package var curves: Curves?
    /// Key → which side of the run it is known from.
    @Nullable package var knownBy: [String: Side]?
    /// Makes a block without pushes.
    package init() {}

    /// Pushes that no policy answers.
    package struct Unanswerable: Equatable, Sendable, Codable {
      /// Counts the pushes requested of such phones.
      package var requested: Int
      /// Counts those of them that were requested at least W before the end and are not held.
      package var eligible: Int
      /// Counts those of these that a report of the phone's own followed within W.
      package var answered: Int
      /// Counts the pushes to all other phones by how they ended.
      package var othersOutcomes: [String: Int]
    }

    /// Names the ways to find what would have happened without the push.
    package enum UpliftMethod: String, Sendable, Codable {
      /// With each push, and with the same push withheld, on the same phones and seed.
      case paired
      /// Against the pushes that were withheld at random.
      case holdout
    }

    /// Names the sides of a run.
    package enum Side: String, Sendable, Codable {
      /// What a real server knows.
      case server
      /// What only a simulated phone can tell; joined after the run.
      case simulator
    }

    /// The figures of one W.
    package struct Window: Equatable, Sendable, Codable {
      /// Is the window's W.
      package var withinSeconds: Double
      /// Counts the pushes requested at least W before the end, without those still held.
      package var eligible: Int
      /// Is the share of eligible pushes that were answered within W.
      @Nullable package var answered: Ratio?
      /// Is the share of eligible pushes whose own wake brought the answer; null where it is not
      /// known for this W.
      @Nullable package var caused: Ratio?
      /// Is answered with the push less answered without it; null where unknown.
      @Nullable package var uplift: Ratio?
      /// Names the method by which `uplift` was found.
      @Nullable package var upliftMethod: UpliftMethod?
    }

    /// The figures of a part of the pushes, at the scenario's W.
    package struct Group: Equatable, Sendable, Codable {
      /// Names the cohort, the OS profile or the hour.
      package var name: String
      /// Counts the group's pushes without the withheld ones.
      package var requested: Int
      /// Counts the group's pushes that are judged: requested at least W before the end and not
      /// held.
      package var eligible: Int
      /// Those that occurred.
      package var outcomes: [String: Int]
      /// Is the share of eligible pushes that were answered within W.
      @Nullable package var answered: Ratio?
      /// Is the share of eligible pushes whose own wake brought the answer within W.
      @Nullable package var caused: Ratio?
      /// Is answered with the push less answered without it; null where unknown.
      @Nullable package var uplift: Ratio?
      /// Names the method by which `uplift` was found.
      @Nullable package var upliftMethod: UpliftMethod?
    }

    /// Pushed phones, and silent ones that no push can reach, together.
    package struct AllSilent: Equatable, Sendable, Codable {
      /// Counts the judged pushes, unanswerable ones included, and the times in `unreachable`
      /// together.
      package var occasions: Int
      /// Counts the times at which a phone that no push can reach would have been pushed.
      package var unreachable: Int
      /// Is the share of all those times after which the phone reported within W.
      @Nullable package var answered: Ratio?
      /// Is the share of all those times after which a push brought the report within W.
      @Nullable package var caused: Ratio?
    }

    /// Holds how long after its request a push had which effect.
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
      /// Counts the pushes that the curve rests on, watched to the end or not.
      package var pushes: Int
      /// Counts the pushes for which the event was seen.
      package var events: Int
      /// Is when the last push ceased to be watched, in seconds from its request.
      package var lastSeconds: Double
      /// By the end of the curve.
      package var reached: Double
      /// null: fewer than that share ever did.
      @Nullable package var lowerQuartileSeconds: Double?
      /// Is the time by which half had done it; null: fewer ever did.
      @Nullable package var medianSeconds: Double?
      /// Is the time by which three quarters had done it; null: fewer ever did.
      @Nullable package var upperQuartileSeconds: Double?
      /// Holds the curve's steps ascending in time, thinned to 80 at most.
      package var points: [Point]
    }

    /// Is the curve from one event's time to the next one's.
    package struct Point: Equatable, Sendable, Codable {
      /// Is the event's time in seconds from the request.
      package var seconds: Double
      /// Done by then, with the pointwise 95 % band.
      package var share: Double
      /// Is the lower end of the band, 0 … 1.
      package var low: Double
      /// Is the upper end of the band, 0 … 1.
      package var high: Double
      /// Still watched and not yet done just before.
      package var atRisk: Int
    }
  }
}

/// What groups of pushes are called, by their places in the scenario's lists: its cohorts, its OS
/// profiles, each once, and the types of push, of which there are none where all pushes are of the
/// scenario's.
package typealias WakeNames = (cohorts: [String], systems: [String], types: [String])

extension RunRecord.Wake {
  /// More steps than this are thinned: a picture shows no more.
  private static let curvePoints = 80

  /// Takes all figures from a ledger of single pushes; `seed` keys the resamples of the intervals.
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

  /// Notes how many alerts the phones showed, which no server is told.
  package mutating func setShown(_ alerts: Int) {
    shown = alerts
    knownBy = (knownBy ?? [:]).merging(["shown": .simulator]) { _, new in new }
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
    if unanswerable != nil { sides["unanswerable"] = .simulator }
    return sides
  }
}

extension WakeLedger.Metrics {
  var bestUplift: (Ratio?, RunRecord.Wake.UpliftMethod?) {
    if let upliftPaired { return (upliftPaired, .paired) }
    return (upliftHoldout, upliftHoldout == nil ? nil : .holdout)
  }
}

extension RunRecord.Wake.Unanswerable {
  /// nil where every push went to a phone whose policy can answer it.
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
  /// All silent phones where a server told only how many occasions its unreachable ones had.
  ///
  /// Those are a count and no sample: the interval is that of the pushed phones alone.
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
