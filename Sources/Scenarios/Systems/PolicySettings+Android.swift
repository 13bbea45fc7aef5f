internal import Core

extension PolicySettings {
  /// The settings of an app on Android: its requests are held by the system with an interval, and
  /// what iOS has alone is off.
  package var onAndroid: PolicySettings {
    var settings = self
    settings.foreground.holdRequests()
    settings.background.holdRequests()
    return settings
  }
}

extension PolicySettings {
  /// The settings of an app on iOS, whose command to read motion does not depend on Android's keys.
  package var onIOS: PolicySettings {
    var settings = self
    settings.android.motion = .off
    return settings
  }
}

extension TrackerMode {
  fileprivate mutating func holdRequests() {
    service.hold()
    rest?.service.hold()
  }
}

extension ServiceUse {
  /// AFL2: A poll is one request with an interval. Without a poll the interval is a second.
  fileprivate mutating func hold() {
    pausesAutomatically = false
    deferral = nil
    liveUpdates = false
    interval = .seconds(1)
    if case .polled(let every, _) = pattern {
      pattern = .continuous
      interval = every
    }
  }
}
