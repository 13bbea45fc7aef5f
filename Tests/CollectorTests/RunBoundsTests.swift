import Core
import ServerLogic
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

@Suite("Invalid runs", .quick)
struct RunBoundsTests {
  private func refusal(
    _ collector: LiveCollector, phones: UInt32 = 100,
    _ change: (inout OpenRunRequest) -> Void
  ) -> CallStatus? {
    do {
      try collector.open(phones: phones, change: change)
      return nil
    } catch let error as RPCClient.CallError {
      return error.status
    } catch {
      return nil
    }
  }

  @Test("an invalid run is refused with its reason, and the collector continues")
  func extremes() throws {
    let collector = try LiveCollector(store: .none)
    let most = SimDuration.microseconds(.max)
    let changes: [(inout OpenRunRequest) -> Void] = [
      { $0.clock.measureEnd = SimInstant(microseconds: .max) },
      { $0.clock.scenarioStart = SimInstant(microseconds: -1_000_000_000_000_000) },
      { $0.clock.speed = 1e300 }, { $0.clock.speed = 1e-300 },
      { $0.push.silentAfter = most }, { $0.push.sweep = most },
      { $0.clock.startsIn = .microseconds(.max) },
      {
        $0.push.sweep = .seconds(1); $0.clock.measureEnd = $0.clock.measureEnd + .hours(200_000)
      },
      { $0.freshWithin = [SimDuration](repeating: .minutes(1), count: 256) },
      { $0.cohorts[0].system = "iOS\n" },
    ]
    for (number, change) in changes.enumerated() {
      let status = refusal(collector, change)
      #expect(status?.code == .invalidArgument && status?.text.isEmpty == false, "\(number)")
    }
    let long = refusal(collector, phones: 10_000_000) {
      $0.clock.measureEnd = $0.clock.measureStart + .hours(24 * 30)
    }
    #expect(long?.text == "10000000 phones × 2592000 s of measured time; the maximum is 4e12 s")
    try collector.open()
    try collector.register(1)
    #expect(try collector.snapshot().state == .open)
    collector.stop()
  }

  @Test("a run has only as many cohorts as its phones have registered with")
  func fewerCohorts() throws {
    let collector = try LiveCollector(store: .none)
    let two: (inout OpenRunRequest) -> Void = { request in
      request.cohorts.append(request.cohorts[0])
      request.rollouts = [
        RolloutTerms(
          at: LiveCollector.start + .hours(9), cohort: nil, share: 1,
          settings: TrackerSettings(version: 9))
      ]
    }
    try collector.open(change: two)
    try collector.register(1, cohort: 1)
    let status = refusal(collector) { request in
      two(&request)
      request.cohorts.removeLast()
    }
    #expect(status?.code == .failedPrecondition)
    #expect(status?.text == "this run was opened with 2 cohorts, not 1")
    let message = try LiveCollector.request(LiveCollector.id(1, 1), settingsVersion: 1)
    _ = try collector.client.callBlocking(.upload, message, deadline: .seconds(60))
    #expect(try collector.open(change: two).resumed)
    collector.stop()
  }

  @Test("a long range of batches beyond a gap is listed by its ends, a short one by number")
  func longRuns() {
    func rows(beyond high: UInt32) -> [HoldingsReply.Row] {
      let runs = [
        SequenceRun(epoch: 1, low: 1, high: 3), SequenceRun(epoch: 1, low: 10, high: high),
      ]
      let request = HoldingsRequest(phone: PhoneID(rawValue: 0), epoch: 0)
      return HoldingsReply.page(request) { phone, _ in [Holding(phone: phone, runs: runs)] }.rows
    }
    let phone = PhoneID(rawValue: 0)
    #expect(
      rows(beyond: 12)
        == [.init(phone: phone, epoch: 1, first: 1, contiguous: 3, extra: [10, 11, 12])])
    #expect(
      rows(beyond: 1_000_000) == [
        .init(phone: phone, epoch: 1, first: 1, contiguous: 3),
        .init(phone: phone, epoch: 1, first: 10, contiguous: 1_000_000),
      ])
  }
}
