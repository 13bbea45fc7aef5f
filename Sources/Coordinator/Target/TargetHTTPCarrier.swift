internal import SimulationCore
internal import Targets
internal import Transport

/// Carries a target's requests over HTTP.
final class TargetHTTPCarrier: TargetCarrier, HTTPClientOwner {
  private let http: TargetHTTP
  private let programs: TargetPrograms
  private let uploadRules: AnswerRules
  private let registerRules: AnswerRules
  private let readback: Readback?
  private let resumedShare: Double
  private let seed: UInt64
  private unowned let owner: any TargetCarrierOwner
  private var client: HTTPClient?
  private var kinds: [UInt64: RequestKind] = [:]

  /// - Parameter via: takes the connections in the server's place, such as a proxy; nil: none does.
  init(
    _ setup: TargetSetup, _ http: TargetHTTP, via: Endpoint?, on loop: EventLoop, seed: UInt64,
    owner: any TargetCarrierOwner
  ) {
    self.http = http
    self.owner = owner
    self.seed = seed
    programs = setup.programs
    uploadRules = setup.target.uploadAnswers
    registerRules = setup.target.registerAnswers
    readback = setup.target.readback
    resumedShare = setup.target.tls.resume
    var settings = http.settings
    settings.via = via
    client = HTTPClient(on: loop, settings, owner: self)
  }

  private func program(_ kind: RequestKind) -> RequestProgram? {
    switch kind {
    case .registration: programs.register
    case .upload: programs.upload
    case .backlog: programs.backlog
    case .readback: programs.readback
    }
  }

  func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32) {
    guard let program = program(request.kind), let client else {
      preconditionFailure("a target without a \(request.kind) was asked for one")
    }
    var message = http.request(program, request.context)
    if resumedShare > 0, message.url.hasPrefix("https:") {
      var draw = Draw(seed: seed, phone: phone, .uploadRetry, Int64(truncatingIfNeeded: number))
      message.resumes = draw.uniform() < resumedShare
    }
    kinds[number] = request.kind
    client.send(message, as: number, of: phone)
  }

  func ended(_ exchange: UInt64, _ end: HTTPExchange) {
    let kind = kinds.removeValue(forKey: exchange) ?? .upload
    var own: TargetExchange
    switch end.result {
    case .success(let answer):
      let rules = kind == .registration ? registerRules : uploadRules
      let (judged, kept) = rules.judge(answer)
      own = TargetExchange(.answered(judged, status: "\(answer.status)", kept: kept))
      if kind == .readback, let readback, (200..<300).contains(answer.status) {
        own.rows = { [readback] in ReadbackRows(answer.body, readback) }
      }
    case .failure(let failure):
      own = TargetExchange(
        .unanswered(
          kind: failure.kind, reason: "\(failure)", isReached: !failure.isBeforeSending))
    }
    own.times = end.times
    if end.connections > 0, end.times.securing > .zero { own.isResumed = end.isResumed }
    owner.ended(exchange, own)
  }

  func fill(_ counters: inout UploadCounters) {
    guard let now = client?.counters else { return }
    counters.connects = now.connects
    counters.openConnections = now.openConnections
    counters.openConnectionsPeak = now.openConnectionsPeak
    counters.handshakesFull = now.handshakesFull
    counters.handshakesResumed = now.handshakesResumed
    counters.bytesWritten = now.bytesSent
    counters.bytesRead = now.bytesReceived
  }

  func close() { client?.close() }
}
