internal import Collector
internal import Figures
internal import Foundation
internal import Uploads
internal import Scenarios
internal import SimulationCore
internal import Transport
internal import Wire

/// Holds the collectors of a run: one, or several on one store.
///
/// What a client has to tell, one of several is told; the store tells the others. What a client
/// asks at the end, one of them answers for all, and the others' answers are compared with it.
/// Used from the run's own thread.
final class CollectorGroup {
  let members: [CollectorHandle]
  let token: String?
  /// Secures the connections of this process; nil where they are in the clear.
  let tls: TLSClient?
  let isOurs: Bool
  let plan: RunPlan
  /// Is true in the process that speaks for all of the run.
  var leads: Bool { plan.leads }
  private let say: (String) -> Void
  /// Is the server that the run has started for its collectors; nil where it has started none.
  private let database: PostgresCluster?
  private var databaseBefore: ProcessMetrics?
  /// Counts the faults so far that were aimed at a collector: they hit one after the other.
  private var hits = 0

  /// - Parameter database: the server of the collectors' store, to be watched and stopped.
  init(
    _ target: LoadRun.Target, _ plan: RunPlan, runID: String? = nil, loops: RunLoops,
    hashKey: UInt64, database: PostgresCluster? = nil, say: @escaping (String) -> Void
  ) throws(CollectorRunError) {
    self.plan = plan
    self.say = say
    self.database = database
    let tls: TLSClient?
    do throws(TLSSetupError) {
      tls = try plan.security.map { security throws(TLSSetupError) in
        try TLSClient(security.files, protocols: plan.carrier.applicationProtocols)
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
          loop: loops.control, endpoint: place.endpoint, carrier: plan.carrier, tls: tls,
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

  /// Returns what the collector with a number is called in figures and sentences.
  static func name(_ number: Int, of count: Int, alone: String = "collector") -> String {
    count == 1 ? alone : "collector \(number + 1)"
  }

  var endpoints: [Endpoint] { members.map(\.endpoint) }
  /// Names all addresses.
  var address: String { endpoints.map { "\($0)" }.joined(separator: ", ") }
  /// Is the host that stands in the certificate of all.
  var host: String { members[0].endpoint.host }

  // MARK: The run

  /// Opens the run and restores what the collectors would have learnt during the warm start.
  ///
  /// - Parameter isResumed: an earlier life of the fleet was served; its collectors may be on their
  ///   way back, too, and are waited for.
  func prepare(_ warm: WarmStart, isResumed: Bool) throws(CollectorRunError) {
    for member in members { try member.prepare(warm, isResumed: isResumed) }
    try members[0].restore()
    for member in members.dropFirst() { try member.catchUp() }
  }

  /// Tells the collectors when the scenario starts, and receives their sweeps from now on.
  ///
  /// - Parameters:
  ///   - start: the wall instant at which the scenario starts.
  ///   - onSweep: takes a sweep of the server's wake scheduler; on the control loop's thread.
  func goLive(
    at start: WallInstant, onSweep: @escaping @Sendable (PushSweep) -> Void
  ) throws(CollectorRunError) {
    for member in members { try member.goLive(at: start, onSweep: onSweep) }
    databaseBefore = database?.metrics
  }

  /// Tells every collector, since another may sweep from now on.
  func report(_ statuses: [(id: UInt64, status: Int)]) {
    for member in members { member.report(statuses) }
  }

  func keepAlive() { for member in members { member.keepAlive() } }

  /// Asks for snapshots and checks the collectors' own identities when they come.
  ///
  /// - Parameter onViolation: takes a sentence for each identity that does not hold; called on
  ///   another thread.
  func checkLedger(onViolation: @escaping @Sendable (String) -> Void) {
    for member in members { member.checkLedger(onViolation: onViolation) }
  }

  // MARK: Faults

  /// Stalls one of the collectors, the next one each time; returns its name.
  func stall() -> String { hit { $0.stall() } }
  /// Kills one of the collectors, the next one each time; returns its name.
  func kill() -> String { hit { $0.kill() } }
  /// Lets those that were stalled go on.
  func resume() { for member in members { member.resume() } }

  private func hit(_ harm: (CollectorHandle) -> Void) -> String {
    let member = members[hits % members.count]
    hits += 1
    harm(member)
    return member.name
  }

  // MARK: Figures

  /// Lists the processes of the collectors and of their database; those that have died are left
  /// out.
  var processIDs: [Int32] {
    members.compactMap(\.collectorPID) + (database?.processIDs ?? [])
  }

  /// Returns what the processes have used so far; nil where this run has not started them.
  func metrics() -> Metrics? {
    let parts = members.compactMap { $0.metrics() }
    guard parts.count == members.count else { return nil }
    return Metrics(collectors: parts, database: database?.metrics)
  }

  /// Is what collectors and database have used up to an instant.
  struct Metrics {
    var collectors: [ProcessMetrics]
    var database: ProcessMetrics?

    var sum: ProcessMetrics { collectors.sum }
  }

  /// Holds what of this run's control calls travelled compressed so far.
  var compressed: [CollectorMethod: CompressedMessages] {
    members.reduce(into: [:]) { $0.merge($1.compressed, uniquingKeysWith: +) }
  }

  /// Returns what was used since the live part began.
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
      // Behind a balancer nobody knows which of them an upload went to.
      let isKnown = uploads.count == members.count
      return CollectorUse.Part(
        address: "\(member.endpoint)", spent: member.spent(), restarts: member.restarts,
        uploads: isKnown ? uploads[number] : nil)
    }
    return use
  }

  // MARK: The end

  /// Asks the drained collectors for their counters and for the batches that their store holds.
  ///
  /// - Returns: the proof, with a sentence for each collector that knows of other batches than the
  ///   first that answers.
  func proof() throws(CollectorRunError) -> (proof: CollectorProof, differences: [String]) {
    var problem = CollectorRunError.unreachable("no collector is left")
    for member in members where !member.hasGivenUp || members.count == 1 {
      do throws(CollectorRunError) { return try compared(member) } catch {
        // They have one store: where it does not answer one, it answers none.
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
        // One that is away has left what it had in the store.
        guard let account = try? other.account() else { continue }
        proof.others.append(account)
        let own = proof.snapshot
        if account.batches.distinct != own.batches.distinct || account.hashSum != own.hashSum {
          differences.append(
            """
            \(other.name) finds \(account.batches.distinct) batches in the store, or others, where \
            \(member.name) finds \(own.batches.distinct).
            """)
        }
      }
      if differences.isEmpty || plan.wall() >= limit { return (proof, differences) }
      usleep(200_000)
    }
  }

  /// Stops what this run has started.
  func close() {
    for member in members { member.close() }
    database?.stop()
  }
}

extension [ProcessMetrics] {
  /// Adds what several processes have used.
  var sum: ProcessMetrics {
    ProcessMetrics(
      cpuMicroseconds: reduce(0) { $0 + $1.cpuMicroseconds },
      residentBytes: reduce(0) { $0 + $1.residentBytes },
      peakResidentBytes: reduce(0) { $0 + $1.peakResidentBytes })
  }
}
