internal import Core
internal import Scenarios

// Background refresh: the runs that the system grants to an app that requests them (BR2–BR4).

extension Device {
  /// BR2: Schedules a run before the owner's next session, if the system grants the run. The app
  /// requests one run each time it leaves the foreground.
  mutating func requestRefresh(_ context: borrowing Context, _ out: borrowing Effects) {
    due[.refresh] = .distantFuture
    guard let use = context.policy.settings.refresh, session.start < .distantFuture else { return }
    var owner = Draw(seed: context.seed, phone: id.rawValue, .refreshRun)
    let share = owner.ownShare(mean: context.rules.refreshShare)
    var run = Draw(seed: context.seed, phone: id.rawValue, .refreshRun, session.start.microseconds)
    guard run.chance(share) else { return }
    let lead = SimDuration(seconds: run.uniform() * context.rules.refreshLead.seconds)
    let at = max(out.now + use.every, session.start - lead)
    if at < session.start { due[.refresh] = at }
  }

  /// BR4: Wakes the app as a silent push does.
  mutating func refresh(_ context: borrowing Context, _ out: inout Effects) {
    due[.refresh] = .distantFuture
    // BR3: If a gate is closed now, the run is lost.
    guard !isOff(at: out.now), !process.isForceQuit, process.state != .foreground,
      !traits.contains(.refreshOff), !battery.isInLowPowerMode, !battery.isLow, !battery.isLocked,
      wake(.refresh, context, &out)
    else { return }
    notify(.refreshed(cached: lastKnown), context, &out)
  }
}
