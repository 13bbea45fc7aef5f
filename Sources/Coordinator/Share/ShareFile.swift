internal import Figures
internal import Fleet
package import Foundation
internal import Uploads
internal import Scenarios

/// Is what a process of a run leaves that does not hear of the others: `share.json` in its folder.
///
/// With the files of all processes `MergedRun` makes the record of one.
package struct ShareFile: Codable, Equatable, Sendable {
  /// Says how the phones were simulated.
  package enum Kind: String, Codable, Sendable { case simulate, load, demand }

  /// Is the file's name.
  package static let name = "share.json"

  /// Says how the phones were simulated.
  package var kind: Kind
  /// Numbers the process from 0 in the order of its phones.
  package var number: Int
  /// Counts the processes of the run.
  package var count: Int
  /// Is the version of the program.
  package var version: String
  /// Is the hash of the scenario.
  package var scenarioHash: UInt64
  /// Is the scenario as YAML with all defaults.
  package var scenario: String
  /// Is the scenario's seed, so that another one can be named.
  package var seed: UInt64
  /// Is when the process was started, as ISO 8601 in UTC.
  package var startedAt: String
  /// Is the instant at which the live part was to begin; nil in a simulation.
  package var startsAt: String?
  /// Is nil where the process was stopped before anything was measured.
  var share: RunShare?
  /// Counts the phones of the whole fleet that are lived for a demand; nil where all are.
  package var lived: Int?
  /// Is what the collector, which all processes share, reported to this one; nil in a simulation,
  /// and where the collector could not be asked.
  var collector: ServerAccount?
  /// Is the collector's address; nil in a simulation.
  var collectorAddress: String?
  /// Counts who waited for the rate of pushes.
  var sweeps: [SweepWaiting]
  /// Holds what was seen second by second; empty in a simulation.
  var intervals: [ShareInterval]
  var timing: RunRecord.Timing
  var machine: RunRecord.Machine
  /// Is the length of the drain, in scenario seconds.
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

  /// Reads the file of a run's folder.
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

  /// Returns the file's bytes: JSON.
  package func data() throws -> Data { try JSONEncoder().encode(self) }

  /// Is what the process left at its end.
  var end: ShareEnd { share.map(ShareEnd.measured) ?? .unmeasured }
}
