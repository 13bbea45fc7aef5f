import Core
import Push
import TestSupport
import Testing

@testable import Fleet
@testable import Phone
@testable import Scenarios

@Suite("Held pushes", .quick)
struct DeferredPushTests {
  static func bench(
    _ settings: PolicySettings = .answering, _ change: (inout Scenario) -> Void
  ) -> PhoneBench {
    PhoneBench(settings) {
      $0.plainPushes()
      $0.push.phone.holds = true
      change(&$0)
    }
  }

  @Test("the fix that it causes counts, within W or late; without a fix its gate is charged")
  func releasedOutcome() {
    for (within, outcome) in [
      (SimDuration.minutes(10), WakeOutcome.late), (.minutes(40), .caused),
    ] {
      let bench = Self.bench {
        $0.push.phone.budget = .drip
        $0.push.phone.bucketCapacity = 1
        $0.push.within = within
      }
      bench.request()
      bench.advance(.minutes(1))
      bench.request()
      bench.advance(.minutes(40))
      let last = bench.shard.pushEndings.last
      #expect(last?.outcome == outcome || last?.outcome == .throttled)
      if last?.outcome == outcome {
        #expect((last?.causedAt ?? .distantFuture) < bench.now)
      }
    }
    var settings = PolicySettings.answering
    settings.onPush = .nothing
    let silent = Self.bench(settings) {
      $0.push.phone.budget = .drip
      $0.push.phone.bucketCapacity = 1
    }
    silent.request()
    silent.advance(.minutes(1))
    silent.request()
    silent.advance(.minutes(40))
    #expect(silent.pushesDelivered.count == 2 && silent.outcomes == [.noFix, .throttled])
  }

  @Test("BT2: a push held for Low Power Mode is delivered when charging ends that mode")
  func lowPowerEnds() {
    let bench = Self.bench {
      $0.fleet.phone.chargesAtNight = 1
      $0.fleet.phone.battery.lowPowerWhenLow = 1
      $0.fleet.cohorts[0].energy.value.batteryWattHours = 1.6
    }
    bench.advance(until: .hours(14))
    #expect(bench.phone.battery.isInLowPowerMode)
    bench.request()
    bench.advance(.seconds(30))
    #expect(bench.pushesDelivered.isEmpty && bench.phone.pushes.deferredBy == .lowPower)
    bench.advance(.hours(6))
    #expect(bench.pushesDelivered.count == 1 && !bench.phone.battery.isInLowPowerMode)
    #expect(bench.outcomes == [.late] || bench.outcomes == [.lowPower])
  }

  @Test("a held push is delivered when the user opens the app, charged to the gate that held it")
  func opened() {
    let bench = Self.bench { $0.fleet.phone.refreshOff = 1 }
    bench.request()
    bench.advance(.hours(2))
    #expect(bench.pushesDelivered.isEmpty && bench.outcomes.isEmpty)
    bench.open()
    #expect(bench.pushesDelivered == [bench.now] && bench.outcomes == [.refreshOff])
    bench.advance(.seconds(30))
    bench.leave()
    bench.advance(.minutes(5))
    bench.open()
    #expect(bench.pushesDelivered.count == 1 && bench.outcomes == [.refreshOff])
  }

  @Test("LC11: a force-quit discards the held push")
  func discarded() {
    let bench = Self.bench { $0.fleet.phone.refreshOff = 1 }
    bench.open()
    bench.leave()
    bench.request()
    bench.advance(.minutes(5))
    bench.forceQuit()
    #expect(bench.outcomes == [.refreshOff])
    bench.open()
    #expect(bench.pushesDelivered.isEmpty)
  }

  @Test("of several held pushes the newest is kept, and the others end at their gate at once")
  func newest() {
    let bench = Self.bench { $0.fleet.phone.refreshOff = 1 }
    for n in 0..<4 {
      bench.request()
      #expect(bench.outcomes.count == n)
      bench.advance(.minutes(30))
    }
    bench.open()
    #expect(bench.pushesDelivered.count == 1)
    #expect(bench.outcomes == [.refreshOff, .refreshOff, .refreshOff, .refreshOff])
  }

  @Test("held when the run ends: pending if requested less than W before, else its gate")
  func atTheEnd() {
    for (age, outcome) in [
      (SimDuration.minutes(9), WakeOutcome.pending), (.minutes(11), .refreshOff),
    ] {
      let bench = Self.bench { $0.fleet.phone.refreshOff = 1 }
      bench.request()
      bench.advance(age)
      bench.shard.closePushes(at: bench.now)
      #expect(bench.outcomes == [outcome])
    }
  }
}
