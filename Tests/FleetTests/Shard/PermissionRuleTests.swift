import Core
import Phone
import PhoneSupport
import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Permission in a fleet's accounts", .quick)
struct PermissionRuleTests {
  static func bench(_ change: (inout PhoneMix) -> Void) -> PhoneBench {
    let way: [Stretch] = [
      .stay(.hours(1)), .ride(.minutes(30), metersPerSecond: 12), .stay(.hours(8)),
    ]
    let bench = PhoneBench(way: way) { change(&$0.fleet.phone) }
    bench.advance(.hours(9))
    bench.shard.startDraining()
    return bench
  }

  @Test("AU15: silence is charged to precise location being off if no other cause applies")
  func preciseOff() {
    let reduced = Self.bench { $0.reducedAccuracy = 1 }.metrics.stale
    #expect(reduced[.preciseOff] > .hours(2) && reduced[.policySilent] == .zero)
    let precise = Self.bench { _ in }.metrics.stale
    #expect(precise[.preciseOff] == .zero && precise[.policySilent] > .hours(2))
  }

  @Test("AU12: before the second prompt is answered silence is charged to the permission")
  func provisional() {
    let stale = Self.bench {
      $0.permission.secondPromptAhead = 1
      $0.battery.unlocksPerDay = 0.01
    }.metrics.stale
    #expect(stale[.noPermission] > .hours(2) && stale[.policySilent] == .zero)
  }

  @Test("AU16: a fleet's owners change permissions in Settings")
  func settings() {
    let bench = Self.bench {
      $0.always = 0.5
      $0.permission.changesPerYear = 8_000
    }
    let steps = bench.entries.filter {
      if case .consent(.settings(_)) = $0.what { true } else { false }
    }
    #expect(!steps.isEmpty)
  }
}
