import Core
import Foundation
import ServerLogic
import TestSupport
import Testing
import Wire

@testable import Collector
@testable import CollectorSupport

/// Collectors on one database, of which a client knows one or all.
@Suite("Several collectors, one store", .needs(.postgreSQL), .live, .timeLimit(.minutes(10)))
struct OtherCollectorsTests {
  let cluster: TestCluster

  init() throws { cluster = try TestCluster(shared: ()) }

  /// Polls until a condition holds; a collector reads the store once a second.
  private func wait(_ what: String, _ isSo: () throws -> Bool) throws {
    for _ in 0..<6_000 {
      if try isSo() { return }
      usleep(50_000)
    }
    try #require(Bool(false), "never: \(what)")
  }

  @Test("a run opened at one collector is served by all, and each verifies all data")
  func oneRun() throws {
    let store = try cluster.store()
    let (first, second) = (try LiveCollector(store: store), try LiveCollector(store: store))
    try first.open()
    try wait("the second serves the run") {
      second.failure { try second.upload(LiveCollector.id(1, 1)) } == nil
    }
    for sequence in 2...20 as ClosedRange<UInt32> {
      try first.upload(LiveCollector.id(2, sequence))
      try second.upload(LiveCollector.id(3, sequence))
    }
    try second.register(7)
    let accounts = try [first, second].map { try $0.snapshot() }
    let proofs = try [first, second].map { collector in
      try collector.call(
        .holdings, HoldingsRequest(phone: PhoneID(rawValue: 0), epoch: 0), as: HoldingsReply.self
      ).rows
    }
    #expect(accounts.map(\.batches.distinct) == [39, 39])
    #expect(accounts[0].hashSum == accounts[1].hashSum)
    #expect(proofs[0] == proofs[1] && proofs[0].count == 3)
    #expect(first.stop() && second.stop())
    let third = try LiveCollector(store: store)
    #expect(try third.snapshot().batches.distinct == 39)
    #expect(third.stop())
  }

  /// With a speed of 300, ten minutes of silence are two seconds, and the spacing of half an hour six.
  private func openForPushes(_ collector: LiveCollector, speed: Double = 300) throws {
    try collector.open(speed: speed) {
      $0.push.silentAfter = .minutes(10)
      $0.push.within = .minutes(10)
      $0.push.spacing = .minutes(30)
    }
  }

  @Test("one collector sweeps, and knows all uploads; its successor continues")
  func sweeper() throws {
    let store = try cluster.store()
    let (first, second) = (try LiveCollector(store: store), try LiveCollector(store: store))
    try openForPushes(first)
    try wait("the second serves the run") {
      second.failure { try second.upload(LiveCollector.id(99, 1)) } == nil
    }
    let inboxes = try [first, second].map { try $0.subscribe() }
    // This phone registers at one and is silent.
    try second.register(5)
    func pushes() -> [SilentPush] {
      inboxes.flatMap { $0.sweeps.flatMap(\.requests) }.filter { $0.phone.rawValue == 5 }
    }
    try wait("the silent phone is pushed twice") { pushes().count >= 2 }
    #expect(Set(pushes().map(\.id)).count == pushes().count)
    let isFirst = inboxes[0].sweeps.contains { !$0.requests.isEmpty }
    #expect(isFirst != inboxes[1].sweeps.contains { !$0.requests.isEmpty })
    let (leader, other) = isFirst ? (first, second) : (second, first)
    let heir = inboxes[isFirst ? 1 : 0]
    let before = Set(pushes().map(\.id))
    #expect(leader.stop())
    try wait("the other one sweeps") { heir.sweeps.contains { !$0.requests.isEmpty } }
    let after = heir.sweeps.flatMap(\.requests).filter { $0.phone.rawValue == 5 }
    #expect(before.isDisjoint(with: after.map(\.id)))
    // The pause between two pushes is kept across the change.
    let last = SimInstant(
      microseconds: before.map { Int64($0 >> 32) }.max().map { $0 * 60_000_000 } ?? 0)
    #expect(after.allSatisfy { $0.requestedAt - last >= .minutes(30) })
    #expect(other.stop())
  }

  @Test("a phone that uploads to the other collector is not silent")
  func reports() throws {
    let store = try cluster.store()
    let (first, second) = (try LiveCollector(store: store), try LiveCollector(store: store))
    // Ten minutes are fifteen seconds: far longer than an upload takes, and its reading by the other.
    try openForPushes(first, speed: 40)
    try wait("the second serves the run") {
      second.failure { try second.upload(LiveCollector.id(99, 1)) } == nil
    }
    let inbox = try first.subscribe()
    for phone in [1, 2] as [UInt32] { try second.register(phone) }
    var sequence: UInt32 = 0
    try wait("phone 1, which is silent, is pushed") {
      sequence += 1
      try second.upload(LiveCollector.id(2, sequence))
      return inbox.sweeps.flatMap(\.requests).contains { $0.phone.rawValue == 1 }
    }
    #expect(!inbox.sweeps.flatMap(\.requests).contains { $0.phone.rawValue == 2 })
    #expect(first.stop() && second.stop())
  }
}
