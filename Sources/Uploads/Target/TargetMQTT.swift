internal import Core
internal import Scenarios
package import Targets
package import Transport

/// A target over MQTT, with requests as messages and phones as clients of a broker.
package struct TargetMQTT: Sendable {
  package let settings: MQTTSettings
  /// The protobuf messages; nil for none.
  package let calls: MessageCalls?
  package let logins: TargetLogins

  package init(
    _ target: Target, _ names: TargetNames, _ calls: MessageCalls? = nil
  ) throws(TargetError) {
    self.calls = calls
    logins = TargetLogins(target, names)
    guard target.carrier == .mqtt, let address = TargetAddress(target.url) else {
      throw TargetError("\(target.name): its protocol is \(target.carrier.rawValue), not mqtt.")
    }
    try TargetHTTP.checkOwner(target, address)
    var settings = MQTTSettings(broker: Endpoint(host: address.host, port: address.port))
    switch target.connections.per {
    case .perUpload: settings.keepsConnections = false
    case .perPhone: settings.keepsConnections = true
    case .pooled:
      throw TargetError(
        "\(target.name): over MQTT each phone is its own client; write "
          + "connections: { per: phone } or { per: upload }.")
    }
    if address.isTLS { settings.security = ServerTrust(target) }
    if address.isSocket { settings.subprotocol = target.subprotocol }
    settings.version = target.mqtt.level == .v5 ? .v5 : .v311
    settings.keepalive = target.mqtt.keepalive
    settings.isClean = target.mqtt.isClean
    settings.timeout = target.retry.deadline
    settings.connectTimeout = min(settings.connectTimeout, target.retry.deadline)
    self.settings = settings
  }

  /// Returns the settings of viewers' clients; nil if viewers do not subscribe.
  func watching(_ target: Target) -> MQTTSettings? {
    guard target.isWatched, target.viewSocket == nil, let view = target.view else { return nil }
    var settings = settings
    (settings.keepsConnections, settings.isClean) = (true, true)
    settings.receivedBytesMax = max(Self.unreadBytesMax, Int(view.largestAnswer.bytes))
    return settings
  }

  /// The bytes that a socket may have unread, at most what Linux's `tcp_rmem` allows by default.
  private static let unreadBytesMax = 8 << 20

  package static func message(
    _ program: RequestProgram, _ call: MessageCalls.Call?, _ context: UploadContext,
    by writer: MessageWriter
  ) -> MQTTMessage {
    MQTTMessage(
      topic: String { program.write(topic: context, into: &$0) },
      body: writer.body(of: program, call, context), qos: program.form.qos,
      isRetained: program.form.isRetained)
  }

  package static func judge(_ end: MQTTExchange, by rules: AnswerRules) -> TargetExchange {
    switch end.result {
    case .success(let answer):
      let (judged, kept) = [UInt8]().withUnsafeBytes { body in
        rules.judge(status: answer.reason, header: { _ in nil }, body: body)
      }
      return TargetExchange(.answered(judged, status: "\(answer.reason)", kept: kept), of: end)
    case .failure(let failure):
      return TargetExchange(failure, isReached: end.isWritten, of: end)
    }
  }
}

package struct TargetLogins: Sendable {
  private let rule: BrokerRule
  private let client: UploadProgram
  private let user: UploadProgram
  private let password: UploadProgram
  private let will: (topic: UploadProgram, message: UploadProgram?)?

  package init(_ target: Target, _ names: TargetNames) {
    rule = target.mqtt
    client = UploadProgram(rule.client, names)
    user = UploadProgram(rule.user, names)
    password = UploadProgram(rule.password, names)
    will = rule.will.map { will in
      (UploadProgram(will.topic, names), will.message.map { UploadProgram($0, names) })
    }
  }

  package func login(_ context: UploadContext) -> MQTTLogin {
    var login = MQTTLogin(client: String { client.write(text: context, into: &$0) })
    if !rule.user.isEmpty { login.user = String { user.write(text: context, into: &$0) } }
    if !rule.password.isEmpty {
      login.password = String { password.write(text: context, into: &$0) }
    }
    if let will, let form = rule.will {
      var body: [UInt8] = []
      will.message?.write(json: context, into: &body)
      login.will = MQTTMessage(
        topic: String { will.topic.write(text: context, into: &$0) }, body: body, qos: form.qos,
        isRetained: form.isRetained)
    }
    return login
  }
}
