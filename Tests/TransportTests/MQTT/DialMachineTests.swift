import Core
import TestSupport
import Testing

@testable import Transport

@Suite("States of a connection to a broker", .quick)
struct DialMachineTests {
  private func at(_ milliseconds: Int64) -> WallInstant {
    WallInstant(microseconds: 1_000_000 + milliseconds * 1_000)
  }

  @Test("each stage's time is in its own part, and the parts sum to the whole")
  func parts() {
    var machine = DialMachine()
    machine.advance(to: .resolving, at: at(1))
    machine.advance(to: .connecting, at: at(3))
    machine.advance(to: .securing, at: at(7))
    machine.advance(to: .greeting, at: at(15))
    machine.advance(to: .open, at: at(31))
    let times = machine.times(asked: at(0), sent: at(63), now: at(127))
    #expect(times.waiting == .milliseconds(1 + 32))
    #expect(times.resolving == .milliseconds(2) && times.connecting == .milliseconds(4))
    #expect(times.securing == .milliseconds(8) && times.writing == .milliseconds(16))
    #expect(times.answering == .milliseconds(64) && times.whole == .milliseconds(127))
    #expect(machine.isNew(at: at(0)) && !machine.isNew(at: at(5)))
  }

  @Test("on an open connection no time counts as connecting")
  func open() {
    var machine = DialMachine()
    for (place, stage) in [DialMachine.Stage.resolving, .connecting, .greeting, .open]
      .enumerated()
    {
      machine.advance(to: stage, at: at(Int64(place)))
    }
    let times = machine.times(asked: at(10), sent: at(10), now: at(12))
    #expect(times.answering == .milliseconds(2) && times.whole == .milliseconds(2))
  }

  @Test("a connection's wait takes all the remaining time")
  func failed() {
    var machine = DialMachine()
    #expect(machine.times(asked: at(0), sent: nil, now: at(5)).waiting == .milliseconds(5))
    machine.advance(to: .resolving, at: at(5))
    machine.advance(to: .connecting, at: at(6))
    #expect(machine.waitsFor == .tcp)
    let times = machine.times(asked: at(0), sent: nil, now: at(100))
    #expect(times.connecting == .milliseconds(94) && times.whole == .milliseconds(100))
    machine.advance(to: .greeting, at: at(101))
    #expect(machine.waitsFor == .acknowledgement)
    let greeted = machine.times(asked: at(0), sent: nil, now: at(103))
    #expect(greeted.securing == .zero && greeted.writing == .milliseconds(2))
    machine.advance(to: .over, at: at(104))
    #expect(machine.waitsFor == nil)
  }
}
