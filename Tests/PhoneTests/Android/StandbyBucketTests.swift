import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Standby buckets", .quick)
struct StandbyBucketTests {
  static let rules = AndroidRules.standard

  @Test("ASB1, ASB2: the longer an app is not opened, the lower its bucket")
  func unopened() {
    let borders: [(hours: Int64, bucket: StandbyBucket)] = [
      (12, .workingSet), (24, .frequent), (48, .rare), (8 * 24, .restricted),
    ]
    var above = StandbyBucket.active
    #expect(StandbyBucket(unopenedFor: .zero, Self.rules) == above)
    for (hours, bucket) in borders {
      let before = SimDuration.hours(hours) - .microseconds(1)
      #expect(StandbyBucket(unopenedFor: before, Self.rules) == above)
      #expect(StandbyBucket(unopenedFor: .hours(hours), Self.rules) == bucket)
      above = bucket
    }
  }

  @Test("ASB2: before API 31 no app is restricted")
  func withoutRestricted() {
    var rules = Self.rules
    rules.restrictedAfter = nil
    #expect(StandbyBucket(unopenedFor: .hours(24 * 365), rules) == .rare)
  }

  @Test("ASB3: opening an app makes it active")
  func opened() {
    let life = PhoneLife.android()
    life.advance(until: .hours(49))
    #expect(life.bucket == .rare)
    life.open()
    life.leave()
    #expect(life.bucket == .active)
    life.advance(.hours(12))
    #expect(life.bucket == .workingSet)
  }

  @Test("ASB4: an app with a running service, or an exempt one, stays active")
  func stays() {
    let withService = PhoneLife.android { $0.use.service = .always }
    let isExempt = PhoneLife.android {
      $0.use.asksExemption = true
      $0.rules.exempt = 1
    }
    for life in [withService, isExempt] {
      life.advance(until: .hours(49))
      #expect(life.bucket == .active)
    }
    withService.kill()
    #expect(withService.bucket == .rare)
  }

  @Test("ASB4: on a charger only the bucket 'restricted' has limits")
  func charger() {
    for (restrictedAfter, bucket) in [(8, .rare), (7, .restricted)] as [(Int64, StandbyBucket)] {
      let life = PhoneLife.android {
        // Its owner has not opened it for a week.
        $0.traits = .unopened
        $0.rules.restrictedAfter = .hours(24 * restrictedAfter)
        $0.world.owner.chargesAtNight = 1
      }
      life.advance(until: .hours(12))
      #expect(life.bucket == bucket)
      life.advance(until: .hours(16))
      #expect(life.phone.battery.isPlugged)
      #expect(life.bucket == (bucket == .rare ? .active : .restricted))
    }
  }

  @Test("ADZ8: only an app that asks is exempt, on the share of phones whose owners agree")
  func exemption() {
    func exempt(asks: Bool) -> Double {
      (0..<1_000).map { number in
        PhoneLife.android {
          $0.number = UInt32(number)
          $0.traits = .unopened
          $0.use.asksExemption = asks
          $0.rules.exempt = 0.5
        }.bucket
      }.share { $0 == .active }
    }
    #expect(exempt(asks: false) == 0)
    #expect((0.45...0.55).contains(exempt(asks: true)))
  }

  @Test("ASB5: work runs each 15 min in the working set, hourly in frequent, each 8 h in rare")
  func work() {
    let life = PhoneLife.android {
      $0.use.work = .minutes(15)
      $0.rules.neverDoze()
    }
    life.advance(until: .hours(72))
    let expected =
      (0..<96).map { SimDuration.minutes(15 * $0) } + (24..<48).map { .hours($0) }
      + [.hours(48), .hours(56), .hours(64)]
    #expect(life.workRuns == expected)
  }

  @Test("ASB5: a restricted app works once a day")
  func restricted() {
    let life = PhoneLife.android {
      $0.traits = .unopened
      $0.use.work = .minutes(15)
      $0.rules.restrictedAfter = .hours(24 * 7)
      $0.rules.neverDoze()
    }
    life.advance(until: .hours(70))
    #expect(life.workRuns == [.zero, .hours(24), .hours(48)])
  }

  @Test("ASB4: a running service lifts the limits of work")
  func workBesideService() {
    let life = PhoneLife.android {
      $0.use.service = .always
      $0.use.work = .minutes(15)
      $0.rules.neverDoze()
    }
    life.advance(until: .hours(50))
    #expect(life.workRuns.count == 200)
  }
}
