internal import Core
internal import Figures

extension [TimelineRow] {
  /// Sets the silence columns after a run, because only a phone's next event ends a silence.
  mutating func setSilence(_ history: SilenceHistory, from start: SimInstant) {
    let populations = [history.installed, history.reachable, history.moving].map {
      (fresh: $0.fresh.phones, total: $0.total.phones)
    }
    let causes = StaleCause.allCases.map { (cause: $0, phones: history[$0].phones) }
    let profile = history.installed.total
    var before = start
    var sums = populations.map { _ in (fresh: 0.0, whole: 0.0) }
    for i in indices {
      let now = SimInstant(microseconds: Int64((self[i].scenarioSeconds * 1e6).rounded()))
      guard now > before else { continue }
      let slots = profile.slots(from: before, to: now)
      before = now
      let shares = populations.enumerated().map { number, population -> Double? in
        let fresh = population.fresh.sum(over: slots)
        let whole = population.total.sum(over: slots)
        sums[number].fresh += fresh
        sums[number].whole += whole
        return whole > 0 ? fresh / whole : nil
      }
      let soFar = sums.map { $0.whole > 0 ? $0.fresh / $0.whole : nil }
      self[i].freshInstalled = soFar[0]
      self[i].freshReachable = soFar[1]
      self[i].freshMoving = soFar[2]
      guard shares[0] != nil else { continue }
      self[i].freshInstalledNow = shares[0]
      self[i].freshReachableNow = shares[1]
      self[i].freshMovingNow = shares[2]
      for (cause, phones) in causes { self[i].stalePhones[cause] = phones.mean(over: slots) }
    }
  }
}

extension PhoneTimeProfile {
  /// Returns the slots that a period touches, each with the share of it that the period covers.
  fileprivate func slots(from: SimInstant, to: SimInstant) -> [(slot: Int, weight: Double)] {
    let low = Swift.max(0, Double((from - start).microseconds) / Double(width.microseconds))
    let high = Swift.min(
      Double(slots), Double((to - start).microseconds) / Double(width.microseconds))
    guard low < high else { return [] }
    return (Int(low)..<Int(high.rounded(.up))).map { slot in
      (slot, Swift.min(high, Double(slot + 1)) - Swift.max(low, Double(slot)))
    }
  }
}

extension [Double] {
  fileprivate func mean(over slots: [(slot: Int, weight: Double)]) -> Double {
    let weight = slots.reduce(0) { $0 + $1.weight }
    return weight > 0 ? sum(over: slots) / weight : 0
  }

  fileprivate func sum(over slots: [(slot: Int, weight: Double)]) -> Double {
    slots.reduce(0) { $0 + self[$1.slot] * $1.weight }
  }
}
