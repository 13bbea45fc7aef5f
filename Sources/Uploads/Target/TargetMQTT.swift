internal import Scenarios
internal import SimulationCore
package import Targets
package import Transport

/// A target over MQTT: its requests as messages, its phones as clients of a broker.
package struct TargetMQTT: Sendable {
  /// Is what connections to it are made with.
  package let settings: MQTTSettings

  /// Makes the carrier of a target.
  ///
  /// - Throws: an error where its file asks for what this program does not do over MQTT, or names a
  ///   host of others without their owner's word.
  package init(_ target: Target) throws(TargetHTTPError) {
    guard target.carrier == .mqtt, let address = TargetAddress(target.url) else {
      throw TargetHTTPError(
        description: "\(target.name): its protocol is \(target.carrier.rawValue), not mqtt.")
    }
    try TargetHTTP.checkOwner(target, address)
    var settings = MQTTSettings(broker: Endpoint(host: address.host, port: address.port))
    switch target.connections.per {
    case .perUpload: settings.keepsConnections = false
    case .perPhone: settings.keepsConnections = true
    case .pooled:
      throw TargetHTTPError(
        description: "\(target.name): over MQTT each phone is a client of its own; write "
          + "connections: { per: phone } or { per: upload }.")
    }
    if address.isTLS {
      var security = MQTTSettings.Security()
      if !target.tls.ca.isEmpty {
        security.authorities = TargetFiles(of: target).path(target.tls.ca)
      }
      security.verifies = target.tls.verify
      security.needsTLS13 = target.tls.minimum == .tls13
      settings.security = security
    }
    settings.version = target.mqtt.level == .v5 ? .v5 : .v311
    settings.keepalive = target.mqtt.keepalive
    settings.isClean = target.mqtt.isClean
    settings.timeout = target.retry.deadline
    settings.connectTimeout = min(settings.connectTimeout, target.retry.deadline)
    self.settings = settings
  }

  /// Writes a request as a message.
  package static func message(_ program: RequestProgram, _ context: UploadContext) -> MQTTMessage {
    var topic: [UInt8] = []
    program.write(topic: context, into: &topic)
    var body: [UInt8] = []
    program.write(body: context, into: &body)
    return MQTTMessage(
      // swift-format-ignore: the programs write what they read as text.
      topic: String(decoding: topic, as: UTF8.self), body: body, qos: program.form.qos,
      isRetained: program.form.isRetained)
  }
}

/// Says who a target's phones are to its broker.
package struct TargetLogins: Sendable {
  private let rule: BrokerRule
  private let client: UploadProgram
  private let user: UploadProgram
  private let password: UploadProgram
  private let will: (topic: UploadProgram, message: UploadProgram?)?

  /// Compiles what a target says of its clients.
  package init(_ target: Target, _ names: TargetNames) {
    rule = target.mqtt
    client = UploadProgram(rule.client, names)
    user = UploadProgram(rule.user, names)
    password = UploadProgram(rule.password, names)
    will = rule.will.map { will in
      (UploadProgram(will.topic, names), will.message.map { UploadProgram($0, names) })
    }
  }

  /// Returns who a phone is.
  package func login(_ context: UploadContext) -> MQTTLogin {
    var login = MQTTLogin(client: Self.text(client, context))
    if !rule.user.isEmpty { login.user = Self.text(user, context) }
    if !rule.password.isEmpty { login.password = Self.text(password, context) }
    if let will, let form = rule.will {
      var body: [UInt8] = []
      will.message?.write(json: context, into: &body)
      login.will = MQTTMessage(
        topic: Self.text(will.topic, context), body: body, qos: form.qos,
        isRetained: form.isRetained)
    }
    return login
  }

  private static func text(_ program: UploadProgram, _ context: UploadContext) -> String {
    var bytes: [UInt8] = []
    program.write(text: context, into: &bytes)
    // swift-format-ignore: the programs write what they read as text.
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension AnswerRules {
  /// Judges an acknowledgement of MQTT by its reason code.
  package func judge(_ answer: MQTTAnswer) -> (answer: Targets.Answer, kept: [String?]) {
    [UInt8]().withUnsafeBytes { body in
      judge(status: answer.reason, header: { _ in nil }, body: body)
    }
  }
}
