package import Core
internal import COpenSSL

/// Sends messages over WebSockets with libwebsockets on an event loop, one connection per phone. A
/// message opens a connection if its phone has none, and fails if its connection ends before the
/// answer. The target's rules decide on retries.
///
/// The object is used on the loop's thread only, and must be closed before its release.
package final class WebSocketClients: DialledClients {
  package typealias Answer = WebSocketAnswer
  package typealias Words = WebSocketWords

  let settings: WebSocketSettings
  let opening: (UInt32) -> WebSocketOpening
  /// The receiver of messages that answer nothing.
  package var onMessage: ((UInt32, [UInt8]) -> Void)?
  private(set) var dials: Dials<WebSocketConnection>!
  private(set) var context: WebSocketContext.Host?
  /// The connections whose handshake may begin, by the descriptor of their sockets.
  private var byDescriptor: [Int32: WebSocketConnection] = [:]

  /// - Parameter opening: returns a phone's opening when the phone's client connects.
  package init(
    on loop: EventLoop, _ settings: WebSocketSettings,
    opening: @escaping (UInt32) -> WebSocketOpening,
    onEnd: @escaping (UInt64, WebSocketExchange) -> Void
  ) throws(TLSSetupError) {
    self.settings = settings
    self.opening = opening
    dials = try Dials(
      on: loop, settings, make: { [unowned self] in WebSocketConnection($0, of: self) },
      onEnd: onEnd)
    context = loop.webSockets.host(dials.trust, keepalive: settings.keepalive)
    dials.trust?.find = { [unowned self] ssl in
      let connection = byDescriptor[SSL_get_fd(ssl)]
      connection?.secures()
      return connection
    }
  }

  package var counters: Sheet { dials.counters }

  package var onConnected: ((UInt32, WebSocketError?) -> Void)? {
    get { dials.onConnected }
    set { dials.onConnected = newValue }
  }

  package var onLost: ((UInt32, WebSocketError) -> Void)? {
    get { dials.onLost }
    set { dials.onLost = newValue }
  }

  package func send(_ message: WebSocketMessage, as number: UInt64, of phone: UInt32) {
    dials.send(message, as: number, of: phone)
  }

  package func connect(_ phone: UInt32) { dials.connect(phone) }
  package func disconnect(_ phone: UInt32) { dials.disconnect(phone) }

  func connect(
    _ connection: WebSocketConnection, to address: String, _ opening: WebSocketOpening
  ) -> Bool {
    guard let context else { return false }
    return dials.loop.webSockets.connect(
      connection, context, to: address, port: (settings.via ?? settings.server).port,
      isSecured: dials.trust != nil, as: settings.authority, path: opening.path,
      subprotocol: settings.subprotocol)
  }

  /// Keeps a copy of a session, since OpenSSL spoils the session of a connection that libwebsockets
  /// closes without TLS's own close.
  func keep(_ session: OpaquePointer, of phone: UInt32) {
    guard let copy = SSL_SESSION_dup(session) else { return }
    if dials.trust?.keep(copy, of: phone) != true { SSL_SESSION_free(copy) }
  }

  func noteOpened(_ connection: WebSocketConnection) {
    byDescriptor[connection.descriptor] = connection
    dials.noteOpened()
  }

  func noteEnded(
    _ connection: WebSocketConnection, was: DialMachine.Stage, _ error: WebSocketError
  ) {
    if byDescriptor[connection.descriptor] === connection {
      byDescriptor[connection.descriptor] = nil
    }
    dials.noteEnded(connection, was: was, wasOpened: connection.descriptor >= 0, error)
  }

  /// Abandons waiting and sent messages, and closes every connection. Further calls do nothing.
  package func close() {
    dials.close()
    dials.trust?.find = { _ in nil }
  }
}
