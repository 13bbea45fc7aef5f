import Collector
import Core
import Dispatch
import Figures
import Foundation
import Scenarios
import Synchronization
import TestSupport
import Testing
import Transport
import Wire
@testable import Run

/// Runs a collector on a separate thread; it was given one phone, one valid batch and one that it
/// rejects.
private final class FilledCollector: Sendable {
  static let start = SimInstant(microseconds: 1_772_409_600_000_000)
  let server: CollectorServer
  let endpoint: Endpoint
  private let ended = DispatchSemaphore(value: 0)

  init(_ store: String) throws {
    let server = try CollectorServer(CollectorConfiguration(store: .sqlite(path: store)))
    self.server = server
    let (listening, ended, box) = (DispatchSemaphore(value: 0), self.ended, PortBox())
    Thread.detachNewThread {
      try? server.run { port in
        box.port.withLock { $0 = port }
        listening.signal()
      }
      ended.signal()
    }
    try #require(listening.wait(timeout: .now() + 30) == .success)
    endpoint = Endpoint(host: "127.0.0.1", port: box.port.withLock { $0 })
  }

  private final class PortBox: Sendable {
    let port = Mutex<UInt16>(0)
  }

  func fill() throws {
    let loop = EventLoop(name: "client")
    loop.start()
    let client = RPCClient(loop: loop, to: endpoint)
    defer {
      client.close()
      loop.stopAndWait()
    }
    let limit = WallDuration.seconds(30)
    let link = CollectorLink(
      loop: loop, endpoint: endpoint, carrier: .flotilla, token: nil, runID: "picture")
    defer { link.close() }
    try link.open(Self.scenario, hashKey: 99, startsIn: .zero)
    _ = try client.callBlocking(
      .register,
      RegisterRequest(
        phone: PhoneID(rawValue: 3), epoch: 1, authorization: .always, tokenValid: true,
        cohort: 0, installed: true, settingsVersion: 0, at: Self.start),
      deadline: limit, as: RegisterReply.self)
    _ = try client.callBlocking(.upload, Self.upload(phone: 3), deadline: limit)
    #expect(throws: RPCClient.CallError.self) {
      try client.callBlocking(.upload, Self.upload(phone: 1_000), deadline: limit)
    }
  }

  private static func upload(phone: UInt32) throws -> [UInt8] {
    let fix = Fix(
      coordinate: Coordinate(latitudeE6: 52_000_000, longitudeE6: 13_000_000),
      time: FixTime(start), accuracyMeters: 10, speedDecimetersPerSecond: -1, courseDegrees: -1)
    return try BatchEncoder().encode(
      BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 1), [fix])
  }

  private static var scenario: Scenario {
    var scenario = Scenario.standard(phones: 100)
    scenario.start = start
    scenario.speed = 60
    scenario.phases.ramp = .zero
    return scenario
  }

  func stop() {
    server.stop()
    #expect(ended.wait(timeout: .now() + 30) == .success)
  }
}

@Suite("Snapshot of a running collector", .quick)
struct CollectorPictureTests {
  private final class Inbox: Sendable {
    let account = Mutex<CollectorAccount?>(nil)
    let hasCome = DispatchSemaphore(value: 0)
  }

  /// As seen in the collector's process.
  private func local(_ collector: FilledCollector) throws -> CollectorAccount {
    let inbox = Inbox()
    collector.server.look { reply, problem in
      inbox.account.withLock { $0 = CollectorAccount(reply, problem: problem) }
      inbox.hasCome.signal()
    }
    try #require(inbox.hasCome.wait(timeout: .now() + 30) == .success)
    return try #require(inbox.account.withLock { $0 })
  }

  @Test("is the same from within and over the wire, and shows what the collector counted")
  func bothWays() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let collector = try FilledCollector(folder.appending(path: "run.db").path)
    defer { collector.stop() }
    try collector.fill()
    let remote = RemoteCollector(collector.endpoint, token: nil)
    defer { remote.close() }
    let there = try remote.look()
    let account = try local(collector)
    let here = account.snapshot(since: nil, first: account, detail: there.detail)
    for picture in [there, here] {
      #expect(picture.name == "picture" && picture.outlook.standing == .serving)
      let batches = try #require(picture.batches)
      #expect(batches.received == 2 && batches.distinct == 1 && batches.rejected == 1)
      #expect(batches.fixes == 1 && batches.commits >= 2)
      #expect(picture.rates?.inFlight == 0)
      #expect(picture.errors == ["\(StatusCode.invalidArgument)": 1])
      let wire = try #require(picture.wire)
      #expect(wire.connections >= 1 && wire.connects == 3)
      #expect(wire.bytesUp > 100 && wire.bytesDown > 100 && (wire.bytesPerFix ?? 0) > 100)
      #expect(picture.latency != nil)
      let freshness = try #require(picture.freshness)
      #expect(freshness.withinSeconds == 1_800)
      for population in [freshness.installed, freshness.reachable] {
        #expect(population.share != nil && population.never != nil)
      }
      #expect(picture.pushes == there.pushes)
      #expect(picture.processes.map(\.name) == ["collector"])
      #expect((picture.processes.first?.residentBytes ?? 0) > 1_000_000)
    }
    #expect(here.batches == there.batches && here.progress.phase == there.progress.phase)
  }
}
