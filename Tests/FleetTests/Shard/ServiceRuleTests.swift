import Measure
import Mobility
import PushService
import SimulationCore
import Telemetry
import Testing
import Tracker

@testable import Fleet
@testable import Phone
@testable import Scenarios

@Suite("Location services", .timeLimit(.minutes(10)))
struct ServiceRuleTests {
  static let rides = PhoneBench.rides

  static func regions(_ os: OSProfile = .standard, seed: UInt64 = 1) -> PhoneBench {
    let bench = PhoneBench(
      .quiet, os: os, way: [.stay(.minutes(10)), .ride(.minutes(40), metersPerSecond: 8)],
      seed: seed)
    bench.open()
    bench.command(.monitorRegion(centre: bench.place, radius: .meters(100)))
    bench.leave()
    return bench
  }

  static func exits(_ bench: PhoneBench, since mark: Int = 0) -> [(at: SimInstant, Manager, Fix?)] {
    bench.entries.dropFirst(mark).compactMap { entry in
      if case .delivered(.regionExited(let manager, let cached)) = entry.what {
        (entry.at, manager, cached)
      } else {
        nil
      }
    }
  }

  static func visits(_ bench: PhoneBench) -> [Visit] {
    bench.delivered.compactMap { if case .visit(let visit) = $0.event { visit } else { nil } }
  }

  @Test("SL2: a legacy phone in steady motion gets a fix every 6 to 15 minutes, up to 500 m off")
  func cadence() {
    var os = OSProfile.standard
    os.significantChange.triggerMedian = .meters(750)
    os.significantChange.triggerSigma = 0.73
    os.significantChange.triggerFloor = .meters(0)
    os.significantChange.latencyMean = .seconds(360)
    os.significantChange.spuriousPerHour = 0
    var settings = PolicySettings.quiet
    settings.significantChange = true
    let bench = PhoneBench(settings, os: os, way: [.ride(.hours(12), metersPerSecond: 5)])
    bench.advance(.hours(12))
    let times = bench.fixes(.imprecise).map(\.time.instant)
    let gaps = zip(times, times.dropFirst()).map { ($1 - $0).seconds / 60 }.sorted()
    #expect((6...15).contains(gaps[gaps.count / 2]))
    #expect(bench.metersOff(.imprecise).dropFirst().allSatisfy { $0 <= 500 })
  }

  @Test("SL5: starting significant changes brings a position with its true, old timestamp")
  func cached() {
    var settings = PolicySettings.quiet
    settings.significantChange = true
    settings.background.filter.maxAge = .minutes(1)
    settings.foreground.filter.maxAge = .minutes(1)
    var ages: [Double] = []
    for seed in 1...40 as ClosedRange<UInt64> {
      let bench = PhoneBench(settings, way: [.stay(.hours(9))], seed: seed)
      guard let first = bench.fixes(.imprecise).first else { continue }
      ages.append((bench.scenario.start - first.time.instant).seconds)
      let isOld = ages[ages.count - 1] > 60
      #expect(bench.metrics.fixesPersisted == 0 || !isOld, "a stale position is not kept")
    }
    #expect(ages.count == 40)
    #expect(ages.allSatisfy { $0 >= 0 } && ages.contains { $0 > 3_600 })
  }

  @Test("SL6: a position that the app gets does not show its source")
  func noSource() {
    let fix = Fix(
      coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0), time: FixTime(centiseconds: 0),
      accuracyMeters: 5, speedDecimetersPerSecond: -1, courseDegrees: -1)
    let fields = Mirror(reflecting: fix).children.compactMap(\.label)
    #expect(
      Set(fields) == [
        "coordinate", "time", "accuracyMeters", "speedDecimetersPerSecond", "courseDegrees",
      ])
  }

  @Test("SL7: with significant changes on more visits are seen")
  func moreVisits() {
    var seen: [Bool: Int] = [:]
    for changes in [true, false] {
      for seed in 1...40 as ClosedRange<UInt64> {
        var settings = PolicySettings.quiet
        settings.visits = true
        settings.significantChange = changes
        let bench = PhoneBench(
          settings,
          way: [
            .stay(.minutes(5)), .ride(.minutes(20), metersPerSecond: 8), .stay(.hours(2)),
          ], seed: seed)
        bench.advance(.hours(2))
        seen[changes, default: 0] += Self.visits(bench).count
      }
    }
    // Two arrivals and the departure between them.
    #expect(seen[true] == 120)
    #expect((50...95).contains(seen[false] ?? 0))
  }

  @Test("RG2: every manager receives an exit once")
  func fanOut() {
    let bench = Self.regions()
    bench.advance(until: .minutes(30))
    let exits = Self.exits(bench)
    #expect(exits.map(\.1) == [.standard, .imprecise])
    #expect(exits[0].at == exits[1].at)
  }

  @Test("RG3: what the app reads at an exit is a position of that moment, outside the region")
  func freshAtExit() {
    let bench = Self.regions()
    let home = bench.phone.segment.position(at: bench.now)
    bench.advance(until: .minutes(30))
    let exit = Self.exits(bench)[0]
    #expect(exit.2?.time == FixTime(exit.at))
    let place = exit.2.map { bench.shard.fixMaker(0).projection.point(of: $0.coordinate) }
    #expect((place?.distance(to: home) ?? 0) > 100)
  }

  @Test("RG3: an exit whose latency extends beyond the end of the way is still delivered")
  func pending() {
    var delivered = 0
    for seed in 1...30 as ClosedRange<UInt64> {
      let bench = PhoneBench(
        .quiet,
        way: [.stay(.minutes(10)), .ride(.seconds(50), metersPerSecond: 8), .stay(.hours(1))],
        seed: seed)
      bench.open()
      bench.command(.monitorRegion(centre: bench.place, radius: .meters(100)))
      bench.leave()
      bench.advance(until: .minutes(40))
      delivered += Self.exits(bench).count / 2
    }
    #expect(delivered >= 26, "three in a hundred are missed")
  }

  @Test("SL3: a change that waits for its latency survives the end of the way")
  func pendingChange() {
    var settings = PolicySettings.quiet
    settings.significantChange = true
    var os = OSProfile.standard
    os.significantChange.spuriousPerHour = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      let bench = PhoneBench(
        settings, os: os,
        way: [.stay(.minutes(10)), .ride(.minutes(3), metersPerSecond: 10), .stay(.hours(2))],
        seed: seed)
      bench.advance(until: .minutes(11))
      let mark = bench.mark
      bench.advance(until: .hours(2))
      #expect((1...2).contains(bench.fixes(since: mark).count))
    }
  }

  @Test("RG4: after every exit the hybrid has exactly one region, round where it is")
  func oneRegion() {
    let bench = PhoneBench(way: Self.rides)
    bench.open()
    bench.advance(.seconds(40))
    bench.leave()
    bench.advance(until: .hours(3))
    #expect(Self.exits(bench).count >= 4)
    #expect(bench.phone.os.services.regionIsSet && !bench.phone.os.services.regionIsLeft)
    let here = bench.phone.segment.position(at: bench.now)
    #expect(bench.phone.os.services.regionCentre.distance(to: here) < 200)
  }

  @Test("RG4: a wake that the system refuses keeps the region registered")
  func refusedWake() {
    var os = OSProfile.standard
    os.relaunchesAfterForceQuit = false
    let bench = Self.regions(os)
    bench.open()
    bench.forceQuit()
    bench.advance(until: .minutes(30))
    #expect(Self.exits(bench).isEmpty)
    #expect(bench.phone.os.services.regionIsSet && bench.phone.os.services.regionIsLeft)
  }

  @Test("VI2: an arrival has no departure yet; a departure has both; unknown is the distant past")
  func dates() {
    var settings = PolicySettings.quiet
    settings.visits = true
    settings.significantChange = true
    let bench = PhoneBench(
      settings,
      way: [
        .stay(.hours(1)), .ride(.minutes(20), metersPerSecond: 8), .stay(.hours(1)),
        .ride(.minutes(20), metersPerSecond: 8), .stay(.hours(1)),
      ])
    bench.advance(.hours(3))
    let visits = Self.visits(bench)
    let ended = visits.filter(\.hasEnded)
    #expect(visits.count >= 4 && ended.count == 2)
    #expect(visits.filter { !$0.hasEnded }.allSatisfy { $0.departure == .distantFuture })
    let second = ended[1]
    let arrival = bench.scenario.start + .minutes(80)
    #expect(abs((second.arrival - arrival).seconds) < 30)
    #expect(abs((second.departure - arrival - .hours(1)).seconds) < 60)
  }

  @Test("VI3: two visits with unknown arrivals do not replace each other")
  func unknownArrivals() {
    var settings = PolicySettings.quiet
    settings.significantChange = true
    let bench = PhoneBench(
      settings,
      way: [
        .stay(.hours(1)), .ride(.minutes(20), metersPerSecond: 8), .stay(.hours(2)),
      ])
    bench.advance(until: .minutes(30))
    bench.open()
    bench.command(.startVisits)
    bench.leave()
    bench.advance(until: .minutes(90))
    bench.open()
    bench.command(.stopVisits, .startVisits)
    bench.leave()
    bench.advance(until: .minutes(120))
    let visits = Self.visits(bench).filter { !$0.hasEnded && $0.arrival == .distantPast }
    #expect(visits.count == 2)
    let times = visits.map(\.fix.time)
    #expect(Set(times).count == 2)
    let persisted = bench.commands.compactMap { entry in
      if case .persist(let fix) = entry.command { fix.time } else { nil }
    }
    #expect(Set(persisted).isSuperset(of: times))
  }

  @Test("NO3: three starts in ten bring an old point first")
  func oldPoint() {
    let bench = PhoneBench(.quiet, way: [.ride(.hours(9), metersPerSecond: 5)])
    bench.open()
    bench.command(.startStandard(.plain))
    bench.advance(.minutes(1))
    bench.command(.stopStandard)
    var old = 0
    for _ in 0..<200 {
      bench.advance(.seconds(60))
      let (mark, started) = (bench.mark, bench.now)
      bench.command(.startStandard(.plain))
      bench.advance(.seconds(5))
      bench.command(.stopStandard)
      if let first = bench.fixes(since: mark).first, first.time.instant < started { old += 1 }
    }
    #expect((35...85).contains(old), "\(old) of 200")
  }

  @Test("NO4: in airplane mode satellites go on, cold, and nothing goes out")
  func airplane() {
    var settings = PolicySettings.quiet
    settings.significantChange = true
    settings.foreground.filter.rule = .everything
    settings.send.interval = .zero
    let bench = PhoneBench(settings, way: [.ride(.hours(3), metersPerSecond: 5)])
    bench.act { shard, now in
      shard.phones[0].os.lastKnown = nil
      shard.system(0, .airplane(Window(start: now, end: now + .hours(9))), now: now)
    }
    bench.open()
    bench.command(.startStandard(.plain))
    let (mark, started) = (bench.mark, bench.now)
    bench.advance(.minutes(20))
    let fixes = bench.fixes(since: mark)
    let first = (fixes.first?.time.instant ?? started) - started
    #expect(first >= .seconds(110) && first <= .seconds(250))
    #expect(fixes.count > 600 && bench.fixes(.imprecise).count <= 1)
    #expect(bench.metrics.uploadsStarted == 0 && bench.phone.outbox.count > 600)
    bench.push()
    #expect(bench.phone.delivery.stage == .stored && bench.phone.provider.storedFor == .offline)
  }

  @Test("NO5: a phone without a SIM sends over Wi-Fi alone")
  func withoutSIM() {
    var sent = [true: 0, false: 0]
    for seed in 1...12 as ClosedRange<UInt64> {
      let bench = PhoneBench(
        way: [.stay(.minutes(30)), .ride(.minutes(30), metersPerSecond: 8), .stay(.hours(3))],
        seed: seed
      ) { $0.fleet.phone.withoutSIM = 1 }
      for _ in 0..<20 {
        bench.advance(.minutes(5))
        #expect(bench.phone.isCutOff(at: bench.now) == !bench.phone.os.isOnWifi)
        let before = bench.metrics.uploadsStarted
        bench.open()
        bench.advance(.seconds(20))
        bench.leave()
        sent[bench.phone.os.isOnWifi, default: 0] += bench.metrics.uploadsStarted - before
      }
    }
    #expect((sent[true] ?? 0) > 20 && sent[false] == 0)
  }

  @Test("SF3: significant changes of a manager that pauses and is for vehicles cost less")
  func pausingManager() {
    var costs: [Int64] = []
    for pauses in [true, false] {
      var settings = PolicySettings.quiet
      settings.significantChange = true
      settings.background.service.pausesAutomatically = pauses
      settings.background.service.activityType = .automotive
      let bench = PhoneBench(settings, way: Self.rides)
      bench.advance(until: .hours(8))
      bench.shard.startDraining()
      bench.shard.forEachEnergy { costs.append($0.tracking) }
    }
    #expect(costs[0] < costs[1])
  }

  // MARK: Deferred updates

  static func ride(defers: Bool) -> PhoneBench {
    var os = OSProfile.standard
    os.defersUpdates = defers
    let bench = PhoneBench(.quiet, os: os, way: [.ride(.hours(2), metersPerSecond: 5)])
    bench.open()
    var request = ServiceRequest.background
    request.deferral = Deferral(distance: .kilometers(3), time: .minutes(5))
    bench.command(.startStandard(request))
    bench.advance(.seconds(30))
    bench.leave()
    return bench
  }

  @Test("DF1: deferred fixes come together when time or distance is reached, none lost, in order")
  func deferred() {
    let (deferred, plain) = (Self.ride(defers: true), Self.ride(defers: false))
    let (deferredMark, plainMark) = (deferred.mark, plain.mark)
    for bench in [deferred, plain] { bench.advance(until: .minutes(34)) }
    let moments = Set(deferred.moments(since: deferredMark))
    #expect((4...8).contains(moments.count), "\(moments.count) deliveries")
    for bench in [deferred, plain] { bench.open() }
    #expect(deferred.fixes(since: deferredMark) == plain.fixes(since: plainMark))
    #expect(deferred.fixes(since: deferredMark).count > 1_500)
    let times = deferred.fixes(since: deferredMark).map(\.time)
    #expect(times == times.sorted())
  }

  @Test("DF1: opening the app brings what was collected")
  func flush() {
    let bench = Self.ride(defers: true)
    bench.advance(.minutes(2))
    let mark = bench.mark
    bench.open()
    #expect(bench.fixes(since: mark).count > 60)
  }
}
