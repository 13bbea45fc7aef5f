import Core
import Phone
import Push
import Scenarios
import ServerLogic
import TestSupport
import Testing

@testable import Fleet

@Suite("Reading one phone", .quick)
struct PhoneReadingTests {
  /// A city's morning in virtual time, up to its end.
  private static func morning(
    keepsSteps: Bool = true, tracing traces: [PhoneTrace] = [], packs: Bool? = nil
  ) -> PhoneFleet {
    let scenario = VirtualMorning.city()
    let fleet = PhoneFleet(scenario, threads: 2, tracing: traces, packs: packs)
    if keepsSteps { fleet.inOrder { $0.keepLastSteps() } }
    let birth = scenario.start - scenario.warmStart
    var time = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    time.advance(until: scenario.start)
    return fleet
  }

  private static func readings(_ fleet: PhoneFleet) -> [PhoneReading] {
    var all: [PhoneReading] = []
    fleet.inOrder { shard in
      all += (shard.firstPhone..<shard.firstPhone + shard.count).map { shard.read($0) }
    }
    return all
  }

  @Test("the readings of all phones add up to the census", arguments: [false, true])
  func census(packs: Bool) {
    let fleet = Self.morning(packs: packs)
    let (readings, census) = (Self.readings(fleet), fleet.census())
    #expect(readings.map { Int($0.phone.id.rawValue) } == Array(fleet.phones))
    #expect(readings.count { $0.phone.process.state == .suspended } == census[.suspended])
    #expect(readings.count { $0.phone.isCutOff(at: $0.at) } == census[.offline])
    #expect(readings.count { $0.phone.isReachable } == census[.reachable])
    #expect(readings.reduce(0) { $0 + Int($1.phone.outbox.count) } > 0)
    #expect(readings.allSatisfy { (0...100).contains($0.batteryPercent) })
  }

  @Test("wakes, ended pushes and causes are those of the phone's trace")
  func traced() throws {
    let traces = (0..<60).map { PhoneTrace(phone: PhoneID(rawValue: $0 * 5)) }
    let readings = Self.readings(Self.morning(tracing: traces))
    var (pushes, wakes, stale) = (0, 0, 0)
    for trace in traces {
      let reading = readings[Int(trace.phone.rawValue)]
      var (state, woke): (AppProcess.State, SimInstant?) = (.notRunning, nil)
      var (outcome, cause): (WakeOutcome?, StaleCause?) = (nil, nil)
      for (at, what) in trace.entries {
        switch what {
        case .process(let next):
          if [.background, .foreground].contains(next), [.suspended, .notRunning].contains(state) {
            woke = at
          }
          state = next
        case .pushEnded(let ended): outcome = ended
        case .cause(let next): cause = next
        default: break
        }
      }
      #expect(reading.phone.process.state == state)
      if let woke {
        // A trace does not have wakes that ended within their event.
        #expect(reading.last.wokeAt >= woke)
        wakes += 1
      }
      if let outcome {
        #expect(reading.last.pushOutcome == outcome)
        #expect(reading.last.pushedAt > .distantPast)
        pushes += 1
      }
      if let found = reading.cause {
        // A trace has the cause at the phone's last event; storing a push is no such event.
        if found != .noPosition, reading.phone.delivery.stage != .stored {
          #expect(found == cause, "phone \(trace.phone.rawValue)")
        }
        stale += 1
      }
    }
    #expect(wakes > 30 && pushes > 5 && stale > 5, "\(wakes) \(pushes) \(stale)")
  }

  @Test("steps that are kept and phones that are read change nothing of what phones do")
  func digest() {
    let read = Self.morning()
    _ = Self.readings(read)
    #expect(read.digest() == Self.morning(keepsSteps: false).digest())
  }

  @Test("without a screen no steps are kept")
  func notKept() {
    let readings = Self.readings(Self.morning(keepsSteps: false))
    #expect(readings.allSatisfy { $0.last.wokeAt == .distantPast })
  }
}
