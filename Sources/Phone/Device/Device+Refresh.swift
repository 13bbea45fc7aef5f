internal import Core
internal import Scenarios

// Background tasks: the refreshes (BR2–BR4) and processing tasks (BR5) that the system grants to an
// app that requests them. Both share a slot of the calendar, which has the earlier one.

extension Device {
  /// Schedules the first of the tasks that the app requests each time it leaves the foreground.
  mutating func requestRefresh(_ context: borrowing Context, _ out: borrowing Effects) {
    let every = context.policy.settings.processing?.every ?? .zero
    due[.refresh] = min(
      nextRefresh(out.now, context), processing(notBefore: out.now + every, context).start)
  }

  /// BR2: Returns the refresh before the owner's next session, if the system grants one.
  private mutating func nextRefresh(
    _ now: SimInstant, _ context: borrowing Context
  ) -> SimInstant {
    guard let use = context.policy.settings.refresh, session.start < .distantFuture else {
      return .distantFuture
    }
    var owner = Draw(seed: context.seed, phone: id.rawValue, .refreshRun)
    let share = owner.ownShare(mean: context.rules.refreshShare)
    var run = Draw(seed: context.seed, phone: id.rawValue, .refreshRun, session.start.microseconds)
    guard run.chance(share) else { return .distantFuture }
    let lead = SimDuration(seconds: run.uniform() * context.rules.refreshLead.seconds)
    let at = max(now + use.every, session.start - lead)
    return at < session.start ? at : .distantFuture
  }

  /// BR5: Returns the first processing task from `earliest` on, up to the time at which the owner
  /// takes the phone up; `.never` if there is none.
  @inline(__always) private func processing(
    notBefore earliest: SimInstant, _ context: borrowing Context
  ) -> Window {
    guard context.policy.settings.processing != nil, context.rules.hasProcessingTasks else {
      return .never
    }
    return context.battery.processing(
      notBefore: earliest, share: context.rules.processingShare, phone: id)
  }

  /// BR3–BR5: Wakes the app for the task that is due, unless a gate is closed.
  mutating func refresh(_ context: borrowing Context, _ out: inout Effects) {
    let use = context.policy.settings.processing
    let isProcessing = processing(notBefore: out.now, context).start == out.now
    let runs =
      !isOff(at: out.now) && !process.isForceQuit && process.state != .foreground
      && !traits.contains(.refreshOff) && !battery.isInLowPowerMode && !battery.isLow
      && !battery.isLocked && (!isProcessing || mayProcess(out.now, context))
      && wake(.refresh, context, &out)
    // A refresh that meets a closed gate is lost, a processing task is tried again the next night.
    // An app that runs requests both anew.
    let wait = isProcessing && !runs ? .microseconds(1) : use?.every ?? .zero
    due[.refresh] = min(
      processing(notBefore: out.now + wait, context).start,
      isProcessing ? nextRefresh(out.now, context) : .distantFuture)
    guard runs else { return }
    notify(
      isProcessing ? .processing(cached: lastKnown) : .refreshed(cached: lastKnown), context, &out)
  }

  /// BR5: Returns whether the owner has opened the app within a week, and the phone is on the
  /// charger if the app requires it.
  private mutating func mayProcess(_ now: SimInstant, _ context: borrowing Context) -> Bool {
    let needsCharger = context.policy.settings.processing?.needsCharger ?? false
    return now - pushes.openedAt <= .hours(24 * 7) && (battery.isPlugged || !needsCharger)
  }

  /// Returns when the app's background tasks expire (LC5): those of a processing task when its time
  /// is over, or when the owner takes the phone up (BR5).
  mutating func backgroundExpiry(
    isHeldByService isHeld: Bool, _ context: borrowing Context
  ) -> SimInstant {
    let expiry = process.backgroundExpiry(
      isHeldByService: isHeld, budget: context.rules.backgroundTaskBudget)
    guard expiry < .distantFuture, context.policy.settings.processing != nil else { return expiry }
    let since = process.backgroundSince
    let task = processing(notBefore: since, context)
    return task.start == since ? min(task.end, since + context.rules.processingTime) : expiry
  }
}
