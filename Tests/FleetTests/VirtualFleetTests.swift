import Core
import Push
import Phone
import Scenarios
import ServerLogic
import TestSupport
import Testing

@testable import Fleet

/// Simulates a small city's morning in virtual time.
struct VirtualMorning {
  let fleet: PhoneFleet
  var time: VirtualTime

  init(_ scenario: Scenario, threads: Int, packs: Bool? = nil) {
    fleet = PhoneFleet(scenario, threads: threads, packs: packs)
    let birth = scenario.start - scenario.warmStart
    var warm = VirtualTime(
      fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    warm.advance(until: scenario.start)
    let snapshots = fleet.startCounting(after: warm.backend, answers: .inProcess)
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    for snapshot in snapshots { _ = backend.restore(snapshot, at: scenario.start) }
    time = VirtualTime(fleet: fleet, backend: backend)
    time.backend.openMeasure(at: scenario.measureStart)
    time.advance(until: scenario.measureEnd)
  }

  static func city(phones: Int = 400, seed: UInt64 = 7) -> Scenario {
    var scenario = Scenario.standard(phones: phones)
    scenario.seed = seed
    scenario.warmStart = .hours(12)
    scenario.duration = .hours(3)
    return scenario
  }
}

@Suite("A fleet in virtual time", .quick)
struct VirtualFleetTests {
  @Test("one thread and two give the same world and the same behaviour")
  func threadsDoNotMatter() {
    let one = VirtualMorning(VirtualMorning.city(), threads: 1).fleet.digest()
    let two = VirtualMorning(VirtualMorning.city(), threads: 2).fleet.digest()
    #expect(one == two)
  }

  @Test("packed and plain phones behave the same, and are counted the same")
  func packingDoesNotMatter() {
    let packed = VirtualMorning(VirtualMorning.city(), threads: 2, packs: true).fleet
    let plain = VirtualMorning(VirtualMorning.city(), threads: 2, packs: false).fleet
    #expect(packed.digest() == plain.digest())
    #expect(packed.census() == plain.census())
    #expect(packed.bytesPerPhone < plain.bytesPerPhone)
  }

  @Test("freshness so far includes all phones, also those without an event for hours")
  func freshnessSoFar() {
    let fleet = VirtualMorning(VirtualMorning.city(), threads: 2).fleet
    let closed = fleet.metrics().freshness
    let soFar = fleet.freshness()
    // Open intervals are closed at the end; nothing else happens there.
    fleet.inOrder { $0.startDraining() }
    #expect(soFar == fleet.metrics().freshness && soFar != closed)
    #expect(soFar.installed.total > closed.installed.total)
    #expect(fleet.freshness() == soFar)
  }

  @Test("an observed server, which sees each upload in order, has the same state")
  func orderDoesNotMatter() {
    let scenario = VirtualMorning.city()
    var servers: [Backend] = []
    for isWatched in [false, true] {
      let fleet = PhoneFleet(scenario, threads: 3)
      let birth = scenario.start - scenario.warmStart
      var time = VirtualTime(
        fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
      time.backend.openMeasure(at: scenario.start)
      let seen = Seen()
      if isWatched { time.arrived = { order, _ in seen.instants.append(order.reachesServer) } }
      time.advance(until: scenario.measureEnd)
      time.drain()
      time.backend.closeMeasure(at: scenario.measureEnd)
      #expect(seen.instants == seen.instants.sorted())
      #expect(seen.instants.isEmpty == !isWatched)
      servers.append(time.backend)
    }
    let (a, b) = (servers[0], servers[1])
    #expect(a.ledger == b.ledger && a.wake == b.wake && a.occasions == b.occasions)
    #expect(a.freshness(at: scenario.measureEnd) == b.freshness(at: scenario.measureEnd))
  }

  /// Events seen by an observer.
  private final class Seen { var instants: [SimInstant] = [] }

  @Test("another seed gives another world")
  func seedsMatter() {
    let a = VirtualMorning(VirtualMorning.city(seed: 1), threads: 2).fleet.digest()
    let b = VirtualMorning(VirtualMorning.city(seed: 2), threads: 2).fleet.digest()
    #expect(a.world != b.world)
    #expect(a.behaviour != b.behaviour)
  }

  @Test("all fixes and batches are accounted for, and both sides hold the same set")
  func ledgerCloses() {
    var morning = VirtualMorning(VirtualMorning.city(), threads: 2)
    morning.time.drain()
    let ledger = morning.fleet.ledger()
    #expect(ledger.fixes.generated > 1_000)
    #expect(ledger.check() == [])
    let server = morning.time.backend.ledger
    #expect(server.isExact)
    var expected = morning.fleet.metrics().acknowledgedHash
    var unknown = 0
    morning.fleet.inOrder { shard in
      shard.unanswered { id, hash, _ in
        if morning.time.backend.holds(id) {
          expected &+= hash
          unknown += 1
        }
      }
    }
    #expect(server.hashSum == expected)
    #expect(Int(server.batches.distinct) == ledger.batches.acknowledged + unknown)
  }

  @Test("stale phone-time has exactly one cause")
  func staleTimeSums() {
    let morning = VirtualMorning(VirtualMorning.city(), threads: 2)
    morning.fleet.inOrder { $0.startDraining() }
    let metrics = morning.fleet.metrics()
    let scenario = VirtualMorning.city()
    let total = metrics.freshness.installed.total
    let phoneTime = (scenario.duration - scenario.phases.ramp).microseconds * 400
    #expect(total.microseconds == phoneTime)
    let limit = metrics.freshness.limit
    let fresh = metrics.freshness.installed.ages.share(within: limit) ?? 0
    let stale = metrics.stale.sum.seconds / total.seconds
    #expect(abs(fresh + stale - 1) < 1e-9, "fresh \(fresh), stale \(stale)")
  }

  @Test("every requested push ends once")
  func pushesEnd() {
    var morning = VirtualMorning(VirtualMorning.city(), threads: 2)
    morning.time.drain()
    let end = VirtualMorning.city().measureEnd
    morning.fleet.inOrder { $0.closePushes(at: end) }
    morning.time.backend.closeMeasure(at: end)
    let start = VirtualMorning.city().measureStart
    let endings = morning.fleet.pushEndings().filter {
      start <= $0.requestedAt && $0.requestedAt < end
    }
    #expect(Set(endings.map(\.id)).count == endings.count)
    #expect(endings.count == morning.time.backend.wake[.pushesRequested])
    #expect(endings.count > 50)
  }
}
