package import Foundation
internal import Measure
package import SimulationCore
package import Transport

/// What a round came to: a row of the table.
package struct ChaosRow: Sendable {
  package var seed: UInt64
  package var proof: LedgerProof?
  package var collectorKills = 0
  package var collectorStops = 0
  package var fleetKills = 0
  package var faults = ProxyCounters()
  package var seconds = 0.0
  /// Sentences; empty: nothing was lost, and nothing stored twice.
  package var differences: [String] = []
  package var holds: Bool { differences.isEmpty }
}

/// What all rounds have in common.
package struct ChaosSetting: Sendable {
  /// The program itself.
  package var executable: String
  package var scenario: String
  package var phones: Int
  /// Scenario seconds a wall second, as the scenario has it.
  package var speed: Double
  package var lasts: WallDuration
  package var wall: @Sendable () -> WallInstant

  package init(
    executable: String, scenario: String, phones: Int, speed: Double, lasts: WallDuration,
    wall: @escaping @Sendable () -> WallInstant
  ) {
    self.executable = executable
    self.scenario = scenario
    self.phones = phones
    self.speed = speed
    self.lasts = lasts
    self.wall = wall
  }
}

/// One round: a collector, a proxy and a fleet, all of which are harmed; then the ledgers are
/// compared.
package final class ChaosRound {
  private let setting: ChaosSetting
  private let plan: ChaosPlan
  private let folder: URL
  private let shouldStop: () -> Bool
  private let collector: ChildCollector
  private var row: ChaosRow

  /// A fleet that is not done this long after its live part hangs; it may take as long to begin.
  private static let patience = WallDuration.seconds(120)
  private var limit = WallInstant.distantFuture

  package init(
    _ setting: ChaosSetting, seed: UInt64, folder: URL, shouldStop: @escaping () -> Bool
  ) {
    self.setting = setting
    self.folder = folder
    self.shouldStop = shouldStop
    plan = ChaosPlan(seed: seed, lasts: setting.lasts)
    row = ChaosRow(seed: seed)
    collector = ChildCollector(
      .init(
        executable: setting.executable,
        arguments: [
          "collect", "--with-parent", "--ui", "none", "--store-path",
          folder.appendingPathComponent("store.sqlite").path,
        ], logFile: folder.appendingPathComponent("collector.log").path))
  }

  package func run() throws(ChaosError) -> ChaosRow {
    let began = setting.wall()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .cannotStart("\(folder.path): cannot be made (\(FileErrorText.reason(error)))")
    }
    try start()
    defer { collector.stop() }
    let loop = EventLoop(name: "flotilla.proxy")
    loop.start()
    defer { loop.stopAndWait() }
    let fleet = try harm(loop)
    compare(fleet)
    row.seconds = (setting.wall() - began).seconds
    return row
  }

  private func start() throws(ChaosError) {
    do throws(CollectorRunError) { try collector.start() } catch {
      throw .cannotStart(error.description)
    }
  }

  /// - Returns: the fleet, when its last life is over.
  private func harm(_ loop: EventLoop) throws(ChaosError) -> ChaosFleet {
    let proxy: FaultProxy
    let port: UInt16
    do throws(TransportError) {
      proxy = try FaultProxy(
        loop: loop, FaultPlan(seed: plan.seed, faults: []),
        to: Endpoint(host: "127.0.0.1", port: collector.port))
      port = try proxy.listen()
    } catch {
      throw .cannotStart("the proxy: \(error)")
    }
    defer { proxy.close() }
    let fleet = ChaosFleet(setting.executable, arguments(port), folder: folder)
    try fleet.start()
    defer { fleet.kill() }
    var actions = plan.actions[...]
    var liveSince: WallInstant?
    extendTimeout()
    while fleet.isRunning {
      if shouldStop() { throw .interrupted }
      let now = setting.wall()
      if liveSince == nil, proxy.counters().connections > 0 {
        liveSince = now
        extendTimeout()
        proxy.harm(plan.faults)
      }
      while let start = liveSince, let action = actions.first, start + action.at <= now {
        actions = actions.dropFirst()
        try perform(action.what, fleet)
      }
      if now > limit {
        row.differences.append("The fleet did not end within \(Self.patience.seconds) s.")
        break
      }
      usleep(20_000)
    }
    collector.signal(SIGCONT)
    row.faults = proxy.counters()
    return fleet
  }

  private func extendTimeout() { limit = setting.wall() + setting.lasts + Self.patience }

  private func arguments(_ proxy: UInt16) -> [String] {
    let duration = setting.lasts.seconds * setting.speed
    return [
      "load", setting.scenario, "--phones", "\(setting.phones)", "--seed", "\(plan.seed)",
      "--duration", "\(Int(duration))s", "--set", "connections=\(plan.connections)",
      "--state", folder.appendingPathComponent("state").path, "--ui", "none",
      "--collector", "127.0.0.1:\(collector.port)", "--uploads-via", "127.0.0.1:\(proxy)",
    ]
  }

  private func perform(_ action: ChaosPlan.Action, _ fleet: ChaosFleet) throws(ChaosError) {
    switch action {
    case .killCollector:
      row.collectorKills += 1
      collector.signal(SIGKILL)
      do throws(CollectorRunError) { try collector.restart() } catch {
        throw .cannotStart("after a SIGKILL: \(error)")
      }
    case .stopCollector:
      row.collectorStops += 1
      collector.signal(SIGSTOP)
    case .continueCollector: collector.signal(SIGCONT)
    case .killFleet:
      row.fleetKills += 1
      fleet.kill()
      try fleet.start()
      extendTimeout()
    }
  }

  // MARK: The ledgers

  private func compare(_ fleet: ChaosFleet) {
    // 98 and 99: under faults a run may be invalid, and miss its service levels.
    if ![0, 98, 99].contains(fleet.exitCode), row.differences.isEmpty {
      row.differences.append(
        "The fleet ended with \(fleet.exitCode); fleet-\(fleet.lives).log says why.")
    }
    collector.stop()
    if collector.exitCode != 0 {
      let code = collector.exitCode.map { "\($0)" } ?? "nothing"
      row.differences.append(
        "The collector ended with \(code) after SIGTERM; collector.log says why.")
    }
    do throws(LedgerError) {
      let proof = try LedgerProof(
        state: folder.appendingPathComponent("state").path,
        store: folder.appendingPathComponent("store.sqlite").path)
      row.proof = proof
      row.differences += proof.differences
      if proof.acknowledged == 0 { row.differences.append("No batch was acknowledged at all.") }
    } catch {
      row.differences.append(error.description)
    }
    compareRecord(fleet)
  }

  private func compareRecord(_ fleet: ChaosFleet) {
    do throws(RunRecordError) {
      let record = try RunRecord.read(from: fleet.out.appendingPathComponent("run.json"))
      let ledger = record.ledger
      if ledger.fixes.lost > 0 || ledger.batches.lost > 0 || record.verdict == .loss {
        row.differences.append("The fleet's own ledger: \(record.reasons.first ?? "loss")")
      }
    } catch {
      row.differences.append(error.description)
    }
  }
}
