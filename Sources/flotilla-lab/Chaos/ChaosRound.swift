internal import Collector
package import Core
internal import Figures
package import Foundation
package import Transport
package import Uploads

package struct ChaosRow: Sendable {
  package var seed: UInt64
  /// The proof of the ledgers; nil if the journal or the store could not be read.
  package var proof: LedgerProof?
  /// The number of SIGKILLs sent to the collector.
  package var collectorKills = 0
  /// The number of SIGKILLs sent to all processes of the database.
  package var databaseKills = 0
  /// The number of SIGSTOPs sent to the collector.
  package var collectorStops = 0
  /// The number of SIGKILLs sent to the fleet.
  package var fleetKills = 0
  package var faults = ProxyCounters()
  package var seconds = 0.0
  /// The differences between the ledgers; empty if nothing was lost or stored twice.
  package var differences: [String] = []
  package var holds: Bool { differences.isEmpty }
}

package struct ChaosSetting: Sendable {
  package var executable: String
  package var scenario: String
  package var phones: Int
  /// The simulated seconds per wall-clock second.
  package var speed: Double
  /// The wall-clock length of the measured part of a round.
  package var lasts: WallDuration
  package var hasDatabase = false
  package var carrier = CarrierKind.flotilla
  /// Whether all connections use TLS. The certificate is new in each round, and half of the upload
  /// sessions are resumed where possible.
  package var isSecured = false
  package var wall: @Sendable () -> WallInstant
}

package final class ChaosRound {
  private let setting: ChaosSetting
  private let plan: ChaosPlan
  private let folder: URL
  private let shouldStop: () -> Bool
  private let secrets: ChaosSecrets?
  private let collector: ChildCollector
  private let database: PostgresCluster?
  /// The store, as the argument of `collect --store` or `--store-path`.
  private let store: String
  private var row: ChaosRow

  /// The time beyond the measured part in which a fleet must start and end, or else counts as hung.
  private static let patience = WallDuration.seconds(120)
  private var limit = WallInstant.distantFuture

  /// Draws a plan from `seed`, without starting anything.
  package init(
    _ setting: ChaosSetting, seed: UInt64, folder: URL, shouldStop: @escaping () -> Bool
  ) throws(ChaosError) {
    self.setting = setting
    self.folder = folder
    self.shouldStop = shouldStop
    plan = ChaosPlan(seed: seed, lasts: setting.lasts, hasDatabase: setting.hasDatabase)
    let database = setting.hasDatabase ? try Self.database(in: folder) : nil
    let store = database?.url() ?? folder.appendingPathComponent("store.sqlite").path
    (self.database, self.store) = (database, store)
    row = ChaosRow(seed: seed)
    secrets = setting.isSecured ? ChaosSecrets(folder.path) : nil
    collector = ChildCollector(
      .init(
        executable: setting.executable,
        arguments: [
          "collect", "--with-parent", "--ui", "none", database == nil ? "--store-path" : "--store",
          store,
        ] + (secrets?.serving ?? []), logFile: folder.appendingPathComponent("collector.log").path))
  }

  private static func database(in folder: URL) throws(ChaosError) -> PostgresCluster {
    do throws(PostgresCluster.ClusterError) {
      return try PostgresCluster(folder: folder.appendingPathComponent("postgresql").path)
    } catch {
      throw .cannotStart(error.description)
    }
  }

  /// Runs the round, and throws if a process cannot be started or the user interrupts.
  package func run() throws(ChaosError) -> ChaosRow {
    let began = setting.wall()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .cannotStart("\(folder.path): cannot be created (\(FileErrorText.reason(error)))")
    }
    do throws(TLSSetupError) { try secrets?.write() } catch {
      throw .cannotStart(error.description)
    }
    defer { secrets?.remove() }
    try start()
    defer {
      collector.stop()
      database?.stop()
    }
    let loop = EventLoop(name: "flotilla.proxy")
    loop.start()
    defer { loop.stopAndWait() }
    let fleet = try harm(loop)
    compare(fleet)
    row.seconds = (setting.wall() - began).seconds
    return row
  }

  private func start() throws(ChaosError) {
    try startDatabase()
    do throws(CollectorRunError) { try collector.start() } catch {
      throw .cannotStart(error.description)
    }
  }

  private func startDatabase() throws(ChaosError) {
    do throws(PostgresCluster.ClusterError) { try database?.start() } catch {
      throw .cannotStart(error.description)
    }
  }

  /// - Returns: the fleet, after its last process has ended.
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
      // Polls, since neither the proxy nor the fleet's process wakes this thread.
      Waiter.shared.pause(.milliseconds(20), unless: shouldStop)
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
      "--set", "run.state=\(folder.appendingPathComponent("state").path)", "--ui", "none",
      "--collector", "127.0.0.1:\(collector.port)", "--set", "run.via=127.0.0.1:\(proxy)",
      "--set", "run.carrier=\(setting.carrier.rawValue)",
    ] + (secrets?.trusting ?? [])
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
    case .killDatabase:
      row.databaseKills += 1
      database?.kill()
      try startDatabase()
    case .killFleet:
      row.fleetKills += 1
      fleet.kill()
      try fleet.start()
      extendTimeout()
    }
  }

  // MARK: The ledgers

  private func compare(_ fleet: ChaosFleet) {
    // Accepts exit codes 98 and 99: under faults, a run may be invalid or fail its SLOs.
    if ![0, 98, 99].contains(fleet.exitCode), row.differences.isEmpty {
      row.differences.append(
        "The fleet ended with \(fleet.exitCode); see fleet-\(fleet.lives).log.")
    }
    collector.stop()
    if collector.exitCode != 0 {
      let code = collector.exitCode.map { "\($0)" } ?? "nothing"
      row.differences.append(
        "The collector ended with \(code) after SIGTERM; see collector.log.")
    }
    do throws(LedgerError) {
      let proof = try LedgerProof(
        state: folder.appendingPathComponent("state").path,
        store: store)
      row.proof = proof
      row.differences += proof.differences
      if proof.acknowledged == 0 { row.differences.append("No batch was acknowledged.") }
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
