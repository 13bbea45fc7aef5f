@testable internal import Core
internal import Figures
internal import TestSupport
internal import Testing

@testable internal import Capacity

@Suite("The demand of both systems", .quick)
struct SystemDemandTests {
  /// Two hours: an iPhone sends each minute, and in the second hour each of three Android phones.
  static func demand(lived: Int = 4, phones: Int = 4) -> DemandRecord {
    var recorder = DemandRecorder(
      policies: ["p on iOS", "p on Android"], systems: [.iOS, .android], seconds: 7_200)
    for minute in 0..<120 {
      let at = Double(minute) * 60
      recorder.add(at, phone: 0, policy: 0, fixes: 1, bytes: 100, open: at...at)
      guard minute >= 60 else { continue }
      for phone in 1...3 as ClosedRange<UInt32> {
        recorder.add(at, phone: phone, policy: 1, fixes: 10, bytes: 500, open: at...at)
      }
    }
    var demand = DemandRecord(recorder, phones: phones, lived: lived, seed: 1)
    var (iOS, android) = (
      SystemFigures(.iOS, profile: nil), SystemFigures(.android, profile: nil)
    )
    (iOS.phones, android.phones) = (1, 3)
    android.pushes = WakeGroup(name: "Android", requested: 9, eligible: 0, outcomes: [:])
    demand.systems = SystemDemand.parts(recorder, [iOS, android], demand)
    return demand
  }

  @Test("each system has its phones, batches, rows, bytes, pushes and busiest hour")
  func parts() throws {
    let parts = try #require(Self.demand().systems)
    #expect(parts.map(\.phones) == [1, 3])
    #expect(parts.map(\.batches) == [120, 180])
    #expect(parts.map(\.fixes) == [120, 1_800])
    #expect(parts.map(\.bytes) == [12_000, 90_000])
    #expect(parts.map(\.pushes) == [0, 9])
    #expect(parts.map { ($0.busiestHour * 3_600).rounded() } == [60, 180])
  }

  @Test("a fleet of as many iPhones sends like four of the one iPhone")
  func iPhonesOnly() throws {
    let demand = Self.demand()
    let batches = try #require(demand.iPhonesOnly { $0.batches })
    #expect(batches == IPhonesOnly(mixed: 300, iPhones: 480))
    let hour = try #require(demand.iPhonesOnly(busiest: 60))
    #expect((hour.mixed * 3_600).rounded() == 240 && (hour.iPhones * 3_600).rounded() == 240)
    #expect(demand.iPhonesOnly { $0.fixes }?.ratio == 4)
    #expect(demand.iPhonesOnly { $0.pushes }?.ratio == nil)
  }

  @Test("a sample's parts are scaled to all phones")
  func scaled() throws {
    let parts = try #require(Self.demand(phones: 12).systems)
    #expect(parts.map(\.phones) == [3, 9] && parts.map(\.pushes) == [0, 27])
    #expect(parts.map(\.fixes) == [360, 5_400])
  }

  @Test("a fleet with one system has no parts")
  func oneSystem() {
    let recorder = DemandRecorder(policies: ["p"], seconds: 60)
    let demand = DemandRecord(recorder, phones: 1, lived: 1, seed: 1)
    var iOS = SystemFigures(.iOS, profile: nil)
    iOS.phones = 1
    #expect(SystemDemand.parts(recorder, [iOS], demand) == nil)
    #expect(demand.iPhonesOnly { $0.batches } == nil)
  }
}
