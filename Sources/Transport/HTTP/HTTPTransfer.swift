internal import CCurl
internal import COpenSSL
internal import Core

/// A reusable libcurl handle with a request in flight and the answer so far, on the loop's thread.
final class HTTPTransfer {
  let easy = EasyHandle()
  private let settings: HTTPSettings
  private unowned let sockets: CurlSockets
  private let clock: TransportClock
  private(set) var number: UInt64 = 0
  private(set) var isActive = false
  private(set) var holder: HTTPHolder?
  private var body = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_024, alignment: 16)
  private var bodyCount = 0
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  // The current options of the libcurl handle. Only changes are applied to the handle.
  private var lines: HeaderList?
  private var route: HeaderList?
  private var linesOf: (headers: [String], acceptsCompressed: Bool)?
  private var share: UnsafeMutableRawPointer?
  private var identity: HTTPIdentity?

  private var asked = WallInstant.distantPast
  private var started = WallInstant.distantPast
  /// The start of the last attempt, which is later than `started` if the request was resent.
  private var attempted = WallInstant.distantPast
  private var attempts = 0
  private var writtenAt: WallInstant?
  private var firstByteAt: WallInstant?
  private(set) var isSecured = false
  private var isResumed: Bool?
  private var isTooLarge = false
  private var isCut = false
  private var bytesDropped = 0
  private var isGivenUp = false
  /// Whether the server reported the request as unprocessed, so that a resend is safe.
  private var isUnprocessed = false
  private var writtenOn = 0
  private var answerBytesMax = 0
  private var cutsAnswer = false
  private var answerHead: [UInt8] = []
  private var answerBody: [UInt8] = []

  init(_ settings: HTTPSettings, sockets: CurlSockets, clock: TransportClock) {
    self.settings = settings
    self.sockets = sockets
    self.clock = clock
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    flotilla_curl_prepare(
      easy.raw, Unmanaged.passUnretained(self).toOpaque(), errorText,
      { HTTPTransfer.of($3).takeHead($0, $1 * $2) }, { HTTPTransfer.of($3).takeBody($0, $1 * $2) },
      { transfer, _, address in
        guard let address else { return -1 }
        let transfer = HTTPTransfer.of(transfer)
        guard transfer.mayWrite() else { return -1 }
        transfer.holder?.connections += 1
        return transfer.sockets.open(address, of: transfer.holder?.place)
      },
      Unmanaged.passUnretained(sockets).toOpaque(),
      { sockets, descriptor in
        guard let sockets else { return 0 }
        Unmanaged<CurlSockets>.fromOpaque(sockets).takeUnretainedValue().close(descriptor)
        return 0
      })
    watchRequests()
    let version =
      switch settings.version {
      case .http1: CURL_HTTP_VERSION_1_1
      case .negotiated: CURL_HTTP_VERSION_2TLS
      case .http2: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
      }
    easy.set(CURLOPT_HTTP_VERSION, Int(version))
    easy.set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(settings.connectTimeout))
    // An empty text selects all of libcurl's codings, even if the request asks for no compression.
    easy.set(CURLOPT_ACCEPT_ENCODING, text: "")
    if let via = settings.via {
      route = HeaderList(["::\(via)"])
      easy.set(CURLOPT_CONNECT_TO, pointer: route?.first)
    }
    if let authorities = settings.trust.authorities { easy.set(CURLOPT_CAINFO, text: authorities) }
    let oldest = settings.trust.needsTLS13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
    easy.set(CURLOPT_SSLVERSION, Int(oldest))
    if !settings.trust.verifies {
      easy.set(CURLOPT_SSL_VERIFYPEER, 0)
      easy.set(CURLOPT_SSL_VERIFYHOST, 0)
    }
  }

  deinit {
    body.deallocate()
    errorText.deallocate()
  }

  /// Returns whole milliseconds, at least 1, since 0 selects libcurl's default.
  private static func milliseconds(_ duration: WallDuration) -> Int {
    max(1, Int(duration.microseconds / 1_000))
  }

  private static func of(_ owner: UnsafeMutableRawPointer?) -> HTTPTransfer {
    guard let owner else { fatalError("libcurl called back without its owner") }
    return Unmanaged<HTTPTransfer>.fromOpaque(owner).takeUnretainedValue()
  }

  static func of(easy: UnsafeMutableRawPointer) -> HTTPTransfer { of(flotilla_curl_owner(easy)) }

  // MARK: The request

  /// Sets the handle up for a request. The request's time includes its wait in the queue.
  func begin(_ waiting: WaitingRequest, now: WallInstant) {
    let request = waiting.request
    holder = waiting.holder
    number = waiting.number
    isActive = true
    asked = waiting.asked
    started = now
    (attempts, writtenOn) = (0, 0)
    firstByteAt = nil
    (isTooLarge, isCut, bytesDropped) = (false, false, 0)
    beginAttempt(now: now)
    answerBytesMax = request.answerBytesMax ?? settings.answerBytesMax
    cutsAnswer = settings.cutsAnswers && request.answerBytesMax == nil
    easy.set(CURLOPT_MAXFILESIZE_LARGE, size: cutsAnswer ? 0 : answerBytesMax)
    isSecured = request.url.hasPrefix("https:")
    easy.set(CURLOPT_URL, text: request.url)
    setBody(request)
    setLines(request)
    setConnection(request)
  }

  private func beginAttempt(now: WallInstant) {
    attempted = now
    attempts += 1
    writtenAt = nil
    isResumed = nil
    (isGivenUp, isUnprocessed) = (false, false)
    errorText.pointee = 0
    easy.set(CURLOPT_TIMEOUT_MS, Self.milliseconds(settings.timeout - (now - started)))
  }

  private func setBody(_ request: HTTPRequest) {
    bodyCount = request.body.count
    if body.count < bodyCount {
      body.deallocate()
      body = .allocate(byteCount: bodyCount, alignment: 16)
    }
    body.copyBytes(from: request.body)
    var method: String? = request.method
    if bodyCount > 0 || request.method == "POST" {
      easy.set(CURLOPT_POST, 1)
      easy.set(CURLOPT_POSTFIELDS, pointer: UnsafeRawPointer(body.baseAddress))
      easy.set(CURLOPT_POSTFIELDSIZE_LARGE, size: bodyCount)
      if request.method == "POST" { method = nil }
    } else {
      easy.set(CURLOPT_HTTPGET, 1)
      if request.method == "GET" { method = nil }
      if request.method == "HEAD" { easy.set(CURLOPT_NOBODY, 1) }
    }
    easy.set(CURLOPT_CUSTOMREQUEST, text: method)
    easy.set(CURLOPT_CONNECT_ONLY, request.connectsOnly ? 1 : 0)
    // A small body is sent in one piece with the header.
    let isWatched = bodyCount > Self.smallBytesMax
    easy.set(CURLOPT_NOPROGRESS, isWatched ? 0 : 1)
    if isWatched {
      flotilla_curl_watch_progress(easy.raw, Unmanaged.passUnretained(self).toOpaque()) {
        HTTPTransfer.of($0).noteProgress(written: Int64($4))
        return 0
      }
    }
  }

  /// The largest body written with the header: libcurl's MAX_INITIAL_POST_SIZE.
  private static let smallBytesMax = 65_536

  private func setLines(_ request: HTTPRequest) {
    if let linesOf, linesOf.acceptsCompressed == request.acceptsCompressed,
      linesOf.headers == request.headers
    {
      return
    }
    linesOf = (request.headers, request.acceptsCompressed)
    // The client does not wait for "100 Continue". A name without a value removes libcurl's line.
    var lines = request.headers + ["Expect:"]
    func says(_ name: String) -> Bool {
      request.headers.contains { $0.lowercased().hasPrefix(name) }
    }
    if !says("content-type:") { lines.append("Content-Type:") }
    if !request.acceptsCompressed, !says("accept-encoding:") { lines.append("Accept-Encoding:") }
    let list = HeaderList(lines)
    easy.set(CURLOPT_HTTPHEADER, pointer: list.first)
    self.lines = consume list
  }

  private func setConnection(_ request: HTTPRequest) {
    if share != holder?.share.raw {
      share = holder?.share.raw
      easy.set(CURLOPT_SHARE, pointer: share)
    }
    // libcurl 7.88 cannot reuse a plaintext HTTP/2 connection: "Error in the HTTP2 framing layer".
    let isSingle = holder == nil || settings.version == .http2 && !isSecured
    easy.set(CURLOPT_FORBID_REUSE, isSingle || settings.use == .perUpload ? 1 : 0)
    easy.set(CURLOPT_FRESH_CONNECT, isSingle || settings.use == .perUpload ? 1 : 0)
    guard isSecured else { return }
    easy.set(CURLOPT_SSL_SESSIONID_CACHE, request.resumes ? 1 : 0)
    guard identity != request.identity else { return }
    identity = request.identity
    easy.set(CURLOPT_SSLCERT_BLOB, blob: identity?.certificate ?? [])
    easy.set(CURLOPT_SSLKEY_BLOB, blob: identity?.key ?? [])
  }

  // MARK: Requests that libcurl would resend

  private func watchRequests() {
    let owner = Unmanaged.passUnretained(self).toOpaque()
    flotilla_curl_watch_requests(easy.raw, owner) { transfer, _, _, _, _ in
      HTTPTransfer.of(transfer).isWritten() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
    guard settings.version == .negotiated else { return }
    flotilla_curl_watch_remarks(easy.raw, owner) { _, kind, text, count, transfer in
      guard kind == CURLINFO_TEXT else { return 0 }
      HTTPTransfer.of(transfer).note(remark: UnsafeRawBufferPointer(start: text, count: count))
      return 0
    }
  }

  /// Prefixes of libcurl's log lines on a request that the server left unprocessed (RFC 9113, 8.7).
  private static let unprocessed = ["REFUSED_STREAM", "Downgrades to HTTP/1.1"].map(\.utf8)
  private static let goingAway = Array("GOAWAY, error=0,".utf8)

  private func note(remark: UnsafeRawBufferPointer) {
    if Self.unprocessed.contains(where: remark.starts) {
      isUnprocessed = true
    } else if remark.firstRange(of: Self.goingAway) != nil, let holder {
      // A server with a graceful GOAWAY leaves only unprocessed requests unanswered.
      holder.goneAway = max(holder.goneAway, writtenOn)
    }
  }

  /// Returns whether libcurl may write the request. libcurl resends a request if a kept connection
  /// ends before an answer. The server may have the request already, so the app decides on retries.
  private func mayWrite() -> Bool {
    if easy.long(CURLINFO_REQUEST_SIZE) == 0 || isUnprocessed { return true }
    if let holder, writtenOn <= holder.goneAway { return true }
    isGivenUp = true
    return false
  }

  private func isWritten() -> Bool {
    guard mayWrite() else { return false }
    isUnprocessed = false
    writtenOn = holder?.connections ?? 0
    return true
  }

  /// The limit of attempts per request, equal to libcurl's limit.
  private static let attemptsMax = 6

  /// Begins another attempt at a request that libcurl 7.88 put on a connection after GOAWAY. The
  /// server has not processed the request, since it refused the stream ("Error in the HTTP2 framing
  /// layer") or libcurl used up its connection attempts ("Connection died, tried").
  ///
  /// - Returns: false if the request has ended.
  func beginsAgain(after code: CURLcode, now: WallInstant) -> Bool {
    let isRefused =
      code == CURLE_HTTP2 || String(cString: errorText).hasPrefix("Connection died, tried")
    guard isRefused, !isGivenUp, firstByteAt == nil, let holder, writtenOn > 0,
      writtenOn <= holder.goneAway, attempts < Self.attemptsMax, now < started + settings.timeout
    else { return false }
    beginAttempt(now: now)
    return true
  }

  // MARK: The answer

  private func noteProgress(written: Int64) {
    if writtenAt == nil, written >= Int64(bodyCount) { writtenAt = clock.now }
  }

  /// Takes a header line and returns the number of bytes taken. Less than `count` ends the request.
  private func takeHead(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: count)
    if line.starts(with: "HTTP/".utf8) {
      // The header of an earlier "100 Continue" is dropped.
      firstByteAt = clock.now
      answerHead.removeAll(keepingCapacity: true)
      if isSecured, isResumed == nil, let ssl = flotilla_curl_ssl(easy.raw) {
        isResumed = SSL_session_reused(OpaquePointer(ssl)) == 1
      }
      return count
    }
    guard answerHead.count + count <= answerBytesMax else {
      isTooLarge = true
      return 0
    }
    answerHead.append(contentsOf: line)
    return count
  }

  private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    let room = answerBytesMax - answerBody.count
    if count > room {
      guard cutsAnswer else {
        isTooLarge = true
        return 0
      }
      isCut = true
      bytesDropped += count - room
    }
    answerBody.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: min(count, room)))
    return bytesDropped <= Self.droppedBytesMax ? count : 0
  }

  /// The most bytes dropped of a body that is too long. More bytes close the connection.
  private static let droppedBytesMax = 4 << 20

  // MARK: The end

  /// - Parameter socketError: the error with which the system refused a socket, or 0.
  func end(_ code: CURLcode, socketError: Int32, now: WallInstant) -> HTTPExchange {
    isActive = false
    var answer = HTTPAnswer(
      status: easy.long(CURLINFO_RESPONSE_CODE), version: version,
      head: exchange(&answerHead, with: []), body: exchange(&answerBody, with: []))
    let isUnread = code == CURLE_BAD_CONTENT_ENCODING && answer.hasUnknownCoding
    answer.isCut = isCut || isUnread
    let isAnswered = code == CURLE_OK || bytesDropped > Self.droppedBytesMax || isUnread
    var end = HTTPExchange(
      isAnswered ? .success(answer) : .failure(failure(code, socketError: socketError)))
    end.connections = isGivenUp ? 0 : easy.long(CURLINFO_NUM_CONNECTS)
    end.isResumed = end.connections > 0 && isResumed == true
    end.times = times(isNew: end.connections > 0, now: now)
    end.bytesSent = easy.long(CURLINFO_REQUEST_SIZE)
    // A smaller body was sent in one piece with the header, and is counted already.
    if bodyCount > Self.smallBytesMax { end.bytesSent += Int(easy.size(CURLINFO_SIZE_UPLOAD_T)) }
    end.bytesReceived =
      easy.long(CURLINFO_HEADER_SIZE) + Int(easy.size(CURLINFO_SIZE_DOWNLOAD_T))
    return end
  }

  /// Leaves the holder. Must be called only after libcurl is done with the handle.
  func leave() {
    holder = nil
    share = nil
    easy.set(CURLOPT_SHARE, pointer: nil)
  }

  func abandon(now: WallInstant) -> HTTPExchange {
    isActive = false
    answerHead.removeAll()
    answerBody.removeAll()
    var end = HTTPExchange(.failure(.abandoned))
    end.times.waiting = max(.zero, now - asked)
    return end
  }

  private var version: Int {
    switch easy.long(CURLINFO_HTTP_VERSION) {
    case Int(CURL_HTTP_VERSION_1_0): 10
    case Int(CURL_HTTP_VERSION_2_0): 20
    default: 11
    }
  }

  /// Returns the parts of the request's time, which follow each other and sum to the whole time.
  private func times(isNew: Bool, now: WallInstant) -> ExchangeTimes {
    var times = ExchangeTimes()
    times.waiting = max(.zero, started - asked)
    var parts = TimeParts(mark: started, now: max(started, now))
    func instant(_ info: CURLINFO) -> WallInstant { attempted + .microseconds(easy.size(info)) }
    if isNew {
      times.resolving = parts.part(until: instant(CURLINFO_NAMELOOKUP_TIME_T))
      times.connecting = parts.part(until: instant(CURLINFO_CONNECT_TIME_T))
      times.securing = parts.part(until: instant(CURLINFO_APPCONNECT_TIME_T))
    }
    times.writing = parts.part(
      until: writtenAt ?? instant(CURLINFO_PRETRANSFER_TIME_T))
    if let firstByteAt { times.answering = parts.part(until: firstByteAt) }
    times.reading = parts.part(until: nil)
    return times
  }

  private func failure(_ code: CURLcode, socketError: Int32) -> HTTPError {
    if isTooLarge { return .tooLarge(limit: answerBytesMax) }
    if isGivenUp { return .closed(reason: "the server closed an idle connection, no answer") }
    let text = String(cString: errorText)
    let reason = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    return HTTPError(
      code, reason: reason, isConnected: easy.size(CURLINFO_PRETRANSFER_TIME_T) > 0,
      limit: answerBytesMax,
      systemError: socketError != 0 ? socketError : Int32(easy.long(CURLINFO_OS_ERRNO)))
  }
}
