/// All silent pushes and their outcomes, from which figures for any W and group are computed.
package struct WakeLedger: Equatable, Sendable {
  /// The scenario's W: the time within which a push must be answered.
  package let within: SimDuration
  /// All W for which figures are kept, `within` included, ascending.
  package let windows: [SimDuration]
  package let end: SimInstant
  package private(set) var pushes: [WakePush] = []
  package private(set) var unreachable: [UnreachableSilence] = []
  /// A number greater than that of any phone.
  private(set) var phones = 0

  /// Creates an empty ledger of the time measured until `end`; `within` is added to `windows`.
  package init(within: SimDuration, windows: [SimDuration] = [], until end: SimInstant) {
    self.within = within
    self.windows = Set(windows + [within]).sorted()
    self.end = end
  }

  package mutating func reserve(_ count: Int) { pushes.reserveCapacity(count) }

  /// Adds a push; a phone's pushes must come in the order of their requests.
  package mutating func add(_ push: WakePush) {
    pushes.append(push)
    phones = max(phones, Int(push.phone) + 1)
  }

  package mutating func add(_ silence: UnreachableSilence) {
    unreachable.append(silence)
    phones = max(phones, Int(silence.phone) + 1)
  }

  package var requested: Int { pushes.count { !$0.isWithheld } }

  /// The pushes per outcome at the scenario's W; withheld pushes do not count.
  package var outcomes: [WakeOutcome: Int] { Self.outcomes(pushes.lazy.map(\.self)) }

  package var answerableOutcomes: [WakeOutcome: Int] {
    Self.outcomes(pushes.lazy.filter(\.canBeAnswered))
  }

  package var unanswerable: Int { pushes.count { !$0.isWithheld && !$0.canBeAnswered } }

  private static func outcomes(_ pushes: some Sequence<WakePush>) -> [WakeOutcome: Int] {
    pushes.reduce(into: [:]) { if !$1.isWithheld { $0[$1.outcome, default: 0] += 1 } }
  }

  // MARK: Figures

  /// The ratios for one W; nil where there is no data.
  package struct Metrics: Equatable, Sendable {
    /// Pushes requested at least W before the end, except those that a phone's system still holds.
    package var eligible = 0
    package var withheld = 0
    /// The share of eligible pushes answered within W.
    package var answered: Ratio?
    /// The share of eligible pushes whose own wake brought the answer within W.
    package var caused: Ratio?
    /// The uplift from pairs of simulations: with the push, and with the same push withheld.
    package var upliftPaired: Ratio?
    /// The uplift from the randomised holdout, which a real server can measure, too.
    package var upliftHoldout: Ratio?
    package var withoutPaired: Ratio?
    /// The share of withheld pushes whose phone reported by itself within W.
    package var withoutHoldout: Ratio?
    /// How often unreachable phones would have been pushed; 0 unless W is the scenario's.
    package var unreachable = 0
    /// Pushes that would be eligible if the phone's policy could answer them.
    package var unanswerable = 0
    /// The part of `unanswerable` after which a report came within W nonetheless.
    package var unanswerableAnswered = 0
    /// The answered share of judged pushes plus unreachable times; nil where `unreachable` is 0.
    package var allSilentAnswered: Ratio?
    package var allSilentCaused: Ratio?
  }

  /// Returns one W's ratios without unanswerable pushes, with 95 % intervals by resampled phones.
  package func figures(
    within window: SimDuration, seed: UInt64, resamples: Int = 1_000
  ) -> Metrics {
    figures(within: window, PhoneOrder(self), seed: seed, resamples: resamples)
  }

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

  /// Whether `caused` is known for every W, and not only for the scenario's.
  private var knowsCausedTimes: Bool {
    pushes.allSatisfy { $0.outcome != .caused || $0.causedAfter != nil }
  }

  /// Returns groups by ascending key, at the scenario's W. `judgesAll` adds unanswerable pushes.
  package func groups(
    by key: (WakePush) -> Int, named name: (Int) -> String, judgesAll: Bool = false, seed: UInt64,
    resamples: Int = 400
  ) -> [WakeGroup] {
    var outcomes: [Int: [WakeOutcome: Int]] = [:]
    for push in pushes {
      // A group is listed even if all of its pushes were withheld.
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
      return WakeGroup(
        name: name(key), requested: ended.values.reduce(0, +), eligible: figures.eligible,
        outcomes: Dictionary(uniqueKeysWithValues: ended.map { ($0.key.rawValue, $0.value) }),
        answered: figures.answered, caused: figures.caused, uplift: figures.bestUplift.0,
        upliftMethod: figures.bestUplift.1)
    }
  }

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
    // A push still pending after its W is held by the phone's system.
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

  /// Returns nil if the counterfactual was not simulated, or not for the whole window.
  private func isAnsweredWithout(_ push: WakePush, _ window: SimDuration) -> Bool? {
    switch push.counterfactual {
    case .unknown: nil
    case .silent: window <= within ? false : nil
    case .reported(let after): window <= within ? after <= window : nil
    }
  }

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

/// The pushes of one cohort, system, hour or type.
package struct WakeGroup: Equatable, Sendable, Codable {
  package var name: String
  /// The number of pushes in the group, without withheld ones.
  package var requested: Int
  package var eligible: Int
  /// The pushes per outcome, without outcomes that did not occur.
  package var outcomes: [String: Int]
  @Nullable package var answered: Ratio?
  /// The share of eligible pushes whose own wake brought the answer within W.
  @Nullable package var caused: Ratio?
  /// The share answered with the push, minus the share without it; null where unknown.
  @Nullable package var uplift: Ratio?
  @Nullable package var upliftMethod: UpliftMethod?
}

package enum UpliftMethod: String, Sendable, Codable {
  /// A comparison with the same push withheld, on the same phones and seed.
  case paired
  /// A comparison with pushes that were withheld at random.
  case holdout
}

extension WakeLedger.Metrics {
  package var bestUplift: (Ratio?, UpliftMethod?) {
    if let upliftPaired { return (upliftPaired, .paired) }
    return (upliftHoldout, upliftHoldout == nil ? nil : .holdout)
  }
}

/// Curves of the seconds from the request of a push, for pushes that the phone's policy can answer.
extension WakeLedger {
  /// Returns the curve of the time to the answer; nil if no such time is known.
  package func answerCurve() -> KaplanMeier? {
    guard pushes.contains(where: { ($0.answeredAfter ?? .zero) > .zero }) else { return nil }
    return curve(\.answeredAfter)
  }

  /// Returns the curve of the time to a fix from the push's wake; nil if no such time is known.
  package func causedCurve() -> KaplanMeier? {
    pushes.contains { $0.causedAfter != nil } ? curve(\.causedAfter) : nil
  }

  /// Returns the curve of the time to a report with the push withheld; nil if not simulated.
  package func counterfactualCurve() -> KaplanMeier? {
    var done: [Double] = []
    var left: [Double] = []
    for push in pushes where !push.isWithheld && push.canBeAnswered {
      switch push.counterfactual {
      case .unknown: break
      case .reported(let after) where after <= within: done.append(after.seconds)
      case .silent, .reported: left.append(within.seconds)
      }
    }
    return done.isEmpty && left.isEmpty ? nil : KaplanMeier(done: done, left: left)
  }

  /// Returns the curve of pushes observed until the longest W, the phone's next push or the end.
  private func curve(_ time: KeyPath<WakePush, SimDuration?>) -> KaplanMeier {
    var next = [SimInstant](repeating: end, count: phones)
    var done: [Double] = []
    var left: [Double] = []
    let longest = windows.last ?? within
    for push in pushes.reversed() {
      let until = min(push.requestedAt + longest, min(next[Int(push.phone)], end))
      next[Int(push.phone)] = push.requestedAt
      guard !push.isWithheld, push.canBeAnswered, until > push.requestedAt else { continue }
      let watched = until - push.requestedAt
      if let took = push[keyPath: time], took <= watched {
        done.append(took.seconds)
      } else {
        left.append(watched.seconds)
      }
    }
    return KaplanMeier(done: done, left: left)
  }
}
