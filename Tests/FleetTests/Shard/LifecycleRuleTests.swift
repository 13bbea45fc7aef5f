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
          kind: .networkOutage, at: scenario.start, lasts: .hours(9), lastsWall: .zero, cohort: nil,
          share: 1)
      ]
    }
    offline.advance(until: .minutes(58))
    #expect(offline.results.contains(.offline) && offline.phone.process.openBackgroundTasks == 0)
  }

  @Test("LC11: an app swiped away after each use stays force-quit except for its sessions")
  func habit() {
    var (closed, habit, openings) = (0.0, 0.0, 0)
    for seed in 1...6 as ClosedRange<UInt64> {
      let bench = PhoneBench(.quiet, seed: seed) { scenario in
        scenario.fleet.phone.forceQuit = 0.5
        scenario.fleet.phone.sessionsPerDay = 24
        scenario.fleet.phone.sessionLength = .minutes(1)
      }
      bench.advance(until: .hours(46))
      var swiped: SimInstant?
      for (at, what) in bench.entries {
        guard case .edge(.forceQuit, let begins) = what else { continue }
        if let swiped { closed += (at - swiped).seconds }
        if let swiped, at > swiped { openings += 1 }
        swiped = begins ? at : nil
      }
      if let swiped { closed += (bench.now - swiped).seconds }
      var at = bench.scenario.start
      while at < bench.now {
        let window = bench.shard.context.people[0].forceQuit(
          endingAfter: at, phone: PhoneID(rawValue: 0))
        habit += max(.zero, min(window.end, bench.now) - max(window.start, at)).seconds
        at = window.end
      }
    }
    #expect(openings > 40)
    #expect((0.9...1).contains(closed / habit), "\(closed / habit)")
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
