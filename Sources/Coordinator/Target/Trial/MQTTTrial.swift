internal import Figures
internal import SimulationCore
internal import Targets
internal import Telemetry
internal import Transport
internal import Uploads

/// Tries a target over MQTT out with one upload, in the name of one phone, and says which rule the
/// acknowledgement met.
struct MQTTTrial {
  private let target: Target
  private let settings: MQTTSettings
  private let programs: TargetPrograms
  private let context: UploadContext
  private let phone: UInt32
  private let identity: HTTPIdentity?
  /// Holds the lines to be printed.
  private(set) var lines: [String] = []
  /// Is the ending so far.
  private(set) var ending = TargetTrial.Ending.passed

  /// - Parameters:
  ///   - columns: the phone's row of the files with identities.
  ///   - identity: the phone's certificate; nil: it shows none.
  ///   - now: the wall clock, in microseconds since 1970.
  init(
    _ target: Target, _ mqtt: TargetMQTT, _ programs: TargetPrograms, phone: UInt32,
    columns: [String], identity: HTTPIdentity?, now: Int64
  ) {
    self.identity = identity
    self.target = target
    self.programs = programs
    self.phone = phone
    settings = mqtt.settings
    // A broker acknowledges without reading: one fix says as much as many.
    let sample = SampleBatch(phone: PhoneID(rawValue: phone), count: 1, now: now)
    context = UploadContext(
      BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 1), fixes: sample.fixes[...],
      columns: columns, now: now, device: sample.device)
  }

  /// Carries the trial out.
  mutating func run() {
    tryOut()
    let secrets = programs.names.secrets(of: context)
    lines = lines.map { ForeignText.inLine(Redaction.secrets(secrets, in: $0)) }
  }

  private mutating func tryOut() {
    let place = TargetAddress(target.url)?.authority ?? target.url
    lines.append("target     \(target.name) at \(place)")
    let logins = TargetLogins(target, programs.names)
    let caller: MQTTCaller
    do throws(TLSSetupError) {
      var own = logins.login(context)
      own.identity = identity
      let login = own
      caller = try MQTTCaller(settings) { _ in login }
    } catch {
      lines.append("  \(error)")
      ending = .unreachable
      return
    }
    defer { caller.close() }
    let requests =
      [("register", programs.register, target.registerAnswers)]
      .filter { $0.1 != nil } + [("upload", programs.upload, target.uploadAnswers)]
    for case (let step, let program?, let rules) in requests where ending == .passed {
      let message = TargetMQTT.message(program, context)
      let end = caller.publish([message], of: [phone])[0]
      lines.append(
        "\(step.padded(to: 10)) PUBLISH \(message.topic), QoS \(message.qos), "
          + "\(Figure.grouped(message.body.count)) bytes")
      judge(step, end, rules, qos: message.qos)
    }
    guard ending == .passed else { return }
    lines.append(
      target.isAcknowledged
        ? "verdict    acknowledged by the broker, not verified: what is behind it says nothing"
        : "verdict    sent, not acknowledged: with QoS 0 nobody answers; not verified")
  }

  private mutating func judge(
    _ step: String, _ end: MQTTExchange, _ rules: AnswerRules, qos: Int
  ) {
    switch end.result {
    case .success(let answer):
      lines.append("  in \(Self.text(end.times))")
      let judged = rules.judge(answer).answer
      let rule =
        judged.rule.map { "rule \($0 + 1) of \(rules.rules.count)" }
        ?? "none of \(rules.rules.count) rules"
      let what = qos == 0 ? "written, which with QoS 0 nobody acknowledges," : "\(answer.reason)"
      lines.append("  \(what) met \(rule): \(TargetTrial.text(judged.outcome))")
      switch judged.outcome {
      case .stored, .duplicate: break
      case .retry, .refused, .failed, .partly:
        lines.append("verdict    the \(step == "register" ? "registration" : step) was not taken")
        ending = .failed
      }
    case .failure(let failure):
      lines.append("  \(failure)")
      ending = .unreachable
    }
  }

  private static func text(_ times: MQTTTimes) -> String {
    let parts = [
      ("name", times.resolving), ("TCP", times.connecting), ("TLS", times.securing),
      ("greeting", times.greeting), ("acknowledgement", times.answering),
    ].filter { $0.1 > .zero }
    let text = parts.map { "\($0) \(milliseconds($1))" }.joined(separator: ", ")
    return "\(milliseconds(times.whole)) ms" + (text.isEmpty ? "" : " (\(text))")
  }

  private static func milliseconds(_ duration: WallDuration) -> String {
    Figure.plain((Double(duration.microseconds) / 10).rounded() / 100)
  }
}

extension TargetSetup {
  /// Connects the first phone's client, and says why it cannot.
  ///
  /// Blocks for ten seconds at most.
  ///
  /// - Returns: nil where the broker takes it.
  func unreachable(over mqtt: TargetMQTT) -> String? {
    let id = BatchID(phone: PhoneID(rawValue: 0), epoch: 1, sequence: 0)
    let context = UploadContext(id, columns: identities.row(of: 0), now: now())
    var own = TargetLogins(target, programs.names).login(context)
    own.identity = certificate(of: 0, context)
    let login = own
    do throws(TLSSetupError) {
      let caller = try MQTTCaller(mqtt.settings) { _ in login }
      defer { caller.close() }
      guard let failure = caller.connect() else { return nil }
      return "\(target.name) at \(origin): \(failure)"
    } catch {
      return "\(target.name) at \(origin): \(error)"
    }
  }
}
