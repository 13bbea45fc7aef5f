import Core
import Scenarios
import TestSupport
import Testing

@testable import Wire

@Suite("Messages", .quick)
struct MessageTests {
  let codec = MessageCodec(capacity: 1 << 20)

  private func same<Message: WireMessage & Equatable>(_ message: Message) throws {
    #expect(try codec.decode(Message.self, from: codec.encode(message)) == message)
  }

  @Test("a request to open a run keeps every field")
  func openRun() throws {
    try same(
      OpenRunRequest(
        runID: "city-1", hashKey: .max, seed: 42,
        clock: RunClock(
          scenarioStart: SimInstant(microseconds: 1), measureStart: SimInstant(microseconds: 2),
          measureEnd: SimInstant(microseconds: 3), speed: 60, startsIn: .seconds(2)),
        phones: 5_000,
        push: PushSettings.standard.terms,
        cohorts: [
          CohortTerms(
            name: "cyclists",
            settings: TrackerSettings(
              version: 3, gpsDuration: .seconds(10), minInterval: .minutes(1),
              sendInterval: .minutes(5), regionRadius: .meters(100), maxFixes: 200),
            system: "Android")
        ]))
    try same(OpenRunReply(wall: WallInstant(microseconds: 5), state: .open, resumed: true))
  }

  @Test("phones register, upload and are answered")
  func phones() throws {
    try same(
      RegisterRequest(
        phone: PhoneID(rawValue: .max), epoch: 1, authorization: .always, tokenValid: true,
        cohort: 2, installed: true, settingsVersion: 9, at: SimInstant(microseconds: -1)))
    try same(RegisterReply(settings: TrackerSettings(version: 1)))
    try same(UploadReply(sequence: 5, duplicate: true, fixes: 20, check: 0xDEAD_BEEF))
    try same(
      UploadReply(
        sequence: 5, duplicate: false, fixes: 20,
        settings: TrackerSettings(version: 7, sendInterval: .seconds(60)), check: 7))
  }

  @Test("pushes and their results read back")
  func pushes() throws {
    try same(PushesRequest(runID: "r"))
    try same(
      PushSweep(
        sweptAt: SimInstant(microseconds: 60_000_000),
        requests: [
          SilentPush(
            id: .max, phone: PhoneID(rawValue: 3), requestedAt: SimInstant(microseconds: 1),
            expiration: SimInstant(microseconds: 2))
        ], isLast: true, withheld: [7, .max],
        answered: [
          .init(id: .max, after: .seconds(90)), .init(id: 7, after: .microseconds(1)),
        ],
        asked: [
          SilentPush(
            onRequest: PhoneID(rawValue: 5), at: SimInstant(microseconds: 3), within: .seconds(30))
        ]))
    try same(PushResultRequest(outcomes: [.init(id: 1, status: 410), .init(id: 2, status: 200)]))
    try same(PushResultReply(known: 1))
  }

  @Test("a request for one position and each of its ends read back")
  func asks() throws {
    let phone = PhoneID(rawValue: 17)
    try same(AskRequest(phone: phone, deadline: .seconds(30)))
    try same(AskRequest(phone: phone, deadline: .hours(1), accuracyLimit: .meters(65)))
    for outcome in AskOutcome.allCases {
      var reply = AskReply(outcome, askedAt: SimInstant(microseconds: 7))
      try same(reply)
      reply.pushID = SilentPush.onRequest(phone, second: 1_772_409_600)
      reply.pushStatus = 410
      reply.position = AskReply.Position(
        time: FixTime(centiseconds: -9), coordinate: Coordinate(latitudeE6: -5, longitudeE6: 6))
      reply.endedAfter = .seconds(30)
      try same(reply)
      reply.position?.accuracyMeters = .max
      reply.providerAfter = .milliseconds(80)
      reply.arrivedAfter = .seconds(12)
      try same(reply)
    }
  }

  @Test("the id of a push on request names its phone, and is that of no sweep before 2038")
  func idsOnRequest() {
    let phone = PhoneID(rawValue: .max - 1)
    let lastSweep = UInt64(Int32.max) << 32 | UInt64(UInt32.max)
    for second: Int64 in [0, 1_772_409_600, .max] {
      let id = SilentPush.onRequest(phone, second: second)
      #expect(SilentPush.isOnRequest(id) && UInt32(truncatingIfNeeded: id) == phone.rawValue)
    }
    #expect(!SilentPush.isOnRequest(lastSweep))
    #expect(SilentPush.onRequest(phone, second: 1) != SilentPush.onRequest(phone, second: 2))
  }

  @Test("a snapshot keeps its ledgers, its histogram and its figures")
  func snapshot() throws {
    var reply = SnapshotReply()
    reply.batches = LedgerSide(
      received: 10, distinct: 7, duplicate: 2, rejected: [NamedCount("malformed", 1)])
    reply.hashSum = .max
    reply.runID = "city-1f2e"
    reply.ingestLatency = SparseHistogram(
      indices: [3, 900, 23_220], counts: [1, 2, 3], min: 3, max: 3_600_000_000, sum: 77)
    reply.freshness = [.init(population: "installed", figures: [NamedFigure("never", 0.5)])]
    reply.counters = [NamedCount("connections", 4)]
    reply.rssBytes = 1 << 40
    try same(reply)
    // Field 9, which a collector never fills: a cause of four bytes, 12.5 minutes.
    let cause: [UInt8] = [0x0A, 4] + Array("idle".utf8) + [0x11, 0, 0, 0, 0, 0, 0, 0x29, 0x40]
    let foreign = try codec.encode(reply) + [0x4A, UInt8(cause.count)] + cause
    #expect(try codec.decode(SnapshotReply.self, from: foreign) == reply)
    try same(SnapshotRequest(histogram: true))
    try same(SnapshotRequest(histogram: true, recent: true))
  }

  @Test("rows of a warm start are sent as columns")
  func restore() throws {
    var rows: [LastSeenRow] = []
    for index in 0..<500 as Range<UInt32> {
      let newest = FixTime(centiseconds: Int64(index) * 100)
      rows.append(
        LastSeenRow(
          phone: PhoneID(rawValue: index), epoch: 1, sequence: index,
          newest: index % 3 == 0 ? nil : newest,
          coordinate: Coordinate(latitudeE6: -5, longitudeE6: 6), authorization: .whenInUse,
          tokenValid: index % 2 == 0,
          lastPush: index % 5 == 0 ? SimInstant(microseconds: 9) : nil, cohort: 1,
          installed: true))
    }
    try same(RestoreRequest(rows: rows))
    try same(RestoreReply(rows: 500))
  }

  @Test("batches beyond a gap are named")
  func holdings() throws {
    try same(HoldingsRequest(phone: PhoneID(rawValue: 4), epoch: 2, limit: 10))
    try same(
      HoldingsReply(
        rows: [
          .init(phone: PhoneID(rawValue: 4), epoch: 2, first: 1, contiguous: 8, extra: [10, 12]),
          .init(phone: PhoneID(rawValue: 5), epoch: 1, first: 3, contiguous: 3),
        ], more: true))
    try same(HoldingsRequest(phone: PhoneID(rawValue: 4), epoch: 2, limit: 10, stored: true))
    try same(
      HoldingsReply(
        rows: [.init(phone: PhoneID(rawValue: 4), epoch: 2, first: 1, contiguous: 8)], more: true,
        store: StoreReading(
          isUnderWay: true, read: 8, committed: 9, fixes: 70, hashSum: .max, dropped: 3,
          faults: ["row 9 is missing", "é"], faultCount: 21)))
    try same(HealthRequest())
    try same(HealthReply(serving: true, detail: "ok"))
  }

  @Test("a message too large for the arena is refused before it is built")
  func arenaIsACap() throws {
    let small = MessageCodec(capacity: 4_096)
    let rows = PushResultRequest(outcomes: (0..<1_000).map { .init(id: $0, status: 200) })
    #expect(throws: WireError.self) { try small.encode(rows) }
    let bytes = try codec.encode(rows)
    #expect(throws: WireError.malformedMessage("PushResultRequest")) {
      try small.decode(PushResultRequest.self, from: bytes)
    }
  }
}
