internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

/// Opens and holds the run that a collector serves. For the loop's thread only.
final class RunHost {
  private let configuration: CollectorConfiguration
  private let codec: MessageCodec
  private let replies: ReplyWriter
  private(set) var run: OpenedRun?
  private(set) var counters = Sheet()
  private var openRequest: [UInt8] = []
  private var openedAt = WallInstant.distantPast

  init(_ configuration: CollectorConfiguration, _ codec: MessageCodec, _ replies: ReplyWriter) {
    self.configuration = configuration
    self.codec = codec
    self.replies = replies
  }

  func resume(_ source: any StoreSource) throws(StoreError) {
    run = try StoredRunReplay(configuration, codec).run(of: source)
    guard run != nil, let stored = try source.storedRun() else { return }
    (openRequest, openedAt) = (stored.openRequest, stored.openedAtWall)
  }

  /// Returns the open run. If no run is open or the scenario has an outage, refuses the call.
  func serving(_ call: ServerCall) -> OpenedRun? {
    guard let run else {
      replies.refuseWithoutRun(call)
      return nil
    }
    guard !run.isDown(at: run.clock.scenario(at: call.receivedAt)) else {
      counters[.refusedInOutage] += 1
      replies.refuse(call, .unavailable, "the scenario's server-outage")
      return nil
    }
    return run
  }

  // MARK: Opening

  /// A requested run. The answer waits until the store has the run, which then survives a restart.
  struct Opening {
    var stored: StoredRun
    var resumed: Bool
  }

  /// Opens or reopens a run; returns nil if the call was refused. A durable store has one run only.
  func open(
    _ call: ServerCall, _ message: UnsafeRawBufferPointer, isDurable: Bool
  ) throws(WireError) -> Opening? {
    let request = try codec.decode(OpenRunRequest.self, from: message)
    if let (code, text) = fault(of: request, isDurable: isDurable) {
      replies.refuse(call, code, text)
      return nil
    }
    let stored = StoredRun(
      id: request.runID, openRequest: Array(message), openedAtWall: call.receivedAt)
    (openRequest, openedAt) = (stored.openRequest, stored.openedAtWall)
    if let run, run.id == request.runID {
      run.reopen(request, receivedAt: call.receivedAt)
      return Opening(stored: stored, resumed: true)
    }
    run = OpenedRun(request, receivedAt: call.receivedAt)
    counters.reset()
    return Opening(stored: stored, resumed: false)
  }

  /// Takes a run that another collector opened or reopened; returns true if no run was open before.
  func adopt(_ stored: StoredRun) -> Bool {
    // Translation between clocks may move the instant of this collector's own request slightly.
    let tolerance = WallDuration.milliseconds(100)
    guard stored.openRequest != openRequest, stored.openedAtWall.isWithinReach,
      stored.openedAtWall > openedAt + tolerance,
      let request = try? codec.decode(OpenRunRequest.self, from: stored.openRequest),
      request.fault(phonesMax: configuration.phonesMax) == nil
    else { return false }
    (openRequest, openedAt) = (stored.openRequest, stored.openedAtWall)
    if let run {
      if run.id == stored.id, run.fault(ofReopening: request) == nil {
        run.reopen(request, receivedAt: stored.openedAtWall)
      }
      return false
    }
    run = OpenedRun(request, receivedAt: stored.openedAtWall)
    return true
  }

  func abandon() { (run, openRequest, openedAt) = (nil, [], .distantPast) }

  private func fault(of request: OpenRunRequest, isDurable: Bool) -> (StatusCode, String)? {
    if let text = request.fault(phonesMax: configuration.phonesMax) {
      return (.invalidArgument, text)
    }
    guard let run else { return nil }
    if run.id == request.runID {
      return run.fault(ofReopening: request).map { (.failedPrecondition, $0) }
    }
    guard isDurable else { return nil }
    let error = StoreError.otherRun(
      path: configuration.store.name, found: run.id, wanted: request.runID)
    return (.failedPrecondition, error.description)
  }

  // MARK: Log

  func noteStart() {
    let ledger = run?.backend.ledger
    configuration.log(
      .info, "start",
      [
        "version": .text(configuration.version), "pid": .whole(configuration.processID),
        "store": .text(configuration.store.name), "run": .text(run?.id ?? "none"),
        "batches": .whole(Int(ledger?.batches.distinct ?? 0)),
        "fixes": .whole(Int(ledger?.fixes.distinct ?? 0)),
      ])
  }

  func noteOpened(resumed: Bool) {
    guard let run else { return }
    configuration.log(
      .info, resumed ? "run.resumed" : "run.opened",
      [
        "run": .text(run.id), "phones": .whole(run.backend.phones),
        "speed": .real(run.clock.speed),
        "batches": .whole(Int(run.backend.ledger.batches.distinct)),
      ])
  }
}
