internal import Scenarios
package import SimulationCore
package import Telemetry

extension Backend {
  /// Wake and freshness figures begin at `start`; the ledger covers the whole run.
  package mutating func openMeasure(at start: SimInstant) {
    measure = MeasureWindow(start: start, end: .distantFuture)
    wake = WakeTotals()
    freshness = FreshnessIntegral()
    for index in table.indices {
      table[index].countedUntil = start
      table[index].wake = WakeCounts()
    }
  }

  /// Ends the measured time: pushes of the last `within` become pending, ages are counted out.
  ///
  /// Since `spacing` is at least `within`, a phone has at most one such push.
  package mutating func closeMeasure(at end: SimInstant) {
    for index in table.indices {
      countAge(index, until: end)
      let row = table[index]
      guard measure.contains(row.chosenAt), row.chosenAt + settings.within > end else { continue }
      setAsPending(index)
    }
    measure.end = end
  }

  /// The figures of one phone, for the bootstrap; final after `closeMeasure`.
  package func wakeCounts(of phone: PhoneID) -> WakeCounts { table[Int(phone.rawValue)].wake }

  // MARK: Wake

  /// answered(W): a fix with a timestamp after the push and accuracy within the limit reached the
  /// server within W. One report answers at most one push, since at most one is open.
  mutating func recordAnswer(_ digest: BatchDigest, at now: SimInstant) {
    let index = Int(digest.id.phone.rawValue)
    let row = table[index]
    guard row.occasion == .pushed || row.occasion == .withheld,
      now <= row.chosenAt + settings.within, digest.newestAccurate > FixTime(row.chosenAt)
    else { return }
    let wasWithheld = row.occasion == .withheld
    table[index].occasion = wasWithheld ? .withheldAnswered : .pushedAnswered
    guard measure.contains(row.chosenAt) else { return }
    if wasWithheld {
      wake.withheldAnswered += 1
      table[index].wake.withheldAnswered &+= 1
    } else {
      wake.answered += 1
      table[index].wake.answered &+= 1
    }
  }

  mutating func countRequest(_ index: Int, isWithheld: Bool) {
    if isWithheld {
      wake.withheld += 1
      wake.withheldEligible += 1
      table[index].wake.withheld &+= 1
    } else {
      wake.requested += 1
      wake.eligible += 1
      table[index].wake.requested &+= 1
    }
  }

  /// Takes the last occasion of a phone out of the ratio: its W is not over.
  private mutating func setAsPending(_ index: Int) {
    switch table[index].occasion {
    case .none: return
    case .pushed, .pushedAnswered:
      wake.eligible -= 1
      table[index].wake.requested &-= 1
    case .withheld, .withheldAnswered:
      wake.withheldEligible -= 1
      table[index].wake.withheld &-= 1
    }
    if table[index].occasion == .pushedAnswered {
      wake.answered -= 1
      table[index].wake.answered &-= 1
    } else if table[index].occasion == .withheldAnswered {
      wake.withheldAnswered -= 1
      table[index].wake.withheldAnswered &-= 1
    }
    table[index].occasion = .none
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
