internal import CMosquittoGuard
internal import Core
internal import Foundation

/// The tunnels that carry MQTT over WebSockets. libmosquitto has no WebSocket: it connects to a local
/// socket of this process, and a tunnel forwards its bytes.
///
///     libmosquitto ◀─▶ local socket ◀─▶ MQTTTunnel ◀─▶ WebSocketConnection ◀─▶ broker
///
/// Used on the loop's thread only, and closed before its release.
final class MQTTTunnels {
  private let sockets: WebSocketClients
  private let loop: EventLoop
  private var listener: Int32
  private var place: Int32 = -1

  /// - Parameter connection: returns a phone's client; nil if it has none.
  init(
    on loop: EventLoop, _ settings: WebSocketSettings,
    connection: @escaping (UInt32) -> MQTTConnection?
  ) throws(TLSSetupError) {
    self.loop = loop
    listener = flotilla_listen_locally(&place)
    sockets = try WebSocketClients(
      on: loop, settings,
      opening: { phone in
        let login = connection(phone)?.login
        var opening = login?.opening ?? WebSocketOpening(path: "/")
        opening.identity = login?.identity
        opening.resumes = login?.resumes ?? false
        return opening
      }, onEnd: { _, _ in })
    sockets.onConnected = { [unowned self] phone, error in
      if let error {
        connection(phone)?.fail(MQTTError(ofCarrier: error))
      } else {
        connection(phone)?.tunnelled(by: self)
      }
    }
    sockets.onLost = { connection($0)?.fail(MQTTError(ofCarrier: $1)) }
    sockets.onMessage = { connection($0)?.take($1) }
  }

  var counters: Sheet { sockets.counters }
  /// The path to which libmosquitto connects.
  var address: String { "/proc/self/fd/\(place)" }

  func open(_ phone: UInt32) -> MQTTTunnel {
    MQTTTunnel(over: sockets.dials.connect(phone), on: loop)
  }

  /// Drops a local connection that was never accepted, so that the next one is the newest.
  func forget() { while case let socket = accept(), socket >= 0 { Foundation.close(socket) } }

  fileprivate func accept() -> Int32 { flotilla_accept(listener) }

  func close() {
    sockets.close()
    for descriptor in [exchange(&listener, with: -1), exchange(&place, with: -1)]
    where descriptor >= 0 {
      Foundation.close(descriptor)
    }
  }
}

/// The bytes of one client, both ways.
final class MQTTTunnel {
  let socket: WebSocketConnection
  private let loop: EventLoop
  private var local: Int32 = -1
  private var watch: SocketWatch?

  init(over socket: WebSocketConnection, on loop: EventLoop) {
    (self.socket, self.loop) = (socket, loop)
  }

  /// Takes libmosquitto's newest connection; false if this process has no descriptor left.
  func enter(_ tunnels: MQTTTunnels) -> Bool {
    local = tunnels.accept()
    guard local >= 0 else { return false }
    watch = SocketWatch(local, on: loop) { [unowned self] in forward() }
    return watch != nil
  }

  private static let pieceBytes = 16_384

  /// Sends what libmosquitto has written.
  func forward() {
    while local >= 0 {
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { room, count in
        count = max(0, recv(local, room.baseAddress, room.count, 0))
      }
      if bytes.isEmpty { return }
      socket.send(WebSocketMessage(bytes, isBinary: true), as: 0, asked: loop.now)
      if bytes.count < Self.pieceBytes { return }
    }
  }

  /// Passes bytes to libmosquitto. Returns how many its socket took; the client must read the rest.
  func write(_ bytes: ArraySlice<UInt8>) -> Int {
    max(
      0,
      bytes.withUnsafeBytes {
        Foundation.send(local, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      })
  }

  /// Closes the local socket, and the WebSocket after what was forwarded.
  func close() {
    watch?.close()
    watch = nil
    if local >= 0 { Foundation.close(local) }
    local = -1
    socket.leave()
  }
}

extension WebSocketSettings {
  /// Returns the settings of the WebSockets that carry MQTT; nil if TCP or TLS carries it.
  init?(carrying settings: MQTTSettings) {
    guard let subprotocol = settings.subprotocol else { return nil }
    self.init(server: settings.broker)
    (via, security) = (settings.via, settings.security)
    self.subprotocol = subprotocol
    matching = .stream
    connectTimeout = settings.connectTimeout
    connectingMax = settings.connectingMax
    messageBytesMax = settings.receivedBytesMax
  }
}
