import Core
import PhoneSupport
import Push
import TestSupport
import Testing

@testable import Fleet
@testable import Phone
@testable import Scenarios

@Suite("Location services in a fleet: sends and energy", .quick)
struct ServiceRuleTests {
  @Test("NO4: in airplane mode GPS works, cold, and nothing is sent")
  func airplane() {
    var settings = PolicySettings.quiet
    settings.significantChange = true
    settings.foreground.filter.rule = .everything
    settings.send.interval = .zero
    let bench = PhoneBench(settings, way: [.ride(.hours(3), metersPerSecond: 5)])
    bench.act { shard, now in
      shard.phones[0].lastKnown = nil
      shard.system(&shard.phones[0], .airplane(Window(start: now, end: now + .hours(9))), now: now)
    }
    bench.open()
    bench.command(.startStandard(.plain))
    let (mark, started) = (bench.mark, bench.now)
    bench.advance(.minutes(20))
    let fixes = bench.fixes(since: mark)
    let first = (fixes.first?.time.instant ?? started) - started
    #expect(first >= .seconds(110) && first <= .seconds(250))
    #expect(fixes.count > 600 && bench.fixes(.imprecise).count <= 1)
    #expect(bench.metrics[.uploadsStarted] == 0 && bench.phone.outbox.count > 600)
    bench.push()
    #expect(bench.phone.delivery.stage == .stored && bench.phone.provider.storedFor == .offline)
  }

  @Test("NO5: a phone without a SIM sends over Wi-Fi alone")
  func withoutSIM() {
    var sent = [true: 0, false: 0]
    for seed in 1...12 as ClosedRange<UInt64> {
      let bench = PhoneBench(
        way: [.stay(.minutes(30)), .ride(.minutes(30), metersPerSecond: 8), .stay(.hours(3))],
        seed: seed
      ) { $0.fleet.phone.withoutSIM = 1 }
      for _ in 0..<20 {
        bench.advance(.minutes(5))
        #expect(bench.phone.isCutOff(at: bench.now) == !bench.phone.isOnWifi)
        let before = bench.metrics[.uploadsStarted]
        bench.open()
        bench.advance(.seconds(20))
        bench.leave()
        sent[bench.phone.isOnWifi, default: 0] += bench.metrics[.uploadsStarted] - before
      }
    }
    #expect((sent[true] ?? 0) > 20 && sent[false] == 0)
  }

  @Test("SF3: significant changes of a manager that pauses and is for vehicles cost less")
  func pausingManager() {
    var costs: [Int64] = []
    for pauses in [true, false] {
      var settings = PolicySettings.quiet
      settings.significantChange = true
      settings.background.service.pausesAutomatically = pauses
      settings.background.service.activityType = .automotive
      let bench = PhoneBench(settings, way: Stretch.rides)
      bench.advance(until: .hours(8))
      bench.shard.startDraining()
      bench.shard.forEachEnergy { costs.append($0.tracking) }
    }
    #expect(costs[0] < costs[1])
  }
}
