internal import Core
internal import Synchronization
package import Transport
package import Wire

/// The server process, which accepts phones, judges and stores their batches, requests silent
/// pushes, and counts all events.
///
///     Upload ─────────────────────▶ Ingest ────────┐
///     Register, Restore, Holdings ▶ PhoneRegistry ─┼─▶ RunHost, Commits ─▶ BatchStore
///     Pushes, PushResult ─────────▶ PushSweeper ───┤
///     Ask ────────────────────────▶ PositionRequests
///     Snapshot, Health, /metrics ─▶ Reporting, which asks them all
///
/// The server does not know that the phones are simulated. The server knows only the speed of the
/// scenario clock, by which sweeps and ages are timed.
///
/// `@unchecked Sendable`, since mutable state is touched on the loop's thread only. The store
/// signals the loop, and a lock guards the phase.
package final class CollectorServer: @unchecked Sendable {
  let configuration: CollectorConfiguration
  let startedAt: UnixInstant
  let loop: EventLoop
  private let token: BearerToken?
  private let tls: TLSServer?
  private let codec = MessageCodec()
  private let replies: ReplyWriter
  let runs: RunHost
  private let commits: Commits
  private let ingest: Ingest
  private let registry: PhoneRegistry
  private let sweeper: PushSweeper
  /// The other collectors on the same store; nil if the store cannot be shared.
  private let others: OtherCollectors?
  private let positions: PositionRequests
  private let inspection: StoreInspection
  // `rpc` and `reporting` are lazy, since their initializers need a reference to this object.
  private lazy var rpc = RPCServer(
    loop: loop, limits: serverLimits, tls: tls, token: token,
    services: [grpcHealth, ReflectionService(descriptors: ProtocolDescriptor.files)],
    handler: self)
  private let grpcHealth = HealthService(services: ["flotilla.v1.Collector"])
  private lazy var reporting = Reporting(
    rpc, runs, commits, ingest, registry, sweeper, positions)
  private lazy var auditTick = AuditTick(rpc, commits, ingest, configuration.log)
  private var shutdown: Shutdown?
  private let place = Mutex(ServingPhase.starting)
  /// The port of `/metrics`, known once `run` listens; nil for none.
  package private(set) var adminPort: UInt16?

  package init(
    _ configuration: CollectorConfiguration,
    on loop: EventLoop = EventLoop(name: "flotilla.collector")
  ) throws(CollectorError) {
    token = try Self.token(configuration)
    do throws(TLSSetupError) {
      tls = try configuration.tls.map { files throws(TLSSetupError) in
        try TLSServer(files, protocols: [.h2])
      }
    } catch {
      throw .tls(error)
    }
    self.configuration = configuration
    startedAt = configuration.unixTime()
    self.loop = loop
    replies = ReplyWriter(codec)
    runs = RunHost(configuration, codec, replies)
    let reported = LoopSignal(on: loop)
    let store: BatchStore
    let others: OtherCollectors?
    let inspection: StoreInspection
    do throws(StoreError) {
      let opened = try configuration.store.open()
      do throws(StoreError) { try runs.resume(opened) } catch {
        opened.close()
        throw error
      }
      others = opened.follower.map { [loop, runs] in
        OtherCollectors($0, loop, runs, configuration.log)
      }
      inspection = StoreInspection(opened, configuration)
      store = BatchStore(
        opened, groupDelay: configuration.groupDelay, now: { MonotonicClock.now },
        wake: { reported.raise() }, beforeCommit: configuration.beforeCommit)
    } catch {
      throw .store(error)
    }
    commits = Commits(store, loop, configuration.log)
    registry = PhoneRegistry(runs, commits, replies)
    (self.others, self.inspection) = (others, inspection)
    sweeper = PushSweeper(loop, runs, commits, replies, others)
    positions = PositionRequests(loop, runs, replies, sweeper)
    ingest = Ingest(configuration, loop, runs, commits, replies, positions)
    reported.whenRaised { [weak self] in self?.takeReports() }
    others?.maySweep = { [unowned self] in sweeper.subscribers > 0 }
    others?.whenLooked = { [unowned self] in commits.noteLook($0) }
    others?.whenAdopted = { [unowned self] in
      runs.noteOpened(resumed: true)
      sweeper.start()
    }
  }

  private var serverLimits: ServerLimits {
    var limits = configuration.limits
    // Some descriptors are left for the admin port and for reopening the store.
    limits.leave(
      descriptors: ResourceLimit.descriptors.current - MachineMetrics.countDescriptors() - 32)
    limits.dictionary = configuration.dictionary?.id ?? 0
    return limits
  }

  private static func token(
    _ configuration: CollectorConfiguration
  ) throws(CollectorError) -> BearerToken? {
    if let text = configuration.token {
      guard let token = BearerToken(text) else { throw .badToken }
      return token
    }
    for host in [configuration.host, configuration.admin?.host].compactMap({ $0 }) {
      let isOpen: Bool
      do throws(TransportError) { isOpen = try !Endpoint.isOnlyReachableHere(host) } catch {
        throw .transport(error)
      }
      if isOpen { throw .tokenNeeded(host: host) }
    }
    return nil
  }

  // MARK: Life cycle

  /// Listens, passes the port to `onListening`, and serves on the caller's thread until `stop`. On
  /// return, open calls are answered, acknowledged batches are durable and the store is closed.
  package func run(onListening: (UInt16) -> Void) throws(CollectorError) {
    let admin: AdminPort?
    do throws(TransportError) {
      admin = try openAdmin()
      let port = try rpc.listen(host: configuration.host, port: configuration.port)
      adminPort = admin?.port
      runs.noteStart()
      enter(.serving)
      onListening(port)
      noteListening(port)
    } catch {
      throw .transport(error)
    }
    loop.post { [self] in
      others?.start()
      sweeper.start()
      auditTick.look()
    }
    loop.run()
    closeStore()
    // The admin port answers until this line.
    withExtendedLifetime(admin) {}
    log(.info, "exit")
    log.flush()
  }

  private func openAdmin() throws(TransportError) -> AdminPort? {
    guard let endpoint = configuration.admin else { return nil }
    return try AdminPort(endpoint, token: token, of: self)
  }

  /// Begins a graceful shutdown, which answers open calls first. Any thread may call `stop`.
  package func stop(_ why: String = "requested") { loop.post { [self] in drain(why) } }

  /// Reloads certificate, key, client CAs and ticket keys for new connections. Unusable files are
  /// logged and change nothing. Any thread may call `reloadCertificates`.
  package func reloadCertificates() {
    guard let tls else { return }
    do throws(TLSSetupError) {
      try tls.reload()
      log(.info, "tls.reloaded")
    } catch {
      log(.error, "tls.not-reloaded", ["reason": .text(error.description)])
    }
  }

  private func drain(_ why: String) {
    guard phase == .serving || phase == .starting else { return }
    enter(.draining)
    grpcHealth.set(serving: false)
    sweeper.stop()
    others?.stop()
    positions.stop()
    shutdown = Shutdown(why, rpc, commits, configuration) { [unowned self] in
      auditTick.look()
      loop.stop()
    }
  }

  /// Closes the store on the thread of `run`, after the loop's end.
  private func closeStore() {
    enter(.closing)
    inspection.cancel()
    commits.close()
    guard commits.isDurable else { return }
    log(.info, "store.closed", ["took_ms": .whole(shutdown?.milliseconds ?? 0)])
  }

  var phase: ServingPhase { place.withLock { $0 } }
  private func enter(_ phase: ServingPhase) { place.withLock { $0 = phase } }
  private var isDraining: Bool { phase == .draining || phase == .closing }

  // MARK: Accounts

  /// Calls `body` on the loop's thread with the account and, if commits must fail, the reason.
  package func look(
    _ body: @escaping @Sendable (_ account: SnapshotReply, _ problem: String?) -> Void
  ) {
    loop.post { [self] in
      let request = SnapshotRequest(histogram: true, recent: true)
      body(
        reporting.account(request, isDraining: isDraining), commits.error?.description)
    }
  }

  /// Returns the values of the metrics. Must be called on the loop's thread.
  func sample() -> CollectorSample {
    var sample = reporting.sample()
    sample.descriptorFault = descriptorFault
    return sample
  }

  /// Why nothing can be committed; nil if commits work. For the loop's thread only.
  var storeError: StoreError? { commits.error }

  var descriptorFault: String? { auditTick.descriptorFault }

  // MARK: Log

  private var log: CollectorLog { configuration.log }

  private func noteListening(_ port: UInt16) {
    let address = Endpoint(host: configuration.host, port: port).description
    log(
      .info, "listening",
      [
        "address": .text(address), "admin_port": .whole(Int(adminPort ?? 0)),
        "token": token == nil ? "none" : "required", "tls": tls == nil ? "off" : "on",
        "connections_max": .whole(rpc.limits.connectionsMax),
      ])
  }
}

// MARK: Calls

extension CollectorServer: RPCHandler {
  /// Returns the refusal of an upload under overload, or nil. Other calls are never refused, since
  /// they are few and are needed to diagnose faults.
  package func refusal(of opening: CallOpening) -> CallStatus? {
    guard opening.method == .upload else { return nil }
    if let share = ingest.observe(opening) { rpc.expectRefusals(of: share) }
    return ingest.refusal(of: opening)
  }

  package func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
    do throws(WireError) {
      switch call.method {
      case .upload: ingest.upload(call, message)
      case .register:
        registry.register(call, try codec.decode(RegisterRequest.self, from: message))
      case .openRun: try openRun(call, message)
      case .pushes:
        sweeper.subscribe(call, try codec.decode(PushesRequest.self, from: message))
      case .pushResult:
        let results = try codec.decode(PushResultRequest.self, from: message)
        sweeper.takeResults(call, results)
        positions.take(results.outcomes)
      case .ask: positions.ask(call, try codec.decode(AskRequest.self, from: message))
      case .snapshot: snapshot(call, try codec.decode(SnapshotRequest.self, from: message))
      case .restore: registry.restore(call, try codec.decode(RestoreRequest.self, from: message))
      case .holdings:
        let request = try codec.decode(HoldingsRequest.self, from: message)
        // Without a durable store, the collector answers from its memory.
        if request.stored, commits.isDurable { return holdings(call, request) }
        whenCaughtUp(call) { [self] in registry.holdings(call, request) }
      case .health: replies.answer(call, reporting.health(isDraining: isDraining))
      }
    } catch {
      replies.refuse(call, error.status, error.description)
    }
  }

  /// Ends a cancelled push subscription or position request; an upload continues to the store.
  package func cancelled(_ call: ServerCall) {
    // A batch that is being committed continues, and the phone's resend finds it.
    if call.method == .pushes { sweeper.unsubscribe(call) }
    if call.method == .ask { positions.cancel(call) }
  }

  private func snapshot(_ call: ServerCall, _ request: SnapshotRequest) {
    func answer() {
      sweeper.publishAnswers()
      replies.answer(call, reporting.account(request, isDraining: isDraining))
    }
    // An observer gets what this collector knows; a final account covers the whole store.
    guard request.histogram, !request.recent else { return answer() }
    whenCaughtUp(call, answer)
  }

  /// Runs `body` once this collector has read all earlier commits of others. If the reading fails,
  /// the call is refused, since a partial account would look complete.
  private func whenCaughtUp(_ call: ServerCall, _ body: @escaping () -> Void) {
    guard let others else { return body() }
    others.catchUp { [replies] problem in
      if let problem { return replies.refuse(call, problem) }
      body()
    }
  }

  private func holdings(_ call: ServerCall, _ request: HoldingsRequest) {
    guard let run = runs.run else { return replies.refuseWithoutRun(call) }
    let moment = StoreInspection.Moment(of: run)
    do throws(StoreError) {
      replies.answer(call, try inspection.answer(request, at: moment, now: loop.now))
    } catch {
      replies.refuse(call, error)
    }
  }

  private func openRun(_ call: ServerCall, _ message: UnsafeRawBufferPointer) throws(WireError) {
    guard let opening = try runs.open(call, message, isDurable: commits.isDurable) else { return }
    if !opening.resumed {
      sweeper.beginRun()
      positions.beginRun()
      ingest.beginRun()
      commits.beginRun()
      registry.beginRun()
      reporting.beginRun()
    }
    guard commits.isDurable else {
      return finishOpening(call, resumed: opening.resumed, error: nil)
    }
    commits.submit(opening.stored, call, resumed: opening.resumed)
  }

  // MARK: The store's reports

  private func takeReports() {
    commits.takeReports({ ingest.committed($0) }) { waiting, error, wasHeld in
      switch waiting {
      case .upload(let upload): ingest.finish(upload, wasHeld: wasHeld, error: error)
      case .registration(let call, let request): registry.finish(call, request, error: error)
      case .run(let call, let resumed): finishOpening(call, resumed: resumed, error: error)
      case .restore(let call, let rows, let asked, _, let earlier):
        registry.finish(call, rows, asked: asked, error: earlier ?? error)
      case .occasion: break
      }
    }
  }

  private func finishOpening(_ call: ServerCall, resumed: Bool, error: StoreError?) {
    if let error {
      // Another collector on the same store has opened another run.
      if case .otherRun = error { runs.abandon() }
      return replies.refuse(call, error)
    }
    runs.noteOpened(resumed: resumed)
    sweeper.start()
    replies.answer(
      call,
      OpenRunReply(
        wall: loop.now, state: reporting.state(isDraining: isDraining), resumed: resumed,
        encodings: Encoding.allCases, dictionary: configuration.dictionary?.id ?? 0))
  }
}
