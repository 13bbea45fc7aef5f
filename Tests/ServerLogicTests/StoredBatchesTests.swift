import Core
import Scenarios
import TestSupport
import Testing

@testable import ServerLogic

@Suite("Deduplication state", .quick)
struct StoredBatchesTests {
  private static let phones: UInt32 = 6

  private func id(_ phone: UInt32, _ epoch: UInt32, _ sequence: UInt32) -> BatchID {
    BatchID(phone: PhoneID(rawValue: phone), epoch: epoch, sequence: sequence)
  }

  private func line() -> Timeline { Timeline(phones: Int(Self.phones)) }

  private func report(_ id: BatchID, _ line: inout Timeline) -> IngestResult {
    line.report(id.phone.rawValue, at: 1, sequence: id.sequence, epoch: id.epoch)
  }

  /// A collector that restarts has what it committed, in that order, and nothing else.
  private func restarted(_ committed: [BatchID]) -> Timeline {
    var line = line()
    for id in committed { _ = report(id, &line) }
    return line
  }

  /// Batches of phones: mostly the next number, at times a resend, a leap, or a late one of an
  /// earlier installation.
  private func next(
    _ heads: inout [UInt32: (epoch: UInt32, sequence: UInt32)], _ chance: inout Draw
  )
    -> BatchID
  {
    let phone = UInt32.random(in: 0..<Self.phones, using: &chance)
    var head = heads[phone] ?? (1, 0)
    defer { heads[phone] = head }
    switch Int.random(in: 0..<20, using: &chance) {
    case 0:
      head = (head.epoch + 1, 1)
    case 1, 2: head.sequence += UInt32.random(in: 2...4, using: &chance)
    case 3, 4:
      return id(
        phone, UInt32.random(in: 1...head.epoch, using: &chance),
        UInt32.random(in: 1...40, using: &chance))
    case 5, 6, 7:
      return id(phone, head.epoch, max(1, head.sequence))
    default: head.sequence += 1
    }
    return id(phone, head.epoch, head.sequence)
  }

  @Test(
    "compared with a set: nothing is stored twice, nothing acknowledged unstored, over restarts",
    arguments: 1...8 as ClosedRange<UInt64>)
  func property(seed: UInt64) {
    var chance = Draw(seed: seed, phone: 0, Purpose(rawValue: 998))
    var line = line()
    var model: Set<BatchID> = []
    var committed: [BatchID] = []
    var heads: [UInt32: (epoch: UInt32, sequence: UInt32)] = [:]
    var forgotten = 0
    for step in 0..<2_000 {
      let id = next(&heads, &chance)
      switch report(id, &line) {
      case .stored:
        #expect(model.insert(id).inserted, "\(id) twice")
        committed.append(id)
      case .duplicate: #expect(model.contains(id), "\(id) acknowledged, not stored")
      case .rejected(let reason):
        #expect(reason == .forgotten)
        #expect(line.backend.forgottenRuns > 0)
        forgotten += 1
      }
      if step % 300 == 299 { line = restarted(committed) }
    }
    #expect(line.backend.ledger.batches.distinct == UInt64(model.count))
    // Only a phone with many gaps is ever refused.
    #expect(forgotten < 400)
    // Everything acknowledged counts as held, forgotten or not, in the installation of which
    // something is remembered.
    var held: [BatchID: Bool] = [:]
    for holding in line.backend.holdings(from: PhoneID(rawValue: 0), limit: 10) {
      let oldest = holding.runs.map(\.epoch).min() ?? 0
      for id in model where id.phone == holding.phone && id.epoch >= oldest {
        held[id] = holding.runs.contains { $0.epoch == id.epoch && $0.contains(id.sequence) }
      }
    }
    #expect(!held.values.contains(false))
  }

  @Test("a phone that sends in order is always served, whatever gaps came before")
  func inOrder() {
    var line = line()
    for sequence in stride(from: UInt32(1), to: 2_000, by: 2) {
      #expect(report(id(1, 1, sequence), &line) == .stored)
      #expect(report(id(1, 1, sequence), &line) == .duplicate)
    }
    #expect(report(id(1, 2, 1), &line) == .stored)
    #expect(report(id(1, 1, 1_998), &line) == .stored)
    #expect(report(id(1, 1, 2), &line) == .rejected(.forgotten))
    #expect(report(id(2, 1, 1), &line) == .stored)
  }

  @Test("every second number, from every phone: memory stops growing")
  func hostile() {
    var line = line()
    for phone in 0..<Self.phones {
      for sequence in stride(from: UInt32(2), through: 4_000, by: 2) {
        _ = report(id(phone, 1, sequence), &line)
      }
      for epoch in 2...500 as ClosedRange<UInt32> { _ = report(id(phone, epoch, 7), &line) }
    }
    let runs = line.backend.holdings(from: PhoneID(rawValue: 0), limit: 10).map(\.runs.count)
    // The remembered numbers, the row's run, and one that represents all forgotten ones.
    #expect(runs.allSatisfy { $0 <= StoredBatches.runsMax + 2 })
    #expect(line.backend.forgottenRuns > 10_000)
    #expect(line.backend.ledger.isExact)
  }

  @Test("a closed gap costs nothing any more")
  func closing() {
    var line = line()
    for sequence: UInt32 in [1, 2, 9, 5, 7, 3, 4, 6, 8] {
      #expect(report(id(1, 3, sequence), &line) == .stored)
    }
    let holding = line.backend.holdings(from: PhoneID(rawValue: 0), limit: 4)
    #expect(holding.flatMap(\.runs) == [SequenceRun(epoch: 3, low: 1, high: 9)])
    #expect(report(id(1, 3, 10), &line) == .stored)
  }

  @Test("a row that is restored late forgets nothing that was sent meanwhile")
  func lateRestore() {
    var line = line()
    let phone = PhoneID(rawValue: 1)
    #expect(report(id(1, 1, 9), &line) == .stored)
    var snapshot = line.backend.snapshot(of: phone)
    snapshot.sequences = SequenceRun(epoch: 1, low: 1, high: 7)
    line.backend.restore(snapshot, at: Timeline.minute(2))
    for sequence: UInt32 in [1, 7, 9] {
      #expect(report(id(1, 1, sequence), &line) == .duplicate)
    }
    #expect(report(id(1, 1, 8), &line) == .stored)
    snapshot.sequences = SequenceRun(epoch: 1, low: 1, high: 20)
    line.backend.restore(snapshot, at: Timeline.minute(3))
    #expect(report(id(1, 1, 15), &line) == .duplicate)
    #expect(report(id(1, 1, 21), &line) == .stored)
  }
}
