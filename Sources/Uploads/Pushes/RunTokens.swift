package import Core
package import Push
package import Scenarios
internal import Synchronization

/// The push tokens of a live run's phones, by installation. Thread-safe.
package final class RunTokens: Sendable {
  private struct Later {
    var epoch: UInt32
    var installation: UInt32
  }

  private let tokens: DeviceTokens
  /// The phones whose app was reinstalled during the run.
  private let later = Mutex<[PhoneID: Later]>([:])

  package init(_ tokens: DeviceTokens) { self.tokens = tokens }

  /// Returns a phone's current token, in the form an app sends it to its server.
  package func text(of phone: PhoneID) -> String {
    let installation = later.withLock { $0[phone]?.installation } ?? 0
    return tokens.text(of: .init(phone, installation: installation))
  }

  /// Returns the push service of a phone's token.
  package func kind(of phone: PhoneID) -> ProviderKind { tokens.kinds[phone] }

  /// Registers a reinstalled app; returns whether the installation `epoch` is new.
  package func register(_ phone: PhoneID, epoch: UInt32) -> Bool {
    later.withLock { later in
      guard later[phone]?.epoch != epoch else { return false }
      let installation = (later[phone]?.installation ?? 0) + 1
      later[phone] = Later(epoch: epoch, installation: installation)
      return true
    }
  }
}
