import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Location services of one phone", .quick)
struct ServiceRuleTests {
  /// Opened once and left; gives these commands whenever it is launched or opened.
  static func life(
    _ way: [Stretch], os: OSProfile = .standard, seed: UInt64 = 1, _ wishes: OSCommand...
  ) -> PhoneLife {
    DeviceTests.installed(
      PhoneLife(.way(way, seed: seed), os: os, app: DeviceTests.careful(wishes)))
  }

  /// A stay of ten minutes, and a ride out of a region of 100 m round home.
  static func leavingHome(
    _ way: [Stretch] = [.stay(.minutes(10)), .ride(.minutes(40), metersPerSecond: 8)],
    os: OSProfile = .standard, seed: UInt64 = 1
  ) -> PhoneLife {
    let life = life(way, os: os, seed: seed)
    life.open()
    life.ask(.monitorRegion(centre: life.place, radius: .meters(100)))
    life.leave()
    return life
  }

  /// A profile in which changes of cell and position jumps at rest cause no event.
  static func withoutCellChanges() -> OSProfile {
    var os = OSProfile.standard
    os.significantChange.spuriousPerHour = 0
    os.regions.leapsSeen = 0
    return os
  }

  // MARK: Significant changes

  @Test("SL2: a legacy phone in steady motion gets a fix every 6 to 15 minutes, up to 500 m off")
  func cadence() throws {
    var os = Self.withoutCellChanges()
    os.significantChange.triggerMedian = .meters(750)
    os.significantChange.triggerSigma = 0.73
    os.significantChange.triggerFloor = .meters(0)
    os.significantChange.latencyMean = .seconds(360)
    os.significantChange.wifiShare = 0
    let life = Self.life([.ride(.hours(12), metersPerSecond: 5)], os: os, .startSignificantChange)
    life.advance(.hours(12))
    let times = life.positions(.imprecise).map(\.time.instant)
    let gaps = zip(times, times.dropFirst()).map { ($1 - $0).seconds / 60 }.sorted()
    try #require(gaps.count > 20)
    #expect((6...15).contains(gaps[gaps.count / 2]))
    // From cells: hundreds of metres, as in the source, and not the tens of Wi-Fi.
    let off = life.metersOff(.imprecise).dropFirst().sorted()
    #expect((100...500).contains(off[off.count / 2]) && off[off.count * 4 / 5] <= 500, "\(off)")
  }

  @Test("SL3: a change that waits for its latency keeps its instant when the way ends")
  func pendingChange() {
    var waiting = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      let life = Self.life(
        [.stay(.minutes(10)), .ride(.minutes(3), metersPerSecond: 10), .stay(.hours(2))],
        os: Self.withoutCellChanges(), seed: seed, .startSignificantChange)
      life.advance(until: .minutes(11))
      let mark = life.mark
      life.advance(until: .seconds(779))
      let (atTheEnd, due) = (life.mark, life.phone.due[.significantChange])
      life.advance(until: .hours(2))
      #expect((1...2).contains(life.fixes(since: mark).count))
      guard due < .distantFuture else { continue }
      waiting += 1
      #expect(life.moments(since: atTheEnd).first == due)
    }
    #expect(waiting > 3)
  }

  @Test("SL5: starting significant changes brings one position with its true, old timestamp")
  func cached() {
    var ages: [Double] = []
    for seed in 1...40 as ClosedRange<UInt64> {
      let life = Self.life([.stay(.hours(9))], seed: seed, .startSignificantChange)
      ages += life.positions(.imprecise).map { (life.truth.birth - $0.time.instant).seconds }
    }
    #expect(ages.count == 40)
    #expect(ages.allSatisfy { $0 >= 0 } && ages.contains { $0 > 3_600 })
  }

  @Test("SL6: a position does not show its source to the app")
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

  @Test("LA1: a significant change brings a position of minutes ago, from the current way")
  func wakeAges() {
    func ages(_ os: OSProfile) -> [Double] {
      (1...20 as ClosedRange<UInt64>).flatMap { seed -> [Double] in
        let life = Self.life(
          [.stay(.minutes(10)), .ride(.hours(2), metersPerSecond: 8), .stay(.hours(1))], os: os,
          seed: seed, .startSignificantChange)
        life.advance(until: .minutes(125))
        let ride = life.truth.birth + .minutes(10)
        return life.delivered.compactMap { at, event in
          guard case .location(let fix, .imprecise) = event, at > ride + .seconds(1) else {
            return nil
          }
          #expect(fix.time.instant >= ride - .seconds(1), "from the current way")
          return (at - fix.time.instant).seconds
        }
      }.sorted()
    }
    let usual = ages(Self.withoutCellChanges())
    #expect(usual.count > 60 && (60...180).contains(usual[usual.count / 2]), "\(usual)")
    #expect(usual[0] < 30 && usual.last ?? 0 > 400 && usual.allSatisfy { $0 <= 901 })
    var os = Self.withoutCellChanges()
    os.firstFix.wakeAgeMax = .zero
    #expect(ages(os).allSatisfy { $0 < 0.1 })
  }

  @Test("LA1: an exit brings a position from after its notice; a late exit one of minutes ago")
  func exitAges() {
    func ages(_ change: (inout RegionProfile) -> Void) -> [Double] {
      (1...40 as ClosedRange<UInt64>).compactMap { seed in
        let life = RegionTailTests.life(RegionTailTests.away, seed: seed, change: change)
        life.advance(until: .hours(2))
        let left = life.truth.birth + RegionTailTests.dwelt - .seconds(2)
        // RG11: A phone at a home with a far cell reports the exit before it leaves.
        guard let exit = life.exits.first, exit.at >= left, let fix = exit.cached else {
          return nil
        }
        #expect(fix.time.instant >= left)
        return (exit.at - fix.time.instant).seconds
      }.sorted()
    }
    let prompt = ages(PlaceTests.allPrompt)
    #expect(prompt.count > 35 && (1...20).contains(prompt[prompt.count / 2]), "\(prompt)")
    let late = ages(RegionTailTests.allLate)
    #expect(late.count > 35 && late.share { $0 > 30 } > 0.7, "\(late)")
    #expect(late.allSatisfy { $0 <= 901 })
  }

  @Test("LA1: at a place, too, an exit brings a position from after its notice")
  func placeExitAges() {
    let ages = (1...40 as ClosedRange<UInt64>).compactMap { seed -> Double? in
      let life = PlaceTests.life(PlaceTests.dayOut, seed: seed, PlaceTests.allPrompt)
      life.advance(until: .minutes(38))
      let left = life.truth.birth + .minutes(30)
      return life.delivered.lazy.compactMap { at, event in
        guard case .placeExited(0, let fix?) = event, at > left else { return nil }
        return (at - fix.time.instant).seconds
      }.first
    }.sorted()
    #expect(ages.count > 30 && (1...20).contains(ages[ages.count / 2]), "\(ages)")
    #expect(ages.share { $0 < 40 } > 0.9, "\(ages)")
  }

  @Test("LA3: a single request has the position at its end, an update those from its start on")
  func singleRequest() throws {
    func seconds(_ isSingle: Bool) -> Double? {
      let life = Self.life([.stay(.hours(1))])
      life.advance(.minutes(10))
      life.open()
      var request = ServiceRequest.background
      request.isSingle = isSingle
      let start = life.now
      life.ask(.startStandard(request))
      life.advance(.seconds(40))
      return life.delivered.lazy.compactMap { at, event in
        guard case .location(_, .standard) = event, at > start + .milliseconds(500) else {
          return nil
        }
        return (at - start).seconds
      }.first
    }
    let (single, updates) = (try #require(seconds(true)), try #require(seconds(false)))
    #expect(updates < 8 && single >= 10 && single < 12, "\(single) \(updates)")
  }

  // MARK: Visits

  @Test("SL7: with significant changes on more visits are detected")
  func moreVisits() {
    let way: [Stretch] = [
      .stay(.minutes(5)), .ride(.minutes(20), metersPerSecond: 8), .stay(.hours(2)),
    ]
    var seen: [Bool: Int] = [:]
    for seed in 1...40 as ClosedRange<UInt64> {
      let with = Self.life(way, seed: seed, .startVisits, .startSignificantChange)
      let without = Self.life(way, seed: seed, .startVisits)
      for (changes, life) in [(true, with), (false, without)] {
        life.advance(.hours(2))
        seen[changes, default: 0] += life.visits.count
      }
    }
    // Two arrivals and the departure between them.
    #expect(seen[true] == 120)
    #expect((50...95).contains(seen[false] ?? 0))
  }

  @Test("VI2, VI4: an arrival has no departure; a departure has both; unknown is distant past")
  func dates() throws {
    let life = Self.life(
      [
        .stay(.hours(1)), .ride(.minutes(20), metersPerSecond: 8), .stay(.hours(1)),
        .ride(.minutes(20), metersPerSecond: 8), .stay(.hours(1)),
      ], .startVisits, .startSignificantChange)
    life.advance(.hours(3))
    let ended = life.visits.filter(\.hasEnded)
    #expect(life.visits.count >= 4)
    try #require(ended.count == 2)
    #expect(life.visits.filter { !$0.hasEnded }.allSatisfy { $0.departure == .distantFuture })
    let arrival = life.truth.birth + .minutes(80)
    #expect(abs((ended[1].arrival - arrival).seconds) < 30)
    #expect(abs((ended[1].departure - arrival - .hours(1)).seconds) < 60)
    // VI4: The position is that of the place that was left, at the time of the departure.
    for visit in ended {
      let seen = life.truth.maker.projection.point(of: visit.fix.coordinate)
      let left = life.truth.segment(visit.departure - .seconds(1)).position(at: visit.departure)
      let offset = seen.distance(to: left)
      #expect(offset < max(300, 3 * Double(visit.fix.accuracyMeters)), "\(offset) m")
      #expect(abs((visit.fix.time.instant - visit.departure).seconds) < 1)
    }
    let late = Self.life([.stay(.hours(1)), .ride(.minutes(20), metersPerSecond: 8)])
    late.advance(.minutes(30))
    late.open()
    late.ask(.startVisits, .startSignificantChange)
    late.leave()
    late.advance(until: .minutes(79))
    #expect(late.visits.map(\.arrival) == [.distantPast, .distantPast])
  }

  // MARK: Regions

  @Test("RG2: every manager receives an exit once")
  func fanOut() throws {
    let life = Self.leavingHome()
    life.advance(until: .minutes(30))
    try #require(life.exits.map(\.manager) == [.standard, .imprecise])
    #expect(life.exits[0].at == life.exits[1].at && life.exits[0].cached == life.exits[1].cached)
  }

  @Test("RG3: at an exit the app reads a position since the crossing, outside the region")
  func freshAtExit() throws {
    let life = Self.leavingHome()
    life.advance(until: .minutes(30))
    let exit = try #require(life.exits.first)
    let fix = try #require(exit.cached)
    let seen = fix.time.instant
    let truth = life.truth.segment(seen).position(at: seen)
    #expect(fix.time <= FixTime(exit.at) && truth.distance(to: life.home) > 100)
    let place = life.truth.maker.projection.point(of: fix.coordinate)
    #expect(place.distance(to: life.home) > 100)
  }

  @Test("RG3: an exit whose latency extends beyond the end of the way is still delivered")
  func pendingExit() {
    var delivered = 0
    for seed in 1...30 as ClosedRange<UInt64> {
      let life = Self.leavingHome(
        [.stay(.minutes(10)), .ride(.seconds(50), metersPerSecond: 8), .stay(.hours(1))],
        seed: seed)
      life.advance(until: .minutes(40))
      delivered += life.exits.count / 2
    }
    #expect(delivered >= 26, "three in a hundred are missed")
  }

  @Test("RG4: a wake that the system refuses keeps the region registered")
  func refusedWake() {
    var os = OSProfile.standard
    os.system.rules.relaunchesAfterForceQuit = false
    let life = Self.leavingHome(os: os)
    life.open()
    life.swipeAway()
    life.advance(until: .minutes(30))
    #expect(life.exits.isEmpty)
    #expect(life.phone.services.regionIsSet && life.phone.services.regionIsLeft)
  }

  // MARK: The standard service

  @Test("NO3: three starts in ten bring an old point first, the last known one")
  func oldPoint() {
    let life = Self.life([.ride(.hours(9), metersPerSecond: 5)])
    life.open()
    life.ask(.startStandard(.plain))
    life.advance(.minutes(1))
    life.ask(.stopStandard)
    var old = 0
    for _ in 0..<200 {
      life.advance(.seconds(60))
      let (mark, started, known) = (life.mark, life.now, life.phone.lastKnown)
      life.ask(.startStandard(.plain))
      life.advance(.seconds(5))
      life.ask(.stopStandard)
      if let first = life.fixes(since: mark).first, first.time.instant < started {
        old += 1
        #expect(first == known)
      }
    }
    #expect((35...85).contains(old), "\(old) of 200")
  }

  static func ride(defers: Bool) -> PhoneLife {
    var os = OSProfile.standard
    os.system.rules.defersUpdates = defers
    let life = Self.life([.ride(.hours(2), metersPerSecond: 5)], os: os)
    life.open()
    var request = ServiceRequest.background
    request.deferral = Deferral(distance: .kilometers(3), time: .minutes(5))
    life.ask(.startStandard(request))
    life.advance(.seconds(30))
    life.leave()
    return life
  }

  @Test("DF1: deferred fixes come together when time or distance is reached, none lost, in order")
  func deferred() {
    let (deferred, plain) = (Self.ride(defers: true), Self.ride(defers: false))
    let (deferredMark, plainMark) = (deferred.mark, plain.mark)
    for life in [deferred, plain] { life.advance(until: .minutes(34)) }
    let moments = Set(deferred.moments(since: deferredMark))
    #expect((4...8).contains(moments.count), "\(moments.count) deliveries")
    for life in [deferred, plain] { life.open() }
    #expect(deferred.fixes(since: deferredMark) == plain.fixes(since: plainMark))
    #expect(deferred.fixes(since: deferredMark).count > 1_500)
    let times = deferred.fixes(since: deferredMark).map(\.time)
    #expect(times == times.sorted())
  }

  @Test("DF1: events without a position, such as a timer, do not deliver deferred fixes")
  func collected() {
    let life = Self.ride(defers: true)
    life.advance(.minutes(2))
    life.ask(.setTimer(.still, at: life.now + .seconds(30)))
    let mark = life.mark
    life.advance(.minutes(1))
    #expect(life.delivered(since: mark).count == 1 && life.fixes(since: mark).isEmpty)
    life.open()
    #expect(life.fixes(since: mark).count > 50)
  }

  @Test("DF1: opening the app delivers the deferred fixes")
  func flush() {
    let life = Self.ride(defers: true)
    life.advance(.minutes(2))
    let mark = life.mark
    life.open()
    #expect(life.fixes(since: mark).count > 60)
  }

  // MARK: Replays

  @Test("GX1: between its points a recording is a straight line, passed at constant speed")
  func interpolated() {
    let life = Self.life([
      .ride(.minutes(5), metersPerSecond: 6), .ride(.minutes(5), metersPerSecond: 12),
    ])
    for seconds in stride(from: Int64(30), to: 590, by: 37) {
      life.advance(until: .seconds(seconds))
      let meters = life.here.distance(to: life.home)
      let expected = 6 * Double(seconds) + 6 * Double(max(0, seconds - 300))
      #expect(abs(meters - expected) < 3)
    }
  }

  @Test("GX2: a replayed phone adds its own position error to the recording")
  func noise() {
    let life = Self.life([.ride(.hours(1), metersPerSecond: 5)])
    life.open()
    life.ask(.startStandard(.plain))
    life.advance(.minutes(5))
    let off = life.metersOff(.standard)
    #expect(off.count > 200 && off.count { $0 > 1 } > off.count / 2)
  }
}
