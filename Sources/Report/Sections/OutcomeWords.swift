internal import Core

extension WakeOutcome {
  var name: String { rawValue.replacing("-", with: " ") }

  var meaning: String {
    switch self {
    case .rejected: "The provider refused the request itself."
    case .unregistered: "The token is dead: the app was removed or has registered anew."
    case .switchedOff: "The phone was switched off when it came."
    case .offline: "The phone had no data path, and the provider kept the push for it."
    case .overwritten: "A newer push took its place: the provider keeps one for each phone."
    case .expired: "The provider kept it until its expiration, and then dropped it."
    case .forceQuit: "The user had swiped the app away: nothing wakes it until it is opened."
    case .lowPower: "Low Power Mode was on, in which no push wakes an app."
    case .refreshOff: "The user had switched Background App Refresh off."
    case .throttled: "The phone had spent what it grants the app in background wakes."
    case .alertOnly: "An alert without content-available: the app does not run for it."
    case .beforeFirstUnlock: "The phone had started, and its owner had not unlocked it since."
    case .appCrashed: "The app was woken and died before it had a position."
    case .noPermission: "The app ran, but without Always permission it gets no position."
    case .noFix: "The app ran and got no position that is good enough in its time."
    case .uploadFailed: "A position was taken, and its upload did not get through."
    case .late: "The push brought a position, but after the time that counts."
    case .caused: "The push brought a position in time."
    case .raced: "The phone reported by itself before the push arrived."
    case .pending: "Still held by the phone, or too near the end to be judged."
    }
  }

  var advice: String {
    switch self {
    case .rejected: "Look at type, priority, payload and credentials: they are the same for all."
    case .unregistered: "Drop the token at the first such answer, and wait for a registration."
    case .switchedOff: "Nothing from a server; a longer expiration delivers it afterwards."
    case .offline: "Let it expire later, if a late answer still helps; else wait for the phone."
    case .overwritten: "Space pushes wider: a second one to an unreachable phone adds nothing."
    case .expired: "Raise the expiration, if an answer after that time is worth something."
    case .forceQuit: "Only the user can: say in the app what swiping it away costs."
    case .lowPower: "Ask less of such phones: the push is wasted until the phone is charged."
    case .refreshOff: "Say in the app why it matters; regions and visits still wake it."
    case .throttled: "Push less: a phone grants two or three wakes an hour, fewer to heavy ones."
    case .alertOnly: "Set content-available, if the app shall run for it as well."
    case .beforeFirstUnlock: "Nothing from a server: it comes when the owner unlocks the phone."
    case .appCrashed: "Read the crash reports of background launches: memory, and time to start."
    case .noPermission: "Do not push phones whose registration says less than Always."
    case .noFix: "Take a coarser or a cached position, or start with what is known."
    case .uploadFailed: "It stays in the outbox and comes with the next upload."
    case .late: "See below how long an answer takes; a longer limit would count it."
    case .caused: "—"
    case .raced: "Wait longer before a phone counts as silent, if there are many."
    case .pending: "A longer run judges more of them."
    }
  }
}

/// A stage of a push, with the outcomes that end before it.
enum PushStage: CaseIterable {
  case accepted, delivered, passed, ran, positioned, inTime

  var losses: [WakeOutcome] {
    switch self {
    case .accepted: [.rejected, .unregistered]
    case .delivered: [.switchedOff, .offline, .overwritten, .expired, .raced]
    case .passed:
      [.alertOnly, .beforeFirstUnlock, .forceQuit, .lowPower, .refreshOff, .throttled]
    case .ran: [.appCrashed]
    case .positioned: [.noPermission, .noFix]
    case .inTime: [.uploadFailed, .late]
    }
  }

  var name: String {
    switch self {
    case .accepted: "accepted"
    case .delivered: "delivered"
    case .passed: "passed gates"
    case .ran: "app ran"
    case .positioned: "took position"
    case .inTime: "in time"
    }
  }

  var meaning: String {
    switch self {
    case .accepted: "The provider took it."
    case .delivered: "It reached the phone, which was still silent."
    case .passed: "The phone’s system let it wake the app."
    case .ran: "The app ran."
    case .positioned: "The app got a good enough position."
    case .inTime: "The server had it in time."
    }
  }
}
