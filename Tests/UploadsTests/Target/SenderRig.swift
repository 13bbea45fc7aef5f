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

/// What sends a fleet's batches to a target, without its fleet: a test hands the batches over.
final class SenderRig {
  let sender: TargetSender
  let loop: EventLoop
  let setup: TargetSetup
  private let outcomes = Results()
  private let scenario: Scenario

  /// How batches ended, as their phones learn it.
  private final class Results: Sendable {
    let all = Mutex<[UInt32: UploadResult]>([:])
  }

  /// - Parameters:
  ///   - file: of the target.
  ///   - clock: the machine's, or one that the test moves; then its loop is the test's own thread.
  init(
    _ file: URL, phones: Int, clock: TransportClock = .monotonic,
    _ change: (inout Target) -> Void = { _ in }
  ) throws {
    var target = try TargetReader.read(
      text: try String(contentsOf: file, encoding: .utf8), from: file.path)
    change(&target)
    let setup = try TargetSetup(target, phones: phones, rateLimit: nil) {
      1_795_265_539_400_000
    }
    var scenario = Scenario.standard(phones: phones)
    scenario.warmStart = .zero
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

  /// Waits until so many phones know how their batches ended; fewer after 30 s.
  func results(of phones: Int) -> [UInt32: UploadResult] {
    for _ in 0..<15_000 {
      let all = outcomes.all.withLock { $0 }
      if all.count >= phones { return all }
      usleep(2_000)
    }
    return outcomes.all.withLock { $0 }
  }

  /// The lines that a run's observer is shown.
  var notes: [String] { sender.notes.withLock { $0 } }
}

/// A server of http_servers.py, which does right or wrong by the path that it is asked for.
final class StrangeServer {
  let url: String
  private let child: Child
  private let folder: URL

  struct StartError: Error {}

  init() throws {
    let python = try #require(Oracle.python.path)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("LiveTests/Python/http_servers.py")
    let output = folder.appendingPathComponent("port")
    child = try Child(python, [script.path, "--stay"], output: output)
    for _ in 0..<10_000 {
      let said = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
      if said.hasSuffix("\n") {
        url = "http://127.0.0.1:\(said.dropLast())"
        return
      }
      usleep(2_000)
    }
    throw StartError()
  }

  deinit {
    child.end(SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Writes a file beside the server's own, until it ends.
  func file(_ name: String, _ text: String) throws -> URL {
    let file = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }
}
