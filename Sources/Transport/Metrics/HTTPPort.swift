internal import CMicrohttpd
internal import Foundation

package struct AdminRequest: Sendable {
  package var path: String
  package var isVerbose = false
  package var accept = ""
  package var isAuthorized = true

  package init(path: String, isVerbose: Bool = false) {
    self.path = path
    self.isVerbose = isVerbose
  }
}

package struct AdminAnswer: Equatable, Sendable {
  package var code: UInt32
  package var body: String
  package var contentType: String
  package var headers: [String: String]

  package init(
    code: UInt32, body: String, contentType: String = "text/plain; charset=utf-8",
    headers: [String: String] = [:]
  ) {
    self.code = code
    self.body = body
    self.contentType = contentType
    self.headers = headers
  }
}

/// A small HTTP/1.1 server for GET and HEAD. `@unchecked Sendable`, since only `init` writes
/// `daemon`, and all else runs on the daemon's thread, which `deinit` stops.
package final class HTTPPort: @unchecked Sendable {
  static let connectionsMax = UInt32(AdminVisitors.most + 16)
  /// Twice the usual Prometheus interval of 15 s, so that a scraper can keep its connection.
  static let idleSeconds: UInt32 = 30
  /// The size limit of request line and headers; a scraper sends about 300 bytes.
  static let headerBytesMax = 16_384

  private let token: BearerToken?
  private let answer: (AdminRequest) -> AdminAnswer
  private var daemon: OpaquePointer?
  private var visitors = AdminVisitors()

  /// - Parameter token: the token that every request must carry; nil for none.
  /// - Parameter answer: called on the daemon's thread.
  package init(
    _ socket: ListeningSocket, token: BearerToken?,
    answer: @escaping @Sendable (AdminRequest) -> AdminAnswer
  ) {
    self.token = token
    self.answer = answer
    let this = Unmanaged.passUnretained(self).toOpaque()
    daemon = flotilla_http_start(
      socket.descriptor, Self.connectionsMax, Self.idleSeconds, Self.headerBytesMax, 0,
      { closure, connection, url, method, _, _, bodyBytes, state in
        guard let closure, let connection, let url, let method, let bodyBytes, let state else {
          return .NO
        }
        // `deinit` stops the daemon first, so that this object outlives the daemon's calls.
        let port = Unmanaged<HTTPPort>.fromOpaque(closure).takeUnretainedValue()
        return port.received(
          connection, String(cString: url), String(cString: method), bodyBytes.pointee, state)
      }, this,
      { closure, connection, _, event in
        guard let closure, let connection else { return }
        // The object outlives this call too, even if `deinit` ends the connection.
        Unmanaged<HTTPPort>.fromOpaque(closure)._withUnsafeGuaranteedRef {
          $0.changed(connection, isNew: event == .CONNECTION_NOTIFY_STARTED)
        }
      }, this)
  }

  private func changed(_ connection: OpaquePointer, isNew: Bool) {
    let socket = flotilla_admin_socket(connection)
    guard isNew else { return visitors.went(socket) }
    // The daemon detects the shutdown and closes the socket.
    if let silent = visitors.came(socket) { shutdown(silent, Int32(SHUT_RDWR)) }
  }

  deinit { if let daemon { MHD_stop_daemon(daemon) } }

  /// Whether the daemon runs; false only if memory or threads ran out.
  package var isServing: Bool { daemon != nil }

  /// Called when the headers have arrived, and again if no body follows them.
  private func received(
    _ connection: OpaquePointer, _ path: String, _ method: String, _ bodyBytes: Int,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    if state.pointee == nil {
      visitors.asked(flotilla_admin_socket(connection))
      if method != "GET", method != "HEAD" {
        return queue(
          AdminAnswer(
            code: 405, body: "\(method) is not supported; use GET or HEAD.\n",
            headers: ["Allow": "GET, HEAD"]), on: connection)
      }
      // Any address except nil works, as a mark that the next call is the second.
      state.pointee = Unmanaged.passUnretained(self).toOpaque()
      return .YES
    }
    guard bodyBytes == 0 else { return .NO }
    var request = AdminRequest(path: path)
    request.isVerbose =
      MHD_lookup_connection_value_n(
        connection, .GET_ARGUMENT_KIND, "verbose", 7, nil, nil) == .YES
    request.accept = header("Accept", of: connection) ?? ""
    request.isAuthorized = isAuthorized(connection)
    return queue(answer(request), on: connection)
  }

  private func header(_ name: String, of connection: OpaquePointer) -> String? {
    MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
  }

  private func isAuthorized(_ connection: OpaquePointer) -> Bool {
    guard let token else { return true }
    guard let given = MHD_lookup_connection_value(connection, .HEADER_KIND, "Authorization")
    else { return false }
    return token.matches(UnsafeRawBufferPointer(start: given, count: strlen(given)))
  }

  private func queue(_ answer: AdminAnswer, on connection: OpaquePointer) -> MHD_Result {
    var body = answer.body
    let response = body.withUTF8 {
      MHD_create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    // If there is no memory for a page, the connection is closed.
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    MHD_add_response_header(response, "Content-Type", answer.contentType)
    MHD_add_response_header(response, "Cache-Control", "no-store")
    for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
    return MHD_queue_response(connection, answer.code, response)
  }
}
