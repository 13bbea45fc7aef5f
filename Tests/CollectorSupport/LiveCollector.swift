import Core
import Foundation
import Scenarios
import Synchronization
import Testing
import Transport
import Wire

@testable import Collector

/// A collector on its own thread, and a client.
final class LiveCollector: Sendable {
  static let start = SimInstant(microseconds: 1_772_409_600_000_000)
  static let hashKey: UInt64 = 99

  let server: CollectorServer
  let port: UInt16
  private let ended = DispatchSemaphore(value: 0)
  private let clientLoop = EventLoop(name: "client")
  let client: RPCClient

  init(
    store: StoreAddress, change: (inout CollectorConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = CollectorConfiguration(store: store)
    change(&configuration)
    let server = try CollectorServer(configuration)
    self.server = server
    let ports = Mutex<UInt16>(0)
    let listening = DispatchSemaphore(value: 0)
    let ended = self.ended
    let box = Shared(ports)
    Thread {
      try? server.run { port in
        box.value.withLock { $0 = port }
        listening.signal()
      }
      ended.signal()
    }.start()
    try #require(listening.wait(timeout: .now() + 60) == .success)
    port = box.value.withLock { $0 }
    clientLoop.start()
    client = RPCClient(loop: clientLoop, to: Endpoint(host: "127.0.0.1", port: port))
  }

  private final class Shared: Sendable {
    let value: Mutex<UInt16>
    init(_ value: consuming sending Mutex<UInt16>) { self.value = value }
  }

  /// Stops the collector as SIGTERM does. Returns true if it ended within the time limit.
  @discardableResult
  func stop() -> Bool {
    server.stop()
    let didEnd = ended.wait(timeout: .now() + 60) == .success
    client.close()
    clientLoop.stopAndWait()
    return didEnd
  }

  // MARK: Calls

  func call<Answer: WireMessage>(
    _ method: CollectorMethod, _ request: some WireMessage, as answer: Answer.Type
  ) throws -> Answer {
    try client.callBlocking(method, request, deadline: .seconds(60), as: answer)
  }

  @discardableResult
  func open(
    run: String = "run-1", phones: UInt32 = 100, speed: Double = 1,
    startsIn: WallDuration = .zero, change: (inout OpenRunRequest) -> Void = { _ in }
  ) throws -> OpenRunReply {
    var request = Self.openRequest(run: run, phones: phones, speed: speed, startsIn: startsIn)
    change(&request)
    return try call(.openRun, request, as: OpenRunReply.self)
  }

  static var push: PushTerms {
    var push = PushSettings.standard.terms
    push.windows = []
    push.rate = Rate(perSecond: 1e9)
    push.holdout = 0
    push.accuracyLimit = .meters(200)
    push.expiration = .minutes(10)
    return push
  }

  static func openRequest(
    run: String = "run-1", phones: UInt32 = 100, speed: Double = 1,
    startsIn: WallDuration = .zero
  ) -> OpenRunRequest {
    OpenRunRequest(
      runID: run, hashKey: hashKey, seed: 42,
      clock: RunClock(
        scenarioStart: start, measureStart: start,
        measureEnd: start + .hours(10), speed: speed, startsIn: startsIn),
      phones: phones,
      push: push,
      cohorts: [
        CohortTerms(
          name: "commuters",
          settings: TrackerSettings(
            version: 3, gpsDuration: .seconds(20), minInterval: .seconds(60),
            sendInterval: .seconds(300), regionRadius: .meters(100), maxFixes: 500))
      ])
  }

  @discardableResult
  func register(_ phone: UInt32, cohort: UInt32 = 0) throws -> TrackerSettings {
    try call(
      .register,
      RegisterRequest(
        phone: PhoneID(rawValue: phone), epoch: 1, authorization: .always, tokenValid: true,
        cohort: cohort, installed: true, settingsVersion: 0, at: Self.start),
      as: RegisterReply.self
    ).settings
  }

  /// Content of batch `id`, a function of the id.
  static func fixes(of id: BatchID) -> [Fix] {
    (0..<Int(id.sequence % 5 + 1)).map { index in
      Fix(
        coordinate: Coordinate(
          latitudeE6: 52_000_000 + Int32(id.phone.rawValue), longitudeE6: 13_000_000),
        time: FixTime(start + .seconds(Int64(index))), accuracyMeters: 10,
        speedDecimetersPerSecond: -1, courseDegrees: -1)
    }
  }

  static func hash(of id: BatchID) -> UInt64 {
    var hash = BatchHash(key: hashKey, id)
    for fix in fixes(of: id) { hash.combine(fix) }
    return hash.value
  }

  static func request(
    _ id: BatchID, _ fixes: [Fix]? = nil, settingsVersion: UInt32 = 0,
    _ codec: BatchCodec = .shipped
  ) throws -> [UInt8] {
    let encoder = BatchEncoder(codec)
    var buffer = ByteBuffer()
    try (fixes ?? Self.fixes(of: id)).withUnsafeBufferPointer {
      try encoder.encode(id, $0, settingsVersion: settingsVersion, into: &buffer)
    }
    return buffer.copyBytes()
  }

  static func id(_ phone: UInt32, _ sequence: UInt32, epoch: UInt32 = 1) -> BatchID {
    BatchID(phone: PhoneID(rawValue: phone), epoch: epoch, sequence: sequence)
  }

  @discardableResult
  func upload(
    _ id: BatchID, _ fixes: [Fix]? = nil, settingsVersion: UInt32 = 0
  ) throws -> UploadReply {
    let reply = try client.callBlocking(
      .upload, Self.request(id, fixes, settingsVersion: settingsVersion),
      deadline: .seconds(60))
    return try MessageCodec().decode(UploadReply.self, from: reply)
  }

  func snapshot() throws -> SnapshotReply {
    try call(.snapshot, SnapshotRequest(histogram: true), as: SnapshotReply.self)
  }

  /// The status of a call that must fail.
  func failure(_ body: () throws -> Void) -> CallStatus? {
    do {
      try body()
      return nil
    } catch let error as RPCClient.CallError {
      return error.status
    } catch {
      return nil
    }
  }

  /// Collects the messages of the push stream.
  func subscribe(run: String = "run-1") throws -> PushInbox {
    let inbox = PushInbox()
    client.subscribe(
      .pushes, try MessageCodec().encode(PushesRequest(runID: run)),
      onMessage: { inbox.take($0) }, onEnd: { inbox.end($0) })
    return inbox
  }
}

final class PushInbox: Sendable {
  private let state = Mutex<(sweeps: [PushSweep], ending: CallStatus?)>(([], nil))

  func take(_ bytes: [UInt8]) {
    guard let sweep = try? MessageCodec().decode(PushSweep.self, from: bytes) else { return }
    state.withLock { $0.sweeps.append(sweep) }
  }

  func end(_ status: CallStatus) { state.withLock { $0.ending = status } }

  var sweeps: [PushSweep] { state.withLock { $0.sweeps } }
  var ending: CallStatus? { state.withLock { $0.ending } }

  func wait(_ isDone: ([PushSweep]) -> Bool) throws {
    for _ in 0..<6_000 {
      // Read inside the lock: ThreadSanitizer does not see the reference count by which another
      // thread knows that it may append in place.
      if state.withLock({ isDone($0.sweeps) }) { return }
      usleep(10_000)
    }
    try #require(Bool(false), "the stream of pushes did not bring it: \(sweeps)")
  }
}
