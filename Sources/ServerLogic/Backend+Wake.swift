package import Core

/// The wake scheduler. A sweep chooses the reachable phones that were silent long enough
/// (`WakePace`) and not pushed too recently, as many as `rate` allows. A random share `holdout` of
/// the chosen phones are controls and get no push.
extension Backend {
  package func nextSweep(after instant: SimInstant) -> SimInstant {
    let number = WakeCalendar.number(of: instant, settings.sweep)
    return SimInstant(microseconds: (number + 1) * settings.sweep.microseconds)
  }

  /// Pushes the phones due by `now`, a multiple of the sweep interval, ordered by due sweep and
  /// phone. Phones beyond the rate wait, and controls do not count against the rate.
  package mutating func sweep(
    at now: SimInstant, emit: (SilentPush) -> Void, withhold: (WakeOccasion) -> Void = { _ in }
  ) {
    let logged = occasions.count
    var allowed = pushesAllowed(at: now)
    comingUp.removeAll(keepingCapacity: true)
    calendar.takeOut(until: now, into: &comingUp)
    let isShared = agree != nil && allowed < phones
    choosesAtOnce = !isShared && backlog.count == 0 && allowed > comingUp.count + early.count
    lookAtThoseComingUp(at: now)
    let number = WakeCalendar.number(of: now, settings.sweep)
    while let next = early.pop(until: number) { look(next.phone, at: now) }
    allowed -= emitChosen(at: now, emit: emit, withhold: withhold)
    var last = UInt64.max
    if isShared, let agree {
      last = agree(bids(number, allowed: allowed, at: now)).last
      allowed = .max
    }
    while allowed > 0, let next = backlog.pop(through: last) {
      let phone = next.phone
      table[Int(phone.rawValue)][.isWaiting] = false
      let due = dueInstant(phone)
      if table[Int(phone.rawValue)].isReachable, due <= now {
        let since = WakeCalendar.firstSweep(from: due, settings.sweep)
        guard since <= next.sweep else {
          // The phone reported while it waited, and became due again.
          wait(phone, since: since)
          continue
        }
        let occasion = choose(phone, at: now)
        if occasion.isWithheld {
          withhold(occasion)
        } else {
          emit(occasion.push(storedFor: settings.expiration))
          allowed -= 1
        }
      }
      schedule(phone, at: now)
    }
    sortLog(from: logged)
  }

  /// - Returns: the number of phones that were pushed, not withheld.
  private mutating func emitChosen(
    at now: SimInstant, emit: (SilentPush) -> Void, withhold: (WakeOccasion) -> Void
  ) -> Int {
    choosesAtOnce = false
    chosen.sort()
    var pushes = 0
    for choice in chosen {
      let occasion = choice.occasion(at: now, settings.sweep)
      if occasion.isWithheld {
        withhold(occasion)
      } else {
        emit(occasion.push(storedFor: settings.expiration))
        pushes += 1
      }
    }
    chosen.removeAll(keepingCapacity: true)
    return pushes
  }

  /// Returns the phones that this sweep could push, found in a copy of the backlog.
  private func bids(_ number: Int64, allowed: Int, at now: SimInstant) -> SweepBids {
    var waiting = backlog
    var keys: [UInt64] = []
    while keys.count < allowed, let next = waiting.pop() {
      let due = dueInstant(next.phone)
      guard table[Int(next.phone.rawValue)].isReachable, due <= now else { continue }
      let since = WakeCalendar.firstSweep(from: due, settings.sweep)
      if since > next.sweep {
        waiting.add(next.phone, sweep: since)
      } else if !isControl(next.phone, number) {
        keys.append(SweepQueue.key(next.phone, sweep: next.sweep))
      }
    }
    return SweepBids(sweep: number, allowed: allowed, keys: keys)
  }

  /// Records the provider's answer to a push. Returns false if the push belongs to no phone of this
  /// server. A phone with an invalid token gets no push until it registers again. If the provider
  /// was busy, the phone may get a push after `retryAfter`. Other refused pushes are unanswered.
  @discardableResult
  package mutating func pushResult(_ id: UInt64, status: Int, at now: SimInstant) -> Bool {
    let phone = PhoneID(rawValue: UInt32(truncatingIfNeeded: id))
    guard knows(phone) else { return false }
    let answer = PushAnswer(status: status)
    guard answer != .accepted else { return true }
    // A push that requests one position does not come from the scheduler.
    if !SilentPush.isOnRequest(id) { wake[.pushesRefused] += 1 }
    let index = Int(phone.rawValue)
    switch answer {
    case .accepted, .refused: break
    case .tokenIsDead:
      countAge(index, until: now)
      table[index].tokenValid = false
      reconsider(phone, at: now)
    case .busy:
      let row = table[index]
      guard UInt64(row.chosenSweep) == id >> 32, !row[.wasRefused], !row[.wasUnreachable] else {
        break
      }
      table[index][.wasRefused] = true
      pace.takeBackPush(&table[index])
      reconsider(phone, at: now)
    }
    return true
  }

  package var waitingForRate: Int { backlog.count }

  /// The memory of the table and the scheduler in bytes, without the log of occasions.
  package var bytes: Int {
    table.count * MemoryLayout<LastSeen>.stride + calendar.bytes + backlog.bytes + early.bytes
      + comingUp.capacity * MemoryLayout<PhoneID>.stride
      + chosen.capacity * MemoryLayout<Choice>.stride
  }

  // MARK: Due phones

  /// Returns the first instant at which the phone was silent long enough and not pushed too
  /// recently. For comparison, an unreachable phone is due by the rule of `fixed`.
  func dueInstant(_ phone: PhoneID) -> SimInstant {
    let row = table[Int(phone.rawValue)]
    var silentUntil = row.reportedAt
    silentUntil += row.isReachable ? pace.silence(row) : settings.silentAfter
    if settings.jitter > .zero {
      var draw = Draw(
        seed: seed, phone: phone.rawValue, .pushJitter, row.reportedAt.microseconds)
      silentUntil += SimDuration(seconds: draw.uniform(0, settings.jitter.seconds))
    }
    guard row.isReachable else { return max(silentUntil, chosenAt(row) + settings.spacing) }
    // At its last occasion the phone was unreachable and got no push, so no spacing applies.
    guard !row[.wasUnreachable] else { return silentUntil }
    let gap = row[.wasRefused] ? settings.retryAfter : pace.spacing(row)
    return max(silentUntil, chosenAt(row) + gap)
  }

  func chosenAt(_ row: LastSeen) -> SimInstant {
    guard row.chosenSweep > 0 else { return .distantPast }
    return SimInstant(microseconds: Int64(row.chosenSweep) * settings.sweep.microseconds)
  }

  /// Adds the phone to the calendar if it has no entry and is not in the backlog. An entry is at
  /// most `leastSilence` ahead, since a report may shorten the phone's wait.
  mutating func schedule(_ phone: PhoneID, at now: SimInstant) {
    let row = table[Int(phone.rawValue)]
    guard settings.scheduler != .none, !row[.isScheduled], !row[.isWaiting] else { return }
    schedule(phone, due: dueInstant(phone), at: now)
  }

  private mutating func schedule(_ phone: PhoneID, due: SimInstant, at now: SimInstant) {
    let due = min(due, now + pace.leastSilence)
    calendar.schedule(phone, due: due, now: now, in: &table)
  }

  mutating func reconsider(_ phone: PhoneID, at now: SimInstant) {
    guard settings.scheduler != .none else { return }
    guard table[Int(phone.rawValue)][.isScheduled] else { return schedule(phone, at: now) }
    let next = WakeCalendar.number(of: now, settings.sweep) + 1
    let due = WakeCalendar.firstSweep(from: dueInstant(phone), settings.sweep)
    early.add(phone, sweep: max(due, next))
  }

  /// Touches the rows of 32 phones before it looks at them, so that the memory latencies overlap.
  private mutating func lookAtThoseComingUp(at now: SimInstant) {
    var first = 0
    while first < comingUp.count {
      let next = min(first + 32, comingUp.count)
      for place in first..<next {
        table[Int(comingUp[place].rawValue)][.isScheduled] = false
      }
      for place in first..<next { look(comingUp[place], at: now) }
      first = next
    }
  }

  private mutating func look(_ phone: PhoneID, at now: SimInstant) {
    guard !table[Int(phone.rawValue)][.isWaiting] else { return }
    let due = dueInstant(phone)
    guard due <= now else {
      // Most often the phone has reported since its calendar entry was made.
      if !table[Int(phone.rawValue)][.isScheduled] { schedule(phone, due: due, at: now) }
      return
    }
    if !table[Int(phone.rawValue)].isReachable {
      beginUnreachable(phone, at: now)
    } else {
      let since = WakeCalendar.firstSweep(from: due, settings.sweep)
      guard choosesAtOnce else { return wait(phone, since: since) }
      chosen.append(Choice(since: since, phone, choose(phone, at: now).isWithheld))
    }
    schedule(phone, at: now)
  }

  private mutating func wait(_ phone: PhoneID, since sweep: Int64) {
    table[Int(phone.rawValue)][.isWaiting] = true
    backlog.add(phone, sweep: sweep)
  }

  /// Returns how many pushes the sweep at `now` may send. Fractions accumulate over sweeps.
  private func pushesAllowed(at now: SimInstant) -> Int {
    let perSweep = settings.rate.perSecond * settings.sweep.seconds
    guard perSweep < 1e9 else { return .max }
    let number = Double(WakeCalendar.number(of: now, settings.sweep))
    return Int(((number + 1) * perSweep).rounded(.down) - (number * perSweep).rounded(.down))
  }

  private mutating func choose(_ phone: PhoneID, at now: SimInstant) -> WakeOccasion {
    let number = WakeCalendar.number(of: now, settings.sweep)
    let occasion = WakeOccasion(
      pushID: SweepQueue.key(phone, sweep: number), at: now,
      isWithheld: isControl(phone, number))
    add(occasion)
    return occasion
  }

  private func isControl(_ phone: PhoneID, _ number: Int64) -> Bool {
    var draw = Draw(seed: seed, phone: phone.rawValue, .pushHoldout, number)
    return draw.chance(settings.holdout)
  }

  package mutating func begin(_ occasion: WakeOccasion) {
    guard knows(occasion.phone) else { return }
    add(occasion)
  }

  private mutating func add(_ occasion: WakeOccasion) {
    let index = Int(occasion.phone.rawValue)
    leaveOutUnreachable(index, ifOpenAt: occasion.at)
    open(index, at: occasion.at)
    table[index][.wasWithheld] = occasion.isWithheld
    // A control got no push, so its silence says nothing about its answers to pushes.
    if !occasion.isWithheld { pace.notePush(&table[index]) }
    guard measure.contains(occasion.at) else { return }
    occasions.append(occasion)
    count(occasion.phone) { $0.count(occasion) }
  }

  /// Changes the counts of pushes of the whole fleet and of the phone's part.
  mutating func count(_ phone: PhoneID, _ change: (inout Sheet) -> Void) {
    change(&wake)
    if let part = parts.part(of: Int(phone.rawValue)) { change(&parts.wake[part]) }
  }

  mutating func open(_ index: Int, at now: SimInstant) {
    let number = WakeCalendar.number(of: now, settings.sweep)
    table[index].chosenSweep = UInt32(clamping: number)
    table[index][.isOpen] = true
    table[index][.wasWithheld] = false
    table[index][.wasRefused] = false
    table[index][.wasUnreachable] = false
    table[index][.isCounted] = false
  }
}
