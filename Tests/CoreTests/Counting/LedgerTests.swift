import Foundation
import TestSupport
import Testing
@testable import Core

@Suite("Ledger", .quick)
struct LedgerTests {
  /// 100 generated; 90 acknowledged; 92 received, of which 2 twice.
  static func balanced() -> Account {
    var account = Account()
    account.generated = 100
    account.carried = 8
    account.filtered = 2
    account.evict(3, .capacity)
    account.evict(1, .age)
    account.refuse(1, status: "INVALID_ARGUMENT")
    account.outbox = 3
    account.acknowledged = 90
    account.received = 93
    account.distinct = 90
    account.duplicate = 2
    account.reject(1, reason: "malformed")
    return account
  }

  @Test("a balanced ledger has no violations")
  func holds() {
    var ledger = Ledger()
    ledger.fixes = Self.balanced()
    ledger.batches = Self.balanced()
    #expect(ledger.checkAfterDrain().isEmpty)
    #expect(ledger.fixes.undelivered == 5)
  }

  @Test("one count off breaks one identity, and the sentence names its side")
  func violations() throws {
    let cases: [(WritableKeyPath<Account, Int>, String)] = [
      (\.generated, "generated"), (\.outbox, "generated"), (\.acknowledged, "generated"),
      (\.received, "received"), (\.duplicate, "received"),
    ]
    for (path, word) in cases {
      var ledger = Ledger()
      ledger.fixes = Self.balanced()
      ledger.fixes[keyPath: path] += 1
      let faults = ledger.check()
      #expect(faults.count == 1)
      let fault = try #require(faults.first)
      #expect(fault.hasPrefix("fixes: ") && fault.hasSuffix(".") && fault.contains(word))
    }
  }

  @Test("after the drain nothing is in flight, nothing lost, nothing acknowledged but not received")
  func afterDrain() {
    var ledger = Ledger()
    ledger.batches = Self.balanced()
    ledger.batches.inFlight = 2
    ledger.batches.outbox = 1
    ledger.batches.lost = 1
    #expect(ledger.check().isEmpty)
    #expect(ledger.checkAfterDrain().count == 2)
    ledger.batches.distinct = 80
    ledger.batches.duplicate = 12
    #expect(ledger.checkAfterDrain().count == 3)
  }

  @Test("a negative count is named")
  func negative() {
    var ledger = Ledger()
    ledger.fixes.outbox = -1
    ledger.fixes.generated = -1
    #expect(ledger.check().contains { $0.contains("outbox is -1") })
  }

  @Test("JSON has the contract's keys, counts as integers, and reads back")
  func json() throws {
    var ledger = Ledger()
    ledger.fixes = Self.balanced()
    let data = try JSONEncoder().encode(ledger)
    let object = try #require(
      JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
    let fixes = try #require(object["fixes"])
    let keys = [
      "generated", "filtered", "evicted", "outbox", "inFlight", "acknowledged", "received",
      "distinct", "duplicate", "rejected", "lost", "undelivered",
    ]
    for key in keys { #expect(fixes[key] is Int, "\(key)") }
    #expect(fixes["evicted"] as? Int == 4 && fixes["undelivered"] as? Int == 5)
    #expect(try JSONDecoder().decode(Ledger.self, from: data) == ledger)
  }

  @Test("merging adds, reason by reason")
  func merge() {
    var sum = Self.balanced()
    sum.merge(Self.balanced())
    #expect(sum.generated == 200 && sum.evictedBy == [.capacity: 6, .age: 2])
    #expect(sum.refusedBy == ["INVALID_ARGUMENT": 2] && sum.check(of: "fixes").isEmpty)
  }
}
