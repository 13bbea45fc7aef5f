internal import CNghttp2
internal import SimulationCore
internal import Wire

/// A link that speaks HTTP/2, at either side: bytes into the session, and what the session has to
/// say out as one write at the end of the loop's turn.
///
/// What happens on streams is the subclass's, by the methods below, which come while the session
/// works: they may submit to it, and a `close` among them takes effect when it has done.
class HTTP2Connection: LinkOwner, EndOfTurn {
  let link: Link
  let context: HTTP2Context
  let session: HTTP2Session
  /// Bytes of messages that the session has not packed yet.
  final var bytesPending = 0
  /// The messages of all streams that have any.
  private var outgoing: OutgoingMessages?
  private var isAtWork = false
  private var isQueued = false
  /// A close that came while the session was at work.
  private var closing: (end: LinkError, reset: Bool)?
  /// Why the session itself said GOAWAY.
  private var breach: WireError?
  /// A GOAWAY of the owner's is under way, which is no breach.
  final var saysGoAway = false
  /// What still comes is of no interest.
  final var ignoresInput = false

  init(_ role: HTTP2Session.Role, on link: Link) {
    self.link = link
    context = link.loop.http2
    session = HTTP2Session(role, context)
    session.setOwner(self)
    if role == .client { takePreface() }
  }

  /// A new client's session has its preface in the buffer that all sessions of the loop share: it
  /// is taken out before another session packs a frame over it.
  private func takePreface() {
    // Fails for want of memory only, and then the next output says so.
    guard let preface = try? session.nextOutput() else { return }
    link.append { $0.append(preface) }
  }

  /// The connection behind a callback's user data, which is set before the session is used.
  @inline(__always)
  static func of<Value>(
    _ owner: UnsafeMutableRawPointer?, _ body: (HTTP2Connection) -> Value
  ) -> Value {
    Unmanaged<HTTP2Connection>.fromOpaque(owner!)._withUnsafeGuaranteedRef(body)
  }

  // MARK: what happens, for the subclass

  func headersBegin(_ stream: Int32) {}
  func header(
    _ stream: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) {}
  /// - Parameter endsStream: the frame that these bytes are of is the stream's last.
  func data(_ stream: Int32, _ bytes: UnsafeRawBufferPointer, endsStream: Bool) {}
  func received(_ frame: UnsafePointer<nghttp2_frame>) {}
  func sent(_ frame: UnsafePointer<nghttp2_frame>) { noteGoAway(frame) }
  func streamClosed(_ stream: Int32, code: UInt32) {}
  /// The output of a turn has been handed to the link.
  func turnEnded() {}
  /// The peer has broken the protocol; the session is of no more use.
  func broke(_ error: WireError) { end(.protocolError(error), reset: false) }
  /// Neither side has anything more to say.
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

  /// Performs a close that had to wait.
  private func settle() {
    guard let closing = exchange(&closing, with: nil) else { return }
    if !closing.reset { flush() }
    link.end(closing.end, reset: closing.reset)
  }

  /// The session's own GOAWAY says that the peer broke the protocol.
  private func noteGoAway(_ frame: UnsafePointer<nghttp2_frame>) {
    guard flotilla_h2_head(frame).pointee.type == UInt8(NGHTTP2_GOAWAY.rawValue) else { return }
    let code = frame.pointee.goaway.error_code
    guard !saysGoAway, code != NGHTTP2_NO_ERROR.rawValue else { return }
    breach = .brokenHTTP2(reason: String(cString: nghttp2_http2_strerror(code)))
  }

  // MARK: out

  /// Sees to it that the session's output goes at the end of the turn.
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

  /// Sends what the session has to say, unless it is at work: then at the end of the turn.
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

  /// Ends the connection; at once, or when the session has done what it is at.
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

  // MARK: messages on their way out

  /// Messages of a stream, which has none yet.
  final func beginMessages(of stream: Int32) -> OutgoingMessages {
    let messages = context.takeOutgoing()
    messages.stream = stream
    messages.next = outgoing
    outgoing?.previous = messages
    outgoing = messages
    return messages
  }

  /// The stream has closed.
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
