internal import Collector
internal import Commands
internal import Core
internal import Foundation
internal import Uploads

struct VerifyOptions: Equatable {
  var store = ""
  var isJSON = false
  /// The state folder of a fleet; nil to check only the store.
  var ledger: String?
  var dictionary: String?
}

enum VerifyCommand {
  static var command: Command {
    Command(
      "verify", "Verify a collector's store: rows, checksums and totals.",
      positionals: [
        Positional(name: "STORE", help: "Path of the SQLite file, or URL of the database.") {
          $1.store = $0
        }
      ],
      options: [
        .flag("--json", \.isJSON, "Print the result as JSON."),
        .text(
          "--dictionary", "FILE", \.dictionary,
          "zstd dictionary of the collector."),
        .text(
          "--ledger", "DIR", \.ledger,
          "Compare the store with the batches and acks recorded by 'load --set run.state=DIR'."),
      ],
      examples: [
        "flotilla verify runs/city-20260302-073000/collector.sqlite",
        "flotilla verify collector.sqlite --json",
        "flotilla verify collector.sqlite --ledger runs/outboxes",
      ],
      start: VerifyOptions(), body: run)
  }

  private static func run(_ options: VerifyOptions, _ console: Console) throws -> ExitCode {
    let began = DispatchTime.now().uptimeNanoseconds
    let printer = ProgressPrinter(
      console, isQuiet: !console.surroundings.areErrorsTerminal)
    let report: AuditReport
    var proof = try options.ledger.map { try LedgerProof(state: $0) }
    let dictionary = try options.dictionary.map(DictionaryFile.read)
    do throws(StoreError) {
      report = try StoreAudit.run(
        StoreAddress(named: options.store), dictionary: dictionary,
        progress: { show($0, printer) },
        visit: { proof?.take($0.id, fixes: $0.fixCount, hash: $0.hash) })
    } catch {
      printer.close()
      throw error
    }
    printer.close()
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
    if options.isJSON {
      console.line(try AuditJSON(report, seconds: seconds).jsonText(isPretty: true))
    } else {
      for line in AuditTable.lines(report, seconds: seconds) { console.line(line) }
    }
    for finding in report.findings where !options.isJSON { console.printError("\(finding)") }
    guard var proof else { return report.isIntact ? .pass : .loss }
    proof.finish()
    if !options.isJSON {
      for line in proof.lines { console.line("ledger    \(line)") }
    }
    for difference in proof.differences { console.printError(difference) }
    return report.isIntact && proof.holds ? .pass : .loss
  }

  /// The fewest batches of a store whose audit shows its progress.
  private static let shownBatches: UInt64 = 100_000

  private static func show(_ progress: StoreAudit.Progress, _ printer: ProgressPrinter) {
    guard progress.of >= shownBatches else { return }
    let text =
      switch progress.stage {
      case .structure: "checking pages"
      case .rows: "\(Figure.grouped(Int(progress.done))) of \(Figure.grouped(Int(progress.of)))"
      case .sequences: "sorting sequence numbers"
      }
    printer.show(text, share: 0)
  }
}

enum AuditTable {
  static func lines(_ report: AuditReport, seconds: Double) -> [String] {
    let found = report.found
    var rows: [(String, String)] = [
      ("store", report.path), ("run", report.runID ?? "none"),
      ("batches", Figure.grouped(Int(found.batches))), ("fixes", Figure.grouped(Int(found.fixes))),
      ("phones", phones(report)), ("gaps", gaps(report)),
      ("hash sum", String(format: "%016llx", found.hashSum)),
    ]
    if report.dropped.batches > 0 {
      let dropped = Figure.grouped(Int(report.dropped.batches))
      rows.append(("dropped", "\(dropped) batches of pruned days"))
    }
    if let first = report.first, let last = report.last {
      rows += [("first", text(first)), ("last", text(last))]
    }
    rows.append(("took", String(format: "%.2f s", seconds)))
    let verdict =
      report.isIntact
      ? "intact" : "damaged: \(report.findingsInAll) findings, \(report.findings.count) listed"
    rows.append(("verdict", verdict))
    return rows.map { $0.0.padding(toLength: 10, withPad: " ", startingAt: 0) + $0.1 }
  }

  private static func phones(_ report: AuditReport) -> String {
    let again = report.installations - report.phones
    let phones = Figure.grouped(report.phones)
    return again == 0 ? phones : "\(phones), \(Figure.grouped(again)) reinstalled"
  }

  private static func gaps(_ report: AuditReport) -> String {
    guard report.gaps > 0 else { return "none" }
    let example = report.someGaps.first.map { gap in
      ", such as phone \(gap.phone.rawValue), epoch \(gap.epoch), from \(gap.first) to \(gap.last)"
    }
    let reason =
      report.dropped.batches > 0
      ? "dropped, abandoned or rejected"
      : "abandoned or rejected"
    return
      "\(Figure.grouped(report.gaps)) of \(Figure.grouped(Int(report.missingNumbers))) numbers "
      + "\(reason)\(example ?? "")"
  }

  static func text(_ instant: SimInstant) -> String {
    Date(timeIntervalSince1970: Double(instant.microseconds) / 1e6).formatted(.iso8601)
  }
}

/// The audit as JSON. Sums are hexadecimal, as not every JSON parser keeps 64-bit numbers.
private struct AuditJSON: Encodable {
  let store: String
  let run: String?
  let intact: Bool
  let batches: UInt64
  let fixes: UInt64
  let droppedBatches: UInt64
  let phones: Int
  let installations: Int
  let gaps: Int
  let missingNumbers: UInt64
  let someGaps: [[String: UInt32]]
  let hashSum: String
  let first: String?
  let last: String?
  let seconds: Double
  let findings: [String]
  let findingsInAll: Int

  init(_ report: AuditReport, seconds: Double) {
    store = report.path
    run = report.runID
    intact = report.isIntact
    batches = report.found.batches
    fixes = report.found.fixes
    droppedBatches = report.dropped.batches
    phones = report.phones
    installations = report.installations
    gaps = report.gaps
    missingNumbers = report.missingNumbers
    someGaps = report.someGaps.map {
      ["phone": $0.phone.rawValue, "epoch": $0.epoch, "first": $0.first, "last": $0.last]
    }
    hashSum = String(format: "%016llx", report.found.hashSum)
    first = report.first.map(AuditTable.text)
    last = report.last.map(AuditTable.text)
    self.seconds = (seconds * 1_000).rounded() / 1_000
    findings = report.findings.map(\.description)
    findingsInAll = report.findingsInAll
  }
}
