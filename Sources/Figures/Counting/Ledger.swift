/// Where everything that phones generated has gone, for fixes and for batches.
package struct Ledger: Equatable, Sendable, Codable {
  /// Holds the account of fixes.
  package var fixes = Account()
  /// Holds the account of batches.
  package var batches = Account()

  /// Makes a ledger in which every count is 0.
  package init() {}

  /// Identities that do not hold on either side by itself, as sentences; empty: all hold.
  package func check() -> [String] {
    fixes.check(of: "fixes") + batches.check(of: "batches")
  }

  /// `check`, and what must hold across the sides once nothing is in flight.
  package func checkAfterDrain() -> [String] {
    check() + fixes.checkAfterDrain(of: "fixes") + batches.checkAfterDrain(of: "batches")
  }

  /// Adds another ledger's counts.
  package mutating func merge(_ other: Ledger) {
    fixes.merge(other.fixes)
    batches.merge(other.batches)
  }
}

/// Why a phone threw a fix away before it was acknowledged.
package enum EvictionReason: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
  case capacity, age, reinstall
  /// The app of a target threw it away by its own rule.
  case app
}

/// One side of the ledger: counts of fixes, or of batches.
///
/// Phones: generated = filtered + evicted + refused + outbox + in flight + acknowledged.
/// Collector: received = distinct + duplicate + rejected. `carried` is the part of `generated`
/// that already waited in outboxes when the live part of the run began.
package struct Account: Equatable, Sendable {
  /// Counts the fixes delivered to apps, or the batches cut, with those in `carried`.
  package var generated = 0
  /// Counts those that waited in outboxes when the live part began; a part of `generated`.
  package var carried = 0
  /// Counts the fixes that the tracker did not put into its outbox.
  package var filtered = 0
  /// Counts what phones threw away before an acknowledgement, by reason; see `evicted`.
  package var evictedBy: [EvictionReason: Int] = [:]
  /// By the canonical name of the status, "INVALID_ARGUMENT".
  package var refusedBy: [String: Int] = [:]
  /// Counts what waits on phones, neither in flight nor acknowledged.
  package var outbox = 0
  /// Counts what is on its way without an answer yet.
  package var inFlight = 0
  /// Counts what phones know to be acknowledged.
  package var acknowledged = 0

  /// Counts what reached the collector, repeats and rejected ones included.
  package var received = 0
  /// Counts what the collector took for the first time.
  package var distinct = 0
  /// Counts what the collector had taken before.
  package var duplicate = 0
  /// Counts what the collector did not take, by its reason; see `rejected`.
  package var rejectedBy: [String: Int] = [:]

  /// Acknowledged, but not held by the collector.
  package var lost = 0
  /// Of an earlier life of the fleet, and sent again by this one; in no other count.
  package var resent = 0

  /// Makes an account in which every count is 0.
  package init() {}

  /// Counts what phones threw away, over all reasons.
  package var evicted: Int { evictedBy.values.reduce(0, +) }
  /// Counts what the server refused for ever, over all statuses.
  package var refused: Int { refusedBy.values.reduce(0, +) }
  /// Counts what the collector did not take, over all reasons.
  package var rejected: Int { rejectedBy.values.reduce(0, +) }
  /// Thrown away by the phone or refused by the server for ever.
  package var undelivered: Int { evicted + refused }

  /// Adds to what phones threw away for a reason.
  package mutating func evict(_ count: Int, _ reason: EvictionReason) {
    evictedBy[reason, default: 0] += count
  }
  /// Adds to what the server refused for ever with a status.
  package mutating func refuse(_ count: Int, status: String) {
    refusedBy[status, default: 0] += count
  }
  /// Adds to what the collector did not take for a reason.
  package mutating func reject(_ count: Int, reason: String) {
    rejectedBy[reason, default: 0] += count
  }

  /// Adds another account's counts, reason by reason.
  package mutating func merge(_ other: Account) {
    for case (_, let count as WritableKeyPath<Account, Int>) in Self.counts {
      self[keyPath: count] += other[keyPath: count]
    }
    evictedBy.merge(other.evictedBy, uniquingKeysWith: +)
    refusedBy.merge(other.refusedBy, uniquingKeysWith: +)
    rejectedBy.merge(other.rejectedBy, uniquingKeysWith: +)
  }

  /// Lists what does not add up on the phones' side, as sentences; empty: every one is somewhere.
  package func balance(of noun: String) -> [String] { check(of: noun) }

  func check(of noun: String) -> [String] {
    var violations: [String] = []
    let placed = filtered + evicted + refused + outbox + inFlight + acknowledged
    if generated != placed {
      violations.append(
        """
        \(noun): \(generated) generated, but filtered \(filtered) + evicted \(evicted) + refused \
        \(refused) + outbox \(outbox) + in flight \(inFlight) + acknowledged \(acknowledged) \
        = \(placed).
        """)
    }
    if received != distinct + duplicate + rejected {
      violations.append(
        """
        \(noun): \(received) received, but distinct \(distinct) + duplicate \(duplicate) \
        + rejected \(rejected) = \(distinct + duplicate + rejected).
        """)
    }
    if carried > generated {
      violations.append(
        "\(noun): \(carried) carried into the run, but only \(generated) generated.")
    }
    // The last two are sums of others and what an earlier life counted.
    for (name, count) in Self.counts.dropLast(2) where self[keyPath: count] < 0 {
      violations.append(
        "\(noun): \(name) is \(self[keyPath: count]), and a count cannot be negative.")
    }
    return violations
  }

  func checkAfterDrain(of noun: String) -> [String] {
    var violations: [String] = []
    if inFlight != 0 { violations.append("\(noun): \(inFlight) still in flight after the drain.") }
    if lost != 0 {
      violations.append("\(noun): \(lost) acknowledged, but not held by the collector.")
    }
    if distinct < acknowledged - lost {
      violations.append(
        "\(noun): \(acknowledged) acknowledged, but the collector received only \(distinct).")
    }
    return violations
  }

  /// The counts by their keys, with the sums over reasons, which cannot be set.
  private static let counts: [(String, any KeyPath<Account, Int> & Sendable)] = [
    ("generated", \.generated), ("carried", \.carried), ("filtered", \.filtered),
    ("evicted", \.evicted), ("refused", \.refused), ("outbox", \.outbox),
    ("inFlight", \.inFlight), ("acknowledged", \.acknowledged), ("received", \.received),
    ("distinct", \.distinct), ("duplicate", \.duplicate), ("rejected", \.rejected),
    ("lost", \.lost), ("undelivered", \.undelivered), ("resent", \.resent),
  ]
}

extension Account: Codable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Writes every count, with the sums over reasons beside them; `resent`, which only a fleet that
  /// was killed has, where it is not 0.
  package func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    for (name, count) in Self.counts where name != "resent" || resent > 0 {
      try box.encode(self[keyPath: count], forKey: Key(stringValue: name))
    }
    try box.encode(evictedBy, forKey: Key(stringValue: "evictedBy"))
    try box.encode(refusedBy, forKey: Key(stringValue: "refusedBy"))
    try box.encode(rejectedBy, forKey: Key(stringValue: "rejectedBy"))
  }

  /// Reads the counts and leaves the sums out.
  /// - Throws: when a count is missing, or an eviction reason is unknown.
  package init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    for case (let name, let count as WritableKeyPath<Account, Int>) in Self.counts {
      let key = Key(stringValue: name)
      if name == "resent", !box.contains(key) { continue }
      self[keyPath: count] = try box.decode(Int.self, forKey: key)
    }
    evictedBy = try box.decode([EvictionReason: Int].self, forKey: Key(stringValue: "evictedBy"))
    refusedBy = try box.decode([String: Int].self, forKey: Key(stringValue: "refusedBy"))
    rejectedBy = try box.decode([String: Int].self, forKey: Key(stringValue: "rejectedBy"))
  }
}
