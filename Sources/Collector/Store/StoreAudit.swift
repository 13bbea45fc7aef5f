internal import ServerLogic
internal import SimulationCore
internal import Telemetry
package import Wire

/// Proves that a store is what was committed: its structure, every row, and their sum.
///
/// It shows that of what was committed up to the last transaction in the file nothing vanished,
/// changed or came twice. Whether that transaction was the last one only somebody else can know: a
/// fleet that kept what was acknowledged.
package enum StoreAudit {
  /// How far it is: rows done of all rows.
  package struct Progress: Sendable {
    package enum Stage: Sendable { case structure, rows, sequences }
    package var stage: Stage
    package var done: UInt64
    package var of: UInt64
  }

  /// - Parameters:
  ///   - dictionary: the one that the collector was given.
  ///   - progress: called now and then.
  ///   - visit: called for every batch that is intact, in order of arrival.
  /// - Throws: what keeps it from looking at all. Damage is no error, but a finding.
  package static func run(
    path: String, dictionary: PayloadDictionary? = nil, progress: (Progress) -> Void = { _ in },
    visit: (StoredBatch) -> Void = { _ in }
  ) throws(StoreError) -> AuditReport {
    let reader: StoreReader
    do throws(StoreError) { reader = try StoreReader(path: path, dictionary: dictionary) } catch {
      guard case .corrupt(_, let detail) = error else { throw error }
      var report = AuditReport(path: path)
      report.add(.structure(detail))
      return report
    }
    var report = AuditReport(path: path)
    report.runID = reader.run?.id
    report.committed = reader.totals
    if reader.request == nil, reader.totals.batches > 0 { report.add(.noRun) }
    progress(Progress(stage: .structure, done: 0, of: reader.totals.batches))
    checkStructure(reader.database, &report)
    scan(reader, &report, progress: progress, visit: visit)
    progress(Progress(stage: .sequences, done: 0, of: reader.totals.batches))
    SequenceAudit.run(reader.database, &report)
    compareTotals(&report)
    return report
  }

  private static func checkStructure(_ database: borrowing Database, _ report: inout AuditReport) {
    guard let rows = try? database.prepare("PRAGMA integrity_check(\(AuditReport.findingsMax))")
    else { return }
    do throws(StoreError) {
      while try rows.step() {
        let line = rows.text(0)
        if line != "ok" { report.add(.structure(line)) }
      }
    } catch { report.add(.structure(error.description)) }
  }

  // MARK: Rows

  private static func scan(
    _ reader: borrowing StoreReader, _ report: inout AuditReport, progress: (Progress) -> Void,
    visit: (StoredBatch) -> Void
  ) {
    let decoder = reader.decoder
    var next: Int64 = 1
    var stride: Int64 = 1
    while true {
      let before = next
      do throws(StoreError) {
        try scan(reader, from: &next, decoder, &report, progress: progress, visit: visit)
        return
      } catch {
        // A page that cannot be read hides rows: what lies behind it is looked for in growing
        // steps, which miss some rows but end soon.
        if next == before { stride *= 2 } else { stride = 1 }
        report.unreadable = true
        next += stride
        guard next <= Int64(clamping: reader.totals.batches) else { return }
      }
    }
  }

  private static func scan(
    _ reader: borrowing StoreReader, from next: inout Int64, _ decoder: StoredBatchDecoder,
    _ report: inout AuditReport, progress: (Progress) -> Void, visit: (StoredBatch) -> Void
  ) throws(StoreError) {
    let rows = try reader.database.prepare(
      "SELECT \(Statement.batchColumns) FROM batches WHERE number >= ? ORDER BY number")
    rows.bind(1, next)
    while try rows.step() {
      let number = rows.number
      if number > report.nextNumber {
        report.add(.missing(first: report.nextNumber, last: number - 1))
      }
      // A damaged tree may name numbers in any order.
      next = max(next, number + 1)
      report.nextNumber = next
      let batch = rows.batch
      report.count(batch)
      if let fault = fault(of: batch, rows.payload, number, decoder, hasRun: reader.request != nil)
      {
        report.add(fault)
      } else {
        visit(batch)
      }
      if report.found.batches.isMultiple(of: 20_000) {
        progress(
          Progress(stage: .rows, done: report.found.batches, of: report.committed.batches))
      }
    }
  }

  private static func fault(
    of batch: StoredBatch, _ payload: UnsafeRawBufferPointer, _ number: Int64,
    _ decoder: StoredBatchDecoder, hasRun: Bool
  ) -> AuditFinding? {
    do throws(WireError) {
      let fixes = try decoder.fixes(of: batch, payload)
      guard hasRun, decoder.hash(of: batch, fixes) != batch.hash else { return nil }
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
    // Follows from any of the above.
    if committed.chain != found.chain, report.findings.isEmpty { report.add(.otherChain) }
  }
}

/// Looks at sequence numbers in the order of phones, sorted by SQLite within bounded memory: an
/// answer that owes nothing to the collector's own dedupe.
enum SequenceAudit {
  static func run(_ database: borrowing Database, _ report: inout AuditReport) {
    do throws(StoreError) {
      let rows = try database.prepare(
        "SELECT phone, epoch, sequence FROM batches ORDER BY phone, epoch, sequence")
      // What another server took before (a warm start) is no gap.
      let carried = try database.prepare(
        "SELECT phone, epoch, low, high FROM phones WHERE high > 0 ORDER BY phone")
      var hasCarried = try carried.step()
      var last: BatchID?
      while try rows.step() {
        let id = rows.id
        if id == last {
          report.add(.twice(id))
          continue
        }
        while hasCarried, carried.integer(0) < Int64(id.phone.rawValue) {
          hasCarried = try carried.step()
        }
        var expected: UInt32 = 1
        if let last, last.phone == id.phone, last.epoch == id.epoch {
          expected = last.sequence &+ 1
        } else {
          report.installations += 1
          if last?.phone != id.phone { report.phones += 1 }
        }
        if hasCarried, carried.integer(0) == Int64(id.phone.rawValue) {
          let run = carried.sequenceRun(1)
          if run.epoch == id.epoch, run.contains(expected) { expected = run.high &+ 1 }
        }
        if id.sequence > expected { report.add(gap: id, from: expected) }
        last = id
      }
    } catch { report.unreadable = true }
  }
}
