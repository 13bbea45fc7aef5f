internal import Scenarios

/// The keys of requests: `upload`, its `backlog`, `events`, `register` and `readback`.
enum RequestSchema {
  static var common: [Field<RequestForm>] {
    [
      Field("call", \.call, .call, "gRPC: the method, such as /acme.v1.Ingest/Upload."),
      Field("method", \.method, .word(RequestForm.Method.self), "HTTP: the method."),
      Field("path", \.path, .valueText, "HTTP and WebSocket: the path, which begins with /."),
      Field("headers", \.headers, headers, "HTTP: headers."),
      Field("metadata", \.headers, headers, "gRPC: metadata."),
      Field(
        "basic", \.basic, .optional(basic.shape(defaults: .init())),
        "HTTP: user and password of basic authentication."),
      Field("topic", \.topic, .valueText, "MQTT: the topic."),
      Field("qos", \.qos, .count(0...2), "MQTT: the quality of service."),
      Field("retain", \.isRetained, .yesNo, "MQTT: whether the broker retains the message."),
      Field(
        "query", \.query, .some(MappingSchema.parameters), "HTTP: query parameters."),
      Field(
        "message", \.message, .some(MappingSchema.message),
        "The body as JSON or protobuf, or the message of gRPC."),
      Field(
        "proto", \.proto, .some(.typeName),
        "HTTP, MQTT and WebSocket: type of the message as protobuf; a list is written length-delimited."
      ),
      Field(
        "answerProto", \.answerProto, .some(.typeName),
        "HTTP: type of the answer, if it is protobuf."),
      Field("form", \.form, .some(MappingSchema.parameters), "HTTP: the body as a form."),
      Field("text", \.text, .some(.valueText), "The body as text."),
      Field(
        "encoding", \.encoding, .word(RequestForm.Encoding.self), "Compression of the body."),
    ]
  }

  private static let fixesHelp =
    "Maximum number of fixes per request; 1 without 'each: fix' in its message."

  /// Kinds of body that are not supported, each with what to write instead.
  static let advice = [
    "multipart":
      "multipart bodies are not supported; write message: for JSON, form: for a form, or "
      + "message: with proto: for protobuf.",
    "msgpack": noMessagePack, "messagepack": noMessagePack, "messagePack": noMessagePack,
  ]

  private static let noMessagePack =
    "MessagePack is not supported; write message: for JSON, or message: with proto: for protobuf."

  private static var headers: Shape<[TableEntry<HeaderValue>]> {
    .table(of: .headerValue, "headers", most: 64)
  }

  private static var basic: ObjectShape<RequestForm.BasicCredentials> {
    ObjectShape(fields: [
      Field("user", \.user, .valueText, required: true, "User name."),
      Field("password", \.password, .valueText, "Password, such as {password}."),
    ])
  }

  static var upload: Shape<Upload> {
    let plain =
      common.map { Field($0, of: \Upload.request) } + [
        Field("fixes", \.fixes, .fixes, fixesHelp)
      ]
    let keys = ObjectShape(fields: plain, advice: advice)
    let all = ObjectShape(
      fields: plain + [
        Field(
          "backlog", \.backlog, .optional(backlog.shape(defaults: BacklogUpload())),
          "Request while a backlog waits; omitted keys are those of upload.")
      ])
    return Shape(
      allowed: all.allowed, form: all.form,
      read: { node, reading in
        guard
          var upload = keys.read(node, into: Upload(), &reading, besides: ["backlog"])
        else { return nil }
        let saysFixes = node.value(of: "fixes") != nil
        if !saysFixes { upload.fixes = .standard(for: upload.request) }
        if let node = node.value(of: "backlog") {
          upload.backlog = reading.inside(key: "backlog") { read(node, of: upload, &$0) }
          if let backlog = upload.backlog, !saysFixes, node.value(of: "fixes") == nil {
            upload.backlog?.fixes = .standard(for: backlog.request)
          }
        }
        return upload
      },
      show: { upload, scenario in all.show(upload, scenario) })
  }

  private static var backlog: ObjectShape<BacklogUpload> {
    ObjectShape(
      fields: [
        Field(
          "over", \.over, .count(1...100_000),
          "Number of waiting fixes above which the backlog's request is sent.")
      ] + common.map { Field($0, of: \.request) } + [
        Field("fixes", \.fixes, .fixes, fixesHelp)
      ], advice: advice)
  }

  private static func read(
    _ node: YAMLNode, of upload: Upload, _ reading: inout Reading
  ) -> BacklogUpload? {
    var start = BacklogUpload()
    start.request = upload.request
    start.fixes = upload.fixes
    // A backlog's own body replaces the body inherited from the upload.
    if ["message", "form", "text"].contains(where: { node.value(of: $0) != nil }) {
      (start.request.message, start.request.form, start.request.text) = (nil, nil, nil)
      if node.value(of: "message") == nil { start.request.proto = nil }
    }
    return backlog.read(node, into: start, &reading)
  }

  static var register: ObjectShape<Registration> {
    ObjectShape(
      fields: [
        Field(
          "once", \.once, .word(Registration.Occasion.self), "How often a phone registers."),
        Field(
          "rate", \.rate, .optional(.rate(0.001, 1_000_000)), "Maximum rate of all phones together."
        ),
      ] + common.map { Field($0, of: \.request) } + [
        Field(
          "keep", \.keep, .table(of: .fieldPath, "names", most: 16),
          "Values of the answer that the phone keeps."),
        Field(
          "answer", \.answer, .list(of: AnswerSchema.rule, count: 1...64),
          "Meaning of answers; default: as for uploads."),
      ], advice: advice)
  }

  static var events: ObjectShape<EventUpload> {
    ObjectShape(
      fields: [
        Field("kinds", \.kinds, .eventKinds, "Kinds of events that the app sends; default: all.")
      ] + common.map { Field($0, of: \.request) } + [
        Field("keep", \.isKept, .yesNo, "Whether the app repeats an event that failed."),
        Field(
          "answer", \.answer, .list(of: AnswerSchema.rule, count: 1...64),
          "Meaning of answers; default: as for uploads."),
        Field(
          "readback", \.readback, .optional(eventReadback.shape(defaults: Readback())),
          "Request for the events that the server has of a phone; only over HTTP, with JSON."),
      ], advice: advice)
  }

  private static var answers: [Field<Readback>] {
    [
      Field("rows", \.rows, .fieldPath, "Path of the list of rows in the answer."),
      Field(
        "next", \.next, .optional(.nextLink),
        "HTTP: path of the next page's address in the answer; link: header Link."),
      Field(
        "cursor", \.cursor, .optional(.fieldPath),
        "Path in the answer of $cursor for the next request."),
      Field(
        "largestAnswer", \.largestAnswer, .size(1_024, Double(64 << 20)),
        "HTTP: maximum size of an answer; gRPC: 4MiB."),
    ]
  }

  private static var eventReadback: ObjectShape<Readback> {
    ObjectShape(
      fields: common.map { Field($0, of: \.request) } + answers + [
        Field("id", \.id, .optional(.fieldPath), "Path of the event's $uuid in a row."),
        Field(
          "time", \.time, .fieldPath,
          "Without 'id': path of the event's $noticed or $happened in a row."),
        Field("timeUnit", \.timeUnit, .word(Readback.TimeUnit.self), "Format of the time."),
      ], advice: advice)
  }

  static var readback: ObjectShape<Readback> {
    ObjectShape(
      fields: common.map { Field($0, of: \.request) } + [
        Field("postgres", \.postgres, .valueText, "SQL statement that returns a phone's rows."),
        Field("database", \.database, .some(SecretSchema.secret), "Address of the database."),
      ] + answers + [
        Field("time", \.time, .fieldPath, required: true, "Path of a fix's time in a row."),
        Field("timeUnit", \.timeUnit, .word(Readback.TimeUnit.self), "Format of the time."),
        Field(
          "timeOf", \.timeOf, .word(Readback.TimeOf.self),
          "Whether 'time' is the time of the fix, or of the fix's receipt by the server."),
        Field(
          "latitude", \.latitude, .scaled, required: true,
          "Path of the latitude, such as lat_e7/1e7."),
        Field("longitude", \.longitude, .scaled, required: true, "Path of the longitude."),
      ], advice: advice)
  }
}

extension Shape<String> {
  fileprivate static var call: Shape {
    .scalar(
      "the full name of a method, such as /acme.v1.Ingest/Upload",
      parse: { (text, _) throws(ValueError) in
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 3, words[0].isEmpty, !words[1].isEmpty, !words[2].isEmpty else {
          throw ValueError("'\(text)' is not the name of a method")
        }
        return text
      },
      show: { value, _ in value })
  }
}

extension Shape<RequestForm.TypeName> {
  fileprivate static var typeName: Shape {
    let text = Shape<String>.scalar(
      "the full name of a message, such as acme.v1.Batch",
      parse: { (text, _) throws(ValueError) in
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
          !part.isEmpty
            && part.utf8.allSatisfy {
              $0 == 0x5F || 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0
            }
        }
        guard isName else { throw ValueError("'\(text)' is not the name of a message") }
        return text
      },
      show: { value, _ in value })
    return Shape(
      allowed: text.allowed, form: text.form,
      read: { node, reading in
        text.read(node, &reading).map { RequestForm.TypeName(name: $0, origin: node.origin) }
      },
      show: { value, scenario in text.show(value.name, scenario) })
  }
}

extension Shape<HeaderValue> {
  /// A text, `{ $base64: TEXT }` or `{ $hmac: { key: … } }`.
  fileprivate static var headerValue: Shape {
    let text = Shape<ValueText>.valueText
    let made = oneOf([
      .map(
        "$base64", text, { .base64($0) }, { if case .base64(let text) = $0 { text } else { nil } }),
      .map(
        "$hmac", signature.shape(defaults: SignatureRule()), { .signature($0) },
        { if case .signature(let rule) = $0 { rule } else { nil } }),
    ])
    let allowed = "\(text.allowed), { $base64: … } or { $hmac: { key: … } }"
    return Shape(
      allowed: allowed, form: .anything(allowed: allowed),
      read: { node, reading in
        if case .map = node.content { return made.read(node, &reading) }
        return text.read(node, &reading).map { .text($0) }
      },
      show: { value, scenario in
        if case .text(let plain) = value { return text.show(plain, scenario) }
        return made.show(value, scenario)
      })
  }

  private static var signature: ObjectShape<SignatureRule> {
    ObjectShape(
      fields: [
        Field("key", \.key, .valueText, required: true, "Key, such as $secret."),
        Field("hash", \.hash, .word(SignatureRule.Hash.self), "Hash function."),
        Field("as", \.notation, .word(SignatureRule.Notation.self), "Notation of the signature."),
        Field("before", \.before, .valueText, "Text before the body in what is signed."),
        Field("prefix", \.prefix, .valueText, "Text before the signature in the header."),
      ],
      check: { rule, origin, reading in
        guard rule.key.constant != nil else { return }
        reading.diagnose(
          reading.origin(ofRuleBetween: "key") ?? origin,
          "the key is a constant; write identity: { secret: { env: NAME } } and key: $secret.")
      })
  }
}

extension Shape<NextLink> {
  /// A path in the answer, or `link` for the header `Link`.
  fileprivate static var nextLink: Shape {
    let path = Shape<FieldPath>.fieldPath
    return Shape(
      allowed: "link: the header Link; or \(path.allowed)", form: path.form,
      read: { node, reading in
        if case .scalar("link") = node.content { return .header }
        return path.read(node, &reading).map { .field($0) }
      },
      show: { value, scenario in
        switch value {
        case .header: .scalar("link")
        case .field(let field): path.show(field, scenario)
        }
      })
  }
}

extension Shape<FixesPerRequest> {
  /// The number of fixes per request, or `newest`.
  fileprivate static var fixes: Shape {
    let count = Shape<Int>.count(1...10_000)
    return .scalar(
      "\(count.allowed), or newest: only the newest of a batch",
      parse: { (text, _) throws(ValueError) in
        if text == "newest" { return .newest }
        guard let count = Int(text), (1...10_000).contains(count) else {
          throw ValueError(
            "'\(text)' is not a number in range", hint: Spelling.hint(for: text, in: ["newest"]))
        }
        return .upTo(count)
      },
      show: { value, _ in
        switch value {
        case .upTo(let count): "\(count)"
        case .newest: "newest"
        }
      })
  }
}

extension Shape<ScaledField> {
  fileprivate static var scaled: Shape {
    let path = Shape<FieldPath>.fieldPath
    let allowed = "\(path.allowed), with /1e7 appended for a value in units of 1e-7"
    return Shape(
      allowed: allowed, form: path.form,
      read: { node, reading in
        guard let read = path.read(node, &reading) else { return nil }
        guard let last = read.keys.last, last.hasPrefix("1e"), let divisor = Double(last) else {
          return ScaledField(path: read)
        }
        return ScaledField(path: FieldPath(keys: read.keys.dropLast()), divisor: divisor)
      },
      show: { value, _ in
        .scalar(
          value.divisor == 1
            ? value.path.description : "\(value.path)/1e\(exponent(value.divisor))")
      })
  }

  private static func exponent(_ divisor: Double) -> Int {
    var exponent = 0
    var power = 1.0
    while power < divisor, exponent < 18 {
      power *= 10
      exponent += 1
    }
    return exponent
  }
}
