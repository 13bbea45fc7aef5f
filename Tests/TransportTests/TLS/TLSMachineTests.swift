import Core
import TestSupport
import Testing

@testable import Transport

@Suite("States of a TLS stream", .quick)
struct TLSMachineTests {
  private let start = WallInstant(microseconds: 1_000_000)

  @Test("a finished handshake opens the stream, once")
  func opens() {
    var machine = TLSMachine(startedAt: start)
    #expect(machine.moved(.wantsMore) == .none && machine.isHandshaking)
    #expect(machine.moved(.finished) == .open && machine.isOpen)
    #expect(machine.moved(.finished) == .none)
    #expect(machine.timePassed(at: machine.due + .seconds(60)) == .none)
  }

  @Test("a handshake times out at its deadline, not before")
  func time() {
    var machine = TLSMachine(startedAt: start)
    #expect(machine.timePassed(at: machine.due - .microseconds(1)) == .none)
    #expect(machine.timePassed(at: machine.due) == .fail(.timedOut))
    #expect(machine.moved(.finished) == .none && !machine.isOpen)
  }

  @Test("an end in the handshake is a failure, one of an open stream is an end")
  func ends() {
    var shaking = TLSMachine(startedAt: start)
    #expect(shaking.ended(.closedByPeer) == .fail(.closed))
    #expect(shaking.ended(.closedByPeer) == .none)
    var reset = TLSMachine(startedAt: start)
    #expect(reset.ended(.failed(reason: "reset")) == .end(.failed(reason: "reset")))
    var open = TLSMachine(startedAt: start)
    _ = open.moved(.finished)
    #expect(open.ended(.closedByPeer) == .end(.closedByPeer))
    #expect(open.broke(.refused("late")) == .none)
  }

  @Test("a failed read fails an open stream; after this side closed, it does not")
  func breaks() {
    var open = TLSMachine(startedAt: start)
    _ = open.moved(.finished)
    #expect(open.broke(.noClientCertificate) == .fail(.noClientCertificate))
    var closed = TLSMachine(startedAt: start)
    _ = closed.moved(.finished)
    closed.close()
    #expect(closed.broke(.noClientCertificate) == .none)
  }
}
