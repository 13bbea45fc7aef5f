package import Core

/// Publishes over MQTT with libmosquitto on an event loop, with one client per phone. The loop
/// reports when a socket is ready, and libmosquitto reads and writes.
///
///     publish ─▶ phone's connection ─▶ libmosquitto ─▶ socket ─▶ loop ─▶ libmosquitto ─▶ owner
///
/// Nothing blocks the loop: names are resolved on libuv's threads. A message opens a connection if
/// its phone has none. A message without acknowledgement at the end of its connection has failed.
/// libmosquitto does not resend the message, since the target's rules decide on retries. A retry is
/// a new message for the broker, even at QoS 2.
///
/// The object is used on the loop's thread only, and must be closed before its release.
package final class MQTTClients: DialledClients {
  package typealias Answer = MQTTAnswer
  package typealias Words = MQTTWords

  let settings: MQTTSettings
  let login: (UInt32) -> MQTTLogin
  /// The receiver of the messages of subscriptions.
  package var onMessage: ((UInt32, MQTTMessage) -> Void)?
  private(set) var dials: Dials<MQTTConnection>!
  /// What carries the clients' connections; nil for TCP or TLS.
  private(set) var tunnels: MQTTTunnels?
  private var sweep: LoopTimer!
  private var swept = 0
  private var isSweeping = false

  /// - Parameter login: returns a phone's login when the phone's client connects.
  package init(
    on loop: EventLoop, _ settings: MQTTSettings, login: @escaping (UInt32) -> MQTTLogin,
    onEnd: @escaping (UInt64, MQTTExchange) -> Void
  ) throws(TLSSetupError) {
    var settings = settings
    let carrier = WebSocketSettings(carrying: settings)
    // TLS is below the WebSocket.
    if carrier != nil { settings.security = nil }
    self.settings = settings
    self.login = login
    dials = try Dials(
      on: loop, settings, make: { [unowned self] in MQTTConnection($0, of: self) }, onEnd: onEnd)
    tunnels = try carrier.map { carrier throws(TLSSetupError) in
      try MQTTTunnels(on: loop, carrier) { [unowned self] in dials[$0] }
    }
    sweep = LoopTimer(on: loop) { [unowned self] in keepAlive() }
  }

  package var counters: Sheet {
    var counters = dials.counters
    guard let below = tunnels?.counters else { return counters }
    for count in [Count.bytesSent, .bytesReceived, .handshakesFull, .handshakesResumed] {
      counters[count] = below[count]
    }
    return counters
  }

  package var onConnected: ((UInt32, MQTTError?) -> Void)? {
    get { dials.onConnected }
    set { dials.onConnected = newValue }
  }

  package var onLost: ((UInt32, MQTTError) -> Void)? {
    get { dials.onLost }
    set { dials.onLost = newValue }
  }

  package func send(_ message: MQTTMessage, as number: UInt64, of phone: UInt32) {
    dials.send(message, as: number, of: phone)
  }

  package func connect(_ phone: UInt32) { dials.connect(phone) }
  package func disconnect(_ phone: UInt32) { dials.disconnect(phone) }

  func noteAccepted(_ connection: MQTTConnection) {
    dials.noteAccepted(connection)
    if settings.keepalive > .zero, !isSweeping { startSweep() }
  }

  /// The number of ticks, in all one second, in which each client is checked once.
  private static let sweepParts = 20
  private static let sweepTick = WallDuration.milliseconds(50)

  private func startSweep() {
    isSweeping = true
    sweep.arm(at: dials.loop.now + Self.sweepTick)
  }

  private func keepAlive() {
    let count = (dials.all.count + Self.sweepParts - 1) / Self.sweepParts
    for _ in 0..<count {
      // A connection that ends is replaced in `all` by the last connection.
      if swept >= dials.all.count { swept = 0 }
      guard swept < dials.all.count else { break }
      dials.all[swept].keepAlive()
      swept += 1
    }
    isSweeping = false
    if !dials.all.isEmpty { startSweep() }
  }

  /// Abandons waiting and sent publishes, and disconnects every client. Further calls do nothing.
  package func close() {
    sweep.disarm()
    dials.close()
    tunnels?.close()
  }
}
