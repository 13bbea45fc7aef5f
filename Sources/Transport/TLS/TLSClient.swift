internal import COpenSSL

/// Where a client finds whom it trusts, and what it presents.
package struct TLSClientFiles: Equatable, Sendable {
  /// Is the path of a PEM file with the CAs of servers; nil: the system's.
  package var authorities: String?
  /// Is the path of a PEM file with the client's own certificate; nil: it has none.
  package var certificate: String?
  /// Is the path of a PEM file with that certificate's private key.
  package var key: String?

  /// Makes the files of a client without a certificate, which trusts `authorities`.
  package init(authorities: String? = nil) { self.authorities = authorities }
}

/// A client's side of TLS: whom it trusts, what it presents and what it offers.
package final class TLSClient: Sendable {
  let context: TLSContext

  /// Reads the files.
  ///
  /// - Parameter protocols: what it offers by ALPN.
  package init(
    _ files: TLSClientFiles, protocols: [ApplicationProtocol] = []
  ) throws(TLSSetupError) {
    context = try .client(files, protocols: protocols) { ssl, session in
      TLSStream.behind(ssl)?.keep(session) == true ? 1 : 0
    }
  }
}

extension TLSClient: Equatable {
  /// Compares identities: two clients of the same files are not the same.
  package static func == (a: TLSClient, b: TLSClient) -> Bool { a === b }
}

/// How one connection of a client is secured.
struct TLSDial {
  let client: TLSClient
  /// The name, or the address, that must stand in the server's certificate.
  let host: String
  /// Whose sessions are kept and resumed; nil: every handshake is a full one.
  var tickets: (store: TLSTickets, holder: UInt32, resumes: Bool)?
  /// What the client shows where it is asked to; nil: what `client` has, or nothing.
  var identity: HTTPIdentity?
  /// Told when the handshake is done, with the connection's name.
  var observer: (observer: any HandshakeObserver, connection: Int)?
}

/// Who wants to know how a connection's handshake went; called on the loop's thread.
protocol HandshakeObserver: AnyObject {
  /// Comes before the carrier hears that the connection is open.
  func secured(_ connection: Int, _ handshake: TLSHandshake)
}

/// The sessions that the clients of a loop may resume, the newest of each.
///
/// OpenSSL uses a session of TLS 1.3 once: where the server gives no other with it, the next
/// handshake is a full one, and counted as that.
package final class TLSTickets {
  /// A session with its server's certificate is some kilobytes; so many are half a gigabyte.
  static let max = 100_000
  private var sessions: [UInt32: Session] = [:]

  /// Makes a store without a session.
  package init() {}

  /// The owner of one reference to an `SSL_SESSION`.
  private final class Session {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { SSL_SESSION_free(pointer) }
  }

  /// Takes over a reference; false: it is not kept, as there are too many.
  func keep(_ session: OpaquePointer, for holder: UInt32) -> Bool {
    guard sessions.count < Self.max || sessions[holder] != nil else { return false }
    sessions[holder] = Session(session)
    return true
  }

  /// Sets a connection up to resume the holder's session, if there is one.
  func resume(_ ssl: OpaquePointer, of holder: UInt32) {
    guard let session = sessions[holder] else { return }
    // Takes a reference of its own; refuses only a session of another version.
    SSL_set_session(ssl, session.pointer)
  }
}
