package import Foundation

/// One run as a file: what was asked, what happened, and what it is worth.
///
/// The top-level keys are a contract; keys may be added, never renamed. Two simulations of one
/// scenario and seed give equal bytes but for `command`, `machine` and `timing`. Counts are
/// integers; what a run cannot say is `null`.
package struct RunRecord: Equatable, Sendable, StoredRecord {
  /// Is the version of the format that this program writes and reads.
  package static let schemaVersion = 1

  /// Is the version of the format in which the record was written.
  package var schema = RunRecord.schemaVersion
  /// Names the program that wrote the record.
  package var tool = Tool()
  /// Holds the command line as it was given, word by word.
  package var command: [String] = []
  /// Describes the scenario that was run.
  package var scenario = ScenarioFacts()
  /// Is the seed that keys every random draw of the run.
  package var seed: UInt64 = 0
  /// Holds the digests of the world and of what the phones did.
  package var digest = Digest()
  /// Describes the machine, and what the processes used of it.
  package var machine = Machine()
  /// Holds when the run began and how long its parts took in wall time.
  package var timing = Timing()
  /// Holds the length of each phase in scenario seconds.
  package var phases = Phases()
  /// Holds what the plan asked for in `measure`.
  package var offered = Offered()
  /// Accounts for every fix and every batch over the whole run.
  package var ledger = Ledger()
  /// Holds what was acknowledged a second in `measure`.
  package var throughput = Throughput()
  /// Holds the response and its parts; empty in a simulation.
  package var latency = Latency()
  /// Holds how old the newest fixes at the collector were.
  package var freshness = Freshness()
  /// Cause → phone-minutes.
  package var stale: [String: Double] = [:]
  /// Source → the kept fixes that came from it; nil: the run did not count them.
  package var fixSources: [String: FixSourceFigures]?
  /// Says how far the phones' clocks were off, and what their server saw of it; nil: the record is
  /// older, or of no fleet.
  package var clocks: ClockFigures?
  /// Holds the silent pushes and what became of them.
  package var wake = Wake()
  /// Holds what the phones spent.
  package var energy = EnergyFigures()
  /// Counts connections and bytes; zeros in a simulation.
  package var traffic = TrafficFigures()
  /// What was counted and stands in the file by its key, `errors` among it.
  @Uncoded package var figures = RecordedCounts()
  /// Holds a result for each promise of the scenario.
  package var slo: [ServiceLevelResult] = []
  /// Is the run's verdict; `invalid` until it was judged.
  package var verdict = Verdict.invalid
  /// Holds the sentences behind the verdict, the worst first; empty for a clean pass.
  package var reasons: [String] = []
  /// Where phones were silent.
  package var map: Map?
  /// A row for each outage that ended in the run.
  package var storm: [StormFigures]?
  /// Of a simulation, a demand or a plan.
  package var demand: RunDemand?
  /// Of a live run that was lived in virtual time, too.
  package var agreement: Agreement?
  /// Of a live run against a backend of the user's own: what that said.
  package var target: TargetFigures?
  /// Of a live run that a sender of the user's own pushed: what it asked, and does wrong.
  package var sender: SenderFigures?
  /// Of a demand: what it asks of a backend of the user's own.
  package var targetDemand: TargetDemand?
  /// Of a plan: what a backend of the user's own sustains.
  package var targetCapacity: TargetCapacity?
  /// Of a plan: what a collector sustains, and what to buy. Typed where Capacity is known:
  /// `RunRecord.plan`.
  package var capacity: JSONValue?
  /// Is what to buy, as the plan's own block; nil: the record is no plan's.
  package var size: JSONValue?
  /// Is what fleets of several sizes take, as the plan's own block; nil: nobody asked.
  package var growth: JSONValue?

  /// Makes an empty record of the current schema.
  package init() {}

  // MARK: As a file

  /// Writes the record's JSON in one step, so that no reader finds half of it.
  /// - Throws: `RunRecordError.unwritable` with the system's reason.
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

  /// The reason why a file cannot be used, without its name.
  package var reason: String {
    switch self {
    case .unwritable(_, let why), .unreadable(_, let why), .notARecord(_, let why): why
    case .otherSchema(_, let found): "schema \(found)"
    }
  }

  /// Says what is wrong with which file and what to do about it.
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

extension RunRecord {
  /// Names the program that wrote the record.
  package struct Tool: Equatable, Sendable, Codable {
    /// Is the program's name.
    package var name = "flotilla"
    /// Is the program's version; empty in records that no run has filled in.
    package var version = ""
    /// Makes the block with the program's name and no version.
    package init() {}
  }
}
