package import SimulationCore
package import Telemetry

/// Holds what an audit found out about a store.
package struct AuditReport: Sendable {
  /// Names the store by the path of its file.
  package let path: String
  /// Is the run that the store belongs to; nil where none was ever opened.
  package internal(set) var runID: String?
  /// Holds the totals of what retention took; its numbers are gaps.
  package internal(set) var dropped = StoreTotals()
  /// Holds the totals that the collector summed while it committed, without what retention took.
  package internal(set) var committed = StoreTotals()
  /// Holds the totals of the rows as they are now.
  package internal(set) var found = StoreTotals()
  /// Counts the phones of which the store holds a batch.
  package internal(set) var phones = 0
  /// Counts the installations: each phone as often as its app was installed.
  package internal(set) var installations = 0
  /// Counts the runs of sequence numbers that are missing although later ones are present: batches
  /// that the phone gave up, or that were refused. They are no damage.
  package internal(set) var gaps = 0
  /// Counts the sequence numbers in those gaps.
  package internal(set) var missingNumbers: UInt64 = 0
  /// Lists the first few gaps.
  package internal(set) var someGaps: [Gap] = []
  /// Is the earliest scenario instant at which a batch came; nil where there is none.
  package internal(set) var first: SimInstant?
  /// Is the latest scenario instant at which a batch came; nil where there is none.
  package internal(set) var last: SimInstant?
  /// Lists the first `findingsMax` findings.
  package internal(set) var findings: [AuditFinding] = []
  /// Counts all findings, those beyond `findingsMax` included.
  package internal(set) var findingsInAll = 0
  /// Is the row number that is expected next.
  var nextNumber: Int64 = 1
  /// Is true where some of the file could not be read at all.
  var unreadable = false {
    didSet {
      if unreadable, !oldValue { add(.unreadable) }
    }
  }

  /// A store with a lost page has hundreds of findings; the first ones say what happened.
  package static let findingsMax = 100
  private static let gapsShown = 20

  /// Is a run of sequence numbers of one installation of which the store holds nothing.
  package struct Gap: Sendable {
    /// Is the phone that the numbers are of.
    package var phone: PhoneID
    /// Is the installation of the app that the numbers are of.
    package var epoch: UInt32
    /// Is the first missing sequence number.
    package var first: UInt32
    /// Is the last missing sequence number, inclusive.
    package var last: UInt32
  }

  init(path: String) { self.path = path }

  /// Is true where nothing is wrong; gaps are no finding.
  package var isIntact: Bool { findingsInAll == 0 }

  mutating func count(_ batch: StoredBatch) {
    found.add(batch)
    first = min(first ?? batch.receivedAt, batch.receivedAt)
    last = max(last ?? batch.receivedAt, batch.receivedAt)
  }

  mutating func add(_ finding: AuditFinding) {
    findingsInAll += 1
    if findings.count < Self.findingsMax { findings.append(finding) }
  }

  mutating func add(gap id: BatchID, from first: UInt32) {
    gaps += 1
    missingNumbers += UInt64(id.sequence - first)
    if someGaps.count < Self.gapsShown {
      someGaps.append(Gap(phone: id.phone, epoch: id.epoch, first: first, last: id.sequence - 1))
    }
  }
}

/// Is one thing that is wrong with a store.
package enum AuditFinding: Equatable, Sendable {
  /// SQLite's own check of its pages found a fault.
  case structure(String)
  /// Pages cannot be read; the rows on them are reported as missing.
  case unreadable
  case noRun
  /// Rows that were committed are missing.
  case missing(first: Int64, last: Int64)
  case undecodable(number: Int64, BatchID, reason: String)
  case otherHash(number: Int64, BatchID)
  case twice(BatchID)
  case otherTotal(String, committed: UInt64, found: UInt64)
  case otherChain
}

extension AuditFinding: CustomStringConvertible {
  /// Says in one line what is wrong and where.
  package var description: String {
    switch self {
    case .structure(let text): "the file: \(text)"
    case .unreadable: "the file: some of its pages cannot be read"
    case .noRun: "there are batches, but the request that opened their run does not decode"
    case .missing(let first, let last) where first == last: "row \(first) is missing"
    case .missing(let first, let last): "rows \(first) to \(last) are missing"
    case .undecodable(let number, let id, let reason):
      "row \(number), \(Self.name(id)): does not decode (\(reason))"
    case .otherHash(let number, let id):
      "row \(number), \(Self.name(id)): holds other fixes than were committed"
    case .twice(let id): "\(Self.name(id)): stored twice"
    case .otherTotal(let what, let committed, let found):
      "\(what): \(committed) committed, \(found) found"
    case .otherChain: "rows stand in another order, or came at other times, than were committed"
    }
  }

  private static func name(_ id: BatchID) -> String {
    "phone \(id.phone.rawValue), epoch \(id.epoch), sequence \(id.sequence)"
  }
}
