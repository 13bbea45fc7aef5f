import Foundation
package import Scenarios

// Parts of the program's profiles, for tests of single rules.

extension RegionProfile {
  package static let standard = OSProfile.standard.regions
}

extension VisitProfile {
  package static let standard = OSProfile.standard.visits
}

extension FirstFixProfile {
  package static let standard = OSProfile.standard.firstFix
}

extension MotionProfile {
  package static let standard = OSProfile.standard.motion
}

extension MemoryPressure {
  package static let standard = PhoneMix.standard.memory
}

extension AppUpdates {
  package static let standard = PhoneMix.standard.updates
}

extension Reinstalls {
  package static let standard = PhoneMix.standard.reinstalls
}

extension PermissionHabits {
  package static let standard = PhoneMix.standard.permission
}

extension ClockErrors {
  package static let standard = PhoneMix.standard.clock
}

extension PhonePushSettings {
  package static let standard = PushSettings.standard.phone
}

extension PushRequest {
  package static let standard = PushSettings.standard.request
}

/// The repository's `scenarios` folder, whose profiles the tests of rules use.
package let shipped = ScenarioLibrary(folders: [
  URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("scenarios").path
])

package func loaded<Value>(_ load: () throws -> Value) -> Value {
  do { return try load() } catch { preconditionFailure("\(error)") }
}

extension EnergyProfile {
  /// An iPhone 7 with the LTE of 2012, as in `scenarios/profiles/energy/legacy2015.yaml`.
  package static let legacy2015 = loaded { try shipped.energyProfile("legacy2015").value }
}

extension AndroidRules {
  package mutating func lackNothing() {
    (locationOff, withoutPlay, accuracyOff) = (0, 0, 0)
    (alarmClock, savesData, deadConnection) = (0, 0, 0)
  }
}

extension OSProfile {
  /// A phone whose maker adds nothing of note, as in `scenarios/profiles/os/android14.yaml`. It lacks
  /// nothing: location, Play services and Google's accuracy are on. No alarm clock wakes its owner.
  package static let android14 = loaded {
    var profile = try shipped.osProfile("android14").value
    profile.system.android?.lackNothing()
    return profile
  }
}
