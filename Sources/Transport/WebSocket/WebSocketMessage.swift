package import Core

package struct WebSocketMessage: Sendable, Equatable {
  package var body: [UInt8]
  package var isBinary: Bool
  /// The id that the answer repeats; nil if answers are not matched by an id.
  package var id: String?

  package init(_ body: [UInt8], isBinary: Bool = false, id: String? = nil) {
    (self.body, self.isBinary, self.id) = (body, isBinary, id)
  }

  /// Returns the size of a message in one frame (RFC 6455, 5.2). A client's frame is masked.
  package static func frameBytes(_ count: Int, isMasked: Bool) -> Int {
    count + (count < 126 ? 2 : count < 65_536 ? 4 : 10) + (isMasked ? 4 : 0)
  }
}

extension WebSocketMessage: DialledMessage {
  var fault: String? { nil }
}

/// What a phone's client sends to open a connection.
package struct WebSocketOpening: Sendable {
  /// The path and query of the request, which begin with `/`.
  package var path: String
  package var headers: [(name: String, value: String)] = []
  /// The steps after the upgrade, before the first upload.
  package var steps: [Step] = []
  package var identity: HTTPIdentity?
  /// Whether a new connection may resume the client's last TLS session.
  package var resumes = false

  package struct Step: Sendable {
    /// The message to send; nil for none.
    package var sends: [UInt8]?
    /// Whether a message of the server is the expected one; nil to wait for none.
    package var expects: (@Sendable ([UInt8]) -> Bool)?

    package init(sends: [UInt8]?, expects: (@Sendable ([UInt8]) -> Bool)?) {
      (self.sends, self.expects) = (sends, expects)
    }
  }

  package init(path: String) { self.path = path }

  /// The limits of libwebsockets for a path, and for all headers together.
  private static let (pathBytesMax, headerBytesMax) = (1_900, 12_000)

  package var lines: String { headers.map { "\($0.name): \($0.value)\r\n" }.joined() }

  package var fault: String? {
    if path.utf8.count > Self.pathBytesMax {
      return "the path has \(path.utf8.count) bytes; the maximum is \(Self.pathBytesMax)"
    }
    if lines.utf8.count > Self.headerBytesMax {
      return "the headers have \(lines.utf8.count) bytes; the maximum is \(Self.headerBytesMax)"
    }
    for (name, value) in headers + [("path", path)]
    where (name + value).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      return "\(name.debugDescription) contains a control character"
    }
    return nil
  }

  /// The size of the request for the upgrade and of the messages of `steps`.
  package func bytes(to authority: String, subprotocol: String) -> Int {
    let fixed = [
      "GET \(path) HTTP/1.1", "Pragma: no-cache", "Cache-Control: no-cache", "Host: \(authority)",
      "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      "Sec-WebSocket-Version: 13", "",
    ]
    let request = fixed.reduce(lines.utf8.count) { $0 + $1.utf8.count + 2 }
    let named =
      subprotocol.isEmpty ? 0 : "Sec-WebSocket-Protocol: \r\n".utf8.count + subprotocol.utf8.count
    return steps.reduce(request + named) { sum, step in
      sum + (step.sends.map { WebSocketMessage.frameBytes($0.count, isMasked: true) } ?? 0)
    }
  }
}

package struct WebSocketAnswer: Sendable, Equatable {
  /// The message; empty if none was awaited.
  package var body: [UInt8]
}

package typealias WebSocketExchange = Exchange<WebSocketAnswer, WebSocketError>

package struct WebSocketSettings: Sendable, DialSettings {
  /// Which message of the server answers a message.
  package enum Matching: Sendable {
    case next
    /// None: a message counts as answered once it is written.
    case none
    /// None: messages are pieces of a stream, whose rest is sent before the client leaves.
    case stream
    /// The message with the id that the closure finds; nil for a message that answers nothing.
    case id(@Sendable ([UInt8]) -> String?)
  }

  package var server: Endpoint
  /// The endpoint to connect to instead of the server, such as a proxy. nil means the server.
  package var via: Endpoint?
  /// The TLS settings, or nil for plaintext.
  package var security: ServerTrust?
  /// The subprotocols that the client offers, separated by commas; empty for none.
  package var subprotocol = ""
  package var matching = Matching.next
  /// Whether a client keeps its connection between messages, or connects for each.
  package var keepsConnections = true
  /// The time without a message after which the client sends a ping; 0 for no pings.
  package var keepalive = WallDuration.zero
  /// The time limit from name resolution until the last step of the opening.
  package var connectTimeout = WallDuration.seconds(10)
  /// The time limit from a request to its answer.
  package var timeout = WallDuration.seconds(20)
  package var connectingMax = 5_000
  /// The limit of bytes in a message of the server.
  package var messageBytesMax = 262_144

  package init(server: Endpoint) { self.server = server }

  /// The server as the header `Host` names it.
  package var authority: String {
    let host = server.host.contains(":") ? "[\(server.host)]" : server.host
    return server.port == (security == nil ? 80 : 443) ? host : "\(host):\(server.port)"
  }
}
