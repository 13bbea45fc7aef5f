import Core
import PhoneSupport
import TestSupport
import Testing
@testable import Phone
@testable import Scenarios

@Suite("Regions by the believed position", .quick)
struct BelievedPlaceTests {
  static let day: [Stretch] = [.stay(.hours(24))]

  static func seeing(_ share: Double) -> (inout RegionProfile) -> Void {
    { regions in
      PlaceTests.allPrompt(&regions)
      regions.leapsSeen = share
    }
  }

  /// A day at home in a region of 100 m.
  static func atHome(_ seed: UInt64, leapsSeen: Double) -> PhoneLife {
    let life = RegionTailTests.life(day, seed: seed, change: seeing(leapsSeen))
    life.advance(until: .hours(23))
    return life
  }

  @Test("RG11: a resting phone is told that it left when a check sees its position jump")
  func falseExits() {
    let lives = (1...30).map { Self.atHome(UInt64($0), leapsSeen: 1) }
    let exits = lives.map { life in life.exits.filter { $0.manager == .imprecise } }
    #expect(exits.count { !$0.isEmpty } > 15, "\(exits.map(\.count))")
    var accuracies = Set<UInt16>()
    for (life, exits) in zip(lives, exits) {
      for fix in exits.compactMap(\.cached) {
        let place = life.truth.maker.projection.point(of: fix.coordinate)
        #expect(place.distance(to: life.home) > 100)
        accuracies.insert(fix.accuracyMeters)
      }
    }
    // NO8: Some leaps are to a cell, others to a misplaced access point.
    #expect(accuracies.contains { $0 >= 500 } && accuracies.contains { $0 <= 165 })
    let seen = exits.reduce(0) { $0 + $1.count }
    let some = (1...30).map { Self.atHome(UInt64($0), leapsSeen: 0.25) }
    let few = some.reduce(0) { $0 + $1.exits.count { $0.manager == .imprecise } }
    #expect((0.05...0.5).contains(Double(few) / Double(seen)), "\(few) of \(seen)")
    // Without seen leaps only the constant error of a cell's position can cause an exit.
    let blind = (1...30).map { Self.atHome(UInt64($0), leapsSeen: 0) }
    #expect(blind.count { !$0.exits.isEmpty } <= 3)
  }

  @Test("RG11: some homes see most jumps, others none")
  func places() {
    let counts = (1...60).map { seed in
      Self.atHome(UInt64(seed), leapsSeen: 0.25).exits.count { $0.manager == .imprecise }
    }
    #expect(counts.count { $0 == 0 } > 20 && counts.contains { $0 >= 2 }, "\(counts)")
  }

  @Test("RG11: a region set around a position in a jump is left when the jump is over")
  func setInJump() throws {
    var left = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      let life = RegionTailTests.life(Self.day, seed: seed, change: Self.seeing(0))
      life.ask(.stopMonitoringRegion)
      let far = PlanePoint(x: 0, y: 0)
      var after = life.now
      while let leap = life.truth.maker.error.nextLeap(
        after: after, before: life.now + .hours(20), phone: life.phone.id)
      {
        after = leap.ends
        guard leap.offset.distance(to: far) > 400, leap.ends - leap.begins > .seconds(40) else {
          continue
        }
        life.advance(until: leap.ends - .milliseconds(500))
        var memory = SightingMemory()
        guard
          let here = life.truth.maker.believed(
            at: life.now, life.phone.segment, .all, life.phone.id, &memory),
          here.distance(to: life.home) > 300
        else { break }
        let mark = life.exits.count
        life.ask(
          .monitorRegion(
            centre: life.truth.maker.projection.coordinate(of: here), radius: .meters(100)))
        life.advance(.minutes(20))
        left += life.exits.count > mark ? 1 : 0
        break
      }
    }
    #expect(left > 5, "\(left) of 20")
    // A phone that was never in a region does not leave it.
    let life = RegionTailTests.life(Self.day, change: Self.seeing(0))
    let there = life.home + PlanePoint(x: 2_000, y: 0)
    life.ask(
      .monitorRegion(
        centre: life.truth.maker.projection.coordinate(of: there), radius: .meters(100)))
    life.advance(until: .hours(20))
    #expect(life.exits.isEmpty)
  }

  // MARK: On the way

  /// A ride of four hours past places 300 m beside the route, none of which the phone enters.
  static func passing(_ seed: UInt64, _ traits: PhoneTraits) -> PhoneLife {
    let way: [Stretch] = [.stay(.minutes(10)), .ride(.hours(4), metersPerSecond: 12)]
    var os = ServiceRuleTests.withoutCellChanges()
    PlaceTests.allPrompt(&os.regions)
    let home = PhoneLife(.way(way)) { _ in [] }.home
    let book = PlaceBook(
      common: (1...18).map { home + PlanePoint(x: 5_000 + 8_000 * Double($0), y: 300) })
    var policy = PolicySettings.standard
    policy.regionRadius = nil
    policy.places = PlaceRule(radius: .meters(100), others: 16, choose: .first)
    let life = PhoneLife(
      .way(way, seed: seed), os: os, traits: traits, policy: policy, places: book
    ) { event, _ in
      switch event {
      case .becameActive: [.requestAuthorization(.always), .monitorPlaces(near: nil)]
      case .launched: [.monitorPlaces(near: nil)]
      case _: []
      }
    }
    life.open()
    life.leave()
    life.advance(until: .hours(4))
    return life
  }

  @Test("RG11: a cell places a moving phone in a region hundreds of metres away, and out of it")
  func farEntries() {
    let byCell = (1...40).map { Self.passing(UInt64($0), .wifiOff) }
    let entries = byCell.flatMap(\.crossings).count(where: \.isEntry)
    #expect(entries > 5, "\(entries) entries")
    for life in byCell {
      // The position of a later cell undoes each entry.
      let kinds = life.crossings.map(\.isEntry)
      #expect(kinds.count { !$0 } >= kinds.count { $0 } - 1)
    }
    let byWifi = (1...40).map { Self.passing(UInt64($0), []) }
    #expect(byWifi.flatMap(\.crossings).count(where: \.isEntry) * 4 < entries)
  }

  @Test("RG11: a crossing that a check does not show waits for the next cell")
  func hidden() {
    let way: [Stretch] = [.stay(.minutes(10)), .ride(.minutes(30), metersPerSecond: 8)]
    /// Returns the time of the exit from a region of 500 m; nil if no exit was reported.
    func exit(_ seed: UInt64, _ traits: PhoneTraits) -> SimInstant? {
      var os = ServiceRuleTests.withoutCellChanges()
      PlaceTests.allPrompt(&os.regions)
      let life = PhoneLife(.way(way, seed: seed), os: os, traits: traits) { event in
        event.isActivation ? [.requestAuthorization(.always)] : []
      }
      life.open()
      life.ask(.monitorRegion(centre: life.place, radius: .meters(500)))
      life.leave()
      life.advance(until: .minutes(39))
      #expect(!RegionTailTests.steps(life).contains(.undone))
      return life.exits.first?.at
    }
    // A cell's position is up to a minute old, so the phone still seems to be inside. The next
    // position of a cell comes at the full minute.
    let byCell = (1...40).compactMap { exit($0, .wifiOff) }
    #expect(byCell.count >= 38)
    #expect(byCell.count { $0.microseconds % 60_000_000 == 0 } > 5)
    let byWifi = (1...40).compactMap { exit($0, []) }
    #expect(byWifi.count >= 38)
    #expect(byWifi.count { $0.microseconds % 60_000_000 == 0 } < 3)
  }
}
