internal import Core
internal import Figures
internal import Fleet
package import Foundation
internal import Scenarios
internal import Uploads

/// The results of a process that has no link to the run's other processes, in `share.json`.
package struct ShareFile: Codable, Equatable, Sendable {
  package enum Kind: String, Codable, Sendable { case simulate, load, demand }

  package static let name = "share.json"

  package var kind: Kind
  package var number: Int
  package var count: Int
  package var version: String
  package var scenarioHash: UInt64
  package var scenario: String
  package var seed: UInt64
  package var startedAt: String
  /// The planned start of the live part; nil in a simulation.
  package var startsAt: String?
  /// The results; nil if the process was stopped before anything was measured.
  var share: RunShare?
  /// The number of phones that `demand` simulates in the whole fleet; nil for all.
  package var lived: Int?
  /// The shared collector's report; nil in a simulation, or if the collector did not answer.
  var collector: ServerAccount?
  var collectorAddress: String?
  var sweeps: [SweepWaiting]
  /// The intervals, one per second; empty in a simulation.
  var intervals: [ShareInterval]
  var timing: RunRecord.Timing
  var machine: RunRecord.Machine
  /// The length of the drain, in scenario seconds.
  var drain: Double

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
    // Only this process knows how other programs on its machine used the CPU.
    share?.fleet.sending?.lateReasons += record.reasons.filter {
      $0.contains(ProcessorContention.words)
    }
    guard kind == .load, let share else { return }
    // A share contains only the pushes of the collector's account.
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
      throw .unreadable(path: file.path, why: "its format is unknown")
    }
  }

  package func data() throws -> Data { try JSONEncoder().encode(self) }

  var end: ShareEnd { share.map(ShareEnd.measured) ?? .unmeasured }
}
