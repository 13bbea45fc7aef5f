internal import Wire

final class ProxySocket: ByteStreamReceiver {
  /// The receiver of input, which is valid and mutable during the call.
  var onBytes: (UnsafeMutableRawBufferPointer) -> Void = { _ in }
  /// The receiver of the stream's end, called last. `isReset` is false for a graceful end.
  var onEnd: (_ isReset: Bool) -> Void = { _ in }
  var onDrained: () -> Void = {}
  private let stream: any ByteStream
  private var output = ByteBuffer(capacity: 512)
  private var bytesUnderWay = 0
  private var isReading = false
  private(set) var isClosing = false

  init(_ stream: any ByteStream) {
    self.stream = stream
    stream.receiver = self
  }

  var bytesQueued: Int { output.count + bytesUnderWay }

  func startReading() {
    guard !isClosing, !isReading else { return }
    isReading = true
    stream.startReading()
  }

  func stopReading() {
    guard !isClosing, isReading else { return }
    isReading = false
    stream.pauseReading()
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    guard !isClosing else { return }
    output.append(bytes)
    flush()
  }

  private func flush() {
    guard !isClosing, bytesUnderWay == 0, !output.isEmpty else { return }
    switch stream.write(output.readable) {
    case .taken(let now):
      bytesUnderWay = output.count - now
      output.removeAll()
    case .failed: onEnd(true)
    }
  }

  func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) { onBytes(bytes) }

  func streamDrained() {
    bytesUnderWay = 0
    flush()
    if bytesUnderWay == 0, !isClosing { onDrained() }
  }

  func streamEnded(_ end: LinkError) {
    switch end {
    case .closedByPeer: onEnd(false)
    case .failed, .protocolError: onEnd(true)
    case .closedHere:
      onEnd(false)
      close(reset: false)
    }
  }

  /// Closes the stream and releases the callbacks, which may retain the owner.
  func close(reset: Bool) {
    onBytes = { _ in }
    onEnd = { _ in }
    onDrained = {}
    guard !isClosing else { return }
    isClosing = true
    stream.close(reset: reset)
  }
}
