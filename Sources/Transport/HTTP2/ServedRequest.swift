internal import CNghttp2
package import Core
internal import Wire

/// One request at an HTTP server, answered exactly once, now or later, on the loop's thread. The
/// server reuses request objects without other references.
package final class ServedRequest {
  enum State { case coming, whole, answered, over }

  /// The request's header fields, including HTTP/2's pseudo-fields (`:method`, `:path`).
  package internal(set) var fields = HTTPFields()
  /// Whether the body exceeded the server's limit and was dropped.
  package internal(set) var isTooLong = false
  /// The instant at which the request was complete.
  package internal(set) var receivedAt = WallInstant(microseconds: 0)
  package internal(set) var client: HTTPPeer!
  var body = ByteBuffer(capacity: 0)
  private var answerBody = ByteBuffer(capacity: 0)
  var state = State.coming
  var stream: Int32 = 0
  var place = 0
  /// The size of the fields as HTTP/2 counts it, with 32 more bytes per field.
  var fieldBytes = 0

  private static let bytesKept = 16_384

  /// Calls `read` with the request's body, which is valid until the answer.
  package func withBody<Value>(_ read: (UnsafeRawBufferPointer) -> Value) -> Value {
    read(body.readable)
  }

  package var isOver: Bool { state == .over }

  func reset() {
    fields.removeAll()
    body.removeAll()
    answerBody.removeAll()
    if body.capacity > Self.bytesKept { body = ByteBuffer(capacity: 0) }
    if answerBody.capacity > Self.bytesKept { answerBody = ByteBuffer(capacity: 0) }
    (isTooLong, state, client, fieldBytes) = (false, .coming, nil, 0)
  }

  /// Answers the request. Does nothing if the request is answered already or its client has
  /// disconnected. Fields and body are copied, and an empty body is omitted.
  package func answer(
    _ status: Int, _ fields: borrowing HTTPFields,
    body: UnsafeRawBufferPointer = .init(start: nil, count: 0)
  ) {
    precondition((100...999).contains(status), "a status has three digits, not \(status)")
    guard state == .whole else { return }
    if let plain = client?.plain {
      state = .answered
      return plain.answer(self, status, fields, body: body)
    }
    guard let connection = client?.connection, !connection.isClosed else { return }
    state = .answered
    answerBody.append(body)
    submit(status, fields, to: connection)
    connection.outputLater()
  }

  private func submit(
    _ status: Int, _ fields: borrowing HTTPFields, to connection: HTTP2Connection
  ) {
    let zero = Int(UInt8(ascii: "0"))
    let digits = [status / 100, status / 10 % 10, status % 10]
    withUnsafeTemporaryAllocation(byteCount: 3, alignment: 1) { text in
      for place in 0..<3 { text[place] = UInt8(zero + digits[place]) }
      withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count + 1) { vectors in
        vectors.initializeElement(at: 0, to: HeaderBlock.field(":status", .init(text)))
        var next = 1
        fields.forEach { name, value in
          vectors.initializeElement(at: next, to: HeaderBlock.field(name, value))
          next += 1
        }
        var provider = flotilla_h2_provider(
          Unmanaged.passUnretained(self).toOpaque(), Self.read)
        // The call fails only if the stream has just been reset, which ends the request.
        _ = withUnsafePointer(to: &provider) {
          nghttp2_submit_response(
            connection.session.raw, stream, vectors.baseAddress, next,
            answerBody.isEmpty ? nil : $0)
        }
      }
    }
  }

  private static let read: nghttp2_data_source_read_callback = {
    _, _, buffer, length, flags, source, _ in
    // The connection keeps the request until its stream has closed.
    Unmanaged<ServedRequest>.fromOpaque(source!.pointee.ptr)._withUnsafeGuaranteedRef {
      $0.fill(UnsafeMutableRawBufferPointer(start: buffer, count: length), flags!)
    }
  }

  private func fill(
    _ target: UnsafeMutableRawBufferPointer, _ flags: UnsafeMutablePointer<UInt32>
  ) -> Int {
    let taken = min(target.count, answerBody.count)
    if taken > 0 {
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: answerBody.readable[..<taken]))
      answerBody.consume(taken)
    }
    if answerBody.isEmpty { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return taken
  }
}
