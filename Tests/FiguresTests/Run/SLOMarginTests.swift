import TestSupport
import Testing

@testable import Figures

@Suite("Margin of an SLO", .quick)
struct SLOMarginTests {
  @Test(
    "a level is narrow within 10 % of its limit, and missed beyond it",
    arguments: [
      (44_999.0, ServiceLevelResult.Standing.met), (45_000, .met), (45_001, .narrow),
      (50_000, .narrow), (50_001, .missed),
    ])
  func ceiling(microseconds: Double, standing: ServiceLevelResult.Standing) {
    let level = ServiceLevelResult.atMost(50_000, microseconds, name: "responseP99", unit: "µs")
    #expect(level.narrowMargin == 5_000)
    #expect(level.margin == 50_000 - microseconds)
    #expect(level.standing == standing)
  }

  @Test(
    "a share that must be reached has 10 % of the limit, or of what is left to 100 %",
    arguments: [
      (0.95, 0.9501, ServiceLevelResult.Standing.narrow), (0.95, 0.956, .met),
      (0.95, 0.9499, .missed), (0.4, 0.43, .narrow), (0.4, 0.45, .met), (1, 1, .met),
      (1, 0.999, .missed),
    ])
  func floor(limit: Double, actual: Double, standing: ServiceLevelResult.Standing) {
    let level = ServiceLevelResult.atLeast(limit, actual, name: "freshness", unit: "share")
    #expect(level.standing == standing)
  }

  @Test("a limit of 0 has no narrow margin, and a level without a value none at all")
  func zeroAndOpen() {
    let lost = ServiceLevelResult.atMost(0, 0, name: "lost", unit: "fixes")
    #expect(lost.standing == .met)
    #expect(lost.margin == 0)
    let open = ServiceLevelResult.atMost(0, nil, name: "lost", unit: "fixes")
    #expect(open.standing == .open)
    #expect(open.margin == nil)
  }

  @Test("the level nearest to its limit is named before the others")
  func nearest() {
    let levels: [ServiceLevelResult] = [
      .atMost(0.01, 0.0092, name: "undelivered", unit: "share"),
      .atMost(50_000, 49_800, name: "responseP99", unit: "µs"),
      .atLeast(0.4, 0.5, name: "freshness", unit: "share"),
    ]
    #expect(levels.worst(.narrow).map(\.name) == ["responseP99", "undelivered"])
    let outlook = Outlook(levels: levels, latency: .init())
    #expect(outlook.standing == .narrow)
    #expect(outlook.reason == "response p99 49.8 ms, limit 50 ms (and 1 more)")
  }

  @Test("a missed level is named before a narrow one, the farthest beyond its limit first")
  func missedFirst() {
    let levels: [ServiceLevelResult] = [
      .atMost(50_000, 50_500, name: "responseP99", unit: "µs"),
      .atLeast(0.95, 0.7, name: "freshness", unit: "share"),
      .atMost(0.01, 0.0099, name: "undelivered", unit: "share"),
    ]
    let outlook = Outlook(levels: levels, latency: .init())
    #expect(outlook.standing == .missing)
    #expect(outlook.reason.hasPrefix("fresh 70.0 %, goal 95.0 %"), "\(outlook.reason)")
  }
}
