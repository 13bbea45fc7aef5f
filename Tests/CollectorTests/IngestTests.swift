import Core
import Foundation
import Synchronization
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

@Suite("Ingest over real sockets", .quick)
struct IngestTests {
  let folder = TemporaryFolder()
  var store: StoreAddress { .sqlite(path: folder.path("run.db")) }

  @Test("every batch is stored once, however often it is sent", arguments: [true, false])
  func exactlyOnce(durable: Bool) throws {
    let collector = try LiveCollector(store: durable ? store : .none)
    try collector.open()
    var chance = Draw(seed: 5, phone: 0, Purpose(rawValue: 999))
    var sent: Set<BatchID> = []
    var fixes = 0
    for _ in 0..<300 {
      let id = LiveCollector.id(
        UInt32.random(in: 0..<10, using: &chance), UInt32.random(in: 1...12, using: &chance))
      let reply = try collector.upload(id)
      #expect(reply.duplicate == !sent.insert(id).inserted)
      #expect(reply.sequence == id.sequence)
      fixes += Int(reply.fixes)
    }
    let snapshot = try collector.snapshot()
    #expect(snapshot.batches.received == 300)
    #expect(snapshot.batches.distinct == UInt64(sent.count))
    #expect(snapshot.batches.duplicate == UInt64(300 - sent.count))
    #expect(snapshot.fixes.received == UInt64(fixes))
    #expect(snapshot.hashSum == sent.map(LiveCollector.hash).reduce(0, &+))
    #expect(snapshot.ingestLatency?.counts.reduce(0, +) == 300)
    #expect(collector.stop())
    guard durable else { return }
    let found = try OpenStore.contents(of: folder.path("run.db"))
    #expect(found.count == sent.count)
    #expect(Set(found.map(\.batch.id)) == sent)
  }

  @Test("an acknowledged batch is already on disk")
  func ackAfterCommit() throws {
    let collector = try LiveCollector(store: store)
    try collector.open()
    for sequence in 1...5 as ClosedRange<UInt32> {
      let id = LiveCollector.id(3, sequence)
      try collector.upload(id)
      try folder.copy("run.db", to: "\(sequence).db")
      try folder.copy("run.db-wal", to: "\(sequence).db-wal")
      let found = try OpenStore.contents(of: folder.path("\(sequence).db"))
      #expect(found.last?.batch.id == id)
    }
    collector.stop()
  }

  @Test("a resend of a batch in the commit queue waits for that commit")
  func resendInQueue() throws {
    let collector = try LiveCollector(store: store)
    try collector.open()
    let replies = Mutex<[UploadReply]>([])
    let group = DispatchGroup()
    let copies = 20
    let request = try LiveCollector.request(LiveCollector.id(1, 1))
    try withExtendedLifetime(replies) {
      for _ in 0..<copies {
        group.enter()
        collector.client.call(.upload, request, deadline: .seconds(60)) { result in
          if case .success(let bytes) = result,
            let reply = try? MessageCodec().decode(UploadReply.self, from: bytes)
          {
            replies.withLock { $0.append(reply) }
          }
          group.leave()
        }
      }
      try #require(group.wait(timeout: .now() + 60) == .success)
    }
    #expect(replies.withLock { $0.count } == copies)
    #expect(replies.withLock { $0.count { !$0.duplicate } } == 1)
    let batches = try collector.snapshot().batches
    #expect(batches.received == UInt64(copies) && batches.distinct == 1)
    collector.stop()
    #expect(try OpenStore.contents(of: folder.path("run.db")).count == 1)
  }

  @Test("a run's id has no control characters: logs, pages and terminals show it")
  func runID() throws {
    let collector = try LiveCollector(store: store)
    let refusal = collector.failure { _ = try collector.open(run: "run\u{1B}[2J") }
    #expect(refusal?.code == .invalidArgument)
    #expect(refusal?.text.contains("run_id has a control character") == true)
    collector.stop()
  }

  @Test("bad fixes are refused and counted by reason")
  func rejections() throws {
    let collector = try LiveCollector(store: store)
    try collector.open()
    var wrong = LiveCollector.fixes(of: LiveCollector.id(1, 1))
    wrong[0].coordinate.latitudeE6 = 91_000_000
    let refusal = collector.failure { try collector.upload(LiveCollector.id(1, 1), wrong) }
    #expect(refusal?.code == .invalidArgument)
    #expect(refusal?.text == "coordinateOutOfRange: fix 0 has 91000000")
    let unknownPhone = collector.failure { try collector.upload(LiveCollector.id(100, 1)) }
    #expect(unknownPhone?.text == "unknownPhone")
    let noise = collector.failure {
      _ = try collector.client.callBlocking(
        .upload, [UInt8](repeating: 0xFF, count: 40), deadline: .seconds(60))
    }
    #expect(noise != nil)
    #expect(try collector.upload(LiveCollector.id(1, 2)).duplicate == false)
    let snapshot = try collector.snapshot()
    let reasons = Dictionary(
      uniqueKeysWithValues: snapshot.batches.rejected.map { ($0.name, $0.value) })
    #expect(reasons == ["coordinateOutOfRange": 1, "unknownPhone": 1, "malformed": 1])
    #expect(snapshot.batches.received == 4)
    collector.stop()
  }

  @Test("a full disk prevents the ack and loses no batch: the phone may send it again")
  func fullDisk() throws {
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db"), pagesMax: 12))
    try collector.open()
    var refused: CallStatus?
    var acknowledged = 0
    // Unordered positions, which take much of a page.
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 9_100))
    let fixes = (0..<400 as Range<Int64>).map { second in
      Fix(
        coordinate: Coordinate(
          latitudeE6: Int32(draw.uniform() * 5e7), longitudeE6: Int32(draw.uniform() * 5e7)),
        time: FixTime(LiveCollector.start + .seconds(second)), accuracyMeters: 10,
        speedDecimetersPerSecond: -1, courseDegrees: -1)
    }
    for sequence in 1...2_000 as ClosedRange<UInt32> {
      refused = collector.failure { try collector.upload(LiveCollector.id(1, sequence), fixes) }
      if refused != nil { break }
      acknowledged += 1
    }
    #expect(acknowledged > 0)
    #expect(refused?.code == .unavailable)
    #expect(refused?.text.contains("the disk is full") == true)
    #expect(refused?.pushbackMilliseconds == 1_000)
    let health = try collector.call(.health, HealthRequest(), as: HealthReply.self)
    #expect(health.serving == false)
    #expect(try collector.snapshot().batches.distinct == UInt64(acknowledged))
    collector.stop()
    #expect(try OpenStore.contents(of: folder.path("run.db")).count == acknowledged)
  }

  @Test("before a run is open, phones are told to retry later")
  func noRun() throws {
    let collector = try LiveCollector(store: store)
    #expect(
      collector.failure { try collector.upload(LiveCollector.id(1, 1)) }?.code == .unavailable)
    #expect(collector.failure { try collector.register(1) }?.code == .unavailable)
    collector.stop()
  }

  @Test("a phone that registers receives the tracker settings of its cohort")
  func register() throws {
    let collector = try LiveCollector(store: store)
    try collector.open()
    #expect(try collector.register(7).version == 3)
    #expect(try collector.register(7).regionRadius == .meters(100))
    #expect(collector.failure { try collector.register(7, cohort: 1) }?.code == .invalidArgument)
    #expect(collector.failure { try collector.register(100) }?.code == .invalidArgument)
    collector.stop()
  }
}
