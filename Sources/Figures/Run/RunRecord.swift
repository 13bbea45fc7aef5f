package import Core
package import Foundation

/// A run as a file. Top-level keys may be added, never renamed. Unknown values are `null`. Two
/// simulations of a scenario and seed differ only in `command`, `machine` and `timing`.
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
  /// The minutes that phones were stale, by cause.
  package var stale: [String: Double] = [:]
  package var fixSources: [String: FixSourceFigures]?
  /// The events that apps sent; nil if no policy sends events.
  package var events: EventFigures?
  /// The phones' clock offsets; nil in older records, or without a fleet.
  package var clocks: ClockFigures?
  package var wake = Wake()
  package var energy = EnergyFigures()
  /// The figures by system; nil for a fleet with one system.
  package var systems: [SystemFigures]?
  /// The network traffic; zeros in a simulation.
  package var traffic = TrafficFigures()
  /// The counts that the file has under separate keys, `errors` included.
  @Uncoded package var figures = RecordedCounts()
  package var slo: [ServiceLevelResult] = []
  package var verdict = Verdict.invalid
  /// The reasons of the verdict, worst first; empty for a clean pass.
  package var reasons: [String] = []
  package var map: Map?
  package var storm: [StormFigures]?
  package var demand: RunDemand?
  package var agreement: Agreement?
  package var ensemble: EnsembleFigures?
  package var target: TargetFigures?
  package var sender: SenderFigures?
  package var targetDemand: TargetDemand?
  package var targetCapacity: TargetCapacity?
  /// A plan's result as JSON: here what a collector sustains, in `size` what to buy.
  package var capacity: JSONValue?
  package var size: JSONValue?
  package var growth: JSONValue?

  package init() {}

  // MARK: As a file

  /// Writes the JSON atomically.
  /// - Throws: `RunRecordError.unwritable` with the system's reason.
  package func write(to file: URL) throws(RunRecordError) {
    do {
      try json().write(to: file, options: .atomic)
    } catch {
      throw .unwritable(path: file.path, why: FileErrorText.reason(error))
    }
  }
}

package enum RunRecordError: Error, Equatable, Sendable, CustomStringConvertible {
  case unwritable(path: String, why: String)
  case unreadable(path: String, why: String)
  case notARecord(path: String, why: String)
  case otherSchema(path: String, found: Int)

  package var reason: String {
    switch self {
    case .unwritable(_, let why), .unreadable(_, let why), .notARecord(_, let why): why
    case .otherSchema(_, let found): "schema \(found)"
    }
  }

  package var description: String {
    switch self {
    case .unwritable(let path, let why):
      "\(path): cannot write the run record (\(why)). Choose another --out directory."
    case .unreadable(let path, let why):
      "\(path): cannot read the run record (\(why)). Give the path of a run.json."
    case .notARecord(let path, let why):
      "\(path): not a run record (\(why)). Give the run.json of a run."
    case .otherSchema(let path, let found):
      """
      \(path): schema \(found), but this program reads \(RunRecord.schemaVersion). Use the \
      version of flotilla that wrote it.
      """
    }
  }
}

extension RunRecord {
  package struct Tool: Equatable, Sendable, Codable {
    package var name = "flotilla"
    package var version = ""
    package init() {}
  }
}
