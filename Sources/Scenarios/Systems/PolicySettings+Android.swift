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

extension PolicySettings {
  /// A sentence about settings that have no effect on those of these systems that are Android.
  func androidRemarks(_ systems: [Named<OSProfile>]) -> [String] {
    let names = systems.filter(\.value.system.isAndroid).map(\.name).joined(separator: ", ")
    guard !names.isEmpty else { return [] }
    let isUnheld = background.service.pattern != .off && android.service == .never
    let keys =
      (significantChange ? ["'significantChange'"] : []) + (visits ? ["'visits'"] : [])
      + (isUnheld ? ["'background.standard' without 'android.service'"] : [])
    guard !keys.isEmpty else { return [] }
    return [
      "\(keys.joined(separator: ", ")): no effect on \(names). A policy for Android can be named by "
        + "'androidPolicy'."
    ]
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
