/// The counts of all generated fixes and batches, by what became of them.
package struct Ledger: Equatable, Sendable, Codable {
  package var fixes = Account()
  package var batches = Account()
  /// The phones' side of the events; nil if no policy sends events.
  package var events: Account?

  package init() {}

  /// Returns the violated identities of fixes and batches, as sentences; empty if all hold.
  package func check() -> [String] {
    fixes.check(of: "fixes") + batches.check(of: "batches")
      + (events?.check(of: "events") ?? [])
  }

  /// Returns `check` plus the identities between phones and collector, for use after the drain.
  package func checkAfterDrain() -> [String] {
    check() + fixes.checkAfterDrain(of: "fixes") + batches.checkAfterDrain(of: "batches")
  }

  package mutating func merge(_ other: Ledger) {
    fixes.merge(other.fixes)
    batches.merge(other.batches)
    if let other = other.events {
      if events == nil { events = Account() }
      events?.merge(other)
    }
  }
}

/// Why a phone discarded an unacknowledged fix.
package enum EvictionReason: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable {
  case capacity, age, reinstall
  /// The app discarded the fix by a rule in its target file.
  case app
}

/// The counts of fixes, or of batches.
///
/// On phones, generated = filtered + evicted + refused + outbox + in flight + acknowledged. At the
/// collector, received = distinct + duplicate + rejected.
package struct Account: Equatable, Sendable {
  /// The fixes delivered to apps, or the batches cut, including `carried`.
  package var generated = 0
  /// The part of `generated` that already waited in outboxes when the live part of the run began.
  package var carried = 0
  package var filtered = 0
  package var evictedBy: [EvictionReason: Int] = [:]
  /// Counts by the canonical name of the status, such as "INVALID_ARGUMENT".
  package var refusedBy: [String: Int] = [:]
  package var outbox = 0
  package var inFlight = 0
  package var acknowledged = 0

  package var received = 0
  package var distinct = 0
  package var duplicate = 0
  package var rejectedBy: [String: Int] = [:]

  /// The fixes or batches that were acknowledged, but are missing at the collector.
  package var lost = 0
  /// The fixes or batches that an earlier fleet process had already sent; in no other count.
  package var resent = 0

  package init() {}

  package var evicted: Int { evictedBy.values.reduce(0, +) }
  package var refused: Int { refusedBy.values.reduce(0, +) }
  package var rejected: Int { rejectedBy.values.reduce(0, +) }
  package var undelivered: Int { evicted + refused }

  package mutating func evict(_ count: Int, _ reason: EvictionReason) {
    evictedBy[reason, default: 0] += count
  }
  package mutating func refuse(_ count: Int, status: String) {
    refusedBy[status, default: 0] += count
  }
  package mutating func reject(_ count: Int, reason: String) {
    rejectedBy[reason, default: 0] += count
  }

  package mutating func merge(_ other: Account) {
    for case (_, let count as WritableKeyPath<Account, Int>) in Self.counts {
      self[keyPath: count] += other[keyPath: count]
    }
    evictedBy.merge(other.evictedBy, uniquingKeysWith: +)
    refusedBy.merge(other.refusedBy, uniquingKeysWith: +)
    rejectedBy.merge(other.rejectedBy, uniquingKeysWith: +)
  }

  /// Returns the violated identities of phones and collector, as sentences; empty if all hold.
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
    // The last two are not checked: `undelivered` is a sum, `resent` counts an earlier process.
    for (name, count) in Self.counts.dropLast(2) where self[keyPath: count] < 0 {
      violations.append(
        "\(noun): \(name) is \(self[keyPath: count]); a count cannot be negative.")
    }
    return violations
  }

  func checkAfterDrain(of noun: String) -> [String] {
    var violations: [String] = []
    if inFlight != 0 { violations.append("\(noun): \(inFlight) still in flight after the drain.") }
    if lost != 0 {
      violations.append("\(noun): \(lost) acknowledged, but missing at the collector.")
    }
    if distinct < acknowledged - lost {
      violations.append(
        "\(noun): \(acknowledged) acknowledged, but the collector received only \(distinct).")
    }
    return violations
  }

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

  /// Encodes every count and the sums over reasons. `resent` is left out if it is 0.
  package func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    for (name, count) in Self.counts where name != "resent" || resent > 0 {
      try box.encode(self[keyPath: count], forKey: Key(stringValue: name))
    }
    try box.encode(evictedBy, forKey: Key(stringValue: "evictedBy"))
    try box.encode(refusedBy, forKey: Key(stringValue: "refusedBy"))
    try box.encode(rejectedBy, forKey: Key(stringValue: "rejectedBy"))
  }

  /// - Throws: An error if a count is missing or an eviction reason is unknown.
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
