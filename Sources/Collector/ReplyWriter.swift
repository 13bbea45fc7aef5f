internal import Transport
internal import Wire

final class ReplyWriter {
  private let codec: MessageCodec
  private var buffer = ByteBuffer(capacity: 4_096)

  init(_ codec: MessageCodec) { self.codec = codec }

  func answer(_ call: ServerCall, _ message: some WireMessage) {
    buffer.removeAll()
    do throws(WireError) {
      try codec.encode(message, into: &buffer)
      call.reply(buffer.readable)
    } catch {
      refuse(call, error.status, error.description)
    }
  }

  func send(_ call: ServerCall, _ message: some WireMessage) -> StreamSend {
    buffer.removeAll()
    do throws(WireError) {
      try codec.encode(message, into: &buffer)
      return call.send(buffer.readable)
    } catch {
      return .full
    }
  }

  // MARK: Refusals

  func refuse(_ call: ServerCall, _ code: StatusCode, _ text: String) {
    call.fail(CallStatus(code, text))
  }

  /// Refuses a batch that is not durable, which the client keeps and retries.
  func refuse(_ call: ServerCall, _ error: StoreError) {
    call.fail(
      CallStatus(
        .unavailable, error.description, pushbackMilliseconds: Self.storePushbackMilliseconds))
  }

  func refuseWithoutRun(_ call: ServerCall) {
    refuse(call, .unavailable, "no run is open; call OpenRun first")
  }

  /// The client's wait before a retry. A full disk is not freed within milliseconds.
  private static let storePushbackMilliseconds: Int32 = 1_000
}
