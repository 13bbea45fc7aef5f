import Core
import Foundation
import Synchronization
import Testing
import Wire

@testable import Transport

/// A load generator whose completions a test can wait for, in a world or on sockets.
final class TestFleet: Sendable {
  let loop: EventLoop
  let dispatcher: UploadDispatcher
  private let box: Completions

  final class Completions: Sendable {
    let report = Mutex(UploadReport())
    let hasChanged = DispatchSemaphore(value: 0)
  }

  private init(on loop: EventLoop, _ settings: UploadSettings) throws {
    let box = Completions()
    self.box = box
    self.loop = loop
    dispatcher = try UploadDispatcher(loop: loop, settings: settings) { report in
      box.report.withLock {
        $0.completions += report.completions
        $0.attempts += report.attempts
      }
      box.hasChanged.signal()
    }
  }

  /// In a world, which keeps it.
  convenience init(
    in world: World, to endpoint: Endpoint, _ use: ConnectionUse = .perUpload,
    _ change: (inout UploadSettings) -> Void = { _ in }
  ) throws {
    var settings = UploadSettings(endpoint: endpoint, use: use, seed: 1)
    change(&settings)
    try self.init(on: world.loop, settings)
    world.keep(self)
  }

  /// On sockets, with its own running loop.
  convenience init(
    socketTo endpoint: Endpoint, _ use: ConnectionUse = .perUpload,
    _ change: (inout UploadSettings) -> Void = { _ in }
  ) throws {
    var settings = UploadSettings(endpoint: endpoint, use: use, seed: 1)
    change(&settings)
    try self.init(on: EventLoop(name: "test fleet"), settings)
    loop.start()
  }

  var report: UploadReport { box.report.withLock { $0 } }

  /// Runs the world until that many jobs have ended.
  func wait(for count: Int, in world: World) -> UploadReport {
    let ended = { [box] in box.report.withLock { $0.completions.count } }
    let isDone = world.run { ended() >= count }
    if !isDone { Issue.record("only \(ended()) of \(count) jobs ended") }
    return report
  }

  /// Waits until that many jobs have ended on sockets; the suite's time limit applies.
  func wait(for count: Int) -> UploadReport {
    while box.report.withLock({ $0.completions.count }) < count { box.hasChanged.wait() }
    return report
  }

  static func jobs(
    _ count: Int, from now: WallInstant, over spread: WallDuration = .zero,
    deadline: WallDuration = .seconds(60),
    phones: Int = .max, registering: Bool = false
  ) throws -> [UploadJob] {
    let codec = MessageCodec(capacity: 1 << 16)
    let encoder = BatchEncoder()
    let start = now + .milliseconds(5)
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

  /// The loop of a fleet on sockets.
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
