internal import Core

extension WakeOutcome {
  var name: String { rawValue.replacing("-", with: " ") }

  var meaning: String {
    switch self {
    case .rejected: "The provider refused the request itself."
    case .unregistered: "The token is invalid: the app was removed or has registered again."
    case .switchedOff: "The phone was switched off."
    case .offline: "The phone was offline; the provider stored the push."
    case .overwritten: "A newer push replaced this push: the provider stores one per phone."
    case .expired: "The provider stored the push until its expiration and dropped it."
    case .forceQuit: "The app was force-quit; no silent push wakes it until it is opened."
    case .lowPower: "The phone saved power: Low Power Mode was on."
    case .refreshOff: "Background App Refresh was off."
    case .throttled: "The app’s budget of background wakes was used up."
    case .doze: "Android dozed, and the push had normal priority."
    case .bucketQuota: "The app’s standby bucket had no push of high priority left for the day."
    case .deprioritized: "The phone dozed, and treats such pushes of high priority as normal ones."
    case .storeFull: "The provider had 100 messages for the phone, and dropped them all."
    case .stopped: "Android lets nothing reach the app until it is opened."
    case .alertOnly: "An alert without content-available does not run the app."
    case .beforeFirstUnlock: "The phone had restarted and was not unlocked yet."
    case .appCrashed: "The app woke and crashed before it had a position."
    case .noPermission: "The app ran without Always permission and got no position."
    case .noFix: "The app ran and got no good position in time."
    case .uploadFailed: "A position was taken, but its upload failed."
    case .late: "The push caused a position after the time limit."
    case .caused: "The push caused a position in time."
    case .raced: "The phone reported by itself before the push arrived."
    case .pending: "The phone still holds the push, or the run ended too soon to judge it."
    }
  }

  var advice: String {
    switch self {
    case .rejected: "Check push type, priority, payload and credentials."
    case .unregistered: "Delete the token at the first such answer; wait for a registration."
    case .switchedOff: "Use a longer expiration: the push is delivered afterwards."
    case .offline: "Use a longer expiration if a late answer is useful."
    case .overwritten: "Increase the spacing: a second push to an unreachable phone is useless."
    case .expired: "Use a longer expiration if a late answer is useful."
    case .forceQuit: "Explain in the app what force-quitting costs."
    case .lowPower: "Push such phones less often."
    case .refreshOff: "Explain Background App Refresh in the app; locations still wake the app."
    case .doze: "Send with high priority, or use a longer time to live."
    case .bucketQuota: "Use fewer pushes of high priority; opening the app lifts its bucket."
    case .deprioritized: "Show a notification for each push of high priority."
    case .storeFull: "Give the pushes a collapse key or a shorter time to live."
    case .stopped: "Explain in the app what stops it: a force stop, disuse, battery care."
    case .throttled: "Push less often: iOS grants two to three wakes an hour, fewer to heavy apps."
    case .alertOnly: "Set content-available to run the app."
    case .beforeFirstUnlock: "None: the push is delivered when the phone is unlocked."
    case .appCrashed: "Check crash reports of background launches: memory and start time."
    case .noPermission: "Do not push phones without Always permission."
    case .noFix: "Accept a coarser or a cached position."
    case .uploadFailed: "None: the position is sent with the next upload."
    case .late: "Use a longer time limit; see the time to answer below."
    case .caused: "—"
    case .raced: "If this is frequent, increase `push.silentAfter`."
    case .pending: "Run longer to judge more pushes."
    }
  }
}

/// A stage of a push, with the outcomes that end before it.
enum PushStage: CaseIterable {
  case accepted, delivered, passed, ran, positioned, inTime

  var row: (name: String, losses: [WakeOutcome], meaning: String) {
    switch self {
    case .accepted: ("accepted", [.rejected, .unregistered], "The provider accepted the push.")
    case .delivered:
      (
        "delivered", [.switchedOff, .offline, .overwritten, .expired, .storeFull, .raced],
        "The push reached a phone that was still silent."
      )
    case .passed:
      (
        "passed gates",
        [
          .alertOnly, .beforeFirstUnlock, .forceQuit, .lowPower, .refreshOff, .throttled, .doze,
          .bucketQuota, .deprioritized, .stopped,
        ], "The system let the push wake the app."
      )
    case .ran: ("app ran", [.appCrashed], "The app ran.")
    case .positioned: ("took position", [.noPermission, .noFix], "The app got a good position.")
    case .inTime:
      ("in time", [.uploadFailed, .late], "The server received the position in time.")
    }
  }
}
