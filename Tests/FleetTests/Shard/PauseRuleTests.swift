import Mobility
import Phone
import SimulationCore
import Telemetry
import Testing

@testable import Fleet
@testable import Scenarios

@Suite("The pause trap", .timeLimit(.minutes(10)))
struct PauseRuleTests {
  /// A ride, a stop of an hour, and a ride of two hours.
  static func paused(
    _ trap: OSProfile.PauseTrap = .strict, pauses: Bool = true, activity: ActivityType = .other
  ) -> PhoneBench {
    var os = OSProfile.standard
    os.pauseTrap = trap
    let bench = PhoneBench(
      .quiet, os: os,
      way: [
        .ride(.minutes(10), metersPerSecond: 6), .stay(.hours(1)),
        .ride(.hours(2), metersPerSecond: 6),
      ])
    bench.open()
    var request = ServiceRequest.background
    request.pausesAutomatically = pauses
    request.activityType = activity
    bench.command(.startStandard(request))
    bench.advance(.minutes(1))
    bench.leave()
    return bench
  }

  static func pauses(_ bench: PhoneBench) -> Int {
    bench.delivered.count { if case .standardPaused = $0.event { true } else { false } }
  }

  @Test("PT1: standing still for 20 minutes pauses the service and suspends the app")
  func pauses() {
    let bench = Self.paused()
    bench.advance(until: .minutes(24))
    #expect(bench.state == .background && Self.pauses(bench) == 0)
    bench.advance(until: .minutes(30))
    #expect(bench.state == .suspended && Self.pauses(bench) == 1)
    #expect(!bench.phone.standard.isOn && bench.phone.standard.isWanted)
  }

  @Test("PT2: two hours of riding after a pause bring no fix; opening the app does")
  func latch() {
    let bench = Self.paused()
    bench.advance(until: .minutes(40))
    let mark = bench.mark
    bench.advance(until: .minutes(180))
    #expect(bench.fixes(since: mark).isEmpty)
    bench.open()
    bench.advance(.minutes(3))
    #expect(bench.fixes(since: mark).count > 100)
  }

  @Test("PT3: a wake does not end a pause in the strict trap, and may in the recoverable one")
  func wakeWhilePaused() {
    for (trap, recovers) in [
      (OSProfile.PauseTrap.strict, false), (.recoverable, true),
    ] {
      let bench = Self.paused(trap)
      bench.advance(until: .minutes(40))
      let home = bench.scenario.projection
      let here = bench.shard.fixMaker(0).projection.coordinate(
        of: bench.phone.segment.position(at: bench.now))
      _ = home
      bench.open()
      bench.command(.monitorRegion(centre: here, radius: .meters(100)))
      bench.leave()
      // Opening ended the pause; the next one comes a quarter of an hour later.
      bench.advance(until: .minutes(69))
      #expect(bench.phone.standard.isPaused)
      let mark = bench.mark
      bench.advance(until: .minutes(75))
      let exits = bench.delivered(since: mark).filter {
        if case .regionExited = $0 { true } else { false }
      }
      #expect(exits.count == 2, "the handler runs")
      bench.wake(.beginBackgroundTask, .stopStandard, .startStandard(.background))
      let later = bench.mark
      bench.advance(.seconds(25))
      #expect(bench.fixes(since: later).isEmpty == !recovers)
    }
  }

  @Test("PT4: with the pause switched off nothing pauses")
  func off() {
    let bench = Self.paused(pauses: false)
    bench.advance(until: .minutes(60))
    #expect(Self.pauses(bench) == 0 && bench.state == .background)
  }

  @Test("PT4: the hint decides what counts as rest: a walk pauses a car's app, not a runner's")
  func hint() {
    for (activity, pauses) in [(ActivityType.automotive, true), (.fitness, false)] {
      let bench = PhoneBench(.quiet, way: [.ride(.hours(2), metersPerSecond: 1.4)])
      bench.open()
      var request = ServiceRequest.background
      request.pausesAutomatically = true
      request.activityType = activity
      bench.command(.startStandard(request))
      bench.advance(.minutes(1))
      bench.leave()
      bench.advance(.minutes(20))
      #expect((Self.pauses(bench) == 1) == pauses)
    }
  }
}
