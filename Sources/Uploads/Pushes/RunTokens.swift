package import PushEndpoint
internal import Synchronization
package import Telemetry

/// The push tokens of a live run's phones: which installation of each app has which.
///
/// What a phone registers with its server and what the push endpoint takes are counted here alone,
/// so that they agree. Any thread may ask.
package final class RunTokens: Sendable {
  private struct Later {
    var epoch: UInt32
    var installation: UInt32
  }

  private let tokens: DeviceTokens
  /// The few phones whose app was installed anew while the run was live.
  private let later = Mutex<[PhoneID: Later]>([:])

  /// Makes the tokens of phones whose apps were installed once.
  package init(_ tokens: DeviceTokens) { self.tokens = tokens }

  /// Returns the present token of a phone, as an app sends it to its server.
  package func text(of phone: PhoneID) -> String {
    let installation = later.withLock { $0[phone]?.installation } ?? 0
    return tokens.text(of: .init(phone, installation: installation))
  }

  /// Notes that an app was installed anew and registers.
  ///
  /// - Parameter epoch: tells the installation from others; it is counted once.
  /// - Returns: whether it is new.
  package func register(_ phone: PhoneID, epoch: UInt32) -> Bool {
    later.withLock { later in
      guard later[phone]?.epoch != epoch else { return false }
      let installation = (later[phone]?.installation ?? 0) + 1
      later[phone] = Later(epoch: epoch, installation: installation)
      return true
    }
  }
}
