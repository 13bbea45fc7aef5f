import Core
import Phone
import Scenarios
import ServerLogic
import TestSupport
import Testing

@testable import Fleet

/// A small city's morning with an account for each phone.
private struct TalliedMorning {
  let fleet: PhoneFleet
  let traces = (0..<10).map { PhoneTrace(phone: PhoneID(rawValue: $0)) }
  private let store = Store()

  init(_ scenario: Scenario, threads: Int = 2) {
    fleet = PhoneFleet(scenario, threads: threads, tracing: traces)
    let birth = scenario.start - scenario.warmStart
    var warm = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    let store = store
    let listen: (BatchID, UnsafeBufferPointer<Fix>) -> Void = { id, fixes in
      store.fixes[id.phone, default: []] += fixes
    }
    warm.received = listen
    warm.advance(until: scenario.start)
    let snapshots = fleet.startCounting(after: warm.backend, answers: .inProcess)
    fleet.inOrder { $0.startTallying() }
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    for snapshot in snapshots { _ = backend.restore(snapshot, at: scenario.start) }
    var time = VirtualTime(fleet: fleet, backend: backend)
    time.received = listen
    time.backend.openMeasure(at: scenario.measureStart)
    time.advance(until: scenario.measureEnd)
    time.drain()
  }

  private final class Store { var fixes: [PhoneID: [Fix]] = [:] }

  /// Records when the collector stored which position.
  func reports(_ trace: PhoneTrace) -> [(at: SimInstant, place: PlanePoint)] {
    let projection = fleet.context.fixMaker(of: trace.phone, cohort: 0).projection
    var places: [SimInstant: PlanePoint] = [:]
    for fix in store.fixes[trace.phone] ?? [] {
      places[fix.time.instant] = projection.point(of: fix.coordinate)
    }
    return trace.entries.compactMap { entry in
      guard case .stored(let time) = entry.what, let place = places[time] else { return nil }
      return (entry.at, place)
    }
  }

  var tallies: [PhoneTally] {
    var all: [PhoneTally] = []
    fleet.inOrder { $0.forEachTally { _, _, tally in all.append(tally) } }
    return all
  }
}

@Suite("Per-phone tally", .quick)
struct TallyTests {
  @Test("adds up to the fleet's figures, with any number of threads")
  func sums() {
    let morning = TalliedMorning(VirtualMorning.city())
    let tallies = morning.tallies
    let metrics = morning.fleet.metrics()
    #expect(tallies.count == 400)
    let fixes = tallies.reduce(0) { $0 + $1.fixes }
    #expect(Int(fixes) == metrics[.fixesPersisted] - metrics[.fixesCarried])
    #expect(
      Int(tallies.reduce(0) { $0 + $1.batches }) == metrics[.batchesCut] - metrics[.batchesCarried])
    let installed = metrics.freshness.installed
    #expect(tallies.reduce(.zero) { $0 + $1.total } == installed.total)
    #expect(tallies.reduce(.zero) { $0 + $1.located } == installed.located)
    for cause in StaleCause.allCases {
      #expect(tallies.reduce(.zero) { $0 + $1.stale[cause] } == metrics.stale[cause])
    }
    let other = TalliedMorning(VirtualMorning.city(), threads: 1).tallies
    #expect(zip(tallies, other).allSatisfy { $0.errorMeterSeconds == $1.errorMeterSeconds })
  }

  @Test("counts the OS's wakes by cause as the fleet does")
  func wakes() {
    let morning = TalliedMorning(VirtualMorning.city())
    let byCause = WakeCause.allCases.map { cause in
      (cause, morning.tallies.reduce(0) { $0 + $1.wakes(cause) })
    }
    let wakes = byCause.filter(\.0.isWake).reduce(0) { $0 + $1.1 }
    #expect(wakes > 100)
    #expect(wakes == morning.fleet.metrics()[.wakes])
    // The policy requests no refresh.
    #expect(byCause.allSatisfy { ($0.1 > 0) == ($0.0 != .refresh) }, "\(byCause)")
  }

  @Test("does not change what phones do")
  func noTrace() {
    let plain = VirtualMorning(VirtualMorning.city(), threads: 2).fleet.digest()
    #expect(TalliedMorning(VirtualMorning.city()).fleet.digest() == plain)
  }

  @Test("measures the distance to the truth as a check every second does")
  func error() throws {
    let scenario = VirtualMorning.city(phones: 10)
    let morning = TalliedMorning(scenario)
    var looked = 0
    for (trace, tally) in zip(morning.traces, morning.tallies) {
      let reports = morning.reports(trace)
      guard reports.count > 5 else { continue }
      looked += 1
      var sum = 0.0
      var next = 0
      var stored: PlanePoint?
      var at = scenario.measureStart
      while at < scenario.measureEnd {
        while next < reports.count, reports[next].at <= at {
          stored = reports[next].place
          next += 1
        }
        let truth = morning.fleet.context.segment(of: trace.phone, cohort: 0, at: at)
        if let stored { sum += truth.position(at: at).distance(to: stored) }
        at = at + .seconds(1)
      }
      #expect(abs(tally.errorMeterSeconds - sum) < 0.01 * sum + 100)
    }
    #expect(looked > 2)
  }

  @Test("samples a way on a grid of time: any division gives the same within a percent")
  func samples() {
    let context = FleetContext(VirtualMorning.city(phones: 10))
    let start = context.scenario.start
    var ways = 0
    for phone in 0..<10 {
      let id = PhoneID(rawValue: UInt32(phone))
      var segment = context.segment(of: id, cohort: 0, at: start)
      for _ in 0..<6 {
        segment = context.segment(of: id, cohort: 0, at: segment.end)
        guard segment.isMoving else { continue }
        ways += 1
        let point = PlanePoint(x: 1_000, y: -500)
        var sum = 0.0
        var seconds = 0.0
        segment.forEachDistance(to: point, from: segment.start, to: segment.end) {
          sum += $0 * $1
          seconds += $1
        }
        var exact = 0.0
        var at = segment.start
        while at < segment.end {
          exact += segment.position(at: at).distance(to: point) * 0.1
          at = at + .milliseconds(100)
        }
        #expect(abs(sum / exact - 1) < 0.01)
        #expect(abs(seconds - (segment.end - segment.start).seconds) < 1e-3)
      }
    }
    #expect(ways > 10)
  }
}
