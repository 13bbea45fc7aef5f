internal import Figures
internal import SimulationCore
internal import Targets
internal import Transport

/// Carries a target's requests over HTTP.
final class TargetHTTPCarrier: TargetCarrier, HTTPClientOwner {
  private let setup: TargetSetup
  private let http: TargetHTTP
  private let programs: TargetPrograms
  private let readback: Readback?
  private let resumedShare: Double
  private let seed: UInt64
  private unowned let owner: any TargetCarrierOwner
  private var client: HTTPClient?
  private var open: OpenExchanges

  /// - Parameter via: takes the connections in the server's place, such as a proxy; nil: none does.
  init(
    _ setup: TargetSetup, _ http: TargetHTTP, via: Endpoint?, on loop: EventLoop, seed: UInt64,
    owner: any TargetCarrierOwner
  ) {
    self.setup = setup
    self.http = http
    self.owner = owner
    self.seed = seed
    programs = setup.programs
    open = OpenExchanges(setup.target)
    readback = setup.target.readback
    resumedShare = setup.target.tls.resume
    var settings = http.settings
    settings.via = via
    client = HTTPClient(on: loop, settings, owner: self)
  }

  func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32) {
    guard let program = programs[request.kind], let client else {
      preconditionFailure("a target without a \(request.kind) was asked for one")
    }
    var message = http.request(program, request.context)
    if resumedShare > 0, message.url.hasPrefix("https:") {
      var draw = Draw(seed: seed, phone: phone, .uploadRetry, Int64(truncatingIfNeeded: number))
      message.resumes = draw.uniform() < resumedShare
    }
    message.identity = setup.certificate(of: phone, request.context)
    open.begin(number, request)
    client.send(message, as: number, of: phone)
  }

  func ended(_ exchange: UInt64, _ end: HTTPExchange) {
    let (kind, fixes, rules) = open.end(exchange)
    var own: TargetExchange
    switch end.result {
    case .success(let answer):
      let (judged, kept) = rules.judge(answer, count: fixes, now: setup.now())
      own = TargetExchange(.answered(judged, status: "\(answer.status)", kept: kept))
      if kind == .readback, let readback, (200..<300).contains(answer.status) {
        own.rows = { () throws(ReadbackError) in try ReadbackRows(answer, readback) }
      }
    case .failure(let failure):
      var word = failure.kind
      if kind == .readback, case .tooLarge = failure {
        word = "answer larger than readback.largestAnswer"
      }
      own = TargetExchange(
        .unanswered(
          kind: word, reason: "\(failure)", isReached: !failure.isBeforeSending))
    }
    own.note(end.times, connections: end.connections, isResumed: end.isResumed)
    owner.ended(exchange, own)
  }

  func fill(_ counters: inout Sheet) {
    if let now = client?.counters { counters.fill(now) }
  }

  func close() { client?.close() }
}
