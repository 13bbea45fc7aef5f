import Capacity
import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Record of a plan", .quick)
struct PlanRecordTests {
  /// The keys of a plan's blocks as first published in `run.json`: a contract, to which keys may be
  /// added.
  static let keys = [
    (
      "demand",
      """
      batchesPerPhoneDay batchesPerPolicy bytesPerBatch curve dispersion fixesPerBatch \
      isScaledTooFar livedPhones minutes peakBytesPerSecond peakConnections peakPushesPerMinute \
      peakSecond phones policies pushes scale scalingBias seconds sustained
      """
    ),
    (
      "capacity",
      """
      connections cpuSecondsPerBatch demonstrated derived firstBreak fixesPerBatch \
      generatorCeiling goal isFarApart isGeneratorStrong isPinned latencyLimitMicroseconds law \
      lawNote lowerBound perCore residentBytes safeUtilisation searches source store \
      storedBytesPerBatch trials unit upperBound verified
      """
    ),
    (
      "size",
      """
      alternatives assumptions caveat cores costInterval costPerMonth currency \
      daysUntilExhausted delay growthPerMonth headroom inputs instance instances interval \
      limiting memoryBytes needed needs networkInBitsPerSecond networkOutBitsPerSecond perCore \
      phones phonesPerCore plannedShare pushQuotaShare pushesPerMinute rate replication \
      retentionDays sampling sensitivity spare storageBytesPerDay storedBytes storm swings \
      trafficInBytesPerDay trafficOutBytesPerDay withOneSpare withTwoSpares withZoneLoss zones
      """
    ),
  ]

  @Test("keys of run.json are never renamed", arguments: keys)
  func contract(_ block: String, _ keys: String) throws {
    let object = try JSONSerialization.jsonObject(with: PlanFixture.record().json())
    let found = try #require((object as? [String: Any])?[block] as? [String: Any])
    let missing = Set(keys.split(separator: " ").map(String.init)).subtracting(found.keys)
    #expect(missing.isEmpty, "\(block) has no \(missing.sorted())")
  }

  @Test("a plan's record reads back as written, with its three parts")
  func roundTrip() throws {
    let record = PlanFixture.record()
    let read = try RunRecord(json: record.json())
    #expect(read == record)
    let plan = try #require(read.plan)
    #expect(plan.demand.phones == 300 && plan.size?.phones == 300)
    #expect(plan.capacity?.perCore.value == 1_050)
    #expect(try read.json() == record.json())
  }

  @Test("a demand alone has no capacity, and a run is not a plan")
  func others() throws {
    let demand = try RunRecord(json: PlanFixture.record(nil).json())
    #expect(demand.plan?.capacity == nil && demand.plan?.demand.livedPhones == 100)
    #expect(RunRecord().plan == nil && !PlanWords.isPlan(RunRecord()))
  }

  @Test("the demand of a simulation's phones has its own kind")
  func simulated() throws {
    var record = RunRecord()
    var demand = SimulatedDemand()
    demand.batchesPerSecondMean = 2
    record.demand = .simulated(demand)
    let text = String(decoding: try record.json(), as: UTF8.self)
    #expect(
      text.contains("\"batchesPerSecondMean\" : 2,") && text.contains("\"peakMinute\" : null"))
    #expect(!text.contains("batchesPerPhoneDay"))
    let read = try RunRecord(json: Data(text.utf8))
    #expect(read == record && read.plan == nil)
  }
}
