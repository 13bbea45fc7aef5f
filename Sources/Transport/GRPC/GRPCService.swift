package import Wire

/// A service that a server has beside the collector's; gRPC carries it, Flotilla's frames do not.
///
/// For services that are called now and then: its calls are objects with closures.
package protocol GRPCService: AnyObject {
  /// Whether a call of this path, as `/package.Service/Method`, is its own.
  func serves(_ path: String) -> Bool
  /// A call begins; always called on the loop's thread.
  func begin(_ call: GRPCServiceCall)
}

/// A call of a `GRPCService`, with messages both ways; for the loop's thread only.
package final class GRPCServiceCall {
  /// Is what was called, as `/package.Service/Method`.
  package let path: String
  /// Holds the header fields that are no part of gRPC, in their order.
  package let metadata: [(name: String, value: [UInt8])]
  /// Hears each message of the client.
  package var onMessage: (([UInt8]) -> Void)?
  /// Hears that the client sends no more.
  package var onHalfClose: (() -> Void)?
  /// Hears that the stream is gone, however it ended.
  package var onClose: (() -> Void)?
  /// Are sent before the first message.
  package var headers: [(name: String, value: [UInt8])] = []

  private let stream: Int32
  /// Let go of when the stream closes.
  private var carrier: GRPCServerCarrier?
  private let encoding: MessageEncoding
  private let partial: PartialMessage
  private let messageBytesMax: Int
  private var isFinished = false

  init(
    _ stream: Int32, of carrier: GRPCServerCarrier, path: String,
    metadata: [(name: String, value: [UInt8])], encoding: MessageEncoding, messageBytesMax: Int
  ) {
    self.stream = stream
    self.carrier = carrier
    self.path = path
    self.metadata = metadata
    self.encoding = encoding
    self.messageBytesMax = messageBytesMax
    partial = PartialMessage(
      messageBytesMax: messageBytesMax, takesCompressed: encoding != .identity)
  }

  /// Whether the last message that came was compressed.
  package private(set) var wasCompressed = false

  // MARK: in

  func received(_ bytes: UnsafeRawBufferPointer) {
    guard let carrier, !isFinished else { return }
    partial.assembler.begin(bytes)
    do throws(WireError) {
      while !isFinished, let message = try partial.assembler.next() {
        wasCompressed = partial.assembler.isCompressed
        let whole =
          wasCompressed
          ? try carrier.link.loop.compressor.decompress(
            message, encoding, limit: messageBytesMax) : message
        onMessage?(Array(whole))
      }
      partial.assembler.end()
    } catch {
      finish(CallStatus(error.status, error.description))
    }
  }

  func halfClosed() { if !isFinished { onHalfClose?() } }

  func closed() {
    isFinished = true
    carrier = nil
    let onClose = onClose
    (self.onClose, onMessage, onHalfClose) = (nil, nil, nil)
    onClose?()
  }

  // MARK: out

  /// Sends a message; the call fails where its reader is too slow for it.
  package func send(_ message: [UInt8], compress: Bool = true) {
    guard let carrier, !isFinished else { return }
    guard carrier.bytesUnread + message.count <= 2 * messageBytesMax else {
      return finish(CallStatus(.resourceExhausted, "writeQueueBytesMax"))
    }
    message.withUnsafeBytes {
      carrier.send(stream, $0, end: .none, headers: headers, compress: compress)
    }
  }

  /// Ends the call.
  package func finish(
    _ status: CallStatus, trailers: [(name: String, value: [UInt8])] = []
  ) {
    guard let carrier, !isFinished else { return }
    isFinished = true
    carrier.end(stream, status, trailers: trailers)
  }
}
