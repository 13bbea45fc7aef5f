import Core
import Fleet
import Foundation
import Phone
import Scenarios
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import Uploads
@testable import Targets

/// The sender of a fleet's batches to a target, without a fleet: a test hands the batches over.
final class SenderRig {
  let sender: TargetSender
  let loop: EventLoop
  let setup: TargetSetup
  private let outcomes = Results()
  private let scenario: Scenario

  /// How batches ended, as reported to their phones.
  private final class Results: Sendable {
    let all = Mutex<[UInt32: UploadResult]>([:])
  }

  /// - Parameters:
  ///   - file: of the target.
  ///   - clock: the machine's, or a manual one; then its loop is the test's own thread.
  init(
    _ file: URL, phones: Int, clock: TransportClock = .monotonic,
    _ change: (inout Target) -> Void = { _ in },
    scenario adapt: (inout Scenario) -> Void = { _ in }
  ) throws {
    var target = try TargetReader.read(
      text: try String(contentsOf: file, encoding: .utf8), from: file.path)
    change(&target)
    let setup = try TargetSetup(target, phones: phones, rateLimit: nil) {
      1_795_265_539_400_000
    }
    var scenario = Scenario.standard(phones: phones)
    scenario.warmStart = .zero
    adapt(&scenario)
    scenario.put(on: setup)
    let fleet = PhoneFleet(scenario, threads: 1)
    let paced = PacedClock(
      scenarioStart: scenario.start, wallStart: clock.now, speed: 1)
    let loop = EventLoop(name: "test", clock: clock)
    if case .monotonic = clock { loop.start() }
    let outcomes = outcomes
    sender = TargetSender(
      setup,
      SenderParts(
        scenario: scenario, codec: BatchCodec(scenario.encoding, dictionary: nil),
        phonesShare: 1, wall: { clock.now }, loop: loop, clock: paced, fleet: fleet,
        versions: SettingsVersions(scenario),
        recorder: LiveRecorder(
          clock: paced, measureStart: scenario.start,
          measureEnd: scenario.start + .hours(1), deadline: .seconds(10), epoch: 1),
        mailbox: FleetMailbox(fleet) { inputs in
          for case (let phone, .outcome(_, let result)) in inputs {
            outcomes.all.withLock { $0[phone.rawValue] = result }
          }
        }), via: nil)
    (self.setup, self.loop, self.scenario) = (setup, loop, scenario)
  }

  deinit {
    sender.abort()
    if case .monotonic = loop.clock { loop.stop() }
  }

  /// A batch of a phone, due after a while.
  func batch(of phone: Int, fixes: Int, after wait: WallDuration = .zero) -> TargetBatch {
    let start = scenario.start.microseconds / 10_000
    return TargetBatch(
      id: BatchID(phone: PhoneID(rawValue: UInt32(phone)), epoch: 1, sequence: 1), attempt: 1,
      cohort: 0, intended: loop.clock.now + wait, isLaunched: false,
      fixes: (0..<fixes).map {
        Fix(
          coordinate: Coordinate(
            latitudeE6: 52_520_000 + Int32($0) * 300, longitudeE6: 13_405_000),
          time: FixTime(centiseconds: start + Int64($0) * 6_000), accuracyMeters: 12,
          speedDecimetersPerSecond: 14, courseDegrees: 0)
      })
  }

  /// Waits until that many phones have their batches' results; fewer after 30 s.
  func results(of phones: Int) -> [UInt32: UploadResult] {
    for _ in 0..<15_000 {
      let all = outcomes.all.withLock { $0 }
      if all.count >= phones { return all }
      usleep(2_000)
    }
    return outcomes.all.withLock { $0 }
  }

  /// The results so far, by phone.
  var known: [UInt32: UploadResult] { outcomes.all.withLock { $0 } }

  /// The lines shown to a run's observer.
  var notes: [String] { sender.notes.withLock { $0 } }
}

/// A folder of a target's files, deleted with the test.
final class RigFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String, _ text: String) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }

  /// A target whose phones each upload to a separate path.
  static func target(_ path: String, deadline: String = "1s") -> String {
    """
    name: bad
    description: A test's.
    client: { name: Acme, version: "1", source: "made up" }
    protocol: http
    url: http://127.0.0.1:1
    identity: { path: { csv: paths.csv, column: path } }
    upload:
      path: "\(path)"
      fixes: 1
      message: { lat: $latitude, lon: $longitude, at: $time.s }
    answer:
      - { when: { status: 200, field: { /result: ok } }, is: stored }
    retry: { on: backoff, first: 60s, factor: 2, longest: 5min, deadline: \(deadline) }

    """
  }
}
