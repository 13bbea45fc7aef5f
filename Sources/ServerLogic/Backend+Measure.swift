package import Core

extension Backend {
  /// Starts the figures of wakes and freshness at `start`. The ledger covers the whole run.
  package mutating func openMeasure(at start: SimInstant) {
    measure = MeasureWindow(start: start, end: .distantFuture)
    wake = Sheet()
    parts.reset()
    occasions.removeAll()
    answered.removeAll()
    freshness = FreshnessIntegral(within: freshness.thresholds, parts: parts.wake.count)
    for index in table.indices {
      table[index].countedUntil = start
      table[index].unreachable = UnreachableTally()
      table[index][.isCounted] = false
    }
  }

  /// Ends the measured time at `end`. Occasions less than `within` before `end` become pending.
  package mutating func closeMeasure(at end: SimInstant) {
    for index in table.indices {
      countAge(index, until: end)
      leaveOutUnreachable(index, ifOpenAt: end)
    }
    for index in occasions.indices.reversed() {
      guard occasions[index].at + settings.within > end else { break }
      occasions[index].isPending = true
      let (occasion, within) = (occasions[index], settings.within)
      count(occasion.phone) { $0.setPending(occasion, within: within) }
    }
    measure.end = end
  }

  package var hasNewAnswers: Bool { !answered.isEmpty }

  package mutating func takeAnswered() -> [WakeOccasion] {
    defer { answered.removeAll(keepingCapacity: true) }
    return answered.compactMap { id in place(of: id).map { occasions[$0] } }
  }

  /// Records that the batch answered the phone's open push, if the batch arrived in time and has an
  /// accurate fix from after the push. A phone has at most one open push.
  mutating func recordAnswer(_ digest: BatchDigest, at now: SimInstant) {
    let index = Int(digest.id.phone.rawValue)
    let row = table[index]
    let after = now - chosenAt(row)
    guard row[.isOpen], after <= answerWindow, digest.newestAccurate > FixTime(chosenAt(row))
    else { return }
    if row[.wasUnreachable] { return recordUnreachable(index, answeredAfter: after) }
    table[index][.isOpen] = false
    if !row[.wasWithheld], !row[.wasRefused] { pace.noteAnswer(&table[index]) }
    let id = UInt64(row.chosenSweep) << 32 | UInt64(digest.id.phone.rawValue)
    guard let place = place(of: id) else { return }
    occasions[place].answeredAfter = after
    if after <= settings.within, !occasions[place].isPending {
      let occasion = occasions[place]
      count(occasion.phone) { $0.countAnswer(to: occasion) }
    }
    answered.append(id)
  }

  // MARK: The log

  private func place(of id: UInt64) -> Int? {
    var (low, high) = (0, occasions.count)
    while low < high {
      let middle = (low + high) / 2
      if occasions[middle].pushID < id { low = middle + 1 } else { high = middle }
    }
    return low < occasions.count && occasions[low].pushID == id ? low : nil
  }

  mutating func sortLog(from count: Int) {
    // Only the new entries are copied, since sorting a slice in place would copy the whole log.
    var fresh = Array(occasions[count...])
    guard zip(fresh, fresh.dropFirst()).contains(where: { $0.pushID > $1.pushID }) else { return }
    fresh.sort { $0.pushID < $1.pushID }
    for n in fresh.indices { occasions[count + n] = fresh[n] }
  }

  // MARK: Phones that cannot be pushed

  package func forEachUnreachable(_ body: (PhoneID, UnreachableTally) -> Void) {
    for index in table.indices where table[index].unreachable.eligible > 0 {
      body(PhoneID(rawValue: UInt32(index)), table[index].unreachable)
    }
  }

  mutating func beginUnreachable(_ phone: PhoneID, at now: SimInstant) {
    let index = Int(phone.rawValue)
    open(index, at: now)
    table[index][.wasUnreachable] = true
    guard measure.contains(now), table[index].unreachable.eligible < .max else { return }
    table[index][.isCounted] = true
    table[index].unreachable.eligible += 1
    wake[.unreachableEligible] += 1
  }

  private mutating func recordUnreachable(_ index: Int, answeredAfter after: SimDuration) {
    guard after <= settings.within else { return }
    table[index][.isOpen] = false
    guard table[index][.isCounted] else { return }
    table[index].unreachable.answered += 1
    wake[.unreachableAnswered] += 1
  }

  mutating func leaveOutUnreachable(_ index: Int, ifOpenAt end: SimInstant) {
    let row = table[index]
    guard row[.wasUnreachable], row[.isCounted], chosenAt(row) + settings.within > end else {
      return
    }
    table[index][.isCounted] = false
    table[index].unreachable.eligible -= 1
    wake[.unreachableEligible] -= 1
    guard !row[.isOpen] else { return }
    table[index].unreachable.answered -= 1
    wake[.unreachableAnswered] -= 1
  }

  // MARK: Freshness

  /// Adds a phone's age to the freshness integral, up to `now` or `measure.end` if that is earlier.
  mutating func countAge(_ index: Int, until now: SimInstant) {
    let from = table[index].countedUntil
    let until = min(now, measure.end)
    guard measure.start <= from, from < until else { return }
    freshness.add(table[index], in: parts.part(of: index), from: from, until: until)
    table[index].countedUntil = until
  }

  /// Returns the freshness of the measured time up to `now`, in time proportional to `phones`.
  package func freshness(at now: SimInstant) -> FreshnessIntegral {
    var sum = freshness
    for (index, row) in table.enumerated() where measure.start <= row.countedUntil {
      let until = min(now, measure.end)
      guard row.countedUntil < until else { continue }
      sum.add(row, in: parts.part(of: index), from: row.countedUntil, until: until)
    }
    return sum
  }

  // MARK: Clocks

  /// Returns the numbers of phones by clock offset (CK2), in time proportional to `phones`.
  package func clocks() -> ClockOffsets {
    var offsets = ClockOffsets()
    offsets.stampedAhead = stampedAhead
    for row in table where row.stampOffset != LastSeen.noStamp {
      offsets.add(.milliseconds(Int64(row.stampOffset) * 10))
    }
    return offsets
  }
}
