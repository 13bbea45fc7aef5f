internal import Core

final class MemoryStream: ByteStream {
  var receiver: (any ByteStreamReceiver)?
  private let network: MemoryNetwork
  unowned let loop: EventLoop
  let number: Int
  var peer: MemoryStream?
  var onArrival: ((any ByteStream) -> Void)?
  private var arriving: [(at: WallInstant, bytes: [UInt8])] = []
  private var bytesArriving = 0
  private var offset = 0
  private var ending: (at: WallInstant, end: LinkError)?
  private var waiting: [UInt8] = []
  private var isReading = false
  private var isClosed = false

  var backlogSince: WallInstant? { nil }

  init(_ network: MemoryNetwork, _ loop: EventLoop, number: Int) {
    self.network = network
    self.loop = loop
    self.number = number
  }

  func startReading() {
    isReading = true
    if !arriving.isEmpty || ending != nil { network.wake(self, at: loop.now) }
  }

  func pauseReading() { isReading = false }

  func write(_ bytes: UnsafeRawBufferPointer) -> StreamWrite {
    precondition(waiting.isEmpty, "a write while \(waiting.count) bytes of the last one wait")
    guard !isClosed, let peer else { return .failed(reason: "broken pipe") }
    let now = min(bytes.count, network.capacityBytes - peer.bytesArriving)
    if now > 0 { peer.arrives(Array(bytes[..<now])) }
    waiting = Array(bytes[now...])
    return .taken(now: now)
  }

  private func arrives(_ bytes: [UInt8]) {
    let at = loop.now + network.latency
    arriving.append((at, bytes))
    bytesArriving += bytes.count
    network.wake(self, at: at)
  }

  /// Delivers input while the receiver reads, in small pieces as a server does.
  func deliver() {
    if let accept = exchange(&onArrival, with: nil) { accept(self) }
    guard !isClosed, isReading else { return }
    if let first = arriving.first, first.at <= loop.now {
      let piece = min(first.bytes.count - offset, TCPStream.bytesPerTurnMax)
      var bytes = Array(first.bytes[offset..<offset + piece])
      offset += piece
      bytesArriving -= piece
      if offset == first.bytes.count {
        arriving.removeFirst()
        offset = 0
      }
      bytes.withUnsafeMutableBytes { receiver?.streamReceived($0) }
      peer?.writeRest()
      if let next = arriving.first { network.wake(self, at: max(next.at, loop.now)) }
    }
    guard !isClosed, isReading, arriving.isEmpty, let end = ending, end.at <= loop.now else {
      return
    }
    ending = nil
    receiver?.streamEnded(end.end)
  }

  private func writeRest() {
    guard !waiting.isEmpty, let peer else { return }
    let rest = exchange(&waiting, with: [])
    let now = min(rest.count, network.capacityBytes - peer.bytesArriving)
    waiting = Array(rest[now...])
    if now > 0 { peer.arrives(Array(rest[..<now])) }
    if waiting.isEmpty { receiver?.streamDrained() }
  }

  func close(reset: Bool) {
    guard !isClosed else { return }
    isClosed = true
    receiver = nil
    let peer = exchange(&peer, with: nil)
    network.ended(self)
    // Unread bytes turn the end into a reset, as in the kernel.
    if reset || !arriving.isEmpty {
      peer?.isReset()
    } else {
      peer?.isClosedByPeer(sending: waiting)
    }
    (arriving, waiting) = ([], [])
  }

  private func isClosedByPeer(sending rest: [UInt8]) {
    peer = nil
    if !rest.isEmpty { arrives(rest) }
    ending = (loop.now + network.latency, .closedByPeer)
    network.wake(self, at: loop.now + network.latency)
  }

  func isReset() {
    peer = nil
    waiting = []
    if !isReading {
      // A reset is reported even if the receiver does not read, and the data before it is dropped.
      (arriving, bytesArriving, offset) = ([], 0, 0)
      isReading = true
    }
    ending = (loop.now + network.latency, .failed(reason: "connection reset by peer"))
    network.wake(self, at: loop.now + network.latency)
  }

  func loopEnds() {
    receiver?.streamEnded(.closedHere)
    close(reset: false)
  }
}
