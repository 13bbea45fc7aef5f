import Core
import PhoneSupport
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("Makers and versions of Android phones", .quick)
struct MakerTests {
  /// The rules of a shipped profile, by which nothing else ends a service by chance.
  static func rules(_ profile: String) throws -> AndroidRules {
    let system = try shipped.osProfile(profile).value.system
    var rules = try #require(system.android)
    rules.lackNothing()
    rules.cachedLife = .hours(1_000_000)
    (rules.activeAppsStops, rules.ownerRestricts) = (0, 0)
    return rules
  }

  static func life(
    _ rules: AndroidRules, number: Int = 0, _ change: (inout AndroidSetup) -> Void = { _ in }
  ) -> PhoneLife {
    PhoneLife.android {
      $0.rules = rules
      $0.number = UInt32(number)
      change(&$0)
    }
  }

  static let closed = ["huawei", "oppo", "vivo", "xiaomi"].map { "android14-\($0)" }

  @Test("AOE3–AOE6: three phones in four start no ended app, and a swipe is a force stop")
  func startsItself() throws {
    for profile in Self.closed {
      let rules = try Self.rules(profile)
      let stopped = (0..<300).map { number in
        let life = Self.life(rules, number: number)
        life.kill()
        return life.isStopped
      }
      #expect((0.65...0.85).contains(stopped.share { $0 }), "\(profile)")
      let life = Self.life(rules)
      life.swipeAway()
      #expect(life.phone.process.isForceQuit, "\(profile)")
    }
    let motorola = Self.life(try Self.rules("android14-motorola"))
    motorola.swipeAway()
    #expect(!motorola.phone.process.isForceQuit && !motorola.isStopped)
  }

  @Test("AOE1, AOE6, AOE7: Motorola ends more services than makers near AOSP, and vivo still more")
  func ends() throws {
    let ends = try ["android14", "android14-motorola", "android14-vivo"].map { profile -> Int in
      let rules = try Self.rules(profile)
      return (0..<100).reduce(0) { sum, number in
        let life = Self.life(rules, number: number) {
          $0.use.service = .always
          $0.rules.startsItself = 1
        }
        life.advance(until: .hours(24))
        return sum + life.ends.count
      }
    }
    // A day of 100 phones, and four standard deviations.
    #expect(ends[0] <= 14 && (60...140).contains(ends[1]) && (410...590).contains(ends[2]))
  }

  @Test("AOE4: on phones of Huawei a long wake lock is a force stop, and many lack Play services")
  func huawei() throws {
    let life = Self.life(try Self.rules("android14-huawei")) {
      $0.rules.serviceDeathsPerDay = 0
      $0.use.service = .always
      $0.use.wakeLock = true
    }
    life.advance(until: .minutes(61))
    #expect(life.phone.process.isForceQuit)
    let system = try shipped.osProfile("android14-huawei").value.system
    #expect(try #require(system.android).withoutPlay > 10 * AndroidRules.standard.withoutPlay)
  }

  @Test("AOE5: on phones of Oppo, whose updates set exemptions back, fewer apps are exempt")
  func exempt() throws {
    func exempt(_ profile: String) throws -> Double {
      let rules = try Self.rules(profile)
      return (0..<500).map { number in
        Self.life(rules, number: number) {
          $0.traits = .unopened
          $0.use.asksExemption = true
        }.bucket
      }.share { $0 == .active }
    }
    #expect((0.18...0.32).contains(try exempt("android14-oppo")))
    #expect((0.42...0.58).contains(try exempt("android14-vivo")))
  }

  @Test(
    "AAL3, AFC3, AFC4, APM4–APM6, ASB2: each version has the rules of its API level",
    arguments: zip([9, 10, 11, 12, 13, 14, 15, 16], [28, 29, 30, 31, 33, 34, 35, 36] as [UInt8]))
  func versions(version: Int, api: UInt8) throws {
    let system = try shipped.osProfile("android\(version)").value.system
    let rules = try #require(system.android)
    #expect(rules.api == api)
    #expect((system.rules.reminderFirst != nil) == (api >= 29))
    #expect((system.rules.onceLapse != nil) == (api >= 30))
    #expect(system.rules.hasReducedAccuracy == (api >= 31))
    #expect((rules.restrictedAfter != nil) == (api >= 31))
    #expect((rules.frequentPushes == nil) == (api >= 33) && (rules.lowered > 0) == (api >= 33))
    #expect((rules.exactAlarms < 1) == (api >= 34))
    #expect((rules.workingSetWork > .minutes(15)) == (api >= 36))
  }
}
