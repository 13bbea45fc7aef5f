internal import COpenSSL

/// A connection whose library makes its `SSL`. The object outlives the `SSL`.
protocol SecuredConnection: AnyObject {
  var phone: UInt32 { get }
  /// Whether the handshake may resume the phone's last session.
  var resumes: Bool { get }
  var identity: HTTPIdentity? { get }
  func keep(_ session: OpaquePointer) -> Bool
  func note(verification code: Int)
  func noteSecured(isResumed: Bool)
  func noteUnfitIdentity()
}

/// The TLS context and resumable sessions of a loop's clients of libmosquitto or libwebsockets. Both
/// libraries create an `SSL` and begin the handshake in one call, so OpenSSL's handshake callback
/// sets up the `SSL`. All calls are on the loop's thread.
final class ConnectionTrust {
  private let context: TLSContext
  private let host: String
  private let tickets = TLSTickets()
  /// Returns the connection of an `SSL` that begins its handshake.
  var find: (OpaquePointer) -> (any SecuredConnection)? = { _ in nil }

  init(_ security: ServerTrust, host: String) throws(TLSSetupError) {
    self.host = host
    context = try .client(TLSClientFiles(authorities: security.authorities), protocols: []) {
      ssl, session in
      guard let connection = ConnectionTrust.connection(of: ssl), let session else { return 0 }
      return connection.keep(session) ? 1 : 0
    }
    if security.needsTLS13 { flotilla_need_tls13(context.pointer) }
    SSL_CTX_set_ex_data(context.pointer, 0, Unmanaged.passUnretained(self).toOpaque())
    SSL_CTX_set_verify(context.pointer, security.verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE) {
      isFine, store in
      guard isFine == 0,
        let data = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
      else { return isFine }
      let ssl = OpaquePointer(data)
      guard SSL_get_verify_mode(ssl) != SSL_VERIFY_NONE else {
        // libwebsockets would refuse the certificate for its result.
        X509_STORE_CTX_set_error(store, X509_V_OK)
        return 1
      }
      let code = Int(X509_STORE_CTX_get_error(store))
      ConnectionTrust.connection(of: ssl)?.note(verification: code)
      return 0
    }
    SSL_CTX_set_info_callback(context.pointer) { ssl, what, _ in
      if what & SSL_CB_HANDSHAKE_DONE != 0 {
        ConnectionTrust.connection(of: ssl)?.noteSecured(isResumed: SSL_session_reused(ssl) == 1)
      }
      guard what & SSL_CB_HANDSHAKE_START != 0, let ssl,
        let data = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0)
      else { return }
      Unmanaged<ConnectionTrust>.fromOpaque(data).takeUnretainedValue().prepare(ssl)
    }
  }

  var pointer: OpaquePointer { context.pointer }

  private func prepare(_ ssl: OpaquePointer) {
    guard let connection = find(ssl) else { return }
    // libwebsockets has set a callback that knows nothing of this object.
    SSL_set_verify(
      ssl, SSL_CTX_get_verify_mode(context.pointer), SSL_CTX_get_verify_callback(context.pointer))
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(connection as AnyObject).toOpaque())
    if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 {
      // The library has set the address as server name, which is invalid (RFC 6066, 3).
      flotilla_name_server(ssl, nil)
    } else {
      ERR_clear_error()
      SSL_set1_host(ssl, host)
      flotilla_name_server(ssl, host)
    }
    if connection.resumes { tickets.resume(ssl, of: connection.phone) }
    // The broker may request the client's certificate during the current call.
    if let identity = connection.identity {
      let isTaken = flotilla_present(
        ssl, identity.certificate, Int32(identity.certificate.count), identity.key,
        Int32(identity.key.count))
      ERR_clear_error()
      if isTaken != 1 { connection.noteUnfitIdentity() }
    }
  }

  func keep(_ session: OpaquePointer, of phone: UInt32) -> Bool {
    tickets.keep(session, for: phone)
  }

  private static func connection(of ssl: OpaquePointer?) -> (any SecuredConnection)? {
    SSL_get_ex_data(ssl, 0).flatMap {
      Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? any SecuredConnection
    }
  }
}
