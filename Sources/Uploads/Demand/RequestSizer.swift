internal import Core
internal import Targets
internal import Transport

/// Sizes the requests and connection preambles of a target, without TLS and TCP. Nothing is sent.
final class RequestSizer {
  private enum Carrier {
    case http
    case mqtt(MQTTSettings.Version, TargetLogins)
    case grpc(GRPCRequestSizer)
    case websocket(TargetWebSocket)
  }

  private let target: Target
  private let programs: TargetPrograms
  private let address: TargetAddress
  private let carrier: Carrier
  /// The protobuf messages; nil for none.
  private let calls: MessageCalls?
  private let writer = MessageWriter()

  init(_ target: Target, _ programs: TargetPrograms) throws(TargetError) {
    guard let address = TargetAddress(target.url) else {
      throw TargetError("\(target.name): '\(target.url)' is not a valid address.")
    }
    self.target = target
    self.programs = programs
    self.address = address
    calls = try SchemaLoader(target).loadCalls(programs.names)
    switch target.carrier {
    case .http: carrier = .http
    case .mqtt:
      carrier = .mqtt(
        target.mqtt.level == .v5 ? .v5 : .v311, TargetLogins(target, programs.names))
    case .websocket: carrier = .websocket(try TargetWebSocket(target, calls))
    case .grpc:
      guard calls != nil else {
        throw TargetError(
          "\(target.name): the message types come from the server, but this "
            + "command sends nothing; write schema: { proto: FILE } or { descriptorSet: FILE }.")
      }
      carrier = .grpc(GRPCRequestSizer(authority: address.authority, isSecured: address.isTLS))
    }
  }

  /// - Parameter isFirst: whether the request is the first on its connection.
  func bytes(of kind: RequestKind, _ context: UploadContext, isFirst: Bool) -> Int {
    guard let program = programs[kind] else { return 0 }
    switch carrier {
    case .http: return http(program, calls?[kind], context)
    case .mqtt(let version, _):
      let message = TargetMQTT.message(program, calls?[kind], context, by: writer)
      // QoS 2 needs one more packet (PUBREL).
      return carried(message.packetBytes(version: version)) + (message.qos == 2 ? carried(4) : 0)
    case .websocket(let socket):
      let message = socket.message(kind, program, context, by: writer)
      return WebSocketMessage.frameBytes(message.body.count, isMasked: true)
    case .grpc(let sizer):
      guard let call = calls?[kind] else { return 0 }
      let request = TargetGRPC.request(call, program, context, by: writer)
      let sizes = sizer.bytes(
        request, next: request,
        milliseconds: max(1, target.retry.deadline.microseconds / 1_000))
      return isFirst ? sizes.first : sizes.later
    }
  }

  func connectionBytes(_ context: UploadContext) -> Int {
    switch carrier {
    case .http: 0
    case .mqtt(let version, let logins):
      carried(logins.login(context).packetBytes(version: version, isClean: target.mqtt.isClean))
        + (target.usesSocket ? opening([], context) : 0)
    case .grpc: GRPCRequestSizer.connectionBytes
    case .websocket: opening(programs.steps, context)
    }
  }

  /// Returns the size of an MQTT packet in what carries it.
  private func carried(_ packet: Int) -> Int {
    target.usesSocket ? WebSocketMessage.frameBytes(packet, isMasked: true) : packet
  }

  private func opening(_ steps: [SocketStep], _ context: UploadContext) -> Int {
    TargetWebSocket.opening(programs.socket, steps, context)
      .bytes(to: authority, subprotocol: target.subprotocol)
  }

  private func http(
    _ program: RequestProgram, _ call: MessageCalls.Call?, _ context: UploadContext
  ) -> Int {
    var head: [UInt8] = []
    program.write(path: context, into: &head)
    var count =
      program.form.method.rawValue.utf8.count + head.count + " HTTP/1.1\r\n".utf8.count + 1
    count += "Host: \(authority)\r\nAccept: */*\r\n\r\n".utf8.count
    let (lines, body) = TargetHTTP.content(program, call, context, by: writer)
    for line in lines { count += line.utf8.count + 2 }
    guard !body.isEmpty else { return count }
    return count + "Content-Length: \(body.count)\r\n".utf8.count + body.count
  }

  private var authority: String {
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    return address.port == (address.isTLS ? 443 : 80) ? host : "\(host):\(address.port)"
  }
}
