import Core
import Phone
import Push
import ServerLogic
import TestSupport
import Testing

@testable import Fleet
@testable import Scenarios

@Suite("Phone clocks in a fleet", .quick)
struct ClockRuleTests {
  /// A fleet's morning without pushes: the server's view changes no phone.
  static func morning(
    clocks: ClockErrors, _ change: (inout Scenario) -> Void = { _ in }
  ) -> VirtualMorning {
    var scenario = VirtualMorning.city(phones: 240)
    scenario.push.scheduler = .none
    (scenario.fleet.phone.unopened, scenario.fleet.phone.daysUnopened) = (0, 0)
    scenario.fleet.phone.clock = clocks
    change(&scenario)
    var morning = VirtualMorning(scenario, threads: 2)
    morning.time.drain()
    return morning
  }

  /// Many owners have set their clocks, and set them again every day.
  static var wrong: ClockErrors {
    var errors = PhoneMix.standard.clock
    errors.setWrong = 0.5
    errors.changesPerYear = 365
    return errors
  }

  @Test("CK2: the fleet's counts use true times, whatever the phones' clocks say")
  func truth() {
    let right = Self.morning(clocks: .none)
    let wrong = Self.morning(clocks: Self.wrong)
    #expect(right.fleet.digest() == wrong.fleet.digest())
    let (one, other) = (right.fleet.metrics(), wrong.fleet.metrics())
    #expect(one.freshness == other.freshness && one.stale == other.stale)
    #expect(right.fleet.ledger() == wrong.fleet.ledger())
    #expect(right.fleet.energies() == wrong.fleet.energies())
    // The server's view differs.
    let ages = [right, wrong].map {
      $0.time.backend.freshness(at: $0.time.fleet.horizon).installed
    }
    #expect(ages[0].timeWithin != ages[1].timeWithin)
    #expect(one.acknowledgedHash != other.acknowledgedHash)
  }

  @Test("CK2: ages below zero are counted for fast clocks, and both sides hold the same sets")
  func negativeAges() {
    var errors = Self.wrong
    errors.ahead = 1
    let morning = Self.morning(clocks: errors)
    var backend = morning.time.backend
    var expected = morning.fleet.metrics().acknowledgedHash
    morning.fleet.inOrder { shard in
      shard.unanswered { id, hash, _ in
        if backend.holds(id) { expected &+= hash }
      }
    }
    #expect(backend.ledger.isExact && backend.ledger.hashSum == expected)
    #expect(backend.ledger.batches.rejectedInAll == 0)
    let seen = backend.clocks()
    #expect(seen.phones > 120 && seen.ahead.minute > seen.phones / 4)
    #expect(seen.ahead.halfDay > 0 && seen.stampedAhead > seen.ahead.second)
    let right = Self.morning(clocks: .none).time.backend.clocks()
    #expect(right.phones == seen.phones && right.stampedAhead == 0 && right.ahead == ClockSteps())
  }

  @Test("CK2: a batch that is sent again has the same stamps, even if the clock was set meanwhile")
  func resent() {
    var errors = Self.wrong
    errors.setWrong = 1
    let morning = Self.morning(clocks: errors) { scenario in
      scenario.faults = [
        Fault(
          kind: .networkOutage, at: scenario.start, lasts: .hours(2), lastsWall: .zero,
          cohorts: nil, share: 1)
      ]
    }
    var expected = morning.fleet.metrics().acknowledgedHash
    var backend = morning.time.backend
    morning.fleet.inOrder { shard in
      shard.unanswered { id, hash, _ in
        if backend.holds(id) { expected &+= hash }
      }
    }
    #expect(backend.ledger.hashSum == expected)
    #expect(morning.fleet.metrics()[.uploadsOffline] > 0)
  }

  @Test("CK1: few correct clocks are a second off, and the report can say which")
  func share() {
    var scenario = VirtualMorning.city(phones: 4_000)
    scenario.fleet.phone.clock = PhoneMix.standard.clock
    let context = FleetContext(scenario)
    var off = ClockSteps()
    for number in 0..<4_000 as Range<UInt32> {
      let error = context.clocks(context.cohort(of: Int(number))).error(
        of: PhoneID(rawValue: number), at: scenario.measureEnd)
      off.add(error < .zero ? .zero - error : error)
    }
    #expect((8...36).contains(off.minute) && (off.minute...60).contains(off.second))
  }
}
