package import Core

/// A phone's requests to a target, as text and as shell commands, with masked secrets.
package final class RequestPreview: Sendable {
  private let target: Target
  private let programs: TargetPrograms
  private let address: TargetAddress
  private let context: UploadContext
  private let calls: MessageCalls?

  /// Creates a preview; nil if the target's address is invalid.
  /// - Parameter identities: the phone's values from the identity files, secrets already masked.
  /// - Parameter calls: the gRPC calls; nil if their schema is unknown.
  package init?(
    of target: Target, phone: PhoneID, fixes: Int, identities: [String], now: Int64,
    calls: MessageCalls? = nil
  ) {
    guard let address = TargetAddress(target.url) else { return nil }
    self.target = target
    self.address = address
    self.calls = calls
    programs = TargetPrograms(masked: target)
    let sample = SampleBatch(phone: phone, count: fixes, now: now)
    let columns = zip(programs.names.columns, identities).map {
      $0.isSecret ? TargetNames.mask : $1
    }
    context = UploadContext(
      BatchID(phone: phone, epoch: 1, sequence: 1), fixes: sample.fixes[...], columns: columns,
      kept: programs.names.kept.map { $0.uppercased() }, now: now, device: sample.device)
  }

  package var text: String {
    var parts: [String] = []
    if target.usesSocket {
      parts.append(
        opening("open, once per connection", programs.socket, programs.steps, at: address))
    }
    if let register = programs.register {
      var empty = context
      empty.fixes = []
      parts.append(section("register", register, calls?.register, empty))
    }
    parts.append(section("upload", programs.upload, calls?.upload, limited(target.upload.fixes)))
    if let backlog = programs.backlog, let rule = target.upload.backlog {
      parts.append(
        section(
          "backlog, while more than \(rule.over) wait", backlog, calls?.backlog,
          limited(rule.fixes)))
    }
    if let events = programs.events {
      parts.append(section("event", events, calls?.events, context.ofSampleEvent))
    }
    if let view = programs.view, let socket = target.viewSocket {
      parts.append(opening("view, by a viewer", view, programs.viewSteps, at: socket))
    } else if let view = programs.view, target.isWatched {
      parts.append(subscription("view, by a viewer", view))
    } else if let view = programs.view {
      var empty = context
      empty.fixes = []
      parts.append(section("view, by a viewer", view, nil, empty))
    }
    if let push = target.push {
      parts.append("# the server pushes, as \(push.provider.rawValue)\nPOST \(push.url)")
    }
    return parts.joined(separator: "\n\n")
  }

  private func limited(_ rule: FixesPerRequest) -> UploadContext {
    var limited = context
    switch rule {
    case .upTo(let most): limited.fixes = context.fixes.prefix(most)
    case .newest: limited.fixes = context.fixes.suffix(1)
    }
    return limited
  }

  private func section(
    _ title: String, _ program: RequestProgram, _ call: MessageCalls.Call?,
    _ context: UploadContext
  ) -> String {
    let request = Request(program, context)
    let fixes = context.fixes.isEmpty ? "" : ", fixes: \(context.fixes.count)"
    let bytes = sent(program, call, context)
    let size = bytes.map { "body: \($0.count) bytes" } ?? "body: encoded with the schema"
    var lines = ["# \(title)\(fixes), \(size)"]
    switch target.carrier {
    case .http:
      lines.append("\(program.form.method.rawValue) \(address.origin)\(request.path)")
    case .grpc: lines.append("\(program.form.call) at \(address.authority)")
    case .mqtt:
      let retained = program.form.isRetained ? ", retained" : ""
      lines.append("PUBLISH \(request.topic), QoS \(program.form.qos)\(retained)")
    case .websocket: lines.append("SEND \(program.form.proto == nil ? "text" : "binary")")
    }
    lines += headers(program, request).map { "\($0): \($1)" }
    if !request.body.isEmpty {
      lines += ["", String(decoding: request.body, as: UTF8.self)]
      if let bytes { lines += [""] + Self.hexDump(bytes) }
    }
    let command = command(program, request, bytes ?? [], context)
    return (lines + (command.isEmpty ? [] : ["", command])).joined(separator: "\n")
  }

  /// The request that opens a WebSocket, the messages of its opening, and a command that opens one.
  private func opening(
    _ title: String, _ program: RequestProgram, _ steps: [SocketStep], at address: TargetAddress
  ) -> String {
    let request = Request(program, context)
    let url = "\(address.origin)\(request.path.isEmpty ? "/" : request.path)"
    var lines = ["# \(title)", "GET \(url)"]
    if target.usesSocket, !target.subprotocol.isEmpty {
      lines.append("Sec-WebSocket-Protocol: \(target.subprotocol)")
    }
    lines += request.headers.map { "\($0.name): \($0.value)" }
    for step in steps {
      if let sends = step.sends {
        // swift-format-ignore: programs write text.
        lines.append("SEND \(String(decoding: Request(sends, context).body, as: UTF8.self))")
      }
      for field in step.fields { lines.append("EXPECT \(field.path) \(field.value)") }
    }
    // The client of PyPI's websockets sends no headers.
    let isPlain = request.headers.isEmpty && target.subprotocol.isEmpty
    if isPlain { lines += ["", Shell.line(["python3", "-m", "websockets", url])] }
    return lines.joined(separator: "\n")
  }

  private func subscription(_ title: String, _ program: RequestProgram) -> String {
    let topic = Request(program, context).topic
    let text = "# \(title)\nSUBSCRIBE \(topic), QoS \(program.form.qos)"
    // The clients of mosquitto 2.0 have no WebSocket.
    guard !target.usesSocket else { return text }
    let words = broker("mosquitto_sub", context) + ["-q", "\(program.form.qos)", "-t", topic]
    return "\(text)\n\n\(Shell.line(words))"
  }

  /// Returns the bytes of a body before compression; nil for protobuf with an unknown schema.
  private func sent(
    _ program: RequestProgram, _ call: MessageCalls.Call?, _ context: UploadContext
  ) -> [UInt8]? {
    let isProtobuf = target.carrier == .grpc || program.form.proto != nil
    if isProtobuf, call == nil { return nil }
    return MessageWriter().body(of: program, call, context)
  }

  private struct Request {
    var path = ""
    var topic = ""
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    init(_ program: RequestProgram, _ context: UploadContext) {
      path = String { program.write(path: context, into: &$0) }
      topic = String { program.write(topic: context, into: &$0) }
      headers = program.headers.map { header in
        let value = header.mask ?? String { program.write(header: header, context, into: &$0) }
        return (header.name, value)
      }
      program.write(body: context, into: &body)
    }
  }

  private func headers(
    _ program: RequestProgram, _ request: Request
  ) -> [(name: String, value: String)] {
    var headers = request.headers
    guard target.carrier == .http else { return headers }
    let isNamed = headers.contains { $0.name.lowercased() == "content-type" }
    if let type = program.contentType, !isNamed { headers.append(("Content-Type", type)) }
    let encoding = program.form.encoding
    if encoding != .identity { headers.append(("Content-Encoding", encoding.rawValue)) }
    return headers
  }

  private func command(
    _ program: RequestProgram, _ request: Request, _ bytes: [UInt8], _ context: UploadContext
  ) -> String {
    switch target.carrier {
    case .http: curl(program, request, bytes)
    case .grpc: grpcurl(program, request)
    case .mqtt: target.usesSocket ? "" : publish(program, request, bytes, context)
    case .websocket: ""
    }
  }

  /// Returns a command that prints a body; bytes that are no text come from base64.
  private static func printing(_ program: RequestProgram, _ bytes: [UInt8]) -> String {
    guard program.form.proto != nil else {
      // swift-format-ignore: programs write text.
      return Shell.line(["printf", "%s", String(decoding: bytes, as: UTF8.self)])
    }
    var base64 = bytes
    base64.encodeBase64(from: 0)
    // swift-format-ignore: base64 is ASCII.
    return Shell.line(["printf", "%s", String(decoding: base64, as: UTF8.self)]) + " | base64 -d"
  }

  private func curl(_ program: RequestProgram, _ request: Request, _ bytes: [UInt8]) -> String {
    var words = ["curl", "-sS", "-i", "-X", program.form.method.rawValue]
    if address.isTLS, !target.tls.ca.isEmpty { words += ["--cacert", target.tls.ca] }
    if address.isTLS, !target.tls.verify { words.append("--insecure") }
    for (name, value) in headers(program, request) { words += ["-H", "\(name): \(value)"] }
    let url = "\(address.origin)\(request.path)"
    guard !request.body.isEmpty else { return Shell.line(words + [url]) }
    let packing = program.form.encoding
    if packing == .identity, program.form.proto == nil {
      let body = String(decoding: request.body, as: UTF8.self)
      return Shell.line(words + ["--data-binary", body, url])
    }
    return Self.printing(program, bytes) + (packing == .identity ? "" : " | \(packing.rawValue)")
      + " | " + Shell.line(words + ["--data-binary", "@-", url])
  }

  private func grpcurl(_ program: RequestProgram, _ request: Request) -> String {
    var words = ["grpcurl"]
    if !address.isTLS { words.append("-plaintext") }
    if address.isTLS, !target.tls.ca.isEmpty { words += ["-cacert", target.tls.ca] }
    if let schema = target.schema {
      if !schema.proto.isEmpty {
        for folder in schema.imports.isEmpty ? ["."] : schema.imports {
          words += ["-import-path", folder]
        }
        words += ["-proto", schema.proto]
      }
      if !schema.descriptorSet.isEmpty { words += ["-protoset", schema.descriptorSet] }
    }
    for (name, value) in request.headers { words += ["-H", "\(name): \(value)"] }
    words += ["-d", String(decoding: request.body, as: UTF8.self)]
    words += [address.authority, String(program.form.call.dropFirst())]
    return Shell.line(words)
  }

  private func publish(
    _ program: RequestProgram, _ request: Request, _ bytes: [UInt8], _ context: UploadContext
  ) -> String {
    var words = broker("mosquitto_pub", client: target.mqtt.client, context)
    if !target.mqtt.isClean { words.append("-c") }
    words += ["-q", "\(program.form.qos)", "-t", request.topic]
    if program.form.isRetained { words.append("-r") }
    guard program.form.proto == nil else {
      return "\(Self.printing(program, bytes)) | \(Shell.line(words + ["-s"]))"
    }
    return Shell.line(words + ["-m", String(decoding: request.body, as: UTF8.self)])
  }

  /// The first words of a command that connects to the broker.
  private func broker(
    _ command: String, client: ValueText = .empty, _ context: UploadContext
  ) -> [String] {
    var words = [command, "-h", address.host, "-p", "\(address.port)"]
    words += ["-V", target.mqtt.level == .v5 ? "mqttv5" : "mqttv311"]
    func value(_ text: ValueText) -> String {
      let program = UploadProgram(text, programs.names)
      return String { program.write(text: context, into: &$0) }
    }
    if address.isTLS {
      words += target.tls.ca.isEmpty ? ["--tls-use-os-certs"] : ["--cafile", target.tls.ca]
    }
    if !client.isEmpty { words += ["-i", value(client)] }
    if !target.mqtt.user.isEmpty { words += ["-u", value(target.mqtt.user)] }
    if !target.mqtt.password.isEmpty { words += ["-P", TargetNames.mask] }
    return words
  }
}

extension TargetAddress {
  package var origin: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(name):\(port)"
  }
}

enum Shell {
  static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      case _: "-_./:=,@%+".utf8.contains(byte)
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.replacing("'", with: #"'\''"#) + "'"
  }
}

extension RequestPreview {
  fileprivate static func hexDump(_ bytes: [UInt8]) -> [String] {
    stride(from: 0, to: bytes.count, by: 16).map { start in
      let row = bytes[start..<min(start + 16, bytes.count)]
      let hex = row.map { two($0) }.joined(separator: " ")
      let padding = String(repeating: " ", count: 47 - hex.count)
      let ascii = row.map { (0x20..<0x7F).contains($0) ? Character(Unicode.Scalar($0)) : "." }
      let place = String(start, radix: 16)
      let zeros = String(repeating: "0", count: max(0, 6 - place.count))
      return "\(zeros)\(place)  \(hex)\(padding)  \(String(ascii))"
    }
  }

  private static func two(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
