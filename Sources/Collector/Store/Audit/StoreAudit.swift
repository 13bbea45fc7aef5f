internal import Core
internal import ServerLogic
package import Wire

/// Verifies that nothing committed up to the store's last transaction has been lost, changed or
/// duplicated. The loss of later transactions shows only in a fleet's record of acknowledged
/// batches.
package enum StoreAudit {
  package struct Progress: Sendable {
    package enum Stage: Sendable { case structure, rows, sequences }
    package var stage: Stage
    /// The number of rows checked so far; 0 in stages without rows.
    package var done: UInt64
    /// The number of committed batches, which is the number of expected rows.
    package var of: UInt64
  }

  /// - Parameter visit: called for every intact batch, in the order of arrival.
  /// - Throws: an error if the store cannot be audited at all; damage is a finding.
  package static func run(
    _ store: StoreAddress, dictionary: PayloadDictionary? = nil,
    progress: (Progress) -> Void = { _ in }, visit: (StoredBatch) -> Void = { _ in }
  ) throws(StoreError) -> AuditReport {
    try run(
      named: store.name, dictionary: dictionary,
      progress: {
        progress($0); return true
      },
      visit: visit
    ) { () throws(StoreError) in try store.read() }
  }

  /// - Parameter grows: whether others may commit meanwhile; the audit ignores their batches.
  /// - Parameter progress: returns false to stop; the report is then void.
  static func run(
    named name: String, dictionary: PayloadDictionary?, grows: Bool = false,
    progress: (Progress) -> Bool, visit: (StoredBatch) -> Void,
    _ open: () throws(StoreError) -> any StoreSource
  ) throws(StoreError) -> AuditReport {
    var report = AuditReport(path: name)
    let contents: StoreContents
    do throws(StoreError) {
      contents = try StoreContents(open(), dictionary: dictionary)
    } catch {
      guard case .corrupt(_, let detail) = error else { throw error }
      report.add(.structure(detail))
      return report
    }
    report.runID = contents.run?.id
    report.committed = contents.totals
    report.dropped = contents.dropped
    if contents.request == nil, contents.totals.batches > 0 { report.add(.noRun) }
    let all = contents.totals.batches
    guard progress(Progress(stage: .structure, done: 0, of: all)) else { return report }
    try contents.source.checkStructure(atMost: AuditReport.findingsMax) {
      report.add(.structure($0))
    }
    let last = grows ? Int64(clamping: all) : .max
    guard try scan(contents, &report, until: last, progress: progress, visit: visit),
      progress(Progress(stage: .sequences, done: report.found.batches, of: all))
    else { return report }
    try checkSequences(contents.source, &report)
    compareTotals(&report)
    return report
  }

  // MARK: Rows

  private static func scan(
    _ contents: StoreContents, _ report: inout AuditReport, until last: Int64,
    progress: (Progress) -> Bool, visit: (StoredBatch) -> Void
  ) throws(StoreError) -> Bool {
    var next: Int64 = 1
    var stride: Int64 = 1
    var goesOn = true
    while true {
      let before = next
      do throws(StoreError) {
        try contents.source.batches(from: next) { number, batch, payload in
          guard number <= last else { return false }
          take(number, batch, payload, of: contents, &next, &report, visit: visit)
          if report.found.batches.isMultiple(of: 5_000) {
            goesOn = progress(
              Progress(stage: .rows, done: report.found.batches, of: report.committed.batches))
          }
          return goesOn
        }
        return goesOn
      } catch {
        guard !error.isOfAccess else { throw error }
        // An unreadable page hides rows. The audit continues after the page in growing steps, which
        // may miss some rows but soon ends.
        if next == before { stride *= 2 } else { stride = 1 }
        report.unreadable = true
        next += stride
        guard next <= Int64(clamping: contents.totals.batches) else { return true }
      }
    }
  }

  private static func take(
    _ number: Int64, _ batch: StoredBatch, _ payload: UnsafeRawBufferPointer,
    of contents: StoreContents, _ next: inout Int64, _ report: inout AuditReport,
    visit: (StoredBatch) -> Void
  ) {
    if number > report.nextNumber {
      report.add(.missing(first: report.nextNumber, last: number - 1))
    }
    // A damaged tree may yield row numbers in any order.
    next = max(next, number &+ 1)
    report.nextNumber = next
    report.count(batch)
    if let fault = fault(of: batch, payload, number, contents) {
      report.add(fault)
    } else {
      visit(batch)
    }
  }

  private static func fault(
    of batch: StoredBatch, _ payload: UnsafeRawBufferPointer, _ number: Int64,
    _ contents: StoreContents
  ) -> AuditFinding? {
    do throws(WireError) {
      let fixes = try contents.decoder.fixes(of: batch, payload)
      guard contents.request != nil, contents.decoder.hash(of: batch, fixes) != batch.hash else {
        return nil
      }
      return .otherHash(number: number, batch.id)
    } catch {
      return .undecodable(number: number, batch.id, reason: error.description)
    }
  }

  // MARK: Sums

  private static func compareTotals(_ report: inout AuditReport) {
    let (committed, found) = (report.committed, report.found)
    if report.nextNumber <= Int64(clamping: committed.batches) {
      report.add(.missing(first: report.nextNumber, last: Int64(clamping: committed.batches)))
    }
    if committed.batches != found.batches {
      report.add(.otherTotal("batches", committed: committed.batches, found: found.batches))
    }
    if committed.fixes != found.fixes {
      report.add(.otherTotal("fixes", committed: committed.fixes, found: found.fixes))
    }
    if committed.hashSum != found.hashSum {
      report.add(.otherTotal("hash sum", committed: committed.hashSum, found: found.hashSum))
    }
    // Every finding above also changes the chain.
    if committed.chain != nil, committed.chain != found.chain, report.findings.isEmpty {
      report.add(.otherChain)
    }
  }
}

extension StoreAudit {
  /// Checks the sequence numbers in the store's order, independently of the collector's dedupe.
  private static func checkSequences(
    _ source: any StoreSource, _ report: inout AuditReport
  ) throws(StoreError) {
    var last: BatchID?
    do throws(StoreError) {
      try source.sequences { id, carried in
        if id == last {
          report.add(.twice(id))
          return
        }
        var expected: UInt32 = 1
        if let last, last.phone == id.phone, last.epoch == id.epoch {
          expected = last.sequence &+ 1
        } else {
          report.installations += 1
          if last?.phone != id.phone { report.phones += 1 }
        }
        // Numbers that another server received before, as at a warm start, are not a gap.
        if let carried, carried.epoch == id.epoch, carried.contains(expected) {
          expected = carried.high &+ 1
        }
        if id.sequence > expected { report.add(gap: id, from: expected) }
        last = id
      }
    } catch {
      guard !error.isOfAccess else { throw error }
      if case .damaged(_, let detail) = error {
        report.add(.structure(detail))
      } else {
        report.unreadable = true
      }
    }
  }
}
