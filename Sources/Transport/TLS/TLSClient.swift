internal import COpenSSL

package struct TLSClientFiles: Equatable, Sendable {
  /// A PEM file with the CAs of servers, or nil for the system's CAs.
  package var authorities: String?
  package var certificate: String?
  package var key: String?

  package init(authorities: String? = nil) { self.authorities = authorities }
}

/// The client side of TLS: trusted CAs, certificate and protocols.
package final class TLSClient: Sendable {
  let context: TLSContext

  /// - Parameter protocols: the protocols offered by ALPN.
  package init(
    _ files: TLSClientFiles, protocols: [ApplicationProtocol] = []
  ) throws(TLSSetupError) {
    context = try .client(files, protocols: protocols) { ssl, session in
      TLSStream.behind(ssl)?.keep(session) == true ? 1 : 0
    }
  }
}

extension TLSClient: Equatable {
  /// Compares identities: two clients of the same files are not equal.
  package static func == (a: TLSClient, b: TLSClient) -> Bool { a === b }
}

struct TLSDial {
  let client: TLSClient
  let host: String
  var tickets: (store: TLSTickets, holder: UInt32, resumes: Bool)?
  var identity: HTTPIdentity?
  var observer: (observer: any HandshakeObserver, connection: Int)?
}

protocol HandshakeObserver: AnyObject {
  /// Reports a finished handshake, before the carrier learns that the connection is open.
  func secured(_ connection: Int, _ handshake: TLSHandshake)
}

/// The newest resumable session of each client of a loop. OpenSSL uses a TLS 1.3 session once, and
/// the next handshake is full unless the server has sent another session.
package final class TLSTickets {
  /// The limit of sessions, half a gigabyte, since a session contains the server's certificate.
  static let max = 100_000
  private var sessions: [UInt32: Session] = [:]

  package init() {}

  private final class Session {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { SSL_SESSION_free(pointer) }
  }

  /// Keeps a session and takes over its reference. At the limit, returns false and takes nothing.
  func keep(_ session: OpaquePointer, for holder: UInt32) -> Bool {
    guard sessions.count < Self.max || sessions[holder] != nil else { return false }
    sessions[holder] = Session(session)
    return true
  }

  func resume(_ ssl: OpaquePointer, of holder: UInt32) {
    guard let session = sessions[holder] else { return }
    // The call takes a new reference, and refuses only a session of another TLS version.
    SSL_set_session(ssl, session.pointer)
  }
}
