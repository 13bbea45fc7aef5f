package import Core
package import Targets
package import Transport

package struct TargetRequest: Sendable {
  package var kind: RequestKind
  package var context: UploadContext
}

package struct TargetExchange: Sendable {
  package enum Result: Sendable {
    /// - `status`: the answer's status as in tables.
    /// - `kept`: the answer's values that the phone keeps, in order; nil for a missing value.
    case answered(Targets.Answer, status: String, kept: [String?])
    /// - `kind`: the failure in one or two words, for tables.
    /// - `isReached`: false if nothing can have reached the server.
    case unanswered(kind: String, reason: String, isReached: Bool)
  }

  package var result: Result
  package var times = ExchangeTimes()
  /// Reads the rows of a read-back's answer, which may take a while; nil for other requests.
  package var rows: (@Sendable () throws(ReadbackError) -> ReadbackRows)?
  /// Whether a new connection resumed an earlier TLS session; nil if there was no handshake.
  package var isResumed: Bool?

  package init(_ result: Result) { self.result = result }

  init(_ result: Result, of end: Exchange<some Any, some Error>) {
    self.result = result
    times = end.times
    if end.connections > 0, times.securing > .zero { isResumed = end.isResumed }
  }

  init(
    _ failure: some ExchangeError, kind: String? = nil, isReached: Bool,
    of end: Exchange<some Any, some Error>
  ) {
    let result = Result.unanswered(
      kind: kind ?? failure.kind, reason: "\(failure)", isReached: isReached)
    self.init(result, of: end)
  }
}

extension TargetExchange {
  package func readRows() throws(ReadbackError) -> ReadbackRows {
    switch result {
    case .unanswered(let kind, _, _): throw ReadbackError(description: kind)
    case .answered(_, let status, _):
      guard let rows else { throw ReadbackError(description: status) }
      return try rows()
    }
  }
}

/// Sends requests to a target's server, on the loop's thread only. Each request ends exactly once,
/// at the latest at its timeout; `close` ends all requests in flight as unanswered.
package protocol TargetCarrier: AnyObject {
  /// Sends a request; its end is reported later, never within this call.
  func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32)
  func fill(_ counters: inout Sheet)
  /// Closes all connections. May be called more than once.
  func close()
}

final class ClientsOfTarget: TargetCarrier {
  private enum Clients {
    case http(HTTPClient, TargetHTTP)
    case grpc(GRPCClients, TargetGRPC)
    case mqtt(MQTTClients, TargetMQTT)
    case websocket(WebSocketClients, TargetWebSocket)
    case none(problem: String)
  }

  private let setup: TargetSetup
  private let uploadRules: AnswerRules
  private let registerRules: AnswerRules
  private let eventRules: AnswerRules
  private let seed: UInt64
  private let onEnd: (UInt64, TargetExchange) -> Void
  private var clients = Clients.none(problem: "")
  private let writer = MessageWriter()
  private var open: [UInt64: (kind: RequestKind, fixes: Int)] = [:]
  private var logins: Int64 = 0
  private var requests: Int64 = 0

  /// - Parameters:
  ///   - via: the address to connect to instead of the server, such as a proxy; nil for a direct
  ///   connection.
  ///   - onEnd: called on the loop's thread.
  init(
    _ setup: TargetSetup, via: Endpoint?, on loop: EventLoop, seed: UInt64,
    onEnd: @escaping (UInt64, TargetExchange) -> Void
  ) {
    self.setup = setup
    uploadRules = setup.target.uploadAnswers
    registerRules = setup.target.registerAnswers
    eventRules = setup.target.eventAnswers
    self.seed = seed
    self.onEnd = onEnd
    switch setup.connection {
    case .http(let http):
      var settings = http.settings
      settings.via = via
      let client = HTTPClient(on: loop, settings) { [unowned self] number, end in
        self.end(number) { http.judge(end, $0, by: $1, count: $2, now: setup.now()) }
      }
      clients = .http(client, http)
    case .grpc(let grpc):
      var settings = grpc.settings
      settings.endpoint = via ?? settings.endpoint
      let client = GRPCClients(on: loop, settings) { [unowned self] number, end in
        self.end(number) { grpc.judge(end, $0, by: $1, count: $2) }
      }
      clients = .grpc(client, grpc)
    case .websocket(let socket):
      var settings = socket.settings
      settings.via = via
      do throws(TLSSetupError) {
        let made = try WebSocketClients(
          on: loop, settings, opening: { [unowned self] in opening(of: $0) },
          onEnd: { [unowned self] number, end in
            self.end(number) { socket.judge(end, $0, by: $1, count: $2) }
          })
        clients = .websocket(made, socket)
      } catch {
        clients = .none(problem: "\(error)")
      }
    case .mqtt(let mqtt):
      var settings = mqtt.settings
      settings.via = via
      do throws(TLSSetupError) {
        let made = try MQTTClients(
          on: loop, settings, login: { [unowned self] in login(of: $0) },
          onEnd: { [unowned self] number, end in
            self.end(number) { _, rules, _ in TargetMQTT.judge(end, by: rules) }
          })
        clients = .mqtt(made, mqtt)
      } catch {
        clients = .none(problem: "\(error)")
      }
    }
  }

  private func login(of phone: UInt32) -> MQTTLogin {
    logins += 1
    var login = setup.login(of: phone)
    login.resumes = resumes(phone, logins, 2)
    return login
  }

  private func opening(of phone: UInt32) -> WebSocketOpening {
    logins += 1
    var opening = setup.opening(of: phone)
    opening.resumes = resumes(phone, logins, 2)
    return opening
  }

  private func resumes(_ phone: UInt32, _ a: Int64, _ b: Int64 = 0) -> Bool {
    let share = setup.target.tls.resume
    guard share > 0 else { return false }
    var draw = Draw(seed: seed, phone: phone, .uploadRetry, a, b)
    return draw.uniform() < share
  }

  func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32) {
    let kind = request.kind
    var context = request.context
    requests += 1
    context.number = requests
    guard let program = setup.programs[kind] else {
      preconditionFailure("the target has no \(kind)")
    }
    open[number] = (kind, context.fixes.count)
    let draw = Int64(truncatingIfNeeded: number)
    switch clients {
    case .http(let client, let http):
      var message = http.request(kind, program, context, by: writer)
      message.resumes = message.url.hasPrefix("https:") && resumes(phone, draw)
      message.identity = setup.certificate(of: phone, context)
      client.send(message, as: number, of: phone)
    case .grpc(let client, let grpc):
      guard var message = grpc.request(kind, setup.programs, context, by: writer) else {
        preconditionFailure("the target has no \(kind)")
      }
      message.resumes = resumes(phone, draw)
      message.identity = setup.certificate(of: phone, context)
      client.send(message, as: number, of: phone)
    case .mqtt(let client, let mqtt):
      let message = TargetMQTT.message(program, mqtt.calls?[kind], context, by: writer)
      client.send(message, as: number, of: phone)
    case .websocket(let client, let socket):
      client.send(
        socket.message(kind, program, context, by: writer), as: number, of: phone)
    case .none(let problem):
      end(number) { _, _, _ in
        TargetExchange(.unanswered(kind: "TLS failed", reason: problem, isReached: false))
      }
    }
  }

  private func end(
    _ number: UInt64, _ judge: (RequestKind, AnswerRules, Int) -> TargetExchange
  ) {
    let (kind, fixes) = open.removeValue(forKey: number) ?? (.upload, 0)
    let rules =
      switch kind {
      case .registration: registerRules
      case .event: eventRules
      case .upload, .backlog, .readback, .eventReadback, .view: uploadRules
      }
    onEnd(number, judge(kind, rules, fixes))
  }

  private static let ofConnections: [Count] = [
    .connects, .openConnections, .openConnectionsPeak, .handshakesFull, .handshakesResumed,
    .bytesSent, .bytesReceived,
  ]

  func fill(_ counters: inout Sheet) {
    let now: Sheet
    switch clients {
    case .http(let client, _): now = client.counters
    case .grpc(let client, _): now = client.counters
    case .mqtt(let client, _): now = client.counters
    case .websocket(let client, _): now = client.counters
    case .none: return
    }
    for count in Self.ofConnections { counters[count] = now[count] }
  }

  func close() {
    switch clients {
    case .http(let client, _): client.close()
    case .grpc(let client, _): client.close()
    case .mqtt(let client, _): client.close()
    case .websocket(let client, _): client.close()
    case .none: break
    }
  }
}
