import Core
import TestSupport
import Testing
import Wire

@testable import Transport

@Suite("States of a server's connection", .quick)
struct ServerConnectionMachineTests {
  typealias Machine = ServerConnectionMachine
  typealias Action = Machine.Action

  private static let start = WallInstant(microseconds: 1_000_000_000)
  private static let limits = ServerLimits()
  private let machine = Machine(acceptedAt: start)

  private func view(
    openCalls: Int = 0, unread: Int = 0, hasWritten: Bool = false
  ) -> Machine.View {
    Machine.View(openCalls: openCalls, bytesUnread: unread, hasWritten: hasWritten)
  }

  /// Results of a check at each second of `seconds`, up to the first that is not nil.
  private func firstAction(
    of machine: Machine, seconds: Int, _ view: (Int) -> Machine.View
  ) -> (second: Int, action: Action)? {
    var machine = machine
    for second in 1...seconds {
      let now = Self.start + .seconds(Int64(second))
      let action = machine.secondPassed(at: now, view(second), Self.limits)
      if action != .none { return (second, action) }
    }
    return nil
  }

  @Test("a peer that never makes a whole call is closed without an answer after 10 s")
  func firstCall() throws {
    let first = try #require(firstAction(of: machine, seconds: 60) { _ in view(openCalls: 1) })
    #expect(first == (11, .close(.firstCallTime)))
  }

  @Test("a shed call counts as one: a client told to retry may stay")
  func shed() throws {
    var machine = machine
    machine.called(at: Self.start)
    let first = try #require(firstAction(of: machine, seconds: 600) { _ in view() })
    #expect(first == (301, .drain(.idleTime)))
  }

  @Test("an incomplete frame has the timeout of a message, whatever its growth")
  func heldFrame() throws {
    var machine = machine
    machine.called(at: Self.start)
    for second in 0..<10 as Range<Int64> {
      let action = machine.buffered(
        Int(second) + 1, at: Self.start + .seconds(second), isTooMuch: false)
      #expect(action == .none)
    }
    let late = try #require(firstAction(of: machine, seconds: 60) { _ in view() })
    #expect(late == (31, .sayAndClose(.deadlineExceeded, .messageTime)))
    machine.frameIsWhole()
    #expect(firstAction(of: machine, seconds: 60) { _ in view() } == nil)
  }

  @Test("a part of a frame that exceeds the limit over all connections ends this one")
  func tooMuchBuffered() {
    var machine = machine
    let nothing = machine.buffered(0, at: Self.start, isTooMuch: true)
    let something = machine.buffered(1, at: Self.start, isTooMuch: true)
    #expect(nothing == .none)
    #expect(something == .sayAndClose(.resourceExhausted, .inFlightBytesMax))
  }

  @Test("a reader that reads nothing for 30 s is reset; one byte a check restarts the time")
  func slowReader() throws {
    var machine = machine
    machine.called(at: Self.start)
    let stuck = try #require(
      firstAction(of: machine, seconds: 100) { view(openCalls: 1, unread: 9, hasWritten: $0 == 1) })
    #expect(stuck == (33, .reset(.answerTime)))
    #expect(
      firstAction(of: machine, seconds: 100) { _ in
        view(openCalls: 1, unread: 9, hasWritten: true)
      } == nil)
  }

  @Test("an idle client gets GOAWAY; one that sends GOAWAY and stays is closed")
  func idle() throws {
    var machine = machine
    machine.called(at: Self.start)
    #expect(firstAction(of: machine, seconds: 300) { _ in view() } == nil)
    #expect(firstAction(of: machine, seconds: 900) { _ in view(openCalls: 1) } == nil)
    let action = machine.clientGoesAway(openCalls: 0)
    #expect(action == .closeWhenSent)
    let stays = try #require(firstAction(of: machine, seconds: 600) { _ in view() })
    #expect(stays == (301, .close(.idleTime)))
  }

  @Test("ten pings a second are answered, the eleventh is a violation")
  func pings() {
    var machine = machine
    machine.called(at: Self.start)
    for second in 1...3 as ClosedRange<Int64> {
      for _ in 0..<10 {
        let action = machine.pinged(Self.limits)
        #expect(action == .none)
      }
      _ = machine.secondPassed(at: Self.start + .seconds(second), view(), Self.limits)
    }
    for _ in 0..<10 { _ = machine.pinged(Self.limits) }
    let action = machine.pinged(Self.limits)
    #expect(action == .breach(.pingsPerSecondMax))
  }

  @Test(
    "the third keep-alive too soon after another is too many, and work between resets the count")
  func keepAlives() {
    var machine = machine
    func keptAlive(_ second: Int64) -> Action {
      machine.keptAlive(at: Self.start + .seconds(second), Self.limits)
    }
    let farApart = (0..<100).map { keptAlive($0 * 10) }
    #expect(farApart.allSatisfy { $0 == .none })
    for second in 2_000..<2_200 as Range<Int64> {
      machine.worked()
      let actions = [keptAlive(second), keptAlive(second), keptAlive(second)]
      #expect(actions == [.none, .none, .none])
    }
    let tooMany = keptAlive(2_199)
    #expect(tooMany == .sayAndClose(.resourceExhausted, .pingsPerSecondMax))
  }

  @Test(
    "unread answers first stop input, then cost the connection",
    arguments: [
      (0, 0, .none), (262_144, 262_144, .none), (262_145, 262_145, .pauseReading),
      // Calls held back by the carrier's flow control are refused one by one.
      (16 << 20, 0, .none), ((16 << 20) + 1, 0, .reset(.writeQueueBytesMax)),
    ] as [(Int, Int, Action)])
  func unread(bytesUnread: Int, bytesQueued: Int, action: Action) {
    #expect(
      machine.answered(
        bytesUnread: bytesUnread, bytesQueued: bytesQueued, Self.limits) == action)
  }

  @Test("a drain is announced once, and the connection closes with its last call")
  func drain() {
    var machine = machine
    #expect(!machine.isGoingAway && machine.callEnded(openCalls: 0) == .none)
    let actions = [machine.drain(), machine.drain()]
    #expect(actions == [.drain(nil), .none])
    #expect(machine.isGoingAway)
    #expect(machine.callEnded(openCalls: 1) == .none)
    #expect(machine.callEnded(openCalls: 0) == .closeWhenSent)
  }
}
