internal import CCurl
internal import Foundation

extension HTTPError {
  /// - Parameter isConnected: whether writing the request had begun.
  /// - Parameter systemError: the connection's last system error, or 0.
  init(
    _ code: CURLcode, reason: String, isConnected: Bool, limit: Int, systemError: Int32
  ) {
    switch code {
    case CURLE_URL_MALFORMAT,
      CURLE_UNSUPPORTED_PROTOCOL where !isConnected:
      self = .malformed(reason: reason)
    case CURLE_COULDNT_RESOLVE_HOST: self = .unresolved(host: Self.host(in: reason))
    case CURLE_COULDNT_CONNECT:
      switch systemError {
      case EMFILE, ENFILE: self = .exhausted(.descriptors)
      case EADDRNOTAVAIL: self = .exhausted(.ports)
      default: self = .refused(reason: reason)  // The system's errors are no closed set.
      }
    case CURLE_OPERATION_TIMEDOUT: self = isConnected ? .timedOut : .connectTimedOut
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
      self = .insecure(reason: reason)
    case CURLE_FILESIZE_EXCEEDED: self = .tooLarge(limit: limit)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM,
      CURLE_BAD_CONTENT_ENCODING, CURLE_CHUNK_FAILED:
      self = .violated(reason: reason)
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
      // With TLS 1.3 a server may refuse a client certificate after the client's handshake. After
      // such a reset libcurl reports that the socket has no peer (getpeername).
      let isReset = reason.hasPrefix("getpeername")
      self =
        reason.contains("alert")
        ? .insecure(reason: reason) : .closed(reason: isReset ? "reset by the server" : reason)
    default: self = .other(reason: reason)  // A C library's codes are no closed set.
    }
  }

  /// Returns the host in "Could not resolve host: NAME".
  private static func host(in reason: String) -> String {
    reason.split(separator: ": ").last.map(String.init) ?? reason
  }
}
