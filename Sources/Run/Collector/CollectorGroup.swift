internal import Collector
internal import Core
internal import Foundation
internal import Scenarios
internal import Transport
internal import Uploads
internal import Wire

/// The collectors of a run, which share one store. At the end, the account of one collector is
/// compared with those of the others. Used from the run's own thread.
final class CollectorGroup {
  let members: [CollectorHandle]
  let token: String?
  /// The TLS client of this process; nil for plaintext connections.
  let tls: TLSClient?
  let isOurs: Bool
  let plan: RunPlan
  var leads: Bool { plan.leads }
  private let say: (String) -> Void
  private let database: PostgresCluster?
  private var databaseBefore: ProcessMetrics?
  private var hits = 0

  init(
    _ target: LoadRun.Target, _ plan: RunPlan, runID: String? = nil, loops: RunLoops,
    hashKey: UInt64, database: PostgresCluster? = nil, say: @escaping (String) -> Void
  ) throws(CollectorRunError) {
    self.plan = plan
    self.say = say
    self.database = database
    let tls: TLSClient?
    do throws(TLSSetupError) {
      tls = try plan.scenario.run.tls.map { keys throws(TLSSetupError) in
        try TLSClient(
          TLSClientFiles(keys), protocols: plan.scenario.run.carrier.applicationProtocols)
      }
    } catch {
      throw .unreachable(error.description)
    }
    let places = try Self.places(target)
    let token: String?
    switch target {
    case .children:
      isOurs = true
      token = nil
    case .existing(_, let known):
      isOurs = false
      token = known
    }
    (self.tls, self.token) = (tls, token)
    let run =
      runID
      ?? "\(plan.scenario.name)-\(String(plan.scenarioHash, radix: 16))-\(plan.runTime)"
    members = places.enumerated().map { number, place in
      CollectorHandle(
        place, name: Self.name(number, of: places.count, alone: "the collector"), plan,
        link: CollectorLink(
          loop: loops.control, endpoint: place.endpoint, carrier: plan.scenario.run.carrier,
          tls: tls,
          token: token, runID: run),
        hashKey: hashKey, say: say)
    }
  }

  private static func places(
    _ target: LoadRun.Target
  ) throws(CollectorRunError) -> [CollectorHandle.Place] {
    switch target {
    case .children(let commands):
      var places: [CollectorHandle.Place] = []
      for command in commands {
        let child = ChildCollector(command)
        try child.start()
        places.append(.child(child))
      }
      return places
    case .existing(let endpoints, _): return endpoints.map { .existing($0) }
    }
  }

  static func name(_ number: Int, of count: Int, alone: String = "collector") -> String {
    count == 1 ? alone : "collector \(number + 1)"
  }

  var endpoints: [Endpoint] { members.map(\.endpoint) }
  var address: String { endpoints.map { "\($0)" }.joined(separator: ", ") }
  var host: String { members[0].endpoint.host }

  // MARK: The run

  /// - Parameter isResumed: whether to wait for collectors that the fleet used before its restart.
  func prepare(_ warm: WarmStart, isResumed: Bool) throws(CollectorRunError) {
    for member in members { try member.prepare(warm, isResumed: isResumed) }
    try members[0].restore()
    for member in members.dropFirst() { try member.catchUp() }
  }

  /// - Parameter onSweep: called on the control loop's thread.
  func goLive(
    at start: WallInstant, onSweep: @escaping @Sendable (PushSweep) -> Void
  ) throws(CollectorRunError) {
    for member in members { try member.goLive(at: start, onSweep: onSweep) }
    databaseBefore = database?.metrics
  }

  /// Sends push statuses to every collector, because any of them may run the next sweep.
  func report(_ statuses: [(id: UInt64, status: Int)]) {
    for member in members { member.report(statuses) }
  }

  var nextLook: WallInstant { members.map(\.nextLook).min() ?? .distantFuture }
  func keepAlive() { for member in members { member.keepAlive() } }

  /// - Parameter onViolation: called on another thread with a sentence for each violated identity.
  func checkLedger(onViolation: @escaping @Sendable (String) -> Void) {
    for member in members { member.checkLedger(onViolation: onViolation) }
  }

  // MARK: Faults

  /// Stalls the next collector in turn; returns its name.
  func stall() -> String { hit { $0.stall() } }
  /// Kills the next collector in turn; returns its name.
  func kill() -> String { hit { $0.kill() } }
  func resume() { for member in members { member.resume() } }

  private func hit(_ harm: (CollectorHandle) -> Void) -> String {
    let member = members[hits % members.count]
    hits += 1
    harm(member)
    return member.name
  }

  // MARK: Figures

  /// The IDs of the running processes of the collectors and their database.
  var processIDs: [Int32] {
    members.compactMap(\.collectorPID) + (database?.processIDs ?? [])
  }

  /// Returns the usage of collectors and database; nil unless this run started all collectors.
  func metrics() -> Metrics? {
    let parts = members.compactMap { $0.metrics() }
    guard parts.count == members.count else { return nil }
    return Metrics(collectors: parts, database: database?.metrics)
  }

  struct Metrics {
    var collectors: [ProcessMetrics]
    var database: ProcessMetrics?

    var sum: ProcessMetrics { collectors.sum }
  }

  var compressed: [CollectorMethod: CompressedMessages] {
    members.reduce(into: [:]) { $0.merge($1.compressed, uniquingKeysWith: +) }
  }

  func use(_ uploads: [Sheet]) -> CollectorUse {
    var use = CollectorUse(address: address, isOurs: isOurs)
    use.compressed = compressed
    let spent = members.compactMap { $0.spent() }
    if spent.count == members.count { use.spent = spent.sum }
    if let database, let before = databaseBefore {
      use.database = database.metrics?.since(before)
    }
    guard members.count > 1 else { return use }
    use.parts = members.enumerated().map { number, member in
      // Behind a load balancer it is unknown which collector received an upload.
      let isKnown = uploads.count == members.count
      return CollectorUse.Part(
        address: "\(member.endpoint)", spent: member.spent(), restarts: member.restarts,
        uploads: isKnown ? uploads[number] : nil)
    }
    return use
  }

  // MARK: The end

  /// - Returns: the proof, and a sentence for each collector whose batches differ from it.
  func proof() throws(CollectorRunError) -> (proof: CollectorProof, differences: [String]) {
    var problem = CollectorRunError.unreachable("no collector is reachable")
    for member in members where !member.hasGivenUp || members.count == 1 {
      do throws(CollectorRunError) { return try compared(member) } catch {
        // All collectors share one store. A store that does not answer one of them answers none.
        if case .unverified = error { throw error }
        problem = error
      }
    }
    throw problem
  }

  private func compared(
    _ member: CollectorHandle
  ) throws(CollectorRunError) -> (proof: CollectorProof, differences: [String]) {
    let limit = plan.wall() + CollectorHandle.returnsWithin
    while true {
      var proof = try member.proof()
      var differences: [String] = []
      for other in members where other !== member {
        // A collector that is down is skipped, because its data is in the store.
        guard let account = try? other.account() else { continue }
        proof.others.append(account)
        let own = proof.snapshot
        if account.batches.distinct != own.batches.distinct || account.hashSum != own.hashSum {
          differences.append(
            """
            The store differs: \(other.name) reports \(account.batches.distinct) batches, \
            \(member.name) reports \(own.batches.distinct).
            """)
        }
      }
      if differences.isEmpty || plan.wall() >= limit { return (proof, differences) }
      // Another collector does not announce new batches, so this loop polls.
      Waiter.shared.pause(.milliseconds(200))
    }
  }

  func close() {
    for member in members { member.close() }
    database?.stop()
  }
}

extension [ProcessMetrics] {
  var sum: ProcessMetrics {
    ProcessMetrics(
      cpuMicroseconds: reduce(0) { $0 + $1.cpuMicroseconds },
      residentBytes: reduce(0) { $0 + $1.residentBytes },
      peakResidentBytes: reduce(0) { $0 + $1.peakResidentBytes })
  }
}
