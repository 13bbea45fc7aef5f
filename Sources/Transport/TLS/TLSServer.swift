internal import Synchronization

/// Where a server finds what it presents, and whom it trusts.
package struct TLSServerFiles: Equatable, Sendable {
  /// Is the path of a PEM file with the certificate, and the chain to its CA behind it.
  package var certificate: String
  /// Is the path of a PEM file with the certificate's private key.
  package var key: String
  /// Is the path of a PEM file with the CAs of clients; nil: clients need no certificate.
  package var clientAuthorities: String?
  /// Is the path of the file with the keys of session tickets; nil: a random one, so that tickets
  /// end with the process.
  package var ticketKeys: String?

  /// Makes the files of a server that asks for no client's certificate and has a ticket key of its
  /// own.
  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// A server's side of TLS: 1.2 and 1.3, from files that can be read again while it serves.
package final class TLSServer: Sendable {
  private let files: TLSServerFiles
  private let protocols: [ApplicationProtocol]
  /// Of a server without a file of ticket keys: the same after a reload.
  private let ownKeys = TicketKeys.fresh()
  private let newest: Mutex<TLSContext>

  /// Reads the files.
  ///
  /// - Parameter protocols: what a client may ask for by ALPN.
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

  /// Reads the files again: connections that are accepted from now on have what they hold, those
  /// that are open go on. Where a file cannot be used, everything stays as it was.
  package func reload() throws(TLSSetupError) {
    let context = try Self.context(files, ownKeys, protocols)
    newest.withLock { $0 = context }
  }

  /// What a connection that begins now uses.
  var context: TLSContext { newest.withLock { $0 } }
}
