package import Core
package import Push
internal import Scenarios

/// The final account of a range of a fleet's phones, after the last upload has ended.
///
/// Accounts can be encoded, sent and added. The sum over all ranges of a fleet equals the account
/// of one process that simulated all phones. Counts, times and hash sums can be added in any order.
/// Lists by phone or by instant stay sorted.
package struct FleetAccount: Codable, Equatable, Sendable {
  package let identity: FleetIdentity
  /// The phones of this account, by their numbers in the whole fleet.
  package private(set) var phones: Range<Int>
  /// The counts since the warm start ended.
  package var metrics: FleetMetrics
  package var census: Sheet
  /// The digest at the end of the measured time.
  package var digest: Digest
  package var silence: SilenceHistory
  /// The number of uploads begun in each scenario minute since the scenario's start.
  package var uploadsByMinute: [UInt32]
  package var pushEndings: [PushEnding]
  /// The behaviour hash of each phone, in phone order; nil unless requested.
  package var behaviour: [UInt64]?
  /// The instant up to which the phones were simulated in the measured time.
  package var livedUntil: SimInstant
  /// The activity in each scenario minute; empty in a live run.
  package var timeline: [FleetInterval] = []
  package var measured = Sheet()
  /// The proof of the phones' batches on the server; nil if the server could not be queried.
  package var proof: BatchProof?
  package var faults: [String] = []
  package var sending: SendingAccount?

  package var ledger: Ledger { Ledger(metrics, census) }
  package var isWhole: Bool { phones == 0..<identity.phones }

  package init(_ context: FleetContext, phones: Range<Int>) {
    identity = FleetIdentity(context)
    self.phones = phones
    livedUntil = context.scenario.measureEnd
    metrics = FleetMetrics(context.scenario)
    census = Sheet()
    digest = Digest()
    silence = Shard.silence(context.scenario)
    uploadsByMinute = []
    pushEndings = []
  }

  init(_ fleet: PhoneFleet, digest: Digest, keepsTrace: Bool) {
    self.init(fleet.context, phones: fleet.phones)
    metrics = fleet.metrics()
    census = fleet.census()
    self.digest = digest
    silence = fleet.silence()
    uploadsByMinute = fleet.uploadsByMinute()
    pushEndings = fleet.takePushEndings()
    behaviour = keepsTrace ? fleet.behaviours() : nil
  }

  // MARK: Merging

  /// Returns the sum of adjacent accounts, given in any order; throws if their fleets differ.
  package static func merged(_ parts: [FleetAccount]) throws(FleetAccountError) -> FleetAccount {
    let ordered = parts.sorted { $0.phones.lowerBound < $1.phones.lowerBound }
    guard var sum = ordered.first else { throw .noAccounts }
    for part in ordered.dropFirst() { try sum.append(part) }
    return sum
  }

  /// Adds the account of the next phones; throws if it belongs to another fleet.
  package mutating func append(_ next: FleetAccount) throws(FleetAccountError) {
    guard next.identity == identity else { throw .otherFleet(identity, next.identity) }
    guard next.phones.lowerBound == phones.upperBound else {
      throw .notNeighbours(phones, next.phones)
    }
    phones = phones.lowerBound..<next.phones.upperBound
    metrics.merge(next.metrics)
    census += next.census
    digest.merge(next.digest)
    silence.merge(next.silence)
    uploadsByMinute.add(next.uploadsByMinute)
    pushEndings = PushEnding.merged([pushEndings, next.pushEndings])
    if let chains = behaviour, let others = next.behaviour {
      behaviour = chains + others
    } else {
      behaviour = nil
    }
    livedUntil = min(livedUntil, next.livedUntil)
    // The sum extends only to the instant that all phones have reached.
    timeline = zip(timeline, next.timeline).prefix { $0.isOfSameTime(as: $1) }.map { sum, part in
      var sum = sum
      sum.merge(part)
      return sum
    }
    measured += next.measured
    if var sum = proof, let other = next.proof {
      sum.merge(other)
      proof = sum
    } else {
      proof = nil
    }
    faults += next.faults
    if let other = next.sending {
      if sending == nil { sending = SendingAccount() }
      sending?.merge(other)
    }
  }
}

package struct FleetIdentity: Codable, Equatable, Sendable {
  package let seed: UInt64
  package let scenario: UInt64
  package let phones: Int
  /// The epoch of the phones' apps at the start.
  package let epoch: UInt32

  init(_ context: FleetContext) {
    seed = context.scenario.seed
    scenario = context.scenario.hash
    phones = context.scenario.fleet.phones
    epoch = context.epoch
  }
}

package enum FleetAccountError: Error, Equatable, Sendable, CustomStringConvertible {
  case noAccounts
  case otherFleet(FleetIdentity, FleetIdentity)
  case notNeighbours(Range<Int>, Range<Int>)

  package var description: String {
    switch self {
    case .noAccounts: "there is no account to merge; give the account of each part of the fleet"
    case .otherFleet(let a, let b):
      """
      the accounts belong to two fleets: \(a.phones) phones of scenario \(Self.text(a)) and \
      \(b.phones) of scenario \(Self.text(b)); give accounts of one run
      """
    case .notNeighbours(let a, let b):
      """
      phones \(a.lowerBound)..<\(a.upperBound) and \(b.lowerBound)..<\(b.upperBound) are not \
      adjacent; give each part of the fleet exactly once
      """
    }
  }

  private static func text(_ identity: FleetIdentity) -> String {
    "\(String(identity.scenario, radix: 16)), seed \(identity.seed), epoch \(identity.epoch)"
  }
}

extension PhoneFleet {
  /// Returns the account of the phones at the horizon; a kept trace takes eight bytes per phone.
  package func account(digest: Digest, keepsTrace: Bool = false) -> FleetAccount {
    FleetAccount(self, digest: digest, keepsTrace: keepsTrace)
  }
}

extension [UInt32] {
  mutating func add(_ others: [UInt32]) {
    for (place, count) in others.enumerated() {
      if place < self.count { self[place] += count } else { append(count) }
    }
  }
}

extension Ledger {
  package init(_ metrics: FleetMetrics, _ census: Sheet) {
    self.init()
    fixes.generated = metrics[.fixesGenerated]
    fixes.carried = metrics[.fixesCarried]
    fixes.filtered = metrics[.fixesGenerated] - metrics[.fixesPersisted]
    fixes.evict(metrics[.fixesEvicted], .capacity)
    if metrics[.fixesRemoved] > 0 { fixes.evict(metrics[.fixesRemoved], .reinstall) }
    fixes.refuse(metrics[.fixesRefused], status: "refused")
    fixes.outbox = census[.outboxFixes]
    fixes.inFlight = census[.inFlightFixes]
    fixes.acknowledged = metrics[.fixesAcknowledged]
    batches.generated = metrics[.batchesCut]
    batches.carried = metrics[.batchesCarried]
    if metrics[.batchesRemoved] > 0 { batches.evict(metrics[.batchesRemoved], .reinstall) }
    batches.refuse(metrics[.batchesRefused], status: "refused")
    batches.outbox = census[.outboxBatches]
    batches.inFlight = census[.inFlightBatches]
    batches.acknowledged = metrics[.batchesAcknowledged]
    guard metrics.events != nil else { return }
    var events = Account()
    events.generated = metrics[.eventsGenerated]
    events.carried = metrics[.eventsCarried]
    events.evict(metrics[.eventsEvicted], .capacity)
    if metrics[.eventsRemoved] > 0 { events.evict(metrics[.eventsRemoved], .reinstall) }
    events.refuse(metrics[.eventsRefused], status: "refused")
    events.outbox = census[.outboxEvents]
    events.inFlight = census[.inFlightEvents]
    events.acknowledged = metrics[.eventsAcknowledged]
    self.events = events
  }
}
