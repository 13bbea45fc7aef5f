package import SimulationCore

/// Silent pushes and what became of them, kept one by one so that every figure can be asked for
/// any W and any group, with intervals that know that the pushes of one phone are alike.
package struct WakeLedger: Equatable, Sendable {
  /// The scenario's W.
  package let within: SimDuration
  /// All W for which figures are kept, `within` among them, ascending.
  package let windows: [SimDuration]
  /// Of the measured time.
  package let end: SimInstant
  /// In the order in which they were requested.
  package private(set) var pushes: [WakePush] = []
  /// Holds the silent phones that the server could not push, one entry a phone.
  package private(set) var unreachable: [UnreachableSilence] = []
  /// Greater than any phone's number.
  private(set) var phones = 0

  /// Makes an empty ledger for pushes of a measured time that ends at `end`; `within` joins
  /// `windows`.
  package init(within: SimDuration, windows: [SimDuration] = [], until end: SimInstant) {
    self.within = within
    self.windows = Set(windows + [within]).sorted()
    self.end = end
  }

  /// Makes room for so many pushes at once, instead of doubling it as they come.
  package mutating func reserve(_ count: Int) { pushes.reserveCapacity(count) }

  /// A phone's pushes come in the order in which they were requested.
  package mutating func add(_ push: WakePush) {
    pushes.append(push)
    phones = max(phones, Int(push.phone) + 1)
  }

  /// Adds what one unreachable phone did while it was silent.
  package mutating func add(_ silence: UnreachableSilence) {
    unreachable.append(silence)
    phones = max(phones, Int(silence.phone) + 1)
  }

  /// Counts the pushes that were requested; withheld ones are not among them.
  package var requested: Int { pushes.count { !$0.isWithheld } }

  /// Of the scenario's W; they sum to the pushes requested.
  package var outcomes: [WakeOutcome: Int] { Self.outcomes(pushes.lazy.map(\.self)) }

  /// Holds the same of the pushes to phones whose policy can answer one.
  package var answerableOutcomes: [WakeOutcome: Int] {
    Self.outcomes(pushes.lazy.filter(\.canBeAnswered))
  }

  /// Counts the requested pushes to phones whose policy answers none.
  package var unanswerable: Int { pushes.count { !$0.isWithheld && !$0.canBeAnswered } }

  private static func outcomes(_ pushes: some Sequence<WakePush>) -> [WakeOutcome: Int] {
    pushes.reduce(into: [:]) { if !$1.isWithheld { $0[$1.outcome, default: 0] += 1 } }
  }

  // MARK: Figures

  /// The ratios of one W; one is nil where there is no data for it.
  package struct Metrics: Equatable, Sendable {
    /// Counts the pushes requested at least W before the end, without those that the phone's system
    /// still holds.
    package var eligible = 0
    /// Counts the pushes that the holdout withheld at least W before the end.
    package var withheld = 0
    /// Is the share of eligible pushes that were answered within W.
    package var answered: Ratio?
    /// Is the share of eligible pushes whose own wake brought the answer within W.
    package var caused: Ratio?
    /// From pairs: with the push, and the same push withheld.
    package var upliftPaired: Ratio?
    /// From the randomised holdout: what a real server could tell.
    package var upliftHoldout: Ratio?
    /// Answered by themselves, of the pairs and of the holdout.
    package var withoutPaired: Ratio?
    /// Is the share of withheld pushes whose phone reported by itself within W.
    package var withoutHoldout: Ratio?
    /// Counts the times at which an unreachable phone would have been pushed; 0 for a W that is not
    /// the scenario's.
    package var unreachable = 0
    /// Counts the pushes that would be eligible, were they not to phones whose policy answers none.
    package var unanswerable = 0
    /// Counts those of them that a report followed within W all the same.
    package var unanswerableAnswered = 0
    /// Is the share answered of all judged pushes and unreachable times together; nil where
    /// `unreachable` is 0.
    package var allSilentAnswered: Ratio?
    /// Is the share caused of all judged pushes and unreachable times together; nil where
    /// `unreachable` is 0.
    package var allSilentCaused: Ratio?
  }

  /// Returns the ratios of one W, with 95 % intervals from resampled phones; `seed` keys the
  /// resamples. Pushes that no policy answers are outside the ratios.
  package func figures(
    within window: SimDuration, seed: UInt64, resamples: Int = 1_000
  ) -> Metrics {
    figures(within: window, PhoneOrder(self), seed: seed, resamples: resamples)
  }

  /// Returns the ratios of each W at once.
  package func figures(within windows: [SimDuration], seed: UInt64) -> [Metrics] {
    let order = PhoneOrder(self)
    return windows.concurrentMap { figures(within: $0, order, seed: seed, resamples: 1_000) }
  }

  private func figures(
    within window: SimDuration, _ order: PhoneOrder, seed: UInt64, resamples: Int
  ) -> Metrics {
    var tallies = PhoneTallies()
    order.forEach { phone, place in
      let push = pushes[place]
      let tally = tally(push, window)
      tallies.add(push.canBeAnswered ? tally : tally.unanswerable, phone: phone)
    } silence: { phone, place in
      guard window == within else { return }
      var tally = WakeTally()
      tally[.unreachable] = unreachable[place].occasions
      tally[.unreachableAnswered] = unreachable[place].answered
      tallies.add(tally, phone: phone)
    }
    var figures = Metrics(tallies.takeOut()[0], seed: seed, resamples: resamples)
    if window != within, !knowsCausedTimes { figures.caused = nil }
    return figures
  }

  /// Else which fix a push caused is known for the scenario's W only.
  private var knowsCausedTimes: Bool {
    pushes.allSatisfy { $0.outcome != .caused || $0.causedAfter != nil }
  }

  /// Returns what parts of the pushes came to, at the scenario's W.
  ///
  /// - Parameters:
  ///   - key: of a push; groups come by it, ascending.
  ///   - judgesAll: whether pushes that no policy answers are in the ratios.
  package func groups(
    by key: (WakePush) -> Int, named name: (Int) -> String, judgesAll: Bool = false, seed: UInt64,
    resamples: Int = 400
  ) -> [RunRecord.Wake.Group] {
    var outcomes: [Int: [WakeOutcome: Int]] = [:]
    for push in pushes {
      // A group whose pushes were all withheld is one, too.
      outcomes[key(push), default: [:]][push.outcome, default: 0] += push.isWithheld ? 0 : 1
    }
    let keys = outcomes.keys.sorted()
    let places = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
    var tallies = PhoneTallies(groups: keys.count)
    PhoneOrder(self).forEach { phone, place in
      let push = pushes[place]
      let tally = tally(push, within)
      guard let group = places[key(push)] else { return }
      tallies.add(
        judgesAll || push.canBeAnswered ? tally : tally.unanswerable, phone: phone, group: group)
    } silence: { _, _ in
    }
    let figures = tallies.takeOut().concurrentMap {
      Metrics($0, seed: seed, resamples: resamples)
    }
    return zip(keys, figures).map { key, figures in
      let ended = (outcomes[key] ?? [:]).filter { $0.value > 0 }
      return RunRecord.Wake.Group(
        name: name(key), requested: ended.values.reduce(0, +), eligible: figures.eligible,
        outcomes: Dictionary(uniqueKeysWithValues: ended.map { ($0.key.rawValue, $0.value) }),
        answered: figures.answered, caused: figures.caused, uplift: figures.bestUplift.0,
        upliftMethod: figures.bestUplift.1)
    }
  }

  /// What one push adds for a W that may not be the scenario's.
  private func tally(_ push: WakePush, _ window: SimDuration) -> WakeTally {
    var tally = WakeTally()
    guard push.requestedAt + window <= end else { return tally }
    let isAnswered = push.answeredAfter.map { $0 <= window } ?? false
    if push.isWithheld {
      tally[.withheld] = 1
      tally[.withheldAnswered] = isAnswered ? 1 : 0
      return tally
    }
    tally[.matured] = 1
    tally[.maturedAnswered] = isAnswered ? 1 : 0
    // Pending although its W was over: the phone's system still holds it.
    if push.outcome == .pending, push.requestedAt + within <= end { return tally }
    tally[.eligible] = 1
    tally[.answered] = tally[.maturedAnswered]
    tally[.caused] = isCaused(push, window) ? 1 : 0
    guard let without = isAnsweredWithout(push, window) else { return tally }
    tally[.paired] = 1
    tally[.pairedWith] = tally[.answered]
    tally[.pairedWithout] = without ? 1 : 0
    return tally
  }

  private func isCaused(_ push: WakePush, _ window: SimDuration) -> Bool {
    if window == within { return push.outcome == .caused }
    return push.causedAfter.map { $0 <= window } ?? false
  }

  /// nil: the other course was not lived, or not for so long.
  private func isAnsweredWithout(_ push: WakePush, _ window: SimDuration) -> Bool? {
    switch push.counterfactual {
    case .unknown: nil
    case .silent: window <= within ? false : nil
    case .reported(let after): window <= within ? after <= window : nil
    }
  }

  /// Outcomes must sum to the pushes requested; as sentences, empty: they do.
  package func check() -> [String] {
    let sum = outcomes.values.reduce(0, +)
    return sum == requested ? [] : ["\(requested) pushes requested, but \(sum) outcomes."]
  }
}

extension WakeLedger.Metrics {
  init(_ sizes: [WakeTally: Int], seed: UInt64, resamples: Int) {
    let bootstrap = ClusterBootstrap(sizes, seed: seed, resamples: resamples)
    eligible = bootstrap.whole[.eligible]
    withheld = bootstrap.whole[.withheld]
    unreachable = bootstrap.whole[.unreachable]
    unanswerable = bootstrap.whole[.unanswerableEligible]
    unanswerableAnswered = bootstrap.whole[.unanswerableAnswered]
    answered = bootstrap.ratio(\.answeredShare)
    caused = bootstrap.ratio(\.causedShare)
    upliftPaired = bootstrap.ratio(\.pairedUplift)
    upliftHoldout = bootstrap.ratio(\.holdoutUplift)
    withoutPaired = bootstrap.ratio(\.pairedWithoutShare)
    withoutHoldout = bootstrap.ratio(\.withheldShare)
    guard unreachable > 0 else { return }
    allSilentAnswered = bootstrap.ratio(\.allSilentAnsweredShare)
    allSilentCaused = bootstrap.ratio(\.allSilentCausedShare)
  }
}
