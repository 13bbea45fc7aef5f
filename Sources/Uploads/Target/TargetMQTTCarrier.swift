internal import Figures
internal import SimulationCore
internal import Targets
internal import Telemetry
internal import Transport

/// Carries a target's requests over MQTT, each phone by a client of its own.
final class TargetMQTTCarrier: TargetCarrier, MQTTClientsOwner {
  private let setup: TargetSetup
  private let logins: TargetLogins
  private let seed: UInt64
  private unowned let owner: any TargetCarrierOwner
  private var clients: MQTTClients?
  private var open: OpenExchanges
  /// Why there are no clients: the CAs to trust cannot be read.
  private var problem = ""
  private var connects: Int64 = 0

  /// - Parameter via: takes the connections in the broker's place, such as a proxy; nil: none does.
  init(
    _ setup: TargetSetup, _ mqtt: TargetMQTT, via: Endpoint?, on loop: EventLoop, seed: UInt64,
    owner: any TargetCarrierOwner
  ) {
    self.setup = setup
    self.owner = owner
    self.seed = seed
    logins = TargetLogins(setup.target, setup.programs.names)
    open = OpenExchanges(setup.target)
    var settings = mqtt.settings
    settings.via = via
    do throws(TLSSetupError) {
      clients = try MQTTClients(on: loop, settings, owner: self)
    } catch {
      problem = "\(error)"
    }
  }

  func login(of phone: UInt32) -> MQTTLogin {
    let id = BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 0)
    let context = UploadContext(id, columns: setup.identities.row(of: phone), now: setup.now())
    var login = logins.login(context)
    login.identity = setup.certificate(of: phone, context)
    let share = setup.target.tls.resume
    if share > 0 {
      connects += 1
      var draw = Draw(seed: seed, phone: phone, .uploadRetry, connects, 2)
      login.resumes = draw.uniform() < share
    }
    return login
  }

  func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32) {
    guard request.kind != .readback, let program = setup.programs[request.kind] else {
      preconditionFailure("a target without a \(request.kind) was asked for one")
    }
    guard let clients else {
      let result = TargetExchange.Result.unanswered(
        kind: "TLS failed", reason: problem, isReached: false)
      return owner.ended(number, TargetExchange(result))
    }
    open.begin(number, request)
    clients.publish(TargetMQTT.message(program, request.context), as: number, of: phone)
  }

  func ended(_ exchange: UInt64, _ end: MQTTExchange) {
    let rules = open.end(exchange).rules
    var own: TargetExchange
    switch end.result {
    case .success(let answer):
      let (judged, kept) = rules.judge(answer)
      own = TargetExchange(.answered(judged, status: "\(answer.reason)", kept: kept))
    case .failure(let failure):
      own = TargetExchange(
        .unanswered(kind: failure.kind, reason: "\(failure)", isReached: end.isWritten))
    }
    own.note(HTTPTimes(end.times), connections: end.connections, isResumed: end.isResumed)
    owner.ended(exchange, own)
  }

  func fill(_ counters: inout Sheet) {
    if let now = clients?.counters { counters.fill(now) }
  }

  func close() { clients?.close() }
}

extension HTTPTimes {
  /// Makes the parts that tables of every carrier show: what the broker took to take the client
  /// comes before the message is written.
  init(_ times: MQTTTimes) {
    self.init()
    waiting = times.waiting
    resolving = times.resolving
    connecting = times.connecting
    securing = times.securing
    writing = times.greeting
    answering = times.answering
  }
}
