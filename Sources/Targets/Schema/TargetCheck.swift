internal import Core
internal import Scenarios

/// The rules that relate several keys of a target's file to each other.
enum TargetCheck {
  static func check(_ target: Target, _ origin: Origin, _ reading: inout Reading) {
    checkAddress(target, origin, &reading)
    let places = Places(
      upload: reading.origin(ofRuleBetween: "upload") ?? origin,
      register: reading.origin(ofRuleBetween: "register") ?? origin,
      readback: reading.origin(ofRuleBetween: "readback") ?? origin)
    if let events = target.events {
      let place = reading.origin(ofRuleBetween: "events") ?? origin
      check(events.request, "events", target.carrier, place, &reading)
      if events.request.message?.hasEach == true {
        reading.note(place, "events.message has 'each: fix', but a request has one event.")
      }
      if let readback = events.readback { check(readback, target.carrier, place, &reading) }
    }
    let carrier = target.carrier
    check(target.upload.request, "upload", carrier, places.upload, &reading)
    check(target.upload.fixes, of: target.upload.request, "upload", places.upload, &reading)
    if let backlog = target.upload.backlog {
      check(backlog.request, "upload.backlog", carrier, places.upload, &reading)
      check(backlog.fixes, of: backlog.request, "upload.backlog", places.upload, &reading)
    }
    if let register = target.register {
      check(register.request, "register", carrier, places.register, &reading)
    }
    if let readback = target.readback, readback.postgres.isEmpty {
      check(readback.request, "readback", carrier, places.readback, &reading)
    }
    if let readback = target.readback, readback.postgres.isEmpty != (readback.database == nil) {
      reading.note(
        places.readback, "readback.postgres and readback.database need each other; write both.")
    }
    if let readback = target.readback {
      checkPages(readback, carrier, places.readback, &reading)
    }
    checkView(target, origin, &reading)
    checkSocket(target, origin, &reading)
    checkAddresses(target, origin, &reading)
    checkSchema(target, origin, &reading)
    for rule in target.answer + (target.register?.answer ?? []) + (target.events?.answer ?? []) {
      if carrier == .websocket, !rule.status.isEmpty || !rule.headers.isEmpty {
        reading.note(
          rule.origin, "a WebSocket's message has no status and no headers; write field: or body:.")
        continue
      }
      for status in rule.status where status.isName != (carrier == .grpc) {
        reading.note(
          rule.origin,
          carrier == .grpc
            ? "gRPC statuses have names; write OK, UNAVAILABLE, … instead of '\(status.text)'."
            : "'\(status.text)' is a gRPC status, but the protocol is \(carrier.rawValue).")
      }
    }
    checkPaths(target.answer, keep: [], &reading)
    checkPaths(target.events?.answer ?? [], keep: [], &reading)
    if let register = target.register {
      checkPaths(register.answer, keep: register.keep.map(\.value), &reading)
    }
    checkNames(target, &reading)
  }

  private static func checkView(_ target: Target, _ origin: Origin, _ reading: inout Reading) {
    guard let view = target.view else { return }
    let place = reading.origin(ofRuleBetween: "view") ?? origin
    if target.viewSocket != nil { return checkViewSocket(view, place, &reading) }
    if !view.url.isEmpty || !view.open.isEmpty {
      reading.note(
        place,
        "view.url and view.open are for a WebSocket; write url: ws://HOST:PORT or "
          + "wss://HOST:PORT.")
    }
    if target.carrier == .mqtt { return checkViewTopic(view, place, &reading) }
    guard target.carrier == .http else {
      return reading.note(
        place,
        "view is only for http, mqtt and websocket, but the protocol is "
          + "\(target.carrier.rawValue).")
    }
    check(view.request, "view", target.carrier, place, &reading)
    let pages = [ValueSource.offset, .page, .cursor, .from, .to].contains { view.asksFor($0) }
    if !view.postgres.isEmpty || view.next != nil || view.cursor != nil || pages {
      reading.note(place, "a view reads one answer of HTTP; remove postgres, paging and times.")
    }
    if view.request.proto != nil || view.request.answerProto != nil {
      reading.note(place, "a view's answer is JSON; remove proto and answerProto.")
    }
  }

  /// Checks the view of a viewer, who sends no request but a subscription.
  private static func checkViewTopic(_ view: Readback, _ place: Origin, _ reading: inout Reading) {
    let request = view.request
    if request.topic.isEmpty { reading.note(place, "view.topic is missing.") }
    let body = request.message != nil || request.form != nil || request.text != nil
    let sends = body || !request.path.isEmpty || request.query != nil || !request.headers.isEmpty
    if sends || !view.postgres.isEmpty || view.next != nil || view.cursor != nil {
      reading.note(
        place,
        "a viewer over MQTT only subscribes; keep topic and qos, and what the messages have, such as "
          + "time, latitude and longitude.")
    }
    if request.proto != nil || request.answerProto != nil {
      reading.note(place, "a viewer's messages are JSON; remove proto and answerProto.")
    }
  }

  /// Checks the view of a viewer, who sends no request but the one that opens the WebSocket.
  private static func checkViewSocket(
    _ view: Readback, _ place: Origin, _ reading: inout Reading
  ) {
    let request = view.request
    let body = request.message != nil || request.form != nil || request.text != nil
    if body || !view.postgres.isEmpty || view.next != nil || view.cursor != nil {
      reading.note(
        place, "a viewer's WebSocket has no request and no paging; write what it sends as open:.")
    }
    if let path = request.path.constant, !path.isEmpty, !path.hasPrefix("/") {
      reading.note(place, "view.path does not start with '/'.")
    }
    checkHeaders(request, "view", .http, &reading)
  }

  private static func checkSocket(
    _ target: Target, _ origin: Origin, _ reading: inout Reading
  ) {
    let (rule, carrier) = (target.websocket, target.carrier)
    let place = reading.origin(ofRuleBetween: "websocket")
    if let place, !target.usesSocket {
      reading.note(
        place,
        "websocket is only for protocol: websocket, and for protocol: mqtt with "
          + "url: ws://HOST:PORT; remove it.")
    }
    let hasMessages = !rule.open.isEmpty || rule.match != .next || rule.keepalive > .zero
    if let place, carrier == .mqtt, hasMessages {
      reading.note(
        place,
        "websocket.open, match and keepalive are not for mqtt; remove them. "
          + "mqtt.keepalive sends pings.")
    }
    guard target.usesSocket else { return }
    checkHeaders(rule.request, "websocket", .http, &reading)
    if let path = rule.request.path.constant, !path.isEmpty, !path.hasPrefix("/") {
      reading.note(place ?? origin, "websocket.path does not start with '/'.")
    }
    if case .field = rule.match {
      var senders = target
      senders.view = nil
      for request in senders.requests where request.proto != nil || request.message == nil {
        reading.note(
          place ?? origin, "websocket.match names a field of JSON; write message: without proto:.")
        break
      }
    }
  }

  private static func checkAddresses(
    _ target: Target, _ origin: Origin, _ reading: inout Reading
  ) {
    if !target.metrics.isEmpty, TargetAddress(target.metrics)?.scheme.hasPrefix("http") != true {
      reading.note(
        reading.origin(ofRuleBetween: "metrics") ?? origin,
        "'\(TargetAddress.masked(target.metrics))' is not the address of a page; write "
          + "http://HOST:PORT/metrics.")
    }
    ConstantText.check(
      target.metrics, at: reading.origin(ofRuleBetween: "metrics") ?? origin, &reading,
      advice: "the address itself")
  }

  /// Checks that the types of protobuf messages are defined if, and only if, a request needs them.
  private static func checkSchema(
    _ target: Target, _ origin: Origin, _ reading: inout Reading
  ) {
    let place = reading.origin(ofRuleBetween: "schema") ?? origin
    let isBare = target.carrier != .grpc
    switch target.schema {
    case nil where isBare && target.needsSchema:
      let named = target.requests.lazy.compactMap { $0.proto ?? $0.answerProto }.first
      reading.note(
        named?.origin ?? origin,
        "the type needs a schema; write schema: { proto: FILE } or { descriptorSet: FILE }.")
    case .some where !target.needsSchema:
      reading.note(
        place,
        "'schema' has no effect, since no message has a type; write proto: TYPE beside message:, "
          + "or remove it.")
    case let source? where isBare && source.reflection:
      reading.note(place, "reflection is only for grpc; write proto: FILE or descriptorSet: FILE.")
    case _: break
    }
    let isProtobuf = target.upload.request.answerProto != nil || !isBare
    for rule in target.answer where isProtobuf && rule.body == .json {
      reading.note(
        rule.origin, "'body: json' never matches a protobuf answer; write body: filled, or a field."
      )
    }
  }

  /// Checks the read-back of events.
  private static func check(
    _ readback: Readback, _ carrier: Target.Carrier, _ place: Origin, _ reading: inout Reading
  ) {
    check(readback.request, "events.readback", carrier, place, &reading)
    checkPages(readback, carrier, place, &reading)
    if carrier != .http || readback.request.proto != nil || readback.request.answerProto != nil {
      reading.note(place, "events.readback is only for http with JSON; remove it.")
    } else if readback.id == nil, readback.time == .root {
      reading.note(place, "events.readback needs the path of an event's id or time in a row.")
    }
  }

  /// Checks that a read-back uses one kind of paging.
  private static func checkPages(
    _ readback: Readback, _ carrier: Target.Carrier, _ place: Origin, _ reading: inout Reading
  ) {
    let isSQL = !readback.postgres.isEmpty
    let counts = readback.asksFor(.offset) || readback.asksFor(.page)
    let ways = [readback.next != nil, readback.cursor != nil, counts]
    if ways.count(where: { $0 }) > 1 {
      reading.note(
        place, "a readback gets its next page by next, cursor, $offset or $page; keep one of them.")
    }
    if isSQL, ways.contains(true) || readback.asksFor(.cursor) {
      reading.note(place, "an SQL statement returns all rows at once; remove the paging.")
    } else if readback.next != nil, carrier != .http {
      reading.note(
        place, "readback.next is only for http, but the protocol is \(carrier.rawValue).")
    } else if (readback.cursor != nil) != readback.asksFor(.cursor) {
      reading.note(
        place,
        readback.cursor == nil
          ? "$cursor needs readback.cursor; write cursor: /path."
          : "readback.cursor needs $cursor in the request; write it there.")
    }
  }

  /// Checks the number of fields in the rules, all of which one pass over a body must find.
  private static func checkPaths(
    _ rules: [AnswerRule], keep: [FieldPath], _ reading: inout Reading
  ) {
    var paths: Set<FieldPath> = []
    for rule in rules {
      paths.formUnion(rule.fields.map(\.path))
      if let taken = rule.taken { paths.insert(taken) }
      guard paths.count + keep.count > JSONFields.pathsMax else { continue }
      return reading.note(
        rule.origin, "the rules read more than \(JSONFields.pathsMax) different fields; use fewer.")
    }
  }

  private struct Places {
    let upload: Origin
    let register: Origin
    let readback: Origin
  }

  private static func schemes(_ carrier: Target.Carrier) -> [String] {
    switch carrier {
    case .http: ["http", "https"]
    case .grpc: ["grpc", "grpcs", "http", "https"]
    case .mqtt: ["mqtt", "mqtts", "ws", "wss"]
    case .websocket: ["ws", "wss"]
    }
  }

  private static func checkAddress(
    _ target: Target, _ origin: Origin, _ reading: inout Reading
  ) {
    let place = reading.origin(ofRuleBetween: "url") ?? origin
    let schemes = schemes(target.carrier)
    guard let address = TargetAddress(target.url), schemes.contains(address.scheme) else {
      reading.note(
        place,
        "'\(TargetAddress.masked(target.url))' is not an address of \(target.carrier.rawValue); write "
          + "\(schemes.map { "\($0)://HOST:PORT" }.joined(separator: " or ")).")
      return
    }
    ConstantText.check(
      target.url, at: place, &reading,
      advice: "the address itself, and what differs by phone in upload.path")
    if address.hasUser {
      reading.note(
        place, "the address must not contain a user or password; write basic: or a header.")
    }
    let hasPath = target.carrier == .http || target.usesSocket
    if !hasPath, !address.path.isEmpty {
      reading.note(place, "the address has a path; \(address.scheme) uses none.")
    }
    if target.owner, target.rateLimit == nil, !address.isLocal {
      reading.note(
        place,
        "'\(address.host)' is neither loopback nor private; add a rateLimit such as 100/s.")
    }
  }

  private static func check(
    _ request: RequestForm, _ name: String, _ carrier: Target.Carrier, _ place: Origin,
    _ reading: inout Reading
  ) {
    let isMessage = carrier == .mqtt || carrier == .websocket
    let isNamed = [
      ("call", !request.call.isEmpty, Target.Carrier.grpc),
      ("path", !request.path.isEmpty, .http), ("topic", !request.topic.isEmpty, .mqtt),
      ("query", request.query != nil, .http), ("form", request.form != nil, .http),
      ("basic", request.basic != nil, .http), ("answerProto", request.answerProto != nil, .http),
      ("headers", isMessage && !request.headers.isEmpty, .http),
      ("encoding", isMessage && request.encoding != .identity, .http),
    ]
    for (key, isWritten, owner) in isNamed where isWritten && owner != carrier {
      reading.note(
        place, "\(name).\(key) is for \(owner.rawValue), but the protocol is \(carrier.rawValue).")
    }
    checkProtobuf(request, name, carrier, &reading)
    checkHeaders(request, name, carrier, &reading)
    let bodies = [request.message != nil, request.form != nil, request.text != nil]
    switch bodies.count(where: { $0 }) {
    case 0 where carrier != .http || request.query == nil && request.method != .get:
      reading.note(
        place, "\(name) has no body; write message\(carrier == .http ? ", form, query" : "").")
    case 2...:
      reading.note(place, "\(name) has several bodies; keep one of message, form and text.")
    case _: break
    }
    let missing: String? =
      switch carrier {
      case .http: request.path.constant?.hasPrefix("/") ?? !request.path.isEmpty ? nil : "path"
      case .grpc: request.call.isEmpty ? "call" : nil
      case .mqtt: request.topic.isEmpty ? "topic" : nil
      case .websocket: nil
      }
    if let missing {
      reading.note(
        place,
        missing == "path"
          ? "\(name).path is missing, or does not start with '/'."
          : "\(name).\(missing) is missing.")
    }
  }

  private static func checkProtobuf(
    _ request: RequestForm, _ name: String, _ carrier: Target.Carrier, _ reading: inout Reading
  ) {
    guard let type = request.proto else { return }
    if carrier == .grpc {
      reading.note(
        type.origin,
        "\(name).proto is for http, mqtt and websocket; the type of a gRPC message is its call's."
      )
    } else if request.message == nil {
      let other =
        request.form != nil ? " instead of form" : request.text != nil ? " instead of text" : ""
      reading.note(
        type.origin,
        "\(name).proto needs the fields of '\(type.name)'; write message: { FIELD: VALUE, … }"
          + "\(other).")
    }
  }

  private static func checkHeaders(
    _ request: RequestForm, _ name: String, _ carrier: Target.Carrier, _ reading: inout Reading
  ) {
    for header in request.headers {
      switch header.value {
      case .signature where carrier != .http:
        reading.note(
          header.origin, "$hmac signs the body of http, but the protocol is \(carrier.rawValue).")
      case .text(let text) where header.name.lowercased() == "content-type":
        let type = text.constant?.lowercased() ?? ""
        let kind =
          type.hasPrefix("multipart/")
          ? "multipart bodies are" : type.contains("msgpack") ? "MessagePack is" : nil
        guard let kind else { continue }
        reading.note(
          header.origin,
          "\(kind) not supported; \(name) writes message: as JSON, or as protobuf with proto:, and "
            + "form: as a form.")
      case .text, .base64, .signature: break
      }
    }
  }

  /// Checks that a request has one fix unless it writes each, as unwritten fixes count as sent.
  private static func check(
    _ fixes: FixesPerRequest, of request: RequestForm, _ name: String, _ place: Origin,
    _ reading: inout Reading
  ) {
    guard case .upTo(let most) = fixes, most > 1, !request.writesEachFix else { return }
    let each = request.message == nil ? "" : ", or 'each: fix' in its message"
    reading.note(
      place,
      "\(name).fixes is \(most), but a request without 'each: fix' has one fix; "
        + "write fixes: 1, fixes: newest\(each).")
  }
}
