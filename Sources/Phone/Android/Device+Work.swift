internal import Core
internal import Scenarios

// Periodic work, and alarms, which an app sets in place of it.

extension Device {
  // MARK: On the calendar

  /// AWM1, AWM3, AAL1: Schedules the app's next run of work or its next alarm, which survives the
  /// process.
  mutating func armWork(_ now: SimInstant, _ context: borrowing Context) {
    guard let rules = context.profile.system.android,
      let period = context.policy.settings.android.period, !isRestricted(context, rules)
    else { return }
    let bucket = bucket(at: now, context, rules)
    let isAlarm = context.policy.settings.android.alarm != nil
    let wait = max(period, isAlarm ? bucket.alarmSpacing(rules) : bucket.spacing(rules))
    due[.refresh] = max(now, AndroidState.instant(android.workedSecond) + wait)
  }

  /// AAL1: Lets the app set its alarm, as it does whenever it starts, unless the alarm is set.
  mutating func setAlarm(_ now: SimInstant, _ context: borrowing Context) {
    guard context.isAndroid, context.policy.settings.android.alarm != nil,
      due[.refresh] == .distantFuture
    else { return }
    android.workedSecond = AndroidState.second(now)
    armWork(now, context)
  }

  /// AAL1: Removes the app's alarm, at a start of the phone or a force stop. Work stays (AWM3).
  mutating func loseAlarm(_ context: borrowing Context) {
    if context.policy.settings.android.alarm != nil { due[.refresh] = .distantFuture }
  }

  /// AWM2: Lets what waits for a window look again, since motion or a charger may have ended Doze.
  mutating func lookAtDoze(_ now: SimInstant, _ context: borrowing Context) {
    watchPushGate(now, context)
    if due[.refresh] < .distantFuture { armWork(now, context) }
  }

  // MARK: Runs

  /// AWM2, AAL1: Runs the work or the alarm, or waits for the next window of Doze.
  mutating func work(_ context: borrowing Context, _ out: inout Effects) {
    due[.refresh] = .distantFuture
    guard let rules = context.profile.system.android else { return }
    let period = context.policy.settings.android.period ?? .hours(1)
    // ABT5: The saver ends by itself, and then work goes on.
    if isStoppedBySaver(context, rules) { due[.refresh] = out.now + period }
    guard !isStopped(at: out.now, context) else { return }
    let alarm = context.policy.settings.android.alarm
    let isExact = alarm?.exact == true && permitsExactAlarms(rules, context)
    let doze = doze(at: out.now, context)
    var opens = doze.isIdle ? doze.until : out.now
    if doze.isIdle, alarm?.whileIdle == true {
      // AAL2: It fires in Doze, but not often.
      let last = AndroidState.instant(android.workedSecond)
      opens = min(opens, last + (isExact ? rules.exactAlarm : rules.idleAlarm))
    }
    guard opens <= out.now, !isOff(at: out.now), !battery.isLocked else {
      due[.refresh] = doze.isIdle ? max(opens, out.now + .seconds(1)) : out.now + period
      return
    }
    android.workedSecond = AndroidState.second(out.now)
    armWork(out.now, context)
    // AFG4: An exact alarm lets the app start its service.
    guard process.state != .foreground, wake(isExact ? .system : .refresh, context, &out) else {
      return
    }
    // AAL2: An alarm in Doze opens the network, too.
    if alarm?.whileIdle == true { android.flags.insert(.allowed) }
    if mayLocateInBackground(out.now, context) { locateInBackground(nil, context, &out) }
    notify(.refreshed(cached: lastKnown), context, &out)
  }

  /// AAL3: Whether the phone permits exact alarms. Elsewhere the app sets inexact ones.
  private func permitsExactAlarms(
    _ rules: borrowing AndroidRules, _ context: borrowing Context
  ) -> Bool {
    var draw = Draw(seed: context.seed, phone: id.rawValue, .exactAlarms)
    return draw.chance(rules.exactAlarms)
  }
}
