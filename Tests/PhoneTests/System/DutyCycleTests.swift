import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Duty cycle at rest", .quick)
struct DutyCycleTests {
  /// The design of 2014: the first fix of a cycle arms both timers.
  final class Cycle {
    private var isArmed = false

    func answer(_ event: OSEvent, _ now: SimInstant) -> [OSCommand] {
      switch event {
      case .becameActive: return [.requestAuthorization(.always)] + start
      case .location(let fix, .standard):
        let at = fix.time.instant
        // NO3: A start may bring an old position first.
        guard !isArmed, now - at < .seconds(15) else { return [] }
        isArmed = true
        return [
          .setTimer(.stopStandard, at: at + .seconds(10)),
          .setTimer(.restart, at: at + .seconds(60)),
        ]
      case .timer(.stopStandard): return [.stopStandard]
      case .timer(.restart): return start
      case .location, .launched, .enteredBackground, .regionExited, .placeEntered, .placeExited,
        .regionsRefused, .visit, .authorizationChanged, .motionActivity, .standardPaused,
        .settingsChanged, .silentPush, .messagesDiscarded, .refreshed, .processing, .timer,
        .backgroundTimeExpiring, .uploadFinished:
        return []
      }
    }

    private var start: [OSCommand] {
      isArmed = false
      return [.startStandard(.asking(.best))]
    }
  }

  /// Results of a phone at rest in a building for nine hours.
  static func rest(_ number: UInt32) -> (minutesWithFix: Double, satellites: Double) {
    let cycle = Cycle()
    let truth = PhoneLife.Truth.way([.stay(.hours(10))])
    let life = PhoneLife(truth, number, policy: .standard, timedApp: cycle.answer)
    let start = life.now
    life.open()
    let time = SimDuration.hours(9)
    life.advance(time)
    life.kill()  // reads the meter
    let minutes = Set(
      life.fixes(.standard).map { ($0 - start).microseconds / 60_000_000 }
    ).count
    let satellites = life.effects.reduce(SimDuration.zero) { sum, effect in
      guard case .drew(let draw, let time, _, _) = effect, draw.contains(.satellites) else {
        return sum
      }
      return sum + time
    }
    return (Double(minutes) / (time.seconds / 60), satellites.seconds / time.seconds)
  }

  @Test("DC7, NO6: a duty cycle at rest has a fix a minute, and satellites for its timers' share")
  func atRest() {
    let phones = (0..<12).map { Self.rest($0) }
    let minutes = phones.map(\.minutesWithFix).mean
    let satellites = phones.map(\.satellites).mean
    // A cycle is 60 s and the time to a first fix, so about one minute in thirty has no first fix.
    #expect(minutes >= 0.95, "fixes in \(minutes) of the minutes")
    #expect((0.18...0.26).contains(satellites), "satellites on for \(satellites) of the time")
  }
}
