package import Core

/// A push provider that senders call. The order of checks decides which fault is reported:
///
///     fields ▶ path ▶ provider token ▶ 503 by draw ▶ device token, topic ▶ payload ▶ accepted
///
/// The endpoint reads no clock and no socket, since time and connection come with each request.
package struct ProviderEndpoint: Sendable {
  package let rules: EndpointRules
  package let tokens: DeviceTokens
  package internal(set) var devices: DeviceTable
  package internal(set) var tally = EndpointTally()
  private let topics: [[UInt8]]
  var requestNumber: Int64 = 0
  /// The last payload, kept parsed, because most senders push the same payload to all phones.
  private var newest: (bytes: [UInt8], payload: PushPayload) = ([], .notJSON)

  /// The size limit of `apns-collapse-id`, in bytes.
  private static let collapseIDMax = 64
  /// The hourly limit per phone that Apple advises (Apple, "Pushing background updates to your
  /// App": two or three).
  private static let backgroundPerHour = 3
  /// PN5: The pushed starts of Live Activities that a phone shows in an hour: about ten (8 to 12);
  /// that the budget is an hour's is assumed.
  private static let startsPerHour = 10
  /// PN6: The seconds between two urgent updates of a Live Activity that a phone shows: 30 to 60.
  private static let updateEvery: UInt16 = 45

  package init(_ rules: EndpointRules, phones: Int) {
    self.rules = rules
    tokens = DeviceTokens(rules)
    devices = DeviceTable(phones: phones)
    topics = rules.topics.map { Array($0.utf8) }
  }

  /// A connection's authentication and Retry-After state.
  package struct Connection: Sendable {
    package var session = ProviderSession()
    /// The time of the answer with Retry-After, in milliseconds since 1970.
    var waitsFrom: Int64 = 0
    var waitsUntil: Int64 = 0

    package init() {}
  }

  package struct Request {
    package var head: PushHead
    /// The payload; empty if it is too long.
    package var body: UnsafeRawBufferPointer
    /// Whether the body exceeds the largest payload of any push type.
    package var isTooLong: Bool

    package init(head: PushHead, body: UnsafeRawBufferPointer, isTooLong: Bool) {
      self.head = head
      self.body = body
      self.isTooLong = isTooLong
    }
  }

  /// - Parameter isVouched: whether a gateway has already authenticated the sender.
  /// - Parameter now: milliseconds since 1970.
  package mutating func decide(
    _ request: Request, on connection: inout Connection, at now: Int64, isVouched: Bool = false
  ) -> PushVerdict {
    requestNumber += 1
    // Requests in flight when the answer was sent are not counted as a fault.
    if now < connection.waitsUntil, now >= connection.waitsFrom + 1_000 {
      note(.ignoredRetryAfter, request.head.deviceToken, at: now)
    }
    let verdict = judge(request, on: &connection, at: now, isVouched)
    tally.note(verdict, at: now)
    switch verdict {
    case .accepted: connection.session.hasPushed = true
    case .refused(let reason, since: _):
      if reason.isOfProvider, now >= connection.waitsUntil {
        connection.waitsFrom = now
        connection.waitsUntil = now + rules.retryAfter * 1_000
      }
    }
    return verdict
  }

  package mutating func noteStreamsTooSoon(at now: Int64) {
    tally.faults.add(.streamsTooSoon, at: now, "before the first answer")
  }

  // MARK: phones

  /// Ends a phone's token at `second`, counted from 1970, which may be in the future.
  package mutating func unregister(_ phone: PhoneID, at second: UInt32) {
    devices.unregister(phone, at: second)
  }

  /// Replaces a phone's token for a new installation. Returns the new token; nil if no such phone.
  package mutating func reinstall(_ phone: PhoneID, at second: UInt32) -> String? {
    devices.reinstall(phone, at: second).map(tokens.text)
  }

  package func token(of phone: PhoneID) -> String? { devices.owner(phone).map(tokens.text) }

  // MARK: one request

  private mutating func judge(
    _ request: Request, on connection: inout Connection, at now: Int64, _ isVouched: Bool
  ) -> PushVerdict {
    let head = request.head
    if head.hasDuplicates { return .refused(.duplicateHeaders) }
    if let id = head.id, !id.isUUID { return .refused(.badMessageID) }
    guard head.method.isText("POST") else { return .refused(.methodNotAllowed) }
    let fields: Fields
    do throws(FieldError) { fields = try read(head, at: now) } catch {
      return .refused(error.reason)
    }
    guard let deviceToken = head.deviceToken else { return .refused(.badPath) }
    if deviceToken.isEmpty { return .refused(.missingDeviceToken) }
    if !isVouched,
      let refusal = connection.session.refusal(
        head.authorization, rules.keys, isSandbox: rules.isSandbox, at: now / 1_000)
    {
      tally.faults.add(refusal.fault, at: now, "request \(requestNumber): \(refusal.seen)")
      return .refused(refusal.reason)
    }
    if isBusy { return .refused(.serviceUnavailable) }
    return judge(request, fields, to: deviceToken, at: now)
  }

  /// Whether the present request finds a busy provider.
  var isBusy: Bool {
    guard rules.busy > 0 else { return false }
    var draw = Draw(seed: rules.seed, phone: 0, .providerBusy, requestNumber)
    return draw.chance(rules.busy)
  }

  private struct Fields {
    var type: PushType
    var priority: Int
    var expiration: Int64?
    var topic: UnsafeRawBufferPointer
  }

  private struct FieldError: Error { let reason: PushReason }

  private mutating func read(_ head: PushHead, at now: Int64) throws(FieldError) -> Fields {
    guard let topic = head.topic, !topic.isEmpty else { throw FieldError(reason: .missingTopic) }
    if head.collapseID?.count ?? 0 > Self.collapseIDMax { throw FieldError(reason: .badCollapseID) }
    var type = PushType.alert
    if let text = head.type {
      guard let known = PushType(text) else { throw FieldError(reason: .invalidPushType) }
      type = known
    } else {
      note(.noType, head.deviceToken, at: now)
    }
    var priority = 10
    if let text = head.priority {
      guard let number = text.wholeNumber, number == 10 || number == 5 || number == 1 else {
        throw FieldError(reason: .badPriority)
      }
      priority = Int(number)
    }
    if type == .background, priority == 10 {
      note(.urgentBackground, head.deviceToken, at: now)
      throw FieldError(reason: .badPriority)
    }
    if let text = head.expiration, text.wholeNumber == nil {
      throw FieldError(reason: .badExpirationDate)
    }
    return Fields(
      type: type, priority: priority, expiration: head.expiration?.wholeNumber, topic: topic)
  }

  private mutating func judge(
    _ request: Request, _ fields: Fields, to deviceToken: UnsafeRawBufferPointer, at now: Int64
  ) -> PushVerdict {
    guard let owner = tokens.owner(deviceToken) else { return .refused(.badDeviceToken) }
    if let refusal = topicRefusal(fields) { return .refused(refusal) }
    if let refusal = refusal(of: owner, deviceToken, at: now) { return refusal }
    if request.isTooLong || request.body.count > fields.type.payloadMax {
      return .refused(.payloadTooLarge)
    }
    if request.body.isEmpty { return .refused(.payloadEmpty) }
    let second = UInt32(clamping: now / 1_000)
    if devices.isTooSoon(owner.phone, second: second, wait: rules.retryAfter) {
      note(.ignoredRetryAfter, deviceToken, at: now)
    }
    let inSecond = devices.countPush(to: owner.phone, second: second)
    if rules.perPhoneAndSecond > 0, inSecond > rules.perPhoneAndSecond {
      note(.burst, deviceToken, at: now)
      devices.noteAskedToWait(owner.phone, second: second)
      return .refused(.tooManyRequests)
    }
    let payload = payload(request.body)
    note(payload, of: fields.type, deviceToken, at: now)
    if fields.type == .background, fields.priority > 1,
      devices.countInHour(to: owner.phone, second: second) > Self.backgroundPerHour
    {
      note(.tooOften, deviceToken, at: now)
    }
    if fields.type == .liveactivity {
      noteUnshown(request.body, fields, of: owner.phone, deviceToken, at: now)
    }
    let number = devices.countAccepted(owner.phone)
    return .accepted(
      AcceptedPush(
        phone: owner.phone, number: number, type: fields.type, priority: fields.priority,
        expiration: fields.expiration, asksToRun: payload.asksToRun,
        isWithheld: isWithheld(owner.phone, number)))
  }

  /// Returns the refusal of a token that is not valid any more, or not yet.
  mutating func refusal(
    of owner: DeviceTokens.Owner, _ token: UnsafeRawBufferPointer, at now: Int64
  ) -> PushVerdict? {
    switch devices.standing(owner, at: UInt32(clamping: now / 1_000)) {
    case .valid: return nil
    case .unknown: return .refused(.badDeviceToken)
    case .gone(let since, let isKnown):
      if isKnown { note(.goneAgain, token, at: now) }
      devices.noteAnsweredGone(owner.phone)
      return .refused(.unregistered, since: Int64(since) * 1_000)
    }
  }

  private func topicRefusal(_ fields: Fields) -> PushReason? {
    let suffix = fields.type.topicSuffix
    let isPlain = fields.topic.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }
    guard isPlain else { return .badTopic }
    if topics.isEmpty { return nil }
    for (place, topic) in topics.enumerated() where fields.topic.starts(with: topic) {
      let rest = UnsafeRawBufferPointer(rebasing: fields.topic[topic.count...])
      if rest.isText(suffix) { return place == 0 ? nil : .deviceTokenNotForTopic }
      // The topic belongs to the app, but lacks the suffix of this type of push.
      if rest.isEmpty || rest.first == UInt8(ascii: ".") { return .badTopic }
    }
    return .topicDisallowed
  }

  func isWithheld(_ phone: PhoneID, _ number: UInt32) -> Bool {
    guard rules.withhold > 0 else { return false }
    var draw = Draw(seed: rules.seed, phone: phone.rawValue, .pushWithheld, Int64(number))
    return draw.chance(rules.withhold)
  }

  private mutating func payload(_ body: UnsafeRawBufferPointer) -> PushPayload {
    if !newest.bytes.elementsEqual(body) { newest = (Array(body), PushPayload(body)) }
    return newest.payload
  }

  private mutating func note(
    _ payload: PushPayload, of type: PushType, _ token: UnsafeRawBufferPointer, at now: Int64
  ) {
    switch payload {
    case .asksToRun: break
    case .asksNothing(let why):
      if type == .background { note(.asksNothing, token, at: now, ": \(why)") }
    case .notJSON: note(.notJSON, token, at: now)
    }
  }

  /// PN5, PN6: Counts pushes for Live Activities that are accepted and never shown.
  private mutating func noteUnshown(
    _ body: UnsafeRawBufferPointer, _ fields: Fields, of phone: PhoneID,
    _ token: UnsafeRawBufferPointer, at now: Int64
  ) {
    let second = UInt32(clamping: now / 1_000)
    let event = PushPayload.activityEvent(body)
    if event == "start", devices.countStart(to: phone, second: second) > Self.startsPerHour {
      note(.unshownStart, token, at: now)
    }
    if event == "update", fields.priority == 10,
      !devices.showsUpdate(on: phone, second: second, wait: Self.updateEvery)
    {
      note(.unshownUpdate, token, at: now)
    }
  }

  mutating func note(
    _ fault: SenderFault, _ token: UnsafeRawBufferPointer?, at now: Int64, _ seen: String = ""
  ) {
    // Only the first occurrence becomes an example in the report.
    let example = tally.faults.count(fault) == 0 ? text(token) + seen : ""
    tally.faults.add(fault, at: now, example)
  }

  /// Returns the phone and the beginning of its token, as an example for a report.
  private func text(_ token: UnsafeRawBufferPointer?) -> String {
    guard let token else { return "no token" }
    // swift-format-ignore: non-ASCII text is shown repaired.
    let beginning = "token " + String(decoding: token.prefix(12), as: UTF8.self) + "…"
    let known = tokens.owner(token) ?? tokens.registration(token)?.owner
    guard let owner = known, devices.owner(owner.phone) != nil else { return beginning }
    return "phone \(owner.phone.rawValue), \(beginning)"
  }
}

extension PushReason {
  package var asksToWait: Bool { isOfProvider || self == .tooManyRequests }

  var isOfProvider: Bool {
    switch self {
    case .serviceUnavailable, .shutdown, .internalServerError: true
    case .tooManyRequests, .tooManyProviderTokenUpdates, .badCollapseID, .badDeviceToken,
      .badExpirationDate,
      .badMessageID, .badPriority, .badTopic, .deviceTokenNotForTopic, .duplicateHeaders,
      .idleTimeout, .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty,
      .topicDisallowed, .badEnvironmentKeyID, .expiredProviderToken, .forbidden,
      .invalidProviderToken, .missingProviderToken, .unrelatedKeyID, .badPath, .methodNotAllowed,
      .expiredToken, .unregistered, .payloadTooLarge:
      false
    }
  }
}
