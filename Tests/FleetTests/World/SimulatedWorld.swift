import Core
import Phone
import Push
import Scenarios
import ServerLogic

@testable import Fleet

/// A random world, simulated from birth to the end of its measured time, and its violations.
struct SimulatedWorld {
  let world: RandomWorld
  private(set) var faults: [Law: [String]] = [:]

  private let fleet: PhoneFleet
  private let diaries: [PhoneTrace]
  private var audits: [LifeAudit] = []
  private let received = Received()
  private var time: VirtualTime

  /// What reached the server, by phone.
  private final class Received {
    var fixes: [PhoneID: Set<Fix>] = [:]
  }

  init(_ world: RandomWorld, threads: Int = 1, traced: Bool = true) {
    self.world = world
    let scenario = world.scenario
    diaries =
      traced
      ? (0..<UInt32(scenario.fleet.phones)).map { PhoneTrace(phone: PhoneID(rawValue: $0)) } : []
    // One thread packs its phones, several do not: both must behave the same.
    fleet = PhoneFleet(scenario, threads: threads, tracing: diaries, packs: threads == 1)
    if traced { audits = Self.audits(of: fleet) }
    time = VirtualTime(
      fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: world.birth))
    listen()
    time.advance(until: scenario.start)
    let snapshots = fleet.startCounting(after: time.backend, answers: .inProcess)
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    for snapshot in snapshots { _ = backend.restore(snapshot, at: scenario.start) }
    time = VirtualTime(fleet: fleet, backend: backend)
    listen()
    time.backend.openMeasure(at: scenario.measureStart)
    time.advance(until: scenario.measureEnd)
  }

  private mutating func listen() {
    time.received = { [received] id, fixes in
      received.fixes[id.phone, default: []].formUnion(fixes)
    }
  }

  /// Everything that a second simulation of the same world must repeat.
  struct Outcome: Equatable {
    let digest: [UInt64]
    let ledger: Ledger
    let energies: [PhoneEnergy]
    let stale: StaleLedger
    let ages: AgeIntegral
    let pushes: [PushEnding]
    let batteries: [BatteryMetrics]
    let counts: [Int]
  }

  /// Ends the run.
  mutating func outcome() -> Outcome {
    time.drain()
    let end = world.scenario.measureEnd
    fleet.inOrder { $0.closePushes(at: end) }
    time.backend.closeMeasure(at: end)
    let digest = fleet.digest()
    let metrics = fleet.metrics()
    return Outcome(
      digest: [digest.world, digest.behaviour], ledger: fleet.ledger(),
      energies: fleet.energies(), stale: metrics.stale, ages: metrics.freshness.installed.ages,
      pushes: fleet.pushEndings(), batteries: metrics.batteries,
      counts: [
        metrics[.events], metrics[.launches], metrics[.wakes], metrics[.kills],
        metrics[.endedForMemory],
        metrics[.updates], metrics[.reinstalls],
      ])
  }

  // MARK: The laws

  mutating func check() -> Outcome {
    checkLives()
    checkServices()
    let outcome = outcome()
    checkOutboxes()
    checkLedger(outcome)
    checkStaleTime()
    checkPushes(outcome)
    checkBatteries()
    return outcome
  }

  mutating func note(_ law: Law, _ what: String) { faults[law, default: []].append(what) }

  private static func audits(of fleet: PhoneFleet) -> [LifeAudit] {
    let scenario = fleet.context.scenario
    var audits: [LifeAudit] = []
    fleet.inOrder { shard in
      shard.forEachRegistration { phone, authorization, _ in
        let cohort = fleet.context.cohort(of: Int(phone.rawValue))
        audits.append(LifeAudit(scenario, cohort: cohort, as: authorization))
      }
    }
    return audits
  }

  private mutating func audit() {
    for number in audits.indices { audits[number].readOn(diaries[number].entries) }
  }

  private mutating func checkLives() {
    audit()
    for (number, audit) in audits.enumerated() {
      for (law, sentences) in audit.faults {
        for sentence in sentences.prefix(3) { note(law, "phone \(number): \(sentence)") }
      }
    }
  }

  /// HY4: every kept fix is acknowledged and held by the server, still in the outbox, or evicted;
  /// no other fix is missing, whatever happened to the app.
  private mutating func checkOutboxes() {
    // In the drain apps receive what they would have received later, which changes only outboxes.
    audit()
    for (number, audit) in audits.enumerated() {
      let held = received.fixes[PhoneID(rawValue: UInt32(number))] ?? []
      let lost = audit.acknowledged.filter { !held.contains($0) }
      if !lost.isEmpty {
        note(.outbox, "phone \(number): \(lost.count) acknowledged fixes did not arrive")
      }
      let left = fleet.outbox(of: number)
      if left != audit.outbox {
        note(
          .outbox,
          "phone \(number): \(left.count) fixes wait, not the \(audit.outbox.count) that were kept")
      }
    }
  }

  private mutating func checkLedger(_ outcome: Outcome) {
    for fault in outcome.ledger.checkAfterDrain(excluding: time.backend.ledger) {
      note(.ledger, fault)
    }
    var expected = fleet.metrics().acknowledgedHash
    var unknown = 0
    fleet.inOrder { shard in
      shard.unanswered { id, hash, _ in
        guard time.backend.holds(id) else { return }
        expected &+= hash
        unknown += 1
      }
    }
    let server = time.backend.ledger
    if !server.isExact { note(.ledger, "the server's own sums do not close") }
    if server.hashSum != expected { note(.ledger, "server and phones hold different sets") }
    if Int(server.batches.distinct) != outcome.ledger.batches.acknowledged + unknown {
      note(
        .ledger,
        """
        the server holds \(server.batches.distinct) batches, of which \
        \(outcome.ledger.batches.acknowledged) are acknowledged and \(unknown) unanswered
        """)
    }
  }

  private mutating func checkStaleTime() {
    let metrics = fleet.metrics()
    let scenario = world.scenario
    let lived =
      (scenario.measureEnd - scenario.measureStart) * Int64(scenario.fleet.phones)
    let installed = metrics.freshness.installed
    if installed.total != lived {
      note(.staleTime, "\(installed.total.seconds) s accounted of \(lived.seconds) s lived")
    }
    let fresh = SimDuration(microseconds: installed.ages.timeWithin[0])
    if metrics.stale.sum + fresh != lived {
      note(
        .staleTime,
        "fresh \(fresh.seconds) s and stale \(metrics.stale.sum.seconds) s of \(lived.seconds) s")
    }
  }

  /// AFG1: Only a running process has a service, and on Android alone.
  private mutating func checkServices() {
    let context = fleet.context
    var servers: [(cohort: Int, state: AppProcess.State)] = []
    fleet.inOrder { shard in
      for i in 0..<shard.count where shard.phones[i].android.hasService {
        servers.append((Int(shard.phones[i].cohort), shard.phones[i].process.state))
      }
    }
    for (cohort, state) in servers {
      let os = context.scenario.fleet.cohorts[cohort].os.value
      if os.system.android == nil || state == .notRunning || state == .suspended {
        note(.android, "a service of an app that is \(state)")
      }
    }
  }

  /// BT3: A charge is between zero and the capacity, and only an empty phone is at its end.
  private mutating func checkBatteries() {
    let context = fleet.context
    var charges: [(cohort: Int, battery: Battery)] = []
    fleet.inOrder { shard in
      for i in 0..<shard.count {
        charges.append((Int(shard.phones[i].cohort), shard.phones[i].battery))
      }
    }
    for (number, (cohort, battery)) in charges.enumerated() {
      let capacity = context.battery(cohort).capacity(battery)
      if battery.charge < 0 || battery.charge > capacity {
        note(.battery, "phone \(number) holds \(battery.charge) of \(capacity) µJ")
      }
    }
  }

  private mutating func checkPushes(_ outcome: Outcome) {
    let scenario = world.scenario
    let ended = outcome.pushes.filter {
      scenario.measureStart <= $0.requestedAt && $0.requestedAt < scenario.measureEnd
    }
    if Set(ended.map(\.id)).count != ended.count { note(.pushes, "a push ended twice") }
    if ended.count != time.backend.wake[.pushesRequested] {
      note(.pushes, "\(time.backend.wake[.pushesRequested]) pushes, \(ended.count) endings")
    }
  }
}

extension Ledger {
  /// Both sides in one account.
  fileprivate func checkAfterDrain(excluding server: CollectorLedger) -> [String] {
    var both = self
    both.fixes.received = Int(server.fixes.received)
    both.fixes.distinct = Int(server.fixes.distinct)
    both.fixes.duplicate = Int(server.fixes.duplicate)
    both.batches.received = Int(server.batches.received)
    both.batches.distinct = Int(server.batches.distinct)
    both.batches.duplicate = Int(server.batches.duplicate)
    return both.checkAfterDrain()
  }
}

extension PhoneFleet {
  fileprivate func outbox(of phone: Int) -> [Fix] {
    var fixes: [Fix] = []
    let id = PhoneID(rawValue: UInt32(phone))
    guard let number = shard(of: id) else { return fixes }
    let shard = owners[number]
    let record = shard.shard.phones[phone - shard.shard.firstPhone]
    shard.shard.effects.outboxes.forEach(first: Int(record.outbox.count), of: record.outbox) {
      fixes.append($0)
    }
    return fixes
  }
}
