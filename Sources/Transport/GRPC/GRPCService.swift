package import Wire

/// A service beside the collector's own methods, over gRPC only, for infrequent calls.
package protocol GRPCService: AnyObject {
  func serves(_ path: String) -> Bool
  func begin(_ call: GRPCServiceCall)
}

package final class GRPCServiceCall {
  /// The path of the method: `/package.Service/Method`.
  package let path: String
  /// The request's header fields that gRPC does not define, in order.
  package let metadata: [(name: String, value: [UInt8])]
  package var onMessage: (([UInt8]) -> Void)?
  /// The action after the client's last message.
  package var onHalfClose: (() -> Void)?
  package var onClose: (() -> Void)?
  /// The header fields to send before the first message.
  package var headers: [(name: String, value: [UInt8])] = []

  private let stream: Int32
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

  /// Sends a message. Ends the call with RESOURCE_EXHAUSTED if the client reads too slowly.
  package func send(_ message: [UInt8], compress: Bool = true) {
    guard let carrier, !isFinished else { return }
    guard carrier.bytesUnread + message.count <= 2 * messageBytesMax else {
      return finish(CallStatus(.resourceExhausted, "writeQueueBytesMax"))
    }
    message.withUnsafeBytes {
      carrier.send(stream, $0, end: .none, headers: headers, compress: compress)
    }
  }

  package func finish(
    _ status: CallStatus, trailers: [(name: String, value: [UInt8])] = []
  ) {
    guard let carrier, !isFinished else { return }
    isFinished = true
    carrier.end(stream, status, trailers: trailers)
  }
}
