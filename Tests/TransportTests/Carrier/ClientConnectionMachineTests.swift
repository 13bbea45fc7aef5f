import TestSupport
import Testing

@testable import Transport

@Suite("States of a client's connection", .quick)
struct ClientConnectionMachineTests {
  @Test("a server that goes away gets no new calls, and the last answer closes the connection")
  func goesAway() {
    var machine = ClientConnectionMachine()
    let before = machine.callEnded(open: 0)
    #expect(before == .none && machine.takesCalls)
    let reported = machine.serverGoesAway()
    #expect(reported == .announceGoingAway && !machine.takesCalls)
    let ends = [machine.callEnded(open: 1), machine.callEnded(open: 0)]
    #expect(ends == [.none, .close])
  }

  @Test("nothing follows the end of the link")
  func ended() {
    var machine = ClientConnectionMachine()
    machine.ended()
    let late = [machine.serverGoesAway(), machine.callEnded(open: 0)]
    #expect(late == [.none, .none] && !machine.takesCalls)
  }
}
