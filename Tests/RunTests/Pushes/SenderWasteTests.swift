import Core
import Figures
import Fleet
import Push
import Scenarios
import ServerLogic
import TestSupport
import Testing
@testable import Run

@Suite("Wasted pushes of a sender", .quick)
struct SenderWasteTests {
  /// Three pushes to apps that were force-quit, five minutes apart, the last of them late enough to
  /// be answered after the end of the measured time.
  @Test("a push still open at the end is no fault and no outcome")
  func underWay() {
    var scenario = Scenario.standard(phones: 3)
    scenario.push.within = .minutes(5)
    let context = FleetContext(scenario)
    let end = scenario.measureStart + .minutes(14)
    var fleet = FleetAccount(context, phones: 0..<3)
    var server = WakeAccount()
    for phone in UInt32(0)..<3 {
      let id = UInt64(phone + 1) << 32 | UInt64(phone)
      let at = scenario.measureStart + .minutes(5 * Int64(phone))
      server.occasions.append(WakeOccasion(pushID: id, at: at, isWithheld: false))
      fleet.pushEndings.append(
        PushEnding(id: id, phone: PhoneID(rawValue: phone), requestedAt: at, outcome: .forceQuit))
    }
    var record = RunRecord()
    record.setWake(fleet, server, until: end, context)
    var sender = SenderFigures()
    sender.setWaste(fleet, server, record.wake, until: end, scenario)
    #expect(record.wake.outcomes.filter { $0.value > 0 } == ["force-quit": 2, "pending": 1])
    #expect(sender.faults.map(\.fault) == ["forceQuitApp"] && sender.faults[0].count == 2)
    #expect(sender.faults[0].example == "phone 0")
  }
}
