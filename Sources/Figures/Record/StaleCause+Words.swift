package import Core

extension StaleCause {
  package static func words(_ key: String) -> String { Self(rawValue: key)?.words ?? key }

  /// The words after "a phone was stale:".
  package var words: String {
    switch self {
    case .switchedOff: "switched off"
    case .noPermission: "without Always permission"
    case .forceQuit: "app force-quit by its owner"
    case .policySilent: "silent by policy"
    case .inOutbox: "position waiting in the outbox"
    case .offline: "offline"
    case .pushGate: "silent push stopped at a gate"
    case .server: "server failure"
    case .noPosition: "no position found"
    case .batteryEmpty: "battery empty"
    case .beforeFirstUnlock: "restarted and not unlocked since"
    case .endedForMemory: "app ended for memory"
    case .updated: "app updated and not started since"
    case .reinstalled: "app reinstalled and not opened since"
    case .waitingForWifi: "upload waiting for Wi-Fi"
    case .preciseOff: "precise location off"
    }
  }

  /// Returns the words for phones of one system. Android's gates have other names.
  package func words(on system: SystemKind) -> String {
    switch system {
    case .iOS: words
    case .android: wordsOnAndroid
    }
  }

  private var wordsOnAndroid: String {
    switch self {
    case .noPermission: "without permission all the time"
    case .forceQuit: "app force-stopped by its owner or maker"
    case .pushGate: "push held in Doze, or app stopped"
    case .endedForMemory: "process or foreground service ended"
    case .switchedOff, .policySilent, .inOutbox, .offline, .server, .noPosition, .batteryEmpty,
      .beforeFirstUnlock, .updated, .reinstalled, .waitingForWifi, .preciseOff:
      words
    }
  }

  package var meaning: String {
    switch self {
    case .switchedOff: "The phone was off."
    case .noPermission: "The app may not use the location in the background."
    case .forceQuit: "The system does not start an app that its owner force-quit."
    case .policySilent: "Everything worked, but the tracker’s settings required no report."
    case .inOutbox: "A newer position was on the phone and not yet sent."
    case .offline: "The phone had no network."
    case .pushGate: "The server pushed, and the phone did not start the app for it."
    case .server: "The server was down, or refused the upload."
    case .noPosition: "Location services were on and found no position."
    case .batteryEmpty: "The phone was off because its battery was empty."
    case .beforeFirstUnlock: "A restarted phone starts no app until it is unlocked."
    case .endedForMemory: "The system ended the app, and nothing has started it since."
    case .updated: "The update ended the app, or its owner must open it first."
    case .reinstalled: "The app was deleted and installed again."
    case .waitingForWifi: "The app or the system sends only on Wi-Fi."
    case .preciseOff: "Without precise location, no region wakes the app."
    }
  }
}
