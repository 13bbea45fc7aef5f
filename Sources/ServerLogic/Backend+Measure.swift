internal import Scenarios
package import SimulationCore
internal import Telemetry

extension Backend {
  /// Wake and freshness figures begin at `start`; the ledger covers the whole run.
  package mutating func openMeasure(at start: SimInstant) {
    measure = MeasureWindow(start: start, end: .distantFuture)
    wake = WakeTotals()
    occasions.removeAll()
    answered.removeAll()
    freshness = FreshnessIntegral(within: freshness.thresholds)
    for index in table.indices {
      table[index].countedUntil = start
      table[index].logIndex = LastSeen.notLogged
    }
  }

  /// Ends the measured time: occasions of the last `within` become pending, ages are counted out.
  package mutating func closeMeasure(at end: SimInstant) {
    for index in table.indices { countAge(index, until: end) }
    for index in occasions.indices.reversed() {
      guard occasions[index].at + settings.within > end else { break }
      occasions[index].isPending = true
      wake.setPending(occasions[index])
    }
    measure.end = end
  }

  package var hasNewAnswers: Bool { !answered.isEmpty }

  /// Occasions answered since the last call, for who joins them with what only the simulator
  /// knows.
  package mutating func takeAnswered() -> [WakeOccasion] {
    defer { answered.removeAll(keepingCapacity: true) }
    return answered.map { occasions[Int($0)] }
  }

  /// answered(W): a fix with a timestamp after the push and accuracy within the limit reached the
  /// server within W. One report answers at most one push, since at most one is open.
  mutating func recordAnswer(_ digest: BatchDigest, at now: SimInstant) {
    let index = Int(digest.id.phone.rawValue)
    let row = table[index]
    guard row.occasion == .open, now <= row.chosenAt + settings.within,
      digest.newestAccurate > FixTime(row.chosenAt)
    else { return }
    table[index].occasion = .answered
    guard row.logIndex != LastSeen.notLogged else { return }
    let place = Int(row.logIndex)
    occasions[place].isAnswered = true
    if !occasions[place].isPending { wake.addAnswer(to: occasions[place]) }
    answered.append(row.logIndex)
  }

  // MARK: Freshness

  /// Brings one phone's age into the integral, up to `now` or the end of the measured time.
  mutating func countAge(_ index: Int, until now: SimInstant) {
    let from = table[index].countedUntil
    let until = min(now, measure.end)
    guard measure.start <= from, from < until else { return }
    freshness.add(table[index], from: from, until: until)
    table[index].countedUntil = until
  }

  /// Freshness of the measured time up to `now`. Looks at every phone: for a display's interval,
  /// not for every batch.
  package func freshness(at now: SimInstant) -> FreshnessIntegral {
    var sum = freshness
    for row in table where measure.start <= row.countedUntil {
      let until = min(now, measure.end)
      if row.countedUntil < until { sum.add(row, from: row.countedUntil, until: until) }
    }
    return sum
  }
}
