package import Foundation

/// One run as a file: what was asked, what happened, and what it is worth.
///
/// The top-level keys are a contract; keys may be added, never renamed. Two simulations of one
/// scenario and seed give equal bytes but for `command`, `machine` and `timing`. Counts are
/// integers; what a run cannot say is `null`.
package struct RunRecord: Equatable, Sendable, StoredRecord {
  package static let schemaVersion = 1

  package var schema = RunRecord.schemaVersion
  package var tool = Tool()
  package var command: [String] = []
  package var scenario = ScenarioFacts()
  package var seed: UInt64 = 0
  package var digest = Digest()
  package var machine = Machine()
  package var timing = Timing()
  package var phases = Phases()
  package var offered = Offered()
  package var ledger = Ledger()
  package var throughput = Throughput()
  package var latency = Latency()
  package var freshness = Freshness()
  /// Cause → phone-minutes.
  package var stale: [String: Double] = [:]
  package var wake = Wake()
  package var energy = Energy()
  package var traffic = Traffic()
  /// Kind of error → how often.
  package var errors: [String: Int] = [:]
  package var slo: [ServiceLevelResult] = []
  package var verdict = Verdict.invalid
  package var reasons: [String] = []
  /// Where phones were silent.
  package var map: Map?
  /// A row for each outage that ended in the run.
  package var storm: [Storm]?
  /// Of a simulation, a demand or a plan.
  package var demand: RunDemand?
  /// Of a live run that was lived in virtual time, too.
  package var agreement: Agreement?
  /// Of a plan: what a collector sustains, and what to buy. Typed where Capacity is known:
  /// `RunRecord.plan`.
  package var capacity: JSONValue?
  package var size: JSONValue?

  package init() {}

  // MARK: As a file

  package init(json data: Data) throws {
    self = try JSONDecoder().decode(RunRecord.self, from: data)
  }

  package func write(to file: URL) throws(RunRecordError) {
    do {
      try json().write(to: file, options: .atomic)
    } catch {
      throw .unwritable(path: file.path, why: FileErrorText.reason(error))
    }
  }
}

/// Why a run record cannot be written or read.
package enum RunRecordError: Error, Equatable, Sendable, CustomStringConvertible {
  case unwritable(path: String, why: String)
  case unreadable(path: String, why: String)
  case notARecord(path: String, why: String)
  case otherSchema(path: String, found: Int)

  package var description: String {
    switch self {
    case .unwritable(let path, let why):
      "\(path): the run record cannot be written (\(why)). Choose another --out directory."
    case .unreadable(let path, let why):
      "\(path): the run record cannot be read (\(why)). Give the path of a run.json."
    case .notARecord(let path, let why):
      "\(path): not a run record (\(why)). Give the run.json that a run has written."
    case .otherSchema(let path, let found):
      """
      \(path): schema \(found), but this program reads \(RunRecord.schemaVersion). Use the \
      version of flotilla that wrote it.
      """
    }
  }
}
