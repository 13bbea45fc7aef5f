internal import Figures
internal import Fleet
package import Foundation
internal import Uploads
internal import Scenarios

/// What a process of a run leaves that does not hear of the others: `share.json` in its folder.
///
/// With the files of all processes `MergedRun` makes the record of one.
package struct ShareFile: Codable, Equatable, Sendable {
  /// How the phones were simulated.
  package enum Kind: String, Codable, Sendable { case simulate, load, demand }

  /// The file's name.
  package static let name = "share.json"

  /// How the phones were simulated.
  package var kind: Kind
  package var number: Int
  /// The number of processes of the run.
  package var count: Int
  /// The version of the program.
  package var version: String
  /// The hash of the scenario.
  package var scenarioHash: UInt64
  /// The scenario as YAML with all defaults.
  package var scenario: String
  /// The scenario's seed, so that another one can be named.
  package var seed: UInt64
  /// When the process was started, as ISO 8601 in UTC.
  package var startedAt: String
  /// The instant at which the live part was to begin; nil in a simulation.
  package var startsAt: String?
  /// Nil if the process was stopped before anything was measured.
  var share: RunShare?
  /// The number of phones of the whole fleet that are lived for a demand; nil where all are.
  package var lived: Int?
  /// What the collector, which all processes share, reported to this one; nil in a simulation,
  /// and where the collector could not be asked.
  var collector: ServerAccount?
  /// The collector's address; nil in a simulation.
  var collectorAddress: String?
  var sweeps: [SweepWaiting]
  /// What was seen second by second; empty in a simulation.
  var intervals: [ShareInterval]
  var timing: RunRecord.Timing
  var machine: RunRecord.Machine
  /// The length of the drain, in scenario seconds.
  var drain: Double

  /// Makes the file of a process's part of a run.
  ///
  /// - Parameters:
  ///   - lived: how many phones of the whole fleet are lived for a demand; nil: all.
  package init(
    _ kind: Kind, _ outcome: RunOutcome, of plan: RunPlan, lived: Int? = nil, _ shard: RunPart
  ) {
    self.kind = kind
    self.lived = lived
    (number, count) = (shard.place.number, shard.place.count)
    version = plan.version
    scenarioHash = plan.scenarioHash
    scenario = plan.scenarioText
    seed = plan.scenario.seed
    (startedAt, startsAt) = (plan.startedAt, plan.startsAt)
    let record = outcome.record
    (timing, machine, drain) = (record.timing, record.machine, record.phases.drain)
    sweeps = shard.sweeps
    intervals = outcome.kept
    share = outcome.share
    // That others took the processors is seen on each machine alone.
    share?.fleet.sending?.lateReasons += record.reasons.filter {
      $0.contains(ProcessorContention.words)
    }
    guard kind == .load, let share else { return }
    // Of the collector, a share has the pushes alone.
    collector = outcome.server
    collector?.wake = WakeAccount()
    collector?.wake.unreachableSum = share.server.wake.unreachableSum
    collectorAddress = record.machine.collectorAddress
  }

  package init(folder: URL) throws(ShareMergeError) {
    let file = folder.appendingPathComponent(Self.name)
    let data: Data
    do { data = try Data(contentsOf: file) } catch {
      throw .unreadable(path: file.path, why: FileErrorText.reason(error))
    }
    do { self = try JSONDecoder().decode(ShareFile.self, from: data) } catch {
      throw .unreadable(path: file.path, why: "it is not what this program writes")
    }
  }

  package func data() throws -> Data { try JSONEncoder().encode(self) }

  /// What the process left at its end.
  var end: ShareEnd { share.map(ShareEnd.measured) ?? .unmeasured }
}
