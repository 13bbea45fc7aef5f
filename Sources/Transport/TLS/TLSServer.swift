internal import Synchronization

package struct TLSServerFiles: Equatable, Sendable {
  package var certificate: String
  package var key: String
  package var clientAuthorities: String?
  /// The file of session ticket keys, or nil for a random key that ends with the process.
  package var ticketKeys: String?

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// The server side of TLS 1.2 and 1.3, from files that can be reloaded at run time.
package final class TLSServer: Sendable {
  private let files: TLSServerFiles
  private let protocols: [ApplicationProtocol]
  /// The ticket keys for use without a file of keys. A reload does not change the keys.
  private let ownKeys = TicketKeys.fresh()
  private let newest: Mutex<TLSContext>

  /// - Parameter protocols: the protocols accepted by ALPN.
  package init(
    _ files: TLSServerFiles, protocols: [ApplicationProtocol] = []
  ) throws(TLSSetupError) {
    self.files = files
    self.protocols = protocols
    newest = Mutex(try Self.context(files, ownKeys, protocols))
  }

  private static func context(
    _ files: TLSServerFiles, _ ownKeys: TicketKeys, _ protocols: [ApplicationProtocol]
  ) throws(TLSSetupError) -> TLSContext {
    let keys = try files.ticketKeys.map { path throws(TLSSetupError) in
      try TicketKeys.read(path)
    }
    return try .server(files, keys: keys ?? ownKeys, protocols: protocols)
  }

  /// Reloads the files for new connections. If a file cannot be used, nothing changes.
  package func reload() throws(TLSSetupError) {
    let context = try Self.context(files, ownKeys, protocols)
    newest.withLock { $0 = context }
  }

  var context: TLSContext { newest.withLock { $0 } }
}
