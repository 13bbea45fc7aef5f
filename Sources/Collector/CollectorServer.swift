internal import Measure
internal import ServerLogic
internal import SimulationCore
internal import Synchronization
internal import Telemetry
package import Transport
internal import Wire

/// The server process: accepts phones, judges and stores their batches, asks for silent pushes,
/// and accounts for it all.
///
///     frame ▶ envelope ▶ dedupe ▶ decode ▶ inspect ▶ store ─commit─▶ ledger, last seen ▶ ack
///
/// It never knows that its phones are simulated; the one thing it is told is the speed of the
/// scenario clock, since sweeps and ages live in scenario time.
///
/// `@unchecked Sendable`: everything that changes is touched on the loop's thread only; the store
/// reaches it through the loop's mailbox.
package final class CollectorServer: @unchecked Sendable {
  let configuration: CollectorConfiguration
  let loop: EventLoop
  let codec = MessageCodec()
  let decoder: BatchDecoder
  private(set) var rpc: RPCServer!
  private(set) var store: BatchStore!
  private var timer: LoopTimer?

  var run: OpenedRun?
  var desk = CommitDesk()
  var figures = CollectorFigures()
  var watch = CollectorWatch()
  var admission = Admission()
  var batchLimits = BatchLimitHits()
  var storeQueue: StoreQueue
  var subscribers: [ServerCall] = []
  /// The scenario instant of the last duty done.
  var dutiesDoneUntil = SimInstant.distantPast
  /// Of the last group; set at each.
  var storeError: StoreError? { didSet { noteStoreAnswer(before: oldValue) } }
  var lastCommit: WallInstant?
  let log: CollectorLog
  let startedAt: UnixInstant
  var watchman = Watchman()
  private(set) var patrolTimer: LoopTimer?
  private(set) var drainTimer: LoopTimer?
  var drainBegan: WallInstant?
  private let place = Mutex(ServingPhase.starting)
  private let token: BearerToken?
  /// Where `/metrics` is; nil: nowhere. Known when `run` says that it listens.
  package private(set) var adminPort: UInt16?
  private var reply = ByteBuffer(capacity: 4_096)

  /// Opens the store and takes up the run that it holds, if it holds one.
  package init(_ configuration: CollectorConfiguration) throws(CollectorError) {
    token = try Self.token(configuration)
    self.configuration = configuration
    decoder = BatchDecoder(dictionary: configuration.dictionary)
    storeQueue = StoreQueue(groupDelay: configuration.groupDelay)
    log = configuration.log
    startedAt = configuration.unixTime()
    loop = EventLoop(name: "flotilla.collector")
    var limits = configuration.limits
    limits.dictionary = configuration.dictionary?.id ?? 0
    rpc = RPCServer(loop: loop, limits: limits, token: token, handler: self)
    timer = LoopTimer(on: loop) { [unowned self] in doDuties() }
    patrolTimer = LoopTimer(on: loop) { [unowned self] in patrol() }
    drainTimer = LoopTimer(on: loop) { [unowned self] in closeDoors() }
    do throws(StoreError) {
      let opened = try configuration.store.open()
      run = try rebuild(from: opened)
      store = BatchStore(
        opened, groupDelay: configuration.groupDelay, now: { MonotonicClock.now },
        wake: { [weak self] in
          guard let self else { return }
          loop.post { self.takeReports() }
        }, beforeCommit: configuration.beforeCommit)
    } catch {
      throw .store(error)
    }
  }

  /// What calls must carry; demanded wherever others can reach this process.
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

  /// Listens, says on which port, and serves on the caller's thread until `stop`; by then every
  /// call that was open has been answered, every ack is durable and the store is closed.
  package func run(onListening: (UInt16) -> Void) throws(CollectorError) {
    let admin: AdminPort?
    do throws(TransportError) {
      admin = try openAdmin()
      let port = try rpc.listen(host: configuration.host, port: configuration.port)
      adminPort = admin?.port
      noteStart()
      enter(.serving)
      onListening(port)
      noteListening(port)
    } catch {
      throw .transport(error)
    }
    loop.post { [self] in
      if let run { dutiesDoneUntil = run.clock.scenario(at: loop.now) }
      doDuties()
      patrol()
    }
    loop.run()
    closeStore()
    // The admin port answers until here.
    withExtendedLifetime(admin) {}
    log(.info, "exit")
    log.flush()
  }

  private func openAdmin() throws(TransportError) -> AdminPort? {
    guard let endpoint = configuration.admin else { return nil }
    return try AdminPort(endpoint, token: token, of: self)
  }

  private func noteListening(_ port: UInt16) {
    let address = Endpoint(host: configuration.host, port: port).description
    log(
      .info, "listening",
      [
        "address": .text(address), "admin_port": .whole(Int(adminPort ?? 0)),
        "token": token == nil ? "none" : "asked for",
      ])
  }

  /// From any thread: the good end. What is open is answered first.
  ///
  /// - Parameter why: for the log.
  package func stop(_ why: String = "asked to") { loop.post { [self] in drain(why) } }

  /// From any thread.
  var phase: ServingPhase { place.withLock { $0 } }
  func enter(_ phase: ServingPhase) { place.withLock { $0 = phase } }
  var isDraining: Bool { phase == .draining || phase == .closing }

  func disarmDuties() { timer?.disarm() }

  func armTimer(at wall: WallInstant) { timer?.arm(at: wall) }

  // MARK: Answers

  func answer(_ call: ServerCall, _ message: some WireMessage) {
    reply.removeAll()
    do throws(WireError) {
      try codec.encode(message, into: &reply)
      call.reply(reply.readable)
    } catch {
      refuse(call, error.status, error.description)
    }
  }

  func send(_ call: ServerCall, _ message: some WireMessage) -> StreamSend {
    reply.removeAll()
    do throws(WireError) {
      try codec.encode(message, into: &reply)
      return call.send(reply.readable)
    } catch {
      return .full
    }
  }

  func refuse(_ call: ServerCall, _ code: StatusCode, _ text: String, pushback: Int32? = nil) {
    call.fail(CallStatus(code, text, pushbackMilliseconds: pushback))
  }

  /// Nothing is durable: the client keeps its batch and comes again.
  func refuse(_ call: ServerCall, _ error: StoreError) {
    refuse(call, .unavailable, error.description, pushback: Self.storePushback)
  }

  /// A full disk does not empty itself within milliseconds.
  private static let storePushback: Int32 = 1_000
}

extension CollectorServer: RPCHandler {
  package func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
    do throws(WireError) {
      switch call.method {
      case .upload: upload(call, message)
      case .register: register(call, try codec.decode(RegisterRequest.self, from: message))
      case .openRun: try openRun(call, message)
      case .pushes: subscribe(call, try codec.decode(PushesRequest.self, from: message))
      case .pushResult:
        takeResults(call, try codec.decode(PushResultRequest.self, from: message))
      case .snapshot: snapshot(call, try codec.decode(SnapshotRequest.self, from: message))
      case .restore: restore(call, try codec.decode(RestoreRequest.self, from: message))
      case .holdings: holdings(call, try codec.decode(HoldingsRequest.self, from: message))
      case .health: health(call)
      }
    } catch {
      refuse(call, error.status, error.description)
    }
  }

  package func cancelled(_ call: ServerCall) {
    // A batch that is on its way to the disk stays there: the phone's resend finds it.
    if call.method == .pushes { subscribers.removeAll { $0 == call } }
  }
}
