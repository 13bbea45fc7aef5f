internal import Core
internal import ServerLogic
@testable internal import Transport
internal import Wire

@testable internal import Collector

/// Invariants for any values in messages, to a collector or from it, alone and one after another.
///
/// One collector serves all inputs over a network in memory, on a manual clock, and each input
/// begins a new run. The collector refuses or answers every message, and its clients can read its
/// answers.
final class ValueCheck {
  private let clock = ManualClock()
  private let loop: EventLoop
  private let collector: CollectorServer
  private let server: RPCServer
  private let client: RPCClient
  private let codec = MessageCodec(capacity: 1 << 18)
  private let encoder = BatchEncoder()
  private var runs = 0
  private var sequence: UInt32 = 0
  private let ends = Ends()

  /// Bounds the messages of an input, the sweeps between two of them, and the seconds from one
  /// sweep to the next.
  private static let stepsMax = 32
  private static let sweepsMax = 100
  private static let pauseMax = 8_640.0

  /// Counts the calls without an answer, and reads the answers. `@unchecked Sendable`: a fuzzer has
  /// one thread.
  private final class Ends: @unchecked Sendable {
    var open = 0
    private let codec = MessageCodec(capacity: 1 << 18)

    /// nil: refused, with a reason.
    func decoded<Message: WireMessage>(_: Message.Type, _ bytes: [UInt8]) -> Message? {
      do throws(WireError) {
        return try codec.decode(Message.self, from: bytes)
      } catch {
        precondition(error.status == .invalidArgument, "\(error)")
        precondition(!error.description.isEmpty, "a refusal says why")
        return nil
      }
    }
  }

  init() {
    let network = MemoryNetwork()
    loop = EventLoop(name: "fuzz", clock: .manual(clock), network: .memory(network))
    var configuration = CollectorConfiguration(store: .none)
    configuration.phonesMax = 64
    do throws(CollectorError) {
      collector = try CollectorServer(configuration, on: loop)
    } catch {
      preconditionFailure("a collector without a store opens nothing: \(error)")
    }
    server = RPCServer(loop: loop, handler: collector)
    do throws(TransportError) {
      let port = try server.listen(host: "127.0.0.1", port: 0)
      client = RPCClient(loop: loop, to: Endpoint(host: "127.0.0.1", port: port))
    } catch {
      preconditionFailure("a network in memory has every port: \(error)")
    }
  }

  func callAsFunction(_ bytes: [UInt8]) {
    var source = ValueSource(bytes)
    runs += 1
    sequence = 0
    call(.openRun, ValueSource.usualRun("run \(runs)"), OpenRunReply.self)
    precondition(collector.runs.run?.id == "run \(runs)", "a usual run is opened after any other")
    let ends = ends
    client.subscribe(
      .pushes, encoded(PushesRequest(runID: "run \(runs)")),
      onMessage: { message in
        _ = ends.decoded(PushSweep.self, message)
      }, onEnd: { _ in })
    for _ in 0..<Self.stepsMax where !source.isAtEnd {
      step(&source)
      loop.runReady()
      precondition(collector.runs.run?.backend.ledger.isExact ?? true, "the ledger adds up")
    }
    // A request that waits for a position ends with its run.
    if ends.open > 0 { call(.openRun, ValueSource.usualRun("end \(runs)"), OpenRunReply.self) }
    precondition(ends.open == 0, "a call stays open")
  }

  private func step(_ source: inout ValueSource) {
    switch source.byte() % 13 {
    case 0: call(.openRun, source.openRun("other \(runs)"), OpenRunReply.self)
    case 1: call(.openRun, source.openRun("run \(runs)"), OpenRunReply.self)
    case 2: call(.register, source.register(), RegisterReply.self)
    case 3: call(.restore, source.restore(), RestoreReply.self)
    case 4, 5: upload(&source)
    case 6: call(.pushResult, source.pushResult(), PushResultReply.self)
    case 7: call(.ask, source.ask(), AskReply.self)
    case 8: call(.holdings, source.holdings(), HoldingsReply.self)
    case 9:
      call(
        .snapshot, SnapshotRequest(histogram: source.flag(), recent: source.flag()),
        SnapshotReply.self)
    case 10: advance(&source)
    case 11: replay(&source)
    default: readAnswer(&source)
    }
  }

  // MARK: To the collector

  private func call<Answer: WireMessage>(
    _ method: CollectorMethod, _ request: some WireMessage, _: Answer.Type
  ) {
    send(method, encoded(request), Answer.self)
  }

  private func send<Answer: WireMessage>(
    _ method: CollectorMethod, _ message: [UInt8], _: Answer.Type
  ) {
    let ends = ends
    ends.open += 1
    client.call(method, message, deadline: .hours(2)) { reply in
      ends.open -= 1
      switch reply {
      case .success(let message):
        precondition(
          ends.decoded(Answer.self, message) != nil, "a collector's answer passes its own door")
      case .failure(let error):
        precondition(error.status.code != .internal, "\(error)")
        precondition(!error.status.text.isEmpty, "a refusal says why")
      }
    }
    loop.runReady()
  }

  private func upload(_ source: inout ValueSource) {
    guard let run = collector.runs.run else { return }
    let now = run.clock.scenario(at: loop.now)
    sequence += 1
    let id = source.batchID(sequence)
    var fixes = [source.fix(now)]
    fixes += source.list { $0.fix(now) }
    guard let message = try? encoder.encode(id, fixes, settingsVersion: source.uint32(1)) else {
      return
    }
    send(.upload, message, UploadReply.self)
  }

  /// Advances time by at most that many sweeps of the present run, from one to the next: the ticks
  /// in between, of which a server has 20 a second, find only the same values again.
  private func advance(_ source: inout ValueSource) {
    guard let run = collector.runs.run else { return }
    let pause = min(run.backend.settings.sweep.seconds / run.clock.speed, Self.pauseMax)
    for _ in 0..<(Self.sweepsMax * Int(source.byte()) / 255) {
      clock.advance(to: clock.now + WallDuration(seconds: pause))
      loop.runReady()
    }
  }

  /// A store's content, with any values in it.
  private func replay(_ source: inout ValueSource) {
    guard let run = collector.runs.run else { return }
    var log = GroupLog()
    let start = ValueSource.start
    switch source.byte() % 4 {
    case 0:
      let batch = StoredBatch(
        id: source.batchID(1), receivedAt: source.instant(start),
        receivedAtWall: source.instant(WallInstant(microseconds: 1)), fixCount: source.uint32(1),
        hash: source.uint64(1), encoding: 0, uncompressedSize: 0)
      log.add(
        batch,
        BatchUpdate(
          newest: source.stamp(start), coordinate: source.coordinate(),
          newestAccurate: source.stamp(start)))
    case 1:
      log.add(source.phone(), .always, tokenValid: source.flag(), at: source.instant(start))
    case 2:
      log.add(
        PhoneSnapshot(
          phone: source.phone(), authorization: .always, tokenValid: source.flag(),
          reportedAt: source.instant(start), chosenAt: source.instant(start),
          newestFix: source.stamp(start), coordinate: source.coordinate(),
          sequences: SequenceRun(
            epoch: source.uint32(1), low: source.uint32(1), high: source.uint32(3))))
    default:
      log.add(
        WakeOccasion(
          pushID: source.uint64(1), at: source.instant(start), isWithheld: source.flag()))
    }
    log.bytes.withUnsafeBytes { bytes in
      precondition(GroupLog.read(bytes) { _ = run.take($0) }, "a log is whole")
    }
  }

  // MARK: From a collector

  private func readAnswer(_ source: inout ValueSource) {
    switch source.byte() % 6 {
    case 0: _ = ends.decoded(OpenRunReply.self, encoded(source.openRunReply()))
    case 1:
      _ = ends.decoded(RegisterReply.self, encoded(RegisterReply(settings: source.settings())))
    case 2:
      guard let sweep = ends.decoded(PushSweep.self, encoded(source.pushSweep())) else { return }
      for push in sweep.requests { _ = push.expiration - push.requestedAt + .hours(1) }
      for answer in sweep.answered { _ = sweep.sweptAt + answer.after }
    case 3:
      guard let reply = ends.decoded(AskReply.self, encoded(source.askReply())),
        let position = reply.position, let arrived = reply.arrivedAfter
      else { return }
      _ = reply.askedAt + reply.endedAfter - position.time.instant
      _ = arrived - (position.time.instant - reply.askedAt)
    case 4:
      guard let reply = ends.decoded(SnapshotReply.self, encoded(source.snapshotReply())) else {
        return
      }
      let sides = [reply.batches, reply.fixes]
      _ = sides.map { Int($0.received) - Int($0.distinct) + Int($0.duplicate) }.reduce(0, +)
      _ = sides.flatMap(\.rejected).map { Int($0.value) }.reduce(0, +)
      _ = (reply.pushes + reply.counters).map { Int($0.value) }.reduce(0, +)
      _ = reply.figures.map { Int($0.value) }
      _ = Int(reply.cpuMicroseconds) + Int(reply.rssBytes) + Int(reply.peakRSSBytes)
    default: _ = ends.decoded(HoldingsReply.self, encoded(source.holdingsReply()))
    }
  }

  private func encoded(_ message: some WireMessage) -> [UInt8] {
    do throws(WireError) { return try codec.encode(message) } catch {
      preconditionFailure("a message of a few values has room: \(error)")
    }
  }
}
