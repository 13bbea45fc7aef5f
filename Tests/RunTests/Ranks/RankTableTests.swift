import Core
import Foundation
import TestSupport
import Testing
import Uploads
@testable import Run

@Suite("Messages between the processes of a job", .quick)
struct RankTableTests {
  private static let messages: [RankMessage] = [
    .gives(Data([1, 2])), .gives(Data()), .given([Data([3]), nil, Data()]), .given([]),
    .saw(Data([4])), .saw(nil), .ends(Data([5, 6])), .stops, .lives, .asksTime, .time(-7),
    .time(.max), .leaves,
  ]

  @Test("a message reads back as sent", arguments: messages)
  func message(_ message: RankMessage) {
    #expect(RankMessage(message.bytes) == message)
  }

  @Test(
    "bytes that no process of this program sends are refused",
    arguments: [
      [], [0], [12], [2, 1], [2, 9, 0, 0, 0, 0, 0, 0, 0, 1], [9, 1],
      [2, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    ] as [[UInt8]])
  func malformed(_ bytes: [UInt8]) {
    #expect(RankMessage(bytes) == nil)
  }

  private static func at(_ seconds: Double) -> WallInstant {
    WallInstant(microseconds: Int64(seconds * 1e6))
  }

  /// The first of three processes.
  private static var first: RankTable {
    RankTable(SharePlace(number: 0, of: 3), at: at(0))
  }

  private static func data(_ number: UInt8) -> Data { Data([number]) }

  @Test("an exchange is over once all have given, and each that gave has the result")
  func exchange() {
    var table = Self.first
    table.receive(.gives(Self.data(2)), from: 2, at: Self.at(0))
    table.give(Self.data(0))
    #expect(table.takeAnswer() == nil && table.outbox.isEmpty)
    table.receive(.gives(Self.data(1)), from: 1, at: Self.at(0))
    let all = [Self.data(0), Self.data(1), Self.data(2)]
    #expect(table.takeAnswer() == all && table.takeAnswer() == nil)
    #expect(table.outbox.map(\.to) == [1, 2])
    #expect(table.outbox.allSatisfy { $0.message == .given(all) })
  }

  @Test("a process that is ahead gives to its own next exchange, not to the others' present one")
  func ahead() {
    var table = Self.first
    for value in UInt8(0)..<3 {
      table.receive(.gives(Self.data(10 + value)), from: 1, at: Self.at(0))
    }
    for value in UInt8(0)..<3 {
      table.receive(.gives(Self.data(20 + value)), from: 2, at: Self.at(0))
      table.give(Self.data(value))
      #expect(
        table.takeAnswer() == [Self.data(value), Self.data(10 + value), Self.data(20 + value)])
    }
  }

  @Test("an ended process is not part of later exchanges")
  func ended() {
    var table = Self.first
    table.give(Self.data(0))
    table.receive(.gives(Self.data(1)), from: 1, at: Self.at(0))
    table.receive(.ends(Self.data(9)), from: 2, at: Self.at(0))
    #expect(table.takeAnswer() == [Self.data(0), Self.data(1), nil])
    #expect(table.allEnds == nil)
    table.receive(.ends(Self.data(8)), from: 1, at: Self.at(0))
    table.end(Self.data(7))
    #expect(table.allEnds == [Self.data(7), Self.data(8), Self.data(9)])
  }

  @Test("a process silent for four seconds is gone, and all others stop")
  func gone() {
    var table = Self.first
    table.give(Self.data(0))
    for second in stride(from: 0.0, through: 4, by: 0.5) {
      table.receive(.lives, from: 1, at: Self.at(second))
      table.tick(at: Self.at(second))
    }
    #expect(table.gone.isEmpty && !table.isStopped)
    table.receive(.gives(Self.data(1)), from: 1, at: Self.at(4.5))
    table.outbox.removeAll()
    table.tick(at: Self.at(4.5))
    #expect(table.gone == [2] && table.isStopped)
    #expect(table.takeAnswer() == [Self.data(0), Self.data(1), nil])
    #expect(table.outbox.contains { $0.to == 1 && $0.message == .stops })
    #expect(!table.outbox.contains { $0.to == 2 })
    // Its late messages are ignored.
    table.receive(.ends(Self.data(2)), from: 2, at: Self.at(5))
    table.receive(.ends(Self.data(1)), from: 1, at: Self.at(5))
    table.end(Self.data(0))
    #expect(table.allEnds == [Self.data(0), Self.data(1), nil])
  }

  @Test("a process whose message pieces arrive is present, however long the rest takes")
  func pieces() {
    var table = Self.first
    for second in 1...9 {
      table.receive(.lives, from: 1, at: Self.at(Double(second)))
      table.notice(2, at: Self.at(Double(second)))
      table.tick(at: Self.at(Double(second)))
    }
    #expect(table.gone.isEmpty)
    table.receive(.lives, from: 1, at: Self.at(13))
    table.tick(at: Self.at(13.1))
    #expect(table.gone == [2])
  }

  @Test("once all are to stop, a shorter silence is enough")
  func goneOnceStopped() {
    var table = Self.first
    table.stop()
    table.receive(.lives, from: 1, at: Self.at(0.7))
    table.tick(at: Self.at(0.7))
    #expect(table.gone.isEmpty)
    table.tick(at: Self.at(0.9))
    #expect(table.gone == [2])
  }

  @Test(
    "if mpirun waits longer before it kills, so does the first process",
    arguments: [("1", 0.8), ("3", 2.4), ("20", 4), ("", 0.8), ("-4", 0.8)])
  func patience(text: String, limit: Double) {
    let patience = RankEnvironment.patience(in: ["OMPI_MCA_odls_base_sigkill_timeout": text])
    var table = RankTable(SharePlace(number: 0, of: 2), at: Self.at(0), patience: patience)
    table.stop()
    table.tick(at: Self.at(limit))
    #expect(table.gone.isEmpty)
    table.tick(at: Self.at(limit + 0.001))
    #expect(table.gone == [1])
  }

  @Test("every process sends ten heartbeats a second, the others to the first")
  func signs() {
    var first = Self.first
    var third = RankTable(SharePlace(number: 2, of: 3), at: Self.at(0))
    for tick in 0..<100 {
      first.tick(at: Self.at(Double(tick) / 100))
      third.tick(at: Self.at(Double(tick) / 100))
    }
    #expect(first.outbox.count { $0.to == 1 && $0.message == .lives } == 10)
    #expect(third.outbox.count { $0.to == 0 && $0.message == .lives } == 10)
    #expect(third.outbox.count == 10)
  }

  @Test("without the first process the others stop, and wait for none")
  func withoutFirst() {
    var third = RankTable(SharePlace(number: 2, of: 3), at: Self.at(0))
    third.give(Self.data(2))
    #expect(third.takeAnswer() == nil)
    third.tick(at: Self.at(10.5))
    #expect(third.isStopped && third.mayLeave && third.takeAnswer() == [])
  }
}
