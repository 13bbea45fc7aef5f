import Capacity
import Core
import Fleet
import Foundation
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import Uploads
@testable import RunSupport

@Suite("The demand of a fleet in several processes", .quick)
struct DemandRunTests {
  private static let count = 3

  private static func demand(
    _ plan: RunPlan, lived: Int, over link: (any ShareLink)? = nil, _ shard: RunPart? = nil
  ) -> DemandRun.Outcome? {
    var plan = plan
    (plan.link, plan.shard) = (link, shard)
    return DemandRun(plan, lived: lived).run(progress: { _ in }, shouldStop: { false })
  }

  /// All figures of a demand: every second, and the totals.
  private static func expectEqual(_ found: DemandRun.Outcome, _ one: DemandRun.Outcome) throws {
    #expect(found.demand == one.demand && one.demand.curve.batches > 100)
    #expect(found.recorder.phones == one.recorder.phones)
    #expect(csv(found) == csv(one))
    #expect(try found.run.recordText() == one.run.recordText())
  }

  private static func csv(_ outcome: DemandRun.Outcome) -> String {
    var text = ""
    DemandText.write(
      outcome.recorder, .csv, factor: outcome.demand.scale, arrivals: outcome.recorder.series
    ) {
      text += $0
      return true
    }
    return text
  }

  @Test(
    "linked processes find the demand that one finds, scaled or not",
    arguments: [200, 80])
  func together(lived: Int) throws {
    let plan = RunPlan.twoHours()
    let one = try #require(Self.demand(plan, lived: lived))
    let ends = ThreadShares(Self.count).run { Self.demand(plan, lived: lived, over: $0) }
    try Self.expectEqual(try #require(ends[0]), one)
    #expect(ends[1] == nil && ends[2] == nil, "only the first has the batches of all")
  }

  @Test("the curve of reads has every round of the viewers, in one process or several")
  func reads() throws {
    let plan = RunPlan.twoHours {
      $0.viewers = ViewerSettings()
      $0.viewers?.share = 0.5
    }
    let one = try #require(Self.demand(plan, lived: 200))
    let scenario = plan.scenario
    let schedule = try #require(ViewSchedule(FleetContext(scenario), phones: 0..<200))
    var rounds = 0
    schedule.forEachRound(in: scenario.measureStart..<scenario.measureEnd) { rounds += $1 }
    let views = try #require(one.demand.views)
    #expect(rounds > 100 && views.total == Double(rounds) && !views.areMessages)
    let rows = Self.csv(one).split(separator: "\n").dropFirst()
    let column = rows.compactMap { $0.split(separator: ",").last.flatMap { Double($0) } }
    #expect(column.count == rows.count && column.reduce(0, +) == Double(rounds))
    let ends = ThreadShares(Self.count).run { Self.demand(plan, lived: 200, over: $0) }
    try Self.expectEqual(try #require(ends[0]), one)
    #expect(try #require(Self.demand(.twoHours(), lived: 200)).demand.views == nil)
  }

  private static func files(
    _ plan: RunPlan, lived: Int
  ) throws -> [(path: String, file: ShareFile)] {
    try (0..<count).map { number in
      let shard = RunPart(SharePlace(number: number, of: count))
      let outcome = try #require(demand(plan, lived: lived, over: nil, shard))
      #expect(outcome.demand.phones == shard.place.range(of: 200).count)
      #expect(outcome.demand.livedPhones == shard.place.range(of: lived).count)
      let file = ShareFile(.demand, outcome.run, of: plan, lived: lived, shard)
      return ("runs/\(number)", try JSONDecoder().decode(ShareFile.self, from: file.data()))
    }
  }

  @Test(
    "files of unlinked processes give the demand that one finds, scaled or not",
    arguments: [200, 80])
  func apart(lived: Int) throws {
    let plan = RunPlan.twoHours()
    let files = try Self.files(plan, lived: lived)
    let merged = try MergedRun(files.reversed()).demand(plan)
    try Self.expectEqual(merged, try #require(Self.demand(plan, lived: lived)))
  }

  @Test("demands of different numbers of phones are refused as one run")
  func otherLived() throws {
    let plan = RunPlan.twoHours { $0.duration = .minutes(20) }
    var files = try Self.files(plan, lived: 90)
    files[1].file.lived = 60
    #expect(throws: ShareMergeError.self) { try MergedRun(files) }
  }

  // MARK: The log

  private static func batch(_ at: Int64, phone: UInt32) -> MeteredBatch {
    MeteredBatch(
      at: at, phone: phone, policy: Int(phone % 3), fixes: Int(at % 500), bytes: Int(at % 9_000),
      opens: at - Int64(phone), closes: at + 3 * Int64(phone) - 100)
  }

  private static func log(_ batches: [MeteredBatch]) -> DemandLog {
    var log = DemandLog()
    for batch in batches { log.append(batch) }
    return log
  }

  @Test("batches of several parts are merged by instant, then by phone, unchanged")
  func order() throws {
    let day: Int64 = 86_400_000_000
    let all = [(0, 5), (0, 130), (7, 2), (7, 90), (7, 131), (day, 1), (day + 1, 0)]
      .map { Self.batch($0.0, phone: $0.1) }
    let parts = [0..<100, 100..<131, 131..<200].map { (phones: Range<UInt32>) in
      Self.log(all.filter { phones.contains($0.phone) })
    }
    var read: [MeteredBatch] = []
    try DemandLog.forEach(in: parts + [DemandLog()]) { read.append($0) }
    #expect(read == all)
  }

  @Test("a truncated log, or one with too large a count, is refused")
  func damaged() throws {
    let whole = try JSONEncoder().encode([Self.log([Self.batch(9_000, phone: 200_000)])])
    let text = try #require(try JSONDecoder().decode([Data].self, from: whole).first)
    for count in 1..<text.count {
      let cut = try JSONDecoder().decode(
        [DemandLog].self, from: JSONEncoder().encode([text.prefix(count)]))
      #expect(throws: DemandLogError.self) { try DemandLog.forEach(in: cut) { _ in } }
    }
    let endless = try JSONDecoder().decode(
      [DemandLog].self, from: JSONEncoder().encode([Data(repeating: 0xFF, count: 40)]))
    #expect(throws: DemandLogError.self) { try DemandLog.forEach(in: endless) { _ in } }
    var other = RunOutcome(record: .of(.twoHours()))
    var batch = Self.batch(1, phone: 2)
    batch.policy = 99
    other.batches = [Self.log([batch])]
    #expect(throws: DemandLogError.self) {
      try DemandRun(.twoHours(), lived: 200).outcome(of: other)
    }
  }
}
