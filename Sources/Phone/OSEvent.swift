package import Telemetry

/// What the operating system tells an app: `CLLocationManagerDelegate` and
/// `UIApplicationDelegate`, and nothing that they would not know.
///
/// A location carries no source (SL6): satellites, Wi-Fi and cells look alike to the app. Only
/// the manager instance that it asked through is known (HY3).
package enum OSEvent: Sendable, BitwiseCopyable {
  case launched(LaunchReason)
  case becameActive
  case enteredBackground
  case location(Fix, Manager)
  /// `cached` is `CLLocationManager.location`, which the app may read at any time.
  case regionExited(cached: Fix?)
  case visit(Fix, departed: Bool)
  case silentPush(cached: Fix?)
  case timer(AppTimer)
  /// The background task's expiration handler: end it now or be killed (LC4, LC5).
  case backgroundTimeExpiring
  case uploadFinished(UploadResult)
}

/// The two location managers of an app (HY3).
package enum Manager: UInt8, Sendable, BitwiseCopyable { case standard, imprecise }

package enum LaunchReason: UInt8, Sendable, BitwiseCopyable { case user, location, push }

/// The app's own one-shot timers. They stand still while it is suspended (LC2).
package enum AppTimer: UInt8, Sendable, BitwiseCopyable, CaseIterable { case stopStandard, send }

/// How an upload ended, as the phone perceives it.
package enum UploadResult: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case acknowledged
  /// The server refused the batch for good: it must not come again.
  case refused
  /// The deadline passed, or every attempt failed.
  case failed
  /// There was no data path to start with.
  case offline
  /// The app was suspended or killed before the answer came (LC3): nobody knows.
  case connectionLost
}
