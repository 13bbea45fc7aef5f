internal import CNghttp2
internal import Core
internal import Wire

/// An HTTP/2 connection, of a client or server. Output is written once, at the end of the turn.
/// Subclasses' methods may submit frames to the session, but a close takes effect after the method.
class HTTP2Connection: LinkOwner, EndOfTurn {
  let link: Link
  let context: HTTP2Context
  let session: HTTP2Session
  final var bytesPending = 0
  private var outgoing: OutgoingMessages?
  private var isAtWork = false
  private var isQueued = false
  private var closing: (end: LinkError, reset: Bool)?
  /// The violation for which the session itself sent GOAWAY, or nil without a violation.
  private var breach: WireError?
  /// Whether a GOAWAY in flight comes from the owner, not from a violation.
  final var saysGoAway = false
  final var ignoresInput = false

  init(_ role: HTTP2Session.Role, on link: Link) {
    self.link = link
    context = link.loop.http2
    session = HTTP2Session(role, context)
    session.setOwner(self)
    if role == .client { takePreface() }
  }

  final func submit(_ settings: KeyValuePairs<nghttp2_settings_id, Int>) {
    let entries = settings.map { name, value in
      nghttp2_settings_entry(
        settings_id: Int32(name.rawValue), value: UInt32(clamping: value))
    }
    // The call fails only without memory, since the values are in range.
    _ = nghttp2_submit_settings(session.raw, 0, entries, entries.count)
  }

  /// Takes a new client's preface out of the loop's shared buffer before another session writes.
  private func takePreface() {
    // The call fails only without memory, which the next output reports.
    guard let preface = try? session.nextOutput() else { return }
    link.append { $0.append(preface) }
  }

  @inline(__always)
  static func of<Value>(
    _ owner: UnsafeMutableRawPointer?, _ body: (HTTP2Connection) -> Value
  ) -> Value {
    Unmanaged<HTTP2Connection>.fromOpaque(owner!)._withUnsafeGuaranteedRef(body)
  }

  // MARK: events for the subclass

  func headersBegin(_ stream: Int32) {}
  func header(
    _ stream: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) {}
  func data(_ stream: Int32, _ bytes: UnsafeRawBufferPointer, endsStream: Bool) {}
  func received(_ frame: UnsafePointer<nghttp2_frame>) {}
  func sent(_ frame: UnsafePointer<nghttp2_frame>) { noteGoAway(frame) }
  func streamClosed(_ stream: Int32, code: UInt32) {}
  func turnEnded() {}
  /// Handles a protocol violation by the peer, after which the session is unusable.
  func broke(_ error: WireError) { end(.protocolError(error), reset: false) }
  /// Ends the connection. Called when neither side has more to send.
  func finished() { link.end(.closedHere) }
  func ended(_ end: LinkError) {}
  func linkConnected(at instant: WallInstant) {}
  func linkDrained() {}

  // MARK: in

  final func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    guard !ignoresInput else { return }
    isAtWork = true
    var error: WireError?
    do throws(WireError) { try session.receive(bytes) } catch let broken { error = broken }
    isAtWork = false
    if let error { broke(error) }
    settle()
    if !link.isClosed, session.wantsOutput || session.isOver { outputLater() }
  }

  private func settle() {
    guard let closing = exchange(&closing, with: nil) else { return }
    if !closing.reset { flush() }
    link.end(closing.end, reset: closing.reset)
  }

  private func noteGoAway(_ frame: UnsafePointer<nghttp2_frame>) {
    guard flotilla_h2_head(frame).pointee.type == UInt8(NGHTTP2_GOAWAY.rawValue) else { return }
    let code = frame.pointee.goaway.error_code
    guard !saysGoAway, code != NGHTTP2_NO_ERROR.rawValue else { return }
    breach = .brokenHTTP2(reason: String(cString: nghttp2_http2_strerror(code)))
  }

  // MARK: out

  final func outputLater() {
    guard !isQueued, !link.isClosed else { return }
    isQueued = true
    link.loop.atEndOfTurn(self)
  }

  final func endOfTurn() {
    isQueued = false
    flush()
    guard !link.isClosed else { return }
    link.endOfTurn()
    turnEnded()
  }

  final func flush() {
    guard !isAtWork else { return outputLater() }
    guard !link.isClosed else { return }
    isAtWork = true
    var error: WireError?
    do throws(WireError) {
      while let frame = try session.nextOutput() { link.append { $0.append(frame) } }
    } catch let broken { error = broken }
    isAtWork = false
    link.flush()
    if let error { return link.end(.failed(reason: error.description)) }
    if let breach { return link.end(.protocolError(breach)) }
    if let closing = exchange(&closing, with: nil) {
      return link.end(closing.end, reset: closing.reset)
    }
    if session.isOver { finished() }
  }

  final func end(_ end: LinkError, reset: Bool) {
    guard !isAtWork else {
      closing = closing ?? (end, reset)
      return
    }
    link.end(end, reset: reset)
  }

  final var isClosed: Bool { link.isClosed || closing != nil }

  final func linkEnded(_ end: LinkError) {
    while let first = outgoing { drop(first) }
    ended(end)
  }

  // MARK: outgoing messages

  final func beginMessages(of stream: Int32) -> OutgoingMessages {
    let messages = context.takeOutgoing()
    messages.stream = stream
    messages.next = outgoing
    outgoing?.previous = messages
    outgoing = messages
    return messages
  }

  final func drop(_ messages: OutgoingMessages) {
    bytesPending -= messages.count
    if let previous = messages.previous {
      previous.next = messages.next
    } else {
      outgoing = messages.next
    }
    messages.next?.previous = messages.previous
    context.give(messages)
  }
}
