package import Core
package import Push
package import Transport

/// A push provider on real sockets for a user's sender; `ProviderEndpoint` decides the answers.
/// `@unchecked Sendable`: all state is confined to the loop's thread.
package final class PushProviderServer: HTTPHandler, @unchecked Sendable {
  package struct Look: Sendable {
    package var tally: EndpointTally
    package var server: HTTPServer.Counters
    package var handshakes: TLSCounters
    package var answerTime: Histogram
    /// The counts for Firebase Cloud Messaging; nil if not served.
    package var messaging: MessagingTally?
    /// The counts for Home Assistant; nil if not served.
    package var webhook: WebhookEndpoint.Tally?
  }

  /// Receives accepted pushes, including withheld pushes, on the loop's thread. `now` is in
  /// milliseconds since 1970.
  package typealias Delivery = @Sendable (_ push: AcceptedPush, _ now: Int64) -> Void

  private struct Connection {
    var sender = ProviderEndpoint.Connection()
    var requests = 0
    /// Whether the connection may open the full number of streams instead of one.
    var isOpened = false
  }

  private let loop: EventLoop
  private var server: HTTPServer!
  private var endpoint: ProviderEndpoint
  private var messaging: MessagingEndpoint?
  private var webhook: WebhookEndpoint?
  private let deliver: Delivery
  private var connections: [Connection] = []
  private var fields = HTTPFields()
  private var number: UInt64 = 0
  private var answerTime = Histogram()
  /// The time in milliseconds since 1970 at the zero of the loop's clock.
  private let epoch: Int64
  private let idBytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 36, alignment: 1)

  /// - Parameter unixNow: returns the current milliseconds since 1970; called once.
  package init(
    _ endpoint: ProviderEndpoint, loop: EventLoop, tls: TLSServer?,
    unixNow: () -> Int64,
    deliver: @escaping Delivery = { _, _ in }
  ) {
    self.endpoint = endpoint
    self.loop = loop
    self.deliver = deliver
    epoch = unixNow() - loop.now.microseconds / 1_000
    var limits = HTTPLimits()
    limits.streamsAtFirst = endpoint.rules.streamsAtFirst
    let rules = endpoint.rules
    messaging = rules.messaging.map { MessagingEndpoint($0, seed: rules.seed) }
    webhook = rules.webhookPerDay.map { WebhookEndpoint(perDay: $0) }
    let hasGateways = messaging != nil || webhook != nil
    limits.takesHTTP1 = hasGateways || rules.takesHTTP1
    // A body above the limit is marked as too long, whatever its type.
    limits.bodyBytesMax = hasGateways ? Self.gatewayBytesMax : PushType.payloadMost
    server = HTTPServer(loop: loop, limits: limits, tls: tls, handler: self)
  }

  deinit { idBytes.deallocate() }

  private static let gatewayBytesMax = 32_768

  /// Listens, and returns the port; for port 0, the system chooses a port.
  package func listen(on address: Endpoint) throws(TransportError) -> UInt16 {
    try server.listen(on: address)
  }

  /// Returns the current counts. Call from any thread but the loop's.
  package func look() -> Look {
    loop.sync { [self] in
      Look(
        tally: endpoint.tally, server: server.counters, handshakes: loop.handshakes,
        answerTime: answerTime, messaging: messaging?.tally, webhook: webhook?.tally)
    }
  }

  /// Disconnects every sender, answers what is in flight, and calls `done` on the loop's thread.
  package func stop(_ done: @escaping @Sendable () -> Void) {
    server.drain(
      saying: PushAnswerText.body(.shutdown, since: nil), within: .seconds(10), done)
  }

  // MARK: phones

  /// Invalidates tokens from a second since 1970 on. Pushes to invalid tokens are answered with
  /// 410. Call from any thread.
  package func unregister(_ endings: [(phone: PhoneID, second: UInt32)]) {
    guard !endings.isEmpty else { return }
    loop.post { [self] in
      for (phone, second) in endings { endpoint.unregister(phone, at: second) }
    }
  }

  /// Gives reinstalled apps new tokens. Pushes to old tokens get 410. Call from any thread.
  package func reinstall(_ phones: [PhoneID]) {
    guard !phones.isEmpty else { return }
    loop.post { [self] in
      let second = UInt32(clamping: now / 1_000)
      for phone in phones { _ = endpoint.reinstall(phone, at: second) }
    }
  }

  // MARK: requests

  private var now: Int64 { epoch + loop.now.microseconds / 1_000 }

  package func opened(_ client: HTTPPeer) {
    while connections.count <= client.number { connections.append(.init()) }
    connections[client.number] = .init()
  }

  package func ended(_ client: HTTPPeer) {
    if client.refusedStreams > 0 { endpoint.noteStreamsTooSoon(at: now) }
  }

  package func cancelled(_ request: ServedRequest) {}

  package func received(_ request: ServedRequest) {
    let place = request.client.number
    connections[place].requests += 1
    // The GOAWAY is sent after the answer to this request.
    if connections[place].requests == endpoint.rules.requestsPerConnection {
      request.client.goAway(PushAnswerText.body(.shutdown, since: nil))
    }
    let hasGateways = messaging != nil || webhook != nil || request.client.isHTTP1
    if hasGateways, answerGateway(request) {
      // A gateway allows all streams at once; only the push provider starts with one stream.
      allowStreams(request.client)
    } else {
      answerProvider(request)
      if connections[place].sender.session.hasPushed { allowStreams(request.client) }
    }
  }

  private func allowStreams(_ client: HTTPPeer) {
    guard !connections[client.number].isOpened else { return }
    connections[client.number].isOpened = true
    if endpoint.rules.streams != endpoint.rules.streamsAtFirst {
      client.allow(streams: endpoint.rules.streams)
    }
  }

  private func answerProvider(_ request: ServedRequest) {
    let place = request.client.number
    var head = PushHead()
    request.fields.forEach { head.add($0, $1) }
    let now = now
    let verdict = request.withBody { body in
      endpoint.decide(
        .init(
          head: head, body: body,
          isTooLong: request.isTooLong || body.count > PushType.payloadMost),
        on: &connections[place].sender, at: now)
    }
    answer(request, verdict, named: head.id)
    answerTime.record((loop.now - request.receivedAt).microseconds)
    if case .accepted(let push) = verdict { deliver(push, now) }
  }

  /// Answers a request to a gateway or over an unsupported protocol; otherwise returns false.
  private func answerGateway(_ request: ServedRequest) -> Bool {
    let head = GatewayHead(
      method: request.fields.value(of: ":method"), path: request.fields.value(of: ":path"),
      authorization: request.fields.value(of: "authorization"))
    let now = now
    let isTooLong = request.isTooLong
    let answer: GatewayAnswer?
    if messaging != nil, MessagingEndpoint.isIts(head.path) {
      answer = request.withBody {
        messaging?.answer(head, body: $0, isTooLong: isTooLong, to: &endpoint, at: now)
      }
    } else if webhook != nil, WebhookEndpoint.isIts(head.path) {
      answer = request.withBody {
        webhook?.answer(head, body: $0, isTooLong: isTooLong, to: &endpoint, at: now)
      }
    } else if request.client.isHTTP1, !endpoint.rules.takesHTTP1 {
      answer = GatewayAnswer(status: 505, body: #"{"reason":"Pushes need HTTP/2."}"#)
    } else {
      return false
    }
    guard var answer else { return false }
    fields.removeAll()
    fields.add("content-type", "application/json; charset=UTF-8")
    if answer.asksToWait { fields.add("retry-after", "\(endpoint.rules.retryAfter)") }
    answer.body.withUTF8 {
      request.answer(answer.status, fields, body: UnsafeRawBufferPointer($0))
    }
    if let push = answer.push { deliver(push, now) }
    return true
  }

  private func answer(
    _ request: ServedRequest, _ verdict: PushVerdict, named id: UnsafeRawBufferPointer?
  ) {
    number += 1
    fields.removeAll()
    if let id {
      fields.add("apns-id", id)
    } else {
      addNewID("apns-id", number << 1)
    }
    if endpoint.rules.isSandbox { addNewID("apns-unique-id", number << 1 | 1) }
    switch verdict {
    case .accepted: request.answer(200, fields)
    case .refused(let reason, let since):
      if reason.asksToWait { fields.add("retry-after", "\(endpoint.rules.retryAfter)") }
      var body = PushAnswerText.body(reason, since: since)
      fields.add("content-type", "application/json")
      body.withUTF8 { request.answer(reason.status, fields, body: UnsafeRawBufferPointer($0)) }
    }
  }

  private func addNewID(_ name: StaticString, _ number: UInt64) {
    PushAnswerText.writeID(seed: UInt64(bitPattern: epoch), number, into: idBytes)
    fields.add(name, UnsafeRawBufferPointer(idBytes))
  }
}

extension RSAKey: SignatureChecker {
  package func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    signature.withUnsafeBytes { signature in
      message.withUnsafeBytes { verifies(signature, of: $0) }
    }
  }
}

extension P256Key: SignatureChecker {
  package func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    signature.withUnsafeBytes { signature in
      message.withUnsafeBytes { verifies(signature, of: $0) }
    }
  }
}
