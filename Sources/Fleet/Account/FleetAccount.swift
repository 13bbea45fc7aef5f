package import Measure
package import PushService
internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// What a range of a fleet's phones knows of its run once nothing is in flight any more.
///
/// A value that can be written, sent and added to another: the accounts of all ranges of a fleet,
/// merged, equal the account of one process that lived all its phones. Counts, times and hash sums
/// add in any order; what is listed by phone or by instant stays in that order.
package struct FleetAccount: Codable, Equatable, Sendable {
  /// The fleet that the phones are of. Accounts of two fleets do not add.
  package let identity: FleetIdentity
  /// The numbers of the phones, which are those of the whole fleet.
  package private(set) var phones: Range<Int>
  package var metrics: FleetMetrics
  package var census: FleetCensus
  /// The chains of the phones as they were when the measured time ended.
  package var digest: Digest
  /// When, why and where phones were silent.
  package var silence: SilenceHistory
  /// The uploads begun in each scenario minute since the start.
  package var uploadsByMinute: [UInt32]
  /// How each push ended, by (requested at, phone).
  package var pushEndings: [PushEnding]
  /// Each phone's chain over what it did, in the order of phones; nil: nobody asked.
  package var behaviour: [UInt64]?
  /// What was offered and answered in the measured time.
  package var measured = MeasuredLoad()
  /// What the server was shown to hold of the phones' batches; nil: it could not be asked.
  package var proof: BatchProof?
  /// Identities that did not hold at some snapshot, as sentences.
  package var faults: [String] = []
  /// What sending over real connections came to; nil: nothing was sent over any.
  package var sending: SendingAccount?

  /// The phones' side of the ledger.
  package var ledger: Ledger { Ledger(metrics, census) }
  /// Whether no phone of the fleet is missing.
  package var isWhole: Bool { phones == 0..<identity.phones }

  /// Of phones that have done nothing yet.
  package init(_ context: FleetContext, phones: Range<Int>) {
    identity = FleetIdentity(context)
    self.phones = phones
    metrics = FleetMetrics(context.scenario)
    census = FleetCensus()
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
    pushEndings = fleet.pushEndings()
    behaviour = keepsTrace ? fleet.behaviours() : nil
  }

  // MARK: Merging

  /// Adds accounts of ranges that follow each other without gap or overlap, given in any order.
  ///
  /// - Throws: when there is none, or when they are not parts of one fleet.
  package static func merged(_ parts: [FleetAccount]) throws(FleetAccountError) -> FleetAccount {
    let ordered = parts.sorted { $0.phones.lowerBound < $1.phones.lowerBound }
    guard var sum = ordered.first else { throw .noAccounts }
    for part in ordered.dropFirst() { try sum.append(part) }
    return sum
  }

  /// Adds the account of the phones that follow this one's.
  ///
  /// - Throws: when it is of another fleet, or of phones elsewhere in it.
  package mutating func append(_ next: FleetAccount) throws(FleetAccountError) {
    guard next.identity == identity else { throw .otherFleet(identity, next.identity) }
    guard next.phones.lowerBound == phones.upperBound else {
      throw .notNeighbours(phones, next.phones)
    }
    phones = phones.lowerBound..<next.phones.upperBound
    metrics.merge(next.metrics)
    census.merge(next.census)
    digest.merge(next.digest)
    silence.merge(next.silence)
    for (minute, count) in next.uploadsByMinute.enumerated() { uploadsByMinute[minute] += count }
    pushEndings += next.pushEndings
    pushEndings.sort { ($0.requestedAt, $0.phone) < ($1.requestedAt, $1.phone) }
    if let chains = behaviour, let others = next.behaviour {
      behaviour = chains + others
    } else {
      behaviour = nil
    }
    measured.merge(next.measured)
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

/// The fleet that an account's phones are of.
package struct FleetIdentity: Codable, Equatable, Sendable {
  package let seed: UInt64
  /// The hash of its scenario.
  package let scenario: UInt64
  /// How many phones the whole fleet has.
  package let phones: Int
  /// The installation of the app on its phones.
  package let epoch: UInt32

  init(_ context: FleetContext) {
    seed = context.scenario.seed
    scenario = context.scenario.hash
    phones = context.scenario.fleet.phones
    epoch = context.epoch
  }
}

/// What was offered to the server and answered by it in the measured time.
package struct MeasuredLoad: Codable, Equatable, Sendable {
  package var offeredBatches = 0
  package var offeredFixes = 0
  package var acknowledgedBatches = 0
  /// nil: not counted.
  package var acknowledgedFixes: Int?

  package init() {}

  /// The part of a run between two looks at the same fleet.
  package init(from before: FleetMetrics, to after: FleetMetrics) {
    offeredBatches = after.uploadsStarted - before.uploadsStarted
    offeredFixes = after.fixesPersisted - before.fixesPersisted
    acknowledgedBatches = after.batchesAcknowledged - before.batchesAcknowledged
    acknowledgedFixes = after.fixesAcknowledged - before.fixesAcknowledged
  }

  package mutating func merge(_ other: MeasuredLoad) {
    offeredBatches += other.offeredBatches
    offeredFixes += other.offeredFixes
    acknowledgedBatches += other.acknowledgedBatches
    acknowledgedFixes = acknowledgedFixes.flatMap { mine in
      other.acknowledgedFixes.map { mine + $0 }
    }
  }
}

/// Why accounts make no account of one fleet.
package enum FleetAccountError: Error, Equatable, Sendable, CustomStringConvertible {
  case noAccounts
  case otherFleet(FleetIdentity, FleetIdentity)
  case notNeighbours(Range<Int>, Range<Int>)

  package var description: String {
    switch self {
    case .noAccounts: "there is no account to merge; give that of each part of the fleet"
    case .otherFleet(let a, let b):
      """
      the accounts are of two fleets: \(a.phones) phones of scenario \(Self.text(a)) and \
      \(b.phones) of scenario \(Self.text(b)); give those of one run
      """
    case .notNeighbours(let a, let b):
      """
      phones \(a.lowerBound)..<\(a.upperBound) are not followed by \
      \(b.lowerBound)..<\(b.upperBound); give each part of the fleet once, and all of them
      """
    }
  }

  private static func text(_ identity: FleetIdentity) -> String {
    "\(String(identity.scenario, radix: 16)), seed \(identity.seed), epoch \(identity.epoch)"
  }
}

extension PhoneFleet {
  /// What the phones know at the present horizon.
  ///
  /// - Parameters:
  ///   - digest: as it was when the measured time ended.
  ///   - keepsTrail: with each phone's own chain, eight bytes a phone.
  package func account(digest: Digest, keepsTrace: Bool = false) -> FleetAccount {
    FleetAccount(self, digest: digest, keepsTrace: keepsTrace)
  }
}

extension Ledger {
  /// The phones' side: what the shards counted, and what a look at each phone finds.
  package init(_ metrics: FleetMetrics, _ census: FleetCensus) {
    self.init()
    fixes.generated = metrics.fixesGenerated
    fixes.carried = metrics.fixesCarried
    fixes.filtered = metrics.fixesGenerated - metrics.fixesPersisted
    fixes.evict(metrics.fixesEvicted, .capacity)
    fixes.refuse(metrics.fixesRefused, status: "refused")
    fixes.outbox = census.outboxFixes
    fixes.inFlight = census.inFlightFixes
    fixes.acknowledged = metrics.fixesAcknowledged
    batches.generated = metrics.batchesCut
    batches.carried = metrics.batchesCarried
    batches.refuse(metrics.batchesRefused, status: "refused")
    batches.outbox = census.outboxBatches
    batches.inFlight = census.inFlightBatches
    batches.acknowledged = metrics.batchesAcknowledged
  }
}
