import Core
import Foundation
import Push
import Phone
import Scenarios
import ServerLogic
import TestSupport
import Testing

@testable import Fleet

/// A range of a small city's phones, and their morning's figures.
private struct SimulatedRange {
  let account: FleetAccount
  let received: CollectorLedger

  init(_ scenario: Scenario, _ phones: Range<Int>? = nil, threads: Int = 1, epoch: UInt32 = 1) {
    let fleet = PhoneFleet(scenario, phones: phones, threads: threads, epoch: epoch)
    let birth = scenario.start - scenario.warmStart
    var warm = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    warm.advance(until: scenario.start)
    let snapshots = fleet.startCounting(after: warm.backend, answers: .inProcess)
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    for snapshot in snapshots { _ = backend.restore(snapshot, at: scenario.start) }
    var time = VirtualTime(fleet: fleet, backend: backend)
    time.backend.openMeasure(at: scenario.measureStart)
    fleet.inOrder { $0.startCounterfactuals() }
    time.advance(until: scenario.measureEnd)
    let digest = fleet.digest()
    time.drain()
    fleet.inOrder { $0.closePushes(at: scenario.measureEnd) }
    time.backend.closeMeasure(at: scenario.measureEnd)
    var account = fleet.account(digest: digest, keepsTrace: true)
    account.proof = BatchProof(fleet, restored: snapshots.map(\.sequences.order)) {
      time.backend.holds($0)
    }
    self.account = account
    received = time.backend.ledger
  }
}

@Suite("Account of a fleet", .quick)
struct FleetAccountTests {
  /// Two cohorts, whose boundary is within a range.
  static let scenario: Scenario = {
    var scenario = Scenario.standard(phones: 240)
    scenario.fleet.cohorts[0].share = 0.25
    scenario.fleet.cohorts.append(scenario.fleet.cohorts[0])
    scenario.fleet.cohorts[1].share = 0.75
    scenario.fleet.cohorts[1].name = "others"
    scenario.fleet.cohorts[1].mobility = .agenda(.homebody)
    scenario.warmStart = .hours(6)
    scenario.duration = .hours(3)
    return scenario
  }()
  private static let whole = SimulatedRange(scenario, threads: 2)
  private static let parts = [0..<90, 90..<91, 91..<240].map { SimulatedRange(scenario, $0) }

  /// Returns the account as read from a file of another process.
  private func sent(_ account: FleetAccount) throws -> FleetAccount {
    try JSONDecoder().decode(FleetAccount.self, from: try JSONEncoder().encode(account))
  }

  @Test("accounts of ranges, written, read and merged, equal the account of one process")
  func ranges() throws {
    let merged = try FleetAccount.merged(try Self.parts.map { try sent($0.account) })
    let whole = Self.whole.account
    #expect(merged.digest == whole.digest)
    #expect(merged.ledger == whole.ledger)
    #expect(merged.metrics == whole.metrics)
    #expect(merged.pushEndings == whole.pushEndings)
    #expect(merged.behaviour == whole.behaviour)
    #expect(merged == whole)
    #expect(merged.isWhole && !Self.parts[0].account.isWhole)
    #expect(whole.ledger.fixes.acknowledged > 100)
    #expect(whole.pushEndings.count > 20)
    #expect(whole.pushEndings.contains { $0.counterfactualReport != nil })
    #expect(whole.uploadsByMinute.contains { $0 > 0 })
  }

  @Test("two ranges give the same account as three")
  func twoRanges() throws {
    let halves = [0..<120, 120..<240].map { SimulatedRange(Self.scenario, $0).account }
    #expect(try FleetAccount.merged(halves) == Self.whole.account)
  }

  @Test("neither the grouping nor the order of the accounts matters")
  func order() throws {
    let parts = Self.parts.map(\.account)
    var left = parts[0]
    try left.append(parts[1])
    try left.append(parts[2])
    var tail = parts[1]
    try tail.append(parts[2])
    var right = parts[0]
    try right.append(tail)
    #expect(left == right)
    #expect(try FleetAccount.merged([parts[2], parts[0], parts[1]]) == left)
  }

  @Test("the proofs of the ranges sum to the proof of one server")
  func servers() throws {
    let hash = Self.parts.reduce(UInt64(0)) { $0 &+ $1.received.hashSum }
    #expect(hash == Self.whole.received.hashSum)
    let merged = try FleetAccount.merged(Self.parts.map(\.account))
    #expect(merged.proof?.expectedHash == hash)
    #expect(merged.proof?.acknowledgedMissing == [])
  }

  @Test("gaps, overlaps, other fleets and no account at all are refused")
  func refused() throws {
    let parts = Self.parts.map(\.account)
    #expect(throws: FleetAccountError.noAccounts) { try FleetAccount.merged([]) }
    #expect(throws: FleetAccountError.notNeighbours(0..<90, 91..<240)) {
      try FleetAccount.merged([parts[0], parts[2]])
    }
    #expect(throws: FleetAccountError.notNeighbours(0..<90, 0..<90)) {
      try FleetAccount.merged([parts[0], parts[0]])
    }
    var other = Self.scenario
    other.seed += 1
    other.duration = .minutes(10)
    other.warmStart = .hours(1)
    let foreign = SimulatedRange(other, 90..<240).account
    #expect(throws: FleetAccountError.otherFleet(parts[0].identity, foreign.identity)) {
      try FleetAccount.merged([parts[0], foreign])
    }
  }

  @Test("a push or an answer for a phone of another range is ignored")
  func foreignInputs() {
    let fleet = PhoneFleet(Self.scenario, phones: 90..<91, threads: 1)
    let before = fleet.digest()
    let push = SilentPush(
      id: 7, phone: PhoneID(rawValue: 12), requestedAt: Self.scenario.start,
      expiration: Self.scenario.measureEnd)
    fleet.consume(.push(push), phone: push.phone)
    fleet.runCounterfactuals([push])
    FleetMailbox(fleet).deliver([(push.phone, .push(push))])
    #expect(fleet.shard(of: push.phone) == nil && fleet.shard(of: PhoneID(rawValue: 90)) == 0)
    #expect(fleet.digest() == before && fleet.pushEndings().isEmpty)
  }

  @Test("batches of a second installation differ from those of the first")
  func secondInstallation() throws {
    var scenario = Self.scenario
    scenario.duration = .hours(1)
    let second = SimulatedRange(scenario, epoch: 2)
    let first = SimulatedRange(scenario)
    let proof = try #require(second.account.proof)
    #expect(proof.acknowledgedMissing == [])
    #expect(second.received.hashSum == proof.expectedHash)
    #expect(second.received.hashSum != first.received.hashSum)
    #expect(second.account.ledger == first.account.ledger)
    #expect(throws: FleetAccountError.self) {
      try FleetAccount.merged([first.account, second.account])
    }
  }

  @Test("sending accounts add: histograms bin by bin, reasons in the order of phones")
  func sending() throws {
    var a = SendingAccount()
    a.latency.record(BatchTiming(generatorLag: 1, connect: 2, hold: 0, service: 30))
    a.counts[.failures] = ["UNAVAILABLE": 2]
    a.lateReasons = ["a"]
    a.counts[.bytesSent] = 10
    var b = SendingAccount()
    b.latency.recordFailure(
      BatchTiming(generatorLag: 1, connect: 2, hold: 0, service: 99), deadline: 100)
    b.counts[.failures] = ["UNAVAILABLE": 1, "ABORTED": 1]
    b.lateReasons = ["b"]
    b.counts[.bytesSent] = 5
    var parts = Self.parts.prefix(2).map(\.account)
    parts[0].sending = a
    parts[1].sending = b
    let merged = try sent(try FleetAccount.merged(try parts.map(sent)))
    let sending = try #require(merged.sending)
    #expect(sending.latency.response.count == 1 && sending.latency.response.censored == 1)
    #expect(sending.latency.service.max == 99 && sending.latency.service.min == 30)
    #expect(sending.counts[.failures] == ["UNAVAILABLE": 3, "ABORTED": 1])
    #expect(sending.lateReasons == ["a", "b"] && sending.counts[.bytesSent] == 15)
  }
}
