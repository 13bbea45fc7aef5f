import Foundation
import SimulationCore
import Synchronization
import Telemetry
import Testing
import Wire

@testable import Transport

/// A collector that answers as a test wants. `@unchecked Sendable`: its state is touched on its
/// loop's thread, or set before the first call.
final class TestCollector: RPCHandler, @unchecked Sendable {
  let loop = EventLoop(name: "test collector")
  private(set) var server: RPCServer!
  private(set) var port: UInt16 = 0
  let codec = MessageCodec(capacity: 1 << 20)
  let received = Mutex<[CollectorMethod]>([])
  /// Called for every request; the default acknowledges at once.
  var onCall: ((TestCollector, ServerCall, CollectorMethod, [UInt8]) -> Void)?
  var held: [ServerCall] = []
  /// What the ack of each upload must repeat; a test may say something else.
  var checks: [ServerCall: UInt32] = [:]
  private let decoder = BatchDecoder()

  init(port: UInt16 = 0, limits: ServerLimits = .init(), token: String? = nil) throws {
    server = RPCServer(
      loop: loop, limits: limits, token: token.flatMap(BearerToken.init), handler: self)
    self.port = try server.listen(host: "127.0.0.1", port: port)
    loop.start()
  }

  var endpoint: Endpoint { Endpoint(host: "127.0.0.1", port: port) }

  func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
    let method = call.method
    received.withLock { $0.append(method) }
    if method == .upload { checks[call] = try? decoder.envelope(message).check }
    if let onCall {
      onCall(self, call, method, Array(message))
    } else {
      acknowledge(call, method)
    }
  }

  func acknowledge(_ call: ServerCall, _ method: CollectorMethod) {
    switch method {
    case .upload:
      call.reply(
        Self.encode(
          UploadReply(sequence: 1, duplicate: false, fixes: 3, check: checks[call] ?? 0), codec))
    case .register:
      call.reply(Self.encode(RegisterReply(settings: TrackerSettings(version: 4)), codec))
    case .health, .openRun, .pushes, .pushResult, .snapshot, .restore, .holdings:
      call.reply(Self.encode(HealthReply(serving: true, detail: "fine"), codec))
    }
  }

  static func encode(_ message: some WireMessage, _ codec: MessageCodec) -> [UInt8] {
    (try? codec.encode(message)) ?? []
  }

  func cancelled(_ call: ServerCall) {}

  func counters() -> ServerCounters { loop.sync { [server] in server!.counters } }

  func stop() { loop.stopAndWait() }
}

/// A load generator whose completions a test can wait for.
final class TestFleet: Sendable {
  let loop = EventLoop(name: "test fleet")
  let dispatcher: UploadDispatcher
  private let box: Completions

  final class Completions: Sendable {
    let report = Mutex(UploadReport())
  }

  init(_ settings: UploadSettings) throws {
    let box = Completions()
    self.box = box
    dispatcher = try UploadDispatcher(loop: loop, settings: settings) { report in
      box.report.withLock {
        $0.completions += report.completions
        $0.attempts += report.attempts
      }
    }
    loop.start()
  }

  convenience init(
    to endpoint: Endpoint, _ use: ConnectionUse = .perUpload,
    _ change: (inout UploadSettings) -> Void = { _ in }
  ) throws {
    var settings = UploadSettings(endpoint: endpoint, use: use, seed: 1)
    change(&settings)
    try self.init(settings)
  }

  static func jobs(
    _ count: Int, over spread: WallDuration = .zero, deadline: WallDuration = .seconds(60),
    phones: Int = .max, registering: Bool = false
  ) throws -> [UploadJob] {
    let codec = MessageCodec(capacity: 1 << 16)
    let encoder = BatchEncoder()
    let start = MonotonicClock.now + .milliseconds(5)
    return try (0..<count).map { index in
      let phone = UInt32(index % phones)
      let id = BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: UInt32(index + 1))
      let fix = Fix(
        coordinate: Coordinate(latitudeE6: 1, longitudeE6: 2), time: FixTime(centiseconds: 3),
        accuracyMeters: 4, speedDecimetersPerSecond: 5, courseDegrees: 6)
      let register = RegisterRequest(
        phone: id.phone, epoch: 1, authorization: .always, tokenValid: true, cohort: 0,
        installed: true, settingsVersion: 0, at: SimInstant(microseconds: 0))
      let wait = spread.microseconds * Int64(index) / Int64(count)
      return UploadJob(
        id: UInt64(index), phone: phone, intended: start + .microseconds(wait),
        deadline: deadline, message: try encoder.encode(id, [fix, fix, fix]),
        check: encoder.check, registration: registering ? try codec.encode(register) : nil)
    }
  }

  /// Waits until `count` jobs have ended, or the time is up.
  func wait(for count: Int, within limit: WallDuration = .seconds(90)) -> UploadReport {
    let end = MonotonicClock.now + limit
    while MonotonicClock.now < end {
      // Counted inside: ThreadSanitizer does not see that a copy which is let go no longer reads.
      let report = box.report.withLock { $0.completions.count >= count ? $0 : nil }
      if let report { return report }
      usleep(1_000)
    }
    Issue.record("only \(box.report.withLock { $0.completions.count }) of \(count) jobs ended")
    return box.report.withLock { $0 }
  }

  func stop() { loop.stopAndWait() }
}

extension UploadReport {
  var acknowledged: Int {
    completions.count {
      if case .acknowledged = $0.outcome { true } else { false }
    }
  }

  /// Every account is whole and none of its parts is negative.
  func checkParts() {
    for entry in completions {
      #expect(
        entry.generatorLag >= .zero && entry.connect >= .zero && entry.hold >= .zero
          && entry.service >= .zero)
      #expect(entry.intended + entry.response == entry.finishedAt)
    }
  }
}
