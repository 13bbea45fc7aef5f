import Core
import Foundation
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

@Suite("Restart on the same store", .quick)
struct RestartTests {
  let folder = TemporaryFolder()

  @Test("after an unclean end the collector continues where it was, with or without its client")
  func uncleanEnd() throws {
    let first = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    try first.open()
    try first.register(4)
    var ids: [BatchID] = []
    for phone in 0..<5 as Range<UInt32> {
      for sequence in 1...6 as ClosedRange<UInt32> where sequence != 4 {
        ids.append(LiveCollector.id(phone, sequence))
        try first.upload(LiveCollector.id(phone, sequence))
      }
    }
    let before = try first.snapshot()
    try folder.copy("run.db", to: "copy.db")
    try folder.copy("run.db-wal", to: "copy.db-wal")
    first.stop()

    let second = try LiveCollector(store: .sqlite(path: folder.path("copy.db")))
    // No client has opened the run again yet.
    #expect(try second.upload(ids[7]).duplicate)
    let after = try second.snapshot()
    #expect(after.state == .open)
    #expect(after.batches.distinct == before.batches.distinct)
    #expect(after.fixes.distinct == before.fixes.distinct)
    #expect(after.hashSum == before.hashSum)
    #expect(abs((after.scenario - before.scenario).seconds) < 30)
    let opened = try second.open()
    #expect(opened.resumed)
    #expect(try second.upload(LiveCollector.id(2, 4)).duplicate == false)
    #expect(try second.snapshot().batches.distinct == UInt64(ids.count + 1))
    let held = try second.call(
      .holdings, HoldingsRequest(phone: PhoneID(rawValue: 1), epoch: 0, limit: 2),
      as: HoldingsReply.self)
    #expect(held.more)
    #expect(
      held.rows.map(\.phone.rawValue) == [1, 2] && held.rows[0].contiguous == 3
        && held.rows[0].extra == [5, 6])
    second.stop()
  }

  @Test("a batch sent in every encoding counts once, in the ledger and after a restart")
  func encodings() throws {
    let path = folder.path("run.db")
    let fixes = (0..<60).map { index in
      Fix(
        coordinate: Coordinate(latitudeE6: 52_000_000 + 7 * index, longitudeE6: 13_000_000),
        time: FixTime(LiveCollector.start + .seconds(Int64(index))), accuracyMeters: 10,
        speedDecimetersPerSecond: index % 5 == 0 ? -1 : 14, courseDegrees: Int16(index))
    }
    let codecs = BatchEncoding.allCases.map { BatchCodec($0) }
    let first = try LiveCollector(store: .sqlite(path: path))
    #expect(try first.open().encodings == Encoding.allCases)
    func send(_ phone: Int, _ codec: BatchCodec, to collector: LiveCollector) throws -> Bool {
      let message = try LiveCollector.request(LiveCollector.id(UInt32(phone), 1), fixes, codec)
      let reply = try collector.client.callBlocking(.upload, message, deadline: .seconds(60))
      return try MessageCodec().decode(UploadReply.self, from: reply).duplicate
    }
    // Each phone writes its batch in its own encoding first, and then in all others.
    for (phone, codec) in codecs.enumerated() {
      #expect(try send(phone, codec, to: first) == false)
      for other in codecs { #expect(try send(phone, other, to: first)) }
    }
    let hashes = codecs.indices.map { phone in
      var hash = BatchHash(key: LiveCollector.hashKey, LiveCollector.id(UInt32(phone), 1))
      for fix in fixes { hash.combine(fix) }
      return hash.value
    }
    let count = UInt64(codecs.count)
    func looksRight(_ collector: LiveCollector) throws {
      let snapshot = try collector.snapshot()
      #expect(snapshot.batches.distinct == count && snapshot.fixes.distinct == count * 60)
      #expect(snapshot.hashSum == hashes.reduce(0, &+))
    }
    try looksRight(first)
    #expect(try first.snapshot().batches.duplicate == count * count)
    first.stop()
    let second = try LiveCollector(store: .sqlite(path: path))
    try looksRight(second)
    second.stop()
  }

  @Test("a store without its dictionary is refused for that reason, and not reported as damaged")
  func dictionary() throws {
    var plain = PlainPayloads()
    for sequence in 1...200 as ClosedRange<UInt32> {
      let id = LiveCollector.id(1, sequence)
      try plain.add(id, LiveCollector.fixes(of: id))
    }
    let dictionary = try PayloadDictionary.train(
      plain.bytes, sizes: plain.sizes, byteCount: 1_024, level: BatchCodec.dictionaryLevel)
    let path = folder.path("run.db")
    let first = try LiveCollector(store: .sqlite(path: path)) { $0.dictionary = dictionary }
    #expect(try first.open().dictionary == dictionary.id)
    try first.register(2)
    let fixes = (0..<40).flatMap { LiveCollector.fixes(of: LiveCollector.id(1, $0 + 1)) }
      .sorted { $0.time < $1.time }
    let message = try LiveCollector.request(
      LiveCollector.id(1, 1), fixes, .columns(with: dictionary))
    _ = try first.client.callBlocking(.upload, message, deadline: .seconds(60))
    first.stop()

    let missing = WireError.unknownDictionary(id: dictionary.id, known: 0)
    #expect(
      throws: CollectorError.store(.otherDictionary(path: path, detail: missing.description))
    ) {
      _ = try CollectorServer(CollectorConfiguration(store: .sqlite(path: path)))
    }
    let again = try LiveCollector(store: .sqlite(path: path)) { $0.dictionary = dictionary }
    #expect(try again.snapshot().batches.distinct == 1)
    again.stop()
  }

  @Test("a second collector on the same store is refused while the first runs")
  func secondOpener() throws {
    let first = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    #expect(throws: CollectorError.store(.inUse(path: folder.path("run.db")))) {
      _ = try CollectorServer(
        CollectorConfiguration(store: .sqlite(path: folder.path("run.db"))))
    }
    first.stop()
  }

  @Test("one store holds one run")
  func otherRun() throws {
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    try collector.open(run: "monday")
    let refusal = collector.failure { try collector.open(run: "tuesday") }
    #expect(refusal?.code == .failedPrecondition)
    #expect(refusal?.text.contains("monday") == true)
    #expect(try collector.open(run: "monday").resumed)
    collector.stop()
  }

  @Test("off loopback a token is required, and a used port is one clear error")
  func listening() throws {
    var open = CollectorConfiguration(store: .none)
    open.host = "0.0.0.0"
    #expect(throws: CollectorError.tokenNeeded(host: "0.0.0.0")) {
      _ = try CollectorServer(open)
    }
    let first = try LiveCollector(store: .none)
    var same = CollectorConfiguration(store: .none)
    same.port = first.port
    let second = try CollectorServer(same)
    #expect(
      throws: CollectorError.transport(.addressInUse(host: "127.0.0.1", port: first.port))
    ) {
      try second.run { _ in }
    }
    first.stop()
  }
}

@Suite("Sweeps and pushes over the wire", .quick)
struct PushStreamTests {
  let folder = TemporaryFolder()

  @Test("a silent phone is pushed at the sweep after silentAfter, and its answer has an outcome")
  func answered() throws {
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    // Ten minutes of silence are a second; the half hour to answer is three.
    try collector.open(speed: 600) {
      $0.push.silentAfter = .minutes(10)
      $0.push.within = .minutes(30)
    }
    let inbox = try collector.subscribe()
    try collector.register(3)
    try inbox.wait { !$0.allSatisfy { $0.requests.isEmpty } }
    let sweep = try #require(inbox.sweeps.first { !$0.requests.isEmpty })
    let push = sweep.requests[0]
    #expect(push.phone.rawValue == 3)
    #expect(push.requestedAt == sweep.sweptAt)
    #expect(sweep.sweptAt.microseconds % SimDuration.minutes(1).microseconds == 0)
    #expect(sweep.sweptAt - LiveCollector.start >= .minutes(10))

    let fix = Fix(
      coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0),
      time: FixTime(push.requestedAt + .seconds(1)), accuracyMeters: 10,
      speedDecimetersPerSecond: -1, courseDegrees: -1)
    try collector.upload(LiveCollector.id(3, 1), [fix])
    let snapshot = try collector.snapshot()
    #expect(snapshot.pushes.first { $0.name == "answered" }?.value == 1)
    // On one connection the stream's message arrives before the snapshot's answer.
    let answers = inbox.sweeps.flatMap(\.answered)
    #expect(answers.map(\.id) == [push.id])
    #expect(answers.allSatisfy { $0.after > .zero && $0.after <= .minutes(30) })
    let results = try collector.call(
      .pushResult, PushResultRequest(outcomes: [.init(id: push.id, status: 410)]),
      as: PushResultReply.self)
    #expect(results.known == 1)
    #expect(try collector.snapshot().pushes.first { $0.name == "refused" }?.value == 1)
    #expect(collector.stop())
    #expect(inbox.ending?.code == .unavailable)
  }

  @Test("without a subscriber no push is requested, and none after the measured time")
  func noSubscriber() throws {
    // A run is open once its store has it; sweeps until then have no subscriber. Without a store
    // there are none.
    let collector = try LiveCollector(store: .none)
    // Two hours are a second.
    try collector.open(speed: 7_200) { $0.clock.measureEnd = LiveCollector.start + .hours(2) }
    try collector.register(3)
    // Past the end, including the sweep at the end.
    var snapshot = try collector.snapshot()
    while snapshot.scenario < LiveCollector.start + .hours(2) + .minutes(10) {
      usleep(10_000)
      snapshot = try collector.snapshot()
    }
    #expect(snapshot.pushes.first { $0.name == "requested" }?.value == 0)
    let skipped = snapshot.counters.first { $0.name == "sweepsWithoutSubscriber" }?.value
    // The sweeps at 0 and at 120 min are outside the measured time.
    #expect(skipped == 119)
    let installed = try #require(snapshot.freshness.first { $0.population == "installed" })
    // 100 phones, two hours, none of which ever reported.
    #expect(installed.figures.first { $0.name == "phoneSeconds" }?.value == 720_000.0)
    #expect(installed.figures.first { $0.name == "never" }?.value == 1.0)
    collector.stop()
  }

  @Test("rows of a warm start survive a restart, with the same due times")
  func restore() throws {
    let first = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    try first.open()
    let rows = (0..<3 as Range<UInt32>).map { phone in
      LastSeenRow(
        phone: PhoneID(rawValue: phone), epoch: 1, sequence: 7,
        newest: FixTime(LiveCollector.start - .minutes(Int64(phone))),
        coordinate: Coordinate(latitudeE6: 1, longitudeE6: 2), authorization: .always,
        tokenValid: true, lastPush: nil, cohort: 0, installed: true)
    }
    let reply = try first.call(.restore, RestoreRequest(rows: rows), as: RestoreReply.self)
    #expect(reply.rows == 3)
    #expect(try first.upload(LiveCollector.id(1, 7)).duplicate)
    #expect(try first.upload(LiveCollector.id(1, 8)).duplicate == false)
    first.stop()
    let second = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    #expect(try second.upload(LiveCollector.id(2, 7)).duplicate)
    #expect(try second.upload(LiveCollector.id(1, 8)).duplicate)
    #expect(try second.upload(LiveCollector.id(2, 8)).duplicate == false)
    // The client sends its rows again when it reconnects: this loses nothing.
    let again = try second.call(.restore, RestoreRequest(rows: rows), as: RestoreReply.self)
    #expect(again.rows == 3)
    #expect(try second.upload(LiveCollector.id(1, 8)).duplicate)
    #expect(try second.upload(LiveCollector.id(2, 8)).duplicate)
    let inbox = try second.subscribe()
    // An hour later: phone 0 has been silent since the start.
    try second.open { $0.clock.scenarioStart = LiveCollector.start + .minutes(59) }
    // A minute is a second: a sweep that starts late on a busy machine still comes before the next.
    try second.open(speed: 60) {
      $0.clock.scenarioStart = LiveCollector.start + .minutes(59)
    }
    try inbox.wait { !$0.allSatisfy { $0.requests.isEmpty } }
    #expect(inbox.sweeps.first { !$0.requests.isEmpty }?.requests.map(\.phone.rawValue) == [0])
    second.stop()
  }
}
