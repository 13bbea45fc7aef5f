internal import Scenarios
package import SimulationCore
package import Telemetry

/// The wake scheduler `fixed`: a reachable phone that was silent for `silentAfter` and its jitter
/// is chosen at the next sweep, at most every `spacing`, at most `rate` pushes in all; a keyed
/// share `holdout` of the occasions is a control and gets no push.
extension Backend {
  private enum Chance {
    static let jitter = Purpose(rawValue: 400)
    static let holdout = Purpose(rawValue: 401)
  }

  /// The first sweep after `instant`.
  package func nextSweep(after instant: SimInstant) -> SimInstant {
    let number = WakeCalendar.number(of: instant, settings.sweep)
    return SimInstant(microseconds: (number + 1) * settings.sweep.microseconds)
  }

  /// Looks at the phones that have come due by the scenario instant `now` = k · `sweep`.
  ///
  /// Pushes are emitted in the order in which phones became due, then by phone. What the rate does
  /// not allow waits for the next sweep. Controls of the holdout take nothing from the rate.
  package mutating func sweep(
    at now: SimInstant, emit: (SilentPush) -> Void, withhold: (WakeOccasion) -> Void = { _ in }
  ) {
    comingUp.removeAll(keepingCapacity: true)
    calendar.takeOut(until: now, into: &comingUp)
    for phone in comingUp { place(phone, at: now) }

    var allowed = pushesAllowed(at: now)
    while allowed > 0, let due = calendar.popLongestDue() {
      if isDue(due.phone, at: now) {
        let occasion = choose(due.phone, at: now)
        if occasion.isWithheld {
          withhold(occasion)
        } else {
          emit(occasion.push(storedFor: settings.expiration))
          allowed -= 1
        }
      }
      moveOn(due.phone, at: now)
    }
  }

  /// What the provider answered. 400 and 410 mean that the token is dead until the phone
  /// registers anew.
  ///
  /// Answers whether the push is one of this server's phones.
  @discardableResult
  package mutating func pushResult(_ id: UInt64, status: Int, at now: SimInstant) -> Bool {
    let phone = PhoneID(rawValue: UInt32(truncatingIfNeeded: id))
    guard knows(phone) else { return false }
    guard status != 200 else { return true }
    wake.refused += 1
    guard status == 410 || status == 400 else { return true }
    countAge(Int(phone.rawValue), until: now)
    table[Int(phone.rawValue)].tokenValid = false
    return true
  }

  /// Phones that are due but wait for the rate.
  package var waitingForRate: Int { calendar.waiting }

  // MARK: Who is due when

  /// The instant from which the phone is due: silent long enough, and not asked too recently.
  func dueInstant(_ phone: PhoneID) -> SimInstant {
    let row = table[Int(phone.rawValue)]
    var silentUntil = row.reportedAt + settings.silentAfter
    if settings.jitter > .zero {
      var draw = Draw(
        seed: seed, phone: phone.rawValue, Chance.jitter, row.reportedAt.microseconds)
      silentUntil += SimDuration(seconds: draw.uniform(0, settings.jitter.seconds))
    }
    return max(silentUntil, row.chosenAt + settings.spacing)
  }

  mutating func scheduleIfReachable(_ phone: PhoneID, at now: SimInstant) {
    let row = table[Int(phone.rawValue)]
    guard settings.scheduler == .fixed, row.isReachable, !row.isScheduled else { return }
    table[Int(phone.rawValue)].isScheduled = true
    calendar.schedule(phone, due: dueInstant(phone), now: now)
  }

  private func isDue(_ phone: PhoneID, at now: SimInstant) -> Bool {
    table[Int(phone.rawValue)].isReachable && dueInstant(phone) <= now
  }

  /// The phone's entry came up: it waits for the rate, or its entry moves to where it belongs.
  private mutating func place(_ phone: PhoneID, at now: SimInstant) {
    if isDue(phone, at: now) {
      calendar.wait(.init(since: dueInstant(phone), phone: phone))
    } else {
      moveOn(phone, at: now)
    }
  }

  private mutating func moveOn(_ phone: PhoneID, at now: SimInstant) {
    table[Int(phone.rawValue)].isScheduled = false
    scheduleIfReachable(phone, at: now)
  }

  /// A rate that is no whole number of pushes a sweep lets the fraction through in turn.
  private func pushesAllowed(at now: SimInstant) -> Int {
    let perSweep = settings.rate.perSecond * settings.sweep.seconds
    guard perSweep < 1e9 else { return .max }
    let number = Double(WakeCalendar.number(of: now, settings.sweep))
    return Int(((number + 1) * perSweep).rounded(.down) - (number * perSweep).rounded(.down))
  }

  /// Makes this sweep an occasion of the phone.
  private mutating func choose(_ phone: PhoneID, at now: SimInstant) -> WakeOccasion {
    let number = WakeCalendar.number(of: now, settings.sweep)
    var draw = Draw(seed: seed, phone: phone.rawValue, Chance.holdout, number)
    let occasion = WakeOccasion(
      pushID: UInt64(number) << 32 | UInt64(phone.rawValue), at: now,
      isWithheld: draw.chance(settings.holdout))
    begin(occasion)
    return occasion
  }

  /// Opens an occasion for its answer; also when a restarted collector reads it from its store.
  package mutating func begin(_ occasion: WakeOccasion) {
    guard knows(occasion.phone) else { return }
    let index = Int(occasion.phone.rawValue)
    table[index].chosenAt = occasion.at
    table[index].occasion = .open
    table[index].logIndex = LastSeen.notLogged
    if measure.contains(occasion.at) {
      table[index].logIndex = UInt32(occasions.count)
      occasions.append(occasion)
      wake.add(occasion)
    }
  }
}
