internal import Core
internal import Foundation
internal import Scenarios

// The app's foreground service, and the end of its process.

extension Device {
  // MARK: Start

  /// AFG3–AFG5, APM7: Starts the policy's foreground service, if the system allows it now. AFC2,
  /// ABL6: The same causes open the network to a dozing phone's app.
  ///
  /// - Parameter reason: why the app runs; `user` if it is visible.
  mutating func startService(
    for reason: LaunchReason, _ now: SimInstant, _ context: borrowing Context
  ) {
    guard let rules = context.profile.system.android else { return }
    let isExempt = mayStartService(for: reason, now, context)
    if isExempt { android.flags.insert(.allowed) } else { android.flags.remove(.allowed) }
    // AFG8: Opening the app gives its service all of its time again.
    if reason == .user { android.serviceSecond = AndroidState.second(now) }
    guard !android.hasService, context.policy.settings.app.backgroundMode,
      context.policy.settings.android.service != .never, !isRestricted(context, rules)
    else { return }
    let mayStart = rules.startsServicesInBackground || isExempt
    switch context.policy.settings.android.serviceType {
    case .location:
      // AFG6: This type needs the permission to locate when it starts.
      switch authorization {
      case .always: android.hasService = mayStart
      case .whenInUse: android.hasService = process.state == .foreground
      case .denied, .notDetermined: return
      }
    case .shortService: android.hasService = mayStart
    case .dataSync:
      let begun = AndroidState.instant(android.serviceSecond)
      guard mayStart, now < serviceEnds(rules, context) || now >= begun + .hours(24) else { return }
      android.hasService = true
      if now < begun + .hours(24) { return }
    }
    if android.hasService { android.serviceSecond = AndroidState.second(now) }
  }

  /// AFG4, AGF8: Returns whether an app that runs for this reason may start a service in the background.
  private func mayStartService(
    for reason: LaunchReason, _ now: SimInstant, _ context: borrowing Context
  ) -> Bool {
    switch reason {
    case .user, .location, .system: true
    case .push: isUrgent(pushes.manner, at: now, context)
    case .upload, .refresh: false
    }
  }

  /// AFG1: Whether the foreground service keeps the process running.
  @inline(__always) func serviceHoldsProcess(_ context: borrowing Context) -> Bool {
    guard android.hasService else { return false }
    switch context.policy.settings.android.service {
    case .never: return false
    case .locating: return standard.isOn
    case .always: return true
    }
  }

  /// AFG1, APM7: Whether the service lets the app locate. With While In Use only one of type location
  /// does.
  @inline(__always) func locatesInService(_ context: borrowing Context) -> Bool {
    guard android.hasService else { return false }
    return context.policy.settings.android.serviceType == .location || authorization == .always
  }

  // MARK: End

  /// Schedules the end of a cached process (ALC1) or of a foreground service (AFG8, AFG9, ALC7), which
  /// ends when the phone stops its app at the latest (AOE2, AHI2, ABT5).
  mutating func armProcess(_ now: SimInstant, _ context: borrowing Context) {
    guard let rules = context.profile.system.android else { return }
    let perSecond: Double
    var end = SimInstant.distantFuture
    switch process.state {
    case .foreground:
      due[.process] = .distantFuture
      return
    case .notRunning: return
    case .suspended: perSecond = log(2) / rules.cachedLife.seconds
    case .background:
      guard android.hasService else { return }
      if isStoppedBySaver(context, rules) {
        due[.process] = now
        return
      }
      let perDay = rules.serviceDeathsPerDay + rules.ownersStopsPerDay
      perSecond = perDay / SimDuration.hours(24).seconds
      end = min(stopsAt(rules), serviceEnds(rules, context), wakeLockEnds(rules, context))
      end = max(now, end)
    }
    guard due[.process] == .distantFuture else { return }
    if perSecond > 0 {
      var draw = Draw(seed: context.seed, phone: id.rawValue, .processEnd, now.microseconds)
      end = min(end, now + SimDuration(seconds: draw.exponential(mean: 1 / perSecond)))
    }
    due[.process] = end
  }

  /// AFG8: Returns when the time of a service of this type is over.
  private func serviceEnds(
    _ rules: borrowing AndroidRules, _ context: borrowing Context
  ) -> SimInstant {
    let time: SimDuration?
    switch context.policy.settings.android.serviceType {
    case .location: time = nil
    case .dataSync: time = rules.dataSyncLimit
    case .shortService: time = rules.shortServiceLimit
    }
    return time.map { AndroidState.instant(android.serviceSecond) + $0 } ?? .distantFuture
  }

  /// AOE4: Returns when the maker stops an app because its service held a wake lock for too long.
  private func wakeLockEnds(
    _ rules: borrowing AndroidRules, _ context: borrowing Context
  ) -> SimInstant {
    guard context.policy.settings.android.wakeLock, let time = rules.wakeLockLimit else {
      return .distantFuture
    }
    return AndroidState.instant(android.serviceSecond) + time
  }

  /// Ends a process, or starts the app again: after the end of its sticky service (ALC8), after the
  /// phone's start (ABO2), or after an update (ALC10).
  mutating func processIsDue(_ context: borrowing Context, _ out: inout Effects) {
    due[.process] = .distantFuture
    switch process.state {
    case .foreground: break
    case .suspended: end(by: .memory, needsOpening: false, context, &out)
    case .background: if android.hasService { endService(context, &out) }
    case .notRunning: _ = wake(.system, context, &out)
    }
  }

  private mutating func endService(_ context: borrowing Context, _ out: inout Effects) {
    guard let rules = context.profile.system.android else { return }
    if out.now >= wakeLockEnds(rules, context) {
      account(context, &out)
      return forceStop(context, &out)
    }
    if out.now >= serviceEnds(rules, context) {
      // AFG8: The app stops its service, and is frozen with this event.
      android.hasService = false
      return
    }
    // ALC7: Then nothing starts the service again by itself.
    if out.now < stopsAt(rules), isStoppedByOwner(out.now, rules, context) {
      return die(context, &out)
    }
    end(by: .memory, needsOpening: false, context, &out)
    startLater(out.now, if: context.policy.settings.android.service == .always, context)
  }

  /// ALC7: Whether it is the owner that ends the service now, in the list of active apps.
  private func isStoppedByOwner(
    _ now: SimInstant, _ rules: borrowing AndroidRules, _ context: borrowing Context
  ) -> Bool {
    let perDay = rules.ownersStopsPerDay
    guard perDay > 0, !isStoppedBySaver(context, rules) else { return false }
    var draw = Draw(seed: context.seed, phone: id.rawValue, .activeApps, now.microseconds)
    return draw.chance(perDay / (perDay + rules.serviceDeathsPerDay))
  }
}
