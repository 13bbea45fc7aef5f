import Core
import Phone
import PhoneSupport
import Push
import TestSupport
import Testing

@testable import Fleet
@testable import Scenarios

@Suite("App lifecycle, uploads and pushes", .quick)
struct LifecycleRuleTests {
  static let rides = Stretch.rides

  /// Wakes with significant changes, sends each fix at once.
  static var changes: PolicySettings {
    var settings = PolicySettings.quiet
    settings.significantChange = true
    settings.send.interval = .zero
    return settings
  }

  @Test("LC3: without a background task the answer is lost, which the next wake reports")
  func lostAnswer() {
    var settings = Self.changes
    settings.send.backgroundTask = false
    let bench = PhoneBench(settings, way: Self.rides)
    bench.advance(until: .minutes(50))
    #expect(bench.metrics[.uploadsStarted] > 0)
    #expect(bench.results.contains(.connectionLost) && !bench.results.contains(.acknowledged))
    settings.send.backgroundTask = true
    let careful = PhoneBench(settings, way: Self.rides)
    careful.advance(until: .minutes(50))
    #expect(careful.results.contains(.acknowledged))
    #expect(!careful.results.contains(.connectionLost))
  }

  @Test("LC7: after a send no task is open, whether it succeeded, failed or found no path")
  func taskAfterSend() {
    for result in [UploadResult.acknowledged, .failed, .refused] {
      let bench = PhoneBench(Self.changes, way: Self.rides)
      bench.shard.answer(.fromOutside)
      var answered = 0
      while bench.age < .minutes(58) {
        bench.advance(.seconds(1))
        guard bench.phone.upload.isInFlight else { continue }
        let attempt = bench.phone.upload.attempt
        bench.consume(.outcome(attempt: attempt, result))
        answered += 1
        bench.advance(.seconds(5))
        #expect(bench.phone.process.openBackgroundTasks == 0 && bench.state == .suspended)
      }
      #expect(answered > 0)
    }
    let offline = PhoneBench(Self.changes, way: Self.rides) { scenario in
      scenario.faults = [
        Fault(
          kind: .networkOutage, at: scenario.start, lasts: .hours(9), lastsWall: .zero,
          cohorts: nil, share: 1)
      ]
    }
    offline.advance(until: .minutes(58))
    #expect(offline.results.contains(.offline) && offline.phone.process.openBackgroundTasks == 0)
  }

  @Test("LC11: a user with the habit force-quits the app after each use, another after none")
  func habit() {
    func swipes(_ people: Double, uses: Double) -> [(swipes: Int, uses: Int)] {
      (1...8 as ClosedRange<UInt64>).map { seed in
        let bench = PhoneBench(.quiet, seed: seed) { scenario in
          scenario.fleet.phone.forceQuit = people
          scenario.fleet.phone.forceQuitUses = uses
          scenario.fleet.phone.sessionsPerDay = 24
          scenario.fleet.phone.sessionLength = .minutes(1)
        }
        bench.advance(until: .hours(24))
        var counts = (swipes: 0, uses: 0)
        for (_, what) in bench.entries {
          if case .edge(.forceQuit, begins: true) = what { counts.swipes += 1 }
          if case .edge(.lookedAt, begins: false) = what { counts.uses += 1 }
        }
        return counts
      }
    }
    #expect(swipes(1, uses: 1).allSatisfy { $0.uses > 10 && abs($0.swipes - $0.uses) <= 1 })
    let half = swipes(0.5, uses: 1)
    #expect(half.contains { $0.swipes == 0 } && half.contains { $0.swipes >= $0.uses - 1 })
    #expect(half.allSatisfy { $0.swipes == 0 || $0.swipes >= $0.uses - 1 })
    let rates = swipes(1, uses: 0.5).map { Double($0.swipes) / Double($0.uses) }
    #expect(rates.contains { $0 < 0.4 } && rates.contains { $0 > 0.6 }, "\(rates)")
  }

  @Test("LC11: no silent push reaches a force-quit app")
  func pushAfterForceQuit() {
    let bench = PhoneBench(.quiet)
    bench.push()
    #expect(bench.metrics[.wakes] == 1)
    bench.open()
    bench.forceQuit()
    bench.advance(.minutes(1))
    bench.push()
    #expect(bench.state == .notRunning && bench.metrics[.wakes] == 1)
    #expect(bench.shard.pushEndings.last?.outcome == .forceQuit)
  }
}
