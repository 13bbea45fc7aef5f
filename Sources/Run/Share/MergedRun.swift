internal import Core
internal import Figures
internal import Fleet
package import Foundation
internal import Scenarios
internal import Uploads

package struct MergedRun: Sendable {
  private let files: [ShareFile]
  package var first: ShareFile { files[0] }

  /// - Parameter folders: the folders of all processes of one run, in any order.
  package init(folders: [URL]) throws(ShareMergeError) {
    var read: [(path: String, file: ShareFile)] = []
    for folder in folders { read.append((folder.path, try ShareFile(folder: folder))) }
    try self.init(read)
  }

  init(_ read: [(path: String, file: ShareFile)]) throws(ShareMergeError) {
    guard let first = read.first else { throw .noFolders }
    let count = first.file.count
    var places: [Int: (path: String, file: ShareFile)] = [:]
    for next in read {
      if let difference = Self.difference(next.file, first.file) {
        throw .differs(next.path, first.path, difference)
      }
      if let twin = places[next.file.number] {
        throw .twice(next.file.number + 1, of: count, twin.path, next.path)
      }
      places[next.file.number] = next
    }
    for number in 0..<count where places[number] == nil {
      throw .missing(number + 1, of: count)
    }
    files = (0..<count).compactMap { places[$0]?.file }
  }

  private static func difference(_ file: ShareFile, _ first: ShareFile) -> String? {
    if file.kind != first.kind {
      return "is a \(file.kind.rawValue), the other a \(first.kind.rawValue)"
    }
    if file.version != first.version {
      return "was made by Flotilla \(file.version), the other by \(first.version)"
    }
    if file.seed != first.seed { return "has the seed \(file.seed), the other \(first.seed)" }
    if file.scenarioHash != first.scenarioHash { return "has a different scenario" }
    if file.count != first.count {
      return "is one of \(file.count) shards, the other one of \(first.count)"
    }
    if file.startsAt != first.startsAt { return "had a different run.startAt" }
    if let lived = file.lived, let other = first.lived, lived != other {
      return "simulated \(lived) phones of the fleet, the other \(other)"
    }
    return nil
  }

  // MARK: The record

  /// - Throws: an error if the processes pushed more phones than the rate allows.
  package func outcome(_ plan: RunPlan) throws(ShareMergeError) -> RunOutcome {
    try checkRate(plan)
    var plan = plan
    plan.shard = RunPart(SharePlace(number: 0, of: files.count))
    var outcome = RunOutcome(record: RunRecord(plan))
    outcome.record.scenario.phones = plan.scenario.fleet.phones
    outcome.record.timing = timing
    let ended = EndedShares(files.map(\.end), of: plan)
    guard !ended.shares.isEmpty else {
      outcome.judge(interrupted: ["No shard measured anything."] + ended.missing)
      return outcome
    }
    let context = FleetContext(plan.scenario)
    do throws(FleetAccountError) {
      outcome.batches = ended.shares.compactMap(\.batches)
      switch first.kind {
      case .simulate, .demand:
        outcome.record.slo = []
        setProcesses(&outcome.record, "simulation")
        try SimulationRecord(plan, context, ended).fill(&outcome)
      case .load:
        outcome.record.phases.drain = files.map(\.drain).max() ?? 0
        outcome.timeline = timeline(plan)
        try LiveRecord(endedRun(plan, context, ended)).fill(&outcome)
      }
    } catch {
      throw .noFleet("\(error)")
    }
    return outcome
  }

  /// - Throws: the errors of `outcome`, and an error if the batches cannot be read.
  package func demand(_ plan: RunPlan) throws(ShareMergeError) -> DemandRun.Outcome {
    var livedPlan = plan
    livedPlan.scenario.fleet.phones = first.lived ?? plan.scenario.fleet.phones
    let outcome = try self.outcome(livedPlan)
    do throws(DemandLogError) {
      return try DemandRun(plan, lived: livedPlan.scenario.fleet.phones).outcome(of: outcome)
    } catch {
      throw .unreadable(path: ShareFile.name, why: "its batches have an unknown format")
    }
  }

  /// Throws if a sweep reached the push rate, because each process then pushed up to that rate.
  private func checkRate(_ plan: RunPlan) throws(ShareMergeError) {
    var waiting: [Int64: (phones: Int, allowed: Int)] = [:]
    for sweep in files.flatMap(\.sweeps) {
      waiting[sweep.sweep, default: (0, sweep.allowed)].phones += sweep.phones
    }
    let bound = waiting.filter { $0.value.phones > $0.value.allowed }.min { $0.key < $1.key }
    guard let bound else { return }
    let at = SimInstant(
      microseconds: bound.key * plan.scenario.push.terms.sweep.microseconds)
    throw .rateBound(
      at: ClockText.text(at, plan.scenario.clock), phones: bound.value.phones,
      allowed: bound.value.allowed)
  }

  /// The times of the slowest process in each part of the run, because all ran in parallel.
  private var timing: RunRecord.Timing {
    var timing = first.timing
    for other in files.map(\.timing) {
      timing.wallSeconds = max(timing.wallSeconds, other.wallSeconds)
      timing.warmStartWallSeconds = max(timing.warmStartWallSeconds, other.warmStartWallSeconds)
      timing.liveWallSeconds = max(timing.liveWallSeconds, other.liveWallSeconds)
      timing.drainWallSeconds = max(timing.drainWallSeconds, other.drainWallSeconds)
    }
    return timing
  }

  private func setProcesses(_ record: inout RunRecord, _ name: String) {
    for file in files {
      let place = file.number == 0 ? name : "\(name) \(file.number + 1)"
      record.machine.processes[place] = file.machine.processes[name]
    }
  }

  private func endedRun(
    _ plan: RunPlan, _ context: FleetContext, _ ended: EndedShares
  ) -> EndedRun {
    var wake = ended.wake
    // Counters only grow, and each process reads them after its last upload. The largest values
    // thus include all uploads.
    let last = files.compactMap(\.collector).max {
      ($0.ledger.batches.received, $0.ledger.fixes.received)
        < ($1.ledger.batches.received, $1.ledger.fixes.received)
    }
    wake.unreachableSum = last?.wake.unreachableSum
    var run = EndedRun(
      plan: plan, context: context, ended: ended, began: plan.scenario.start, wake: wake,
      collector: CollectorUse(address: first.collectorAddress ?? "", isOurs: false),
      contention: ProcessorContention(cores: first.machine.cores))
    if ended.target == nil, run.unverified == nil {
      run.server =
        last.map { .success($0) } ?? .failure(.unreachable("no shard reached the collector"))
    }
    return run
  }

  /// Returns a row for each second of the first process.
  private func timeline(_ plan: RunPlan) -> [TimelineRow] {
    var rounds = IntervalRounds(processes: files.count)
    for file in files {
      for kept in file.intervals { rounds.add(PackedInterval(kept), from: file.number) }
      rounds.add(nil, from: file.number)
    }
    var watch = LiveWatch(
      plan, server: first.collectorAddress.map { "collector \($0)" })
    return first.intervals.compactMap { _ in rounds.next().map { watch.interval($0, []).row } }
  }
}

package enum ShareMergeError: Error, Equatable, Sendable, CustomStringConvertible {
  case noFolders
  case unreadable(path: String, why: String)
  case differs(String, String, String)
  case twice(Int, of: Int, String, String)
  case missing(Int, of: Int)
  case rateBound(at: String, phones: Int, allowed: Int)
  case otherScenario(String)
  case noFleet(String)

  package var description: String {
    switch self {
    case .noFolders: "there is nothing to merge; give the folder of each shard"
    case .unreadable(let path, let why):
      "\(path): cannot be read (\(why)); give the folders that '--shard' wrote"
    case .differs(let one, let other, let how): "\(one) \(how) (\(other)); give folders of one run"
    case .twice(let number, let count, let one, let other):
      "shard \(number) of \(count) is given twice (\(one), \(other)); give each once"
    case .missing(let number, let count):
      "shard \(number) of \(count) is missing; give the folders of all \(count)"
    case .rateBound(let at, let phones, let allowed):
      """
      at \(at) the shards pushed \(phones) phones, push.rate allows \(allowed): separate shards \
      cannot share the limit. Run them with mpirun, or raise push.rate
      """
    case .otherScenario(let why): "the scenario of the shards cannot be read here: \(why)"
    case .noFleet(let why): why
    }
  }
}
