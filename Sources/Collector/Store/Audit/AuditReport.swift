package import Core

package struct AuditReport: Sendable {
  package let path: String
  package internal(set) var runID: String?
  /// The totals of what retention dropped; the dropped sequence numbers count as gaps.
  package internal(set) var dropped = StoreTotals()
  /// The totals that the collector summed at commit, without what retention dropped.
  package internal(set) var committed = StoreTotals()
  /// The totals computed from the rows at the audit.
  package internal(set) var found = StoreTotals()
  package internal(set) var phones = 0
  /// The number of installations of the app, over all phones.
  package internal(set) var installations = 0
  /// The number of gaps in sequence numbers before a stored number. A gap is no damage.
  package internal(set) var gaps = 0
  package internal(set) var missingNumbers: UInt64 = 0
  package internal(set) var someGaps: [Gap] = []
  package internal(set) var first: SimInstant?
  package internal(set) var last: SimInstant?
  package internal(set) var findings: [AuditFinding] = []
  /// The number of all findings, including findings beyond `findingsMax`.
  package internal(set) var findingsInAll = 0
  var nextNumber: Int64 = 1
  var unreadable = false {
    didSet {
      if unreadable, !oldValue { add(.unreadable) }
    }
  }

  package static let findingsMax = 100
  private static let gapsShown = 20

  /// Consecutive missing sequence numbers of one installation.
  package struct Gap: Sendable {
    package var phone: PhoneID
    package var epoch: UInt32
    package var first: UInt32
    /// The last missing number.
    package var last: UInt32
  }

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

package enum AuditFinding: Equatable, Sendable {
  /// A fault found by SQLite's check of its pages.
  case structure(String)
  /// Some pages are unreadable; their rows are reported as missing.
  case unreadable
  case noRun
  case missing(first: Int64, last: Int64)
  case undecodable(number: Int64, BatchID, reason: String)
  case otherHash(number: Int64, BatchID)
  case twice(BatchID)
  case otherTotal(String, committed: UInt64, found: UInt64)
  case otherChain
}

extension AuditFinding: CustomStringConvertible {
  package var description: String {
    switch self {
    case .structure(let text): "the file: \(text)"
    case .unreadable: "the file: some of its pages cannot be read"
    case .noRun: "there are batches, but the OpenRun request of their run does not decode"
    case .missing(let first, let last) where first == last: "row \(first) is missing"
    case .missing(let first, let last): "rows \(first) to \(last) are missing"
    case .undecodable(let number, let id, let reason):
      "row \(number), \(Self.name(id)): does not decode (\(reason))"
    case .otherHash(let number, let id):
      "row \(number), \(Self.name(id)): its fixes differ from those committed"
    case .twice(let id): "\(Self.name(id)): stored twice"
    case .otherTotal(let what, let committed, let found):
      "\(what): \(committed) committed, \(found) found"
    case .otherChain: "the order or arrival times of rows differ from those committed"
    }
  }

  private static func name(_ id: BatchID) -> String {
    "phone \(id.phone.rawValue), epoch \(id.epoch), sequence \(id.sequence)"
  }
}
