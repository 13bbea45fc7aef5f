internal import CUV
package import Core

/// Connections within the process. `@unchecked Sendable`: only one loop's thread touches the state.
package final class MemoryNetwork: @unchecked Sendable {
  /// The time from a write to its arrival.
  package var latency: WallDuration
  let capacityBytes: Int
  private var listeners: [UInt16: MemoryListener] = [:]
  private var nextPort: UInt16 = 49_152
  private var streams: [MemoryStream?] = []
  private var due = DueHeap<Int>()
  private var timer: LoopTimer?

  package init(latency: WallDuration = .zero, capacityBytes: Int = 1 << 20) {
    self.latency = latency
    self.capacityBytes = capacityBytes
  }

  func listen(
    on endpoint: Endpoint, loop: EventLoop, _ accept: @escaping (any ByteStream) -> Void
  ) throws(TransportError) -> any StreamListener {
    if endpoint.port == 0 { nextPort += 1 }
    let port = endpoint.port == 0 ? nextPort : endpoint.port
    guard listeners[port] == nil else {
      throw .addressInUse(host: endpoint.host, port: port)
    }
    let listener = MemoryListener(self, port, accept)
    listeners[port] = listener
    return listener
  }

  /// Stops listening on `port` and resets every connection of the network, as if a machine failed.
  package func cut(port: UInt16) {
    stopListening(on: port)
    for stream in streams { stream?.isReset() }
  }

  func stopListening(on port: UInt16) { listeners[port] = nil }

  func connect(to address: Address, on loop: EventLoop) throws(ConnectError) -> any ByteStream {
    guard let listener = listeners[address.port] else {
      throw ConnectError(code: UV_ECONNREFUSED.rawValue)
    }
    let client = MemoryStream(self, loop, number: streams.count)
    let server = MemoryStream(self, loop, number: streams.count + 1)
    client.peer = server
    server.peer = client
    streams += [client, server]
    // As with a socket, the client may write before the server has accepted the connection.
    server.onArrival = listener.accept
    wake(server, at: loop.now + latency)
    return client
  }

  func wake(_ stream: MemoryStream, at instant: WallInstant) {
    due.push(stream.number, at: instant)
    let loop = stream.loop
    if timer == nil { timer = LoopTimer(on: loop) { [unowned self, unowned loop] in ring(loop) } }
    if let next = due.next { timer?.arm(at: next) }
  }

  private func ring(_ loop: EventLoop) {
    loop.notePoll()
    let now = loop.now
    // Events that `deliver` causes are handled in the next turn, as with sockets.
    for _ in 0..<due.count {
      guard let number = due.pop(at: now) else { break }
      streams[number]?.deliver()
    }
    if let next = due.next { timer?.arm(at: next) }
  }

  func ended(_ stream: MemoryStream) { streams[stream.number] = nil }

  func loopEnds() {
    for stream in streams { stream?.loopEnds() }
    listeners = [:]
    timer = nil
  }
}

final class MemoryListener: StreamListener {
  private unowned let network: MemoryNetwork
  let port: UInt16
  let accept: (any ByteStream) -> Void

  init(_ network: MemoryNetwork, _ port: UInt16, _ accept: @escaping (any ByteStream) -> Void) {
    self.network = network
    self.port = port
    self.accept = accept
  }

  func close() { network.stopListening(on: port) }
}
