internal import COpenSSL

package enum TLSError: Error, Hashable, Sendable {
  case unknownAuthority
  case expired
  case notYetValid
  /// The server's certificate does not name the host.
  case wrongName
  /// Another certificate error, in OpenSSL's words.
  case badCertificate(String)
  case noClientCertificate
  /// There is no common TLS version: the peer offers less than 1.2.
  case oldVersion
  case notTLS
  /// The peer closed the connection during the handshake.
  case closed
  case timedOut
  /// The peer's alert, in OpenSSL's words.
  case refused(String)
  case other(String)

  package var kind: Kind {
    switch self {
    case .unknownAuthority, .badCertificate, .wrongName: .badCertificate
    case .expired, .notYetValid: .expired
    case .noClientCertificate: .noClientCertificate
    case .oldVersion: .oldVersion
    case .notTLS: .notTLS
    case .closed: .closed
    case .timedOut: .timedOut
    case .refused: .refused
    case .other: .other
    }
  }

  package enum Kind: String, CaseIterable, Sendable {
    case badCertificate = "bad-certificate"
    case expired
    case noClientCertificate = "no-client-certificate"
    case oldVersion = "old-version"
    case notTLS = "not-tls"
    case closed
    case timedOut = "timed-out"
    case refused
    case other

    /// The meaning of a failure at a server, and a remedy.
    package var atServer: String {
      switch self {
      case .badCertificate:
        "clients' certificates that no CA of --client-ca signed, or that are invalid"
      case .expired: "clients' certificates that have expired, or are not valid yet"
      case .noClientCertificate: "clients without a certificate, which --client-ca requires"
      case .oldVersion: "clients that support only TLS 1.1 or older; 1.2 is required"
      case .notTLS: "clients that do not use TLS; enable it there (--tls)"
      case .closed: "clients that disconnected during the handshake"
      case .timedOut: "handshakes that took longer than \(TLSMachine.handshakeSeconds) s"
      case .refused: "clients that refused this certificate; they may not trust its CA"
      case .other: "handshakes that failed for another reason"
      }
    }
  }
}

extension TLSError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownAuthority:
      "no trusted CA signed the peer's certificate; give the CA that did "
        + "(--ca, --client-ca, or a load's tls.ca)"
    case .expired: "the peer's certificate has expired; renew it"
    case .notYetValid: "the peer's certificate is not valid yet; check the clocks"
    case .wrongName:
      "the server's certificate is for another name; connect with a name in the certificate"
    case .badCertificate(let why): "the peer's certificate is invalid: \(why)"
    case .noClientCertificate:
      "the server requires a client certificate "
        + "(--client-cert, --client-key, or a load's tls.certificate, tls.key)"
    case .oldVersion: "the peer supports only TLS 1.1 or older; 1.2 is required"
    case .notTLS: "the peer does not use TLS; enable or disable TLS on both sides"
    case .closed:
      "the peer closed the connection during the handshake; see its log; "
        + "it may not use TLS"
    case .timedOut: "the handshake took longer than \(TLSMachine.handshakeSeconds) s"
    case .refused(let alert): "the peer refused it with the alert '\(alert)'"
    case .other(let why): why
    }
  }
}

extension TLSError {
  /// Takes this thread's last OpenSSL error. `verification` is the result of the certificate check.
  static func taken(verification: Int) -> TLSError {
    var text = [CChar](repeating: 0, count: 120)
    let reason = flotilla_take_error(&text, text.count)
    let words = String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The oldest error in the queue may be only a cause of the failed certificate check.
    if verification != Int(X509_V_OK) { return .verification(verification) }
    return .reason(reason, words: words)
  }

  /// Returns the error for a reason code of OpenSSL. `words` is OpenSSL's text, or empty.
  static func reason(_ reason: Int32, words: String) -> TLSError {
    switch reason {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      .noClientCertificate
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION,
      SSL_R_NO_PROTOCOLS_AVAILABLE:
      .oldVersion
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST,
      SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_RECORD_LENGTH_MISMATCH:
      .notTLS
    // Reasons from 1,000 on are received alerts.
    case 1_000...: .refused(words)
    case _: .other(words.isEmpty ? "OpenSSL gave no reason" : words)
    }
  }

  static func verification(_ code: Int) -> TLSError {
    switch Int32(truncatingIfNeeded: code) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_SIGNATURE_FAILURE:
      .unknownAuthority
    case X509_V_ERR_CERT_HAS_EXPIRED: .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongName
    case _: .badCertificate(String(cString: X509_verify_cert_error_string(code)))
    }
  }
}

/// A TLS server's answer to a plaintext client.
enum TLSAlert {
  /// The alert protocol_version in a TLS record of the oldest version.
  static let bytes: [UInt8] = [21, 3, 1, 0, 2, 2, 70]
  static let meaning =
    "the peer uses TLS, but this side does not (--tls, or a load's tls={})"

  /// Returns whether a server's first bytes are a fatal alert (RFC 8446, 5.1 and 6).
  static func isOne(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count == 7 && bytes[0] == 21 && bytes[1] == 3 && bytes[3] == 0 && bytes[4] == 2
      && bytes[5] == 2
  }
}
