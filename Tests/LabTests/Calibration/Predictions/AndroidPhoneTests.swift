import Core
import Fleet
import Phone
import TestSupport
import Testing
@testable import flotilla_lab

/// Uses fleets of the test; judges no claim.
@Suite("Android phones of claims", .quick)
struct AndroidPhoneTests {
  static func live(
    _ policy: String, _ system: String = AndroidMeasures.phone("android14"),
    _ change: (inout FleetPlan) -> Void = { _ in }
  ) throws -> [LivedPhone] {
    try live(AndroidMeasures.fleet(policy, system), change)
  }

  static func live(
    _ plan: FleetPlan, _ change: (inout FleetPlan) -> Void = { _ in }
  ) throws -> [LivedPhone] {
    try ChargedPhoneTests.live(
      plan.with {
        $0.phones = 6
        change(&$0)
      })
  }

  @Test("a service that asks each five minutes has such gaps, until it ends")
  func gaps() throws {
    let running = try Self.live("traccar-android") { $0.duration = "6h" }
    for phone in running {
      #expect(Sample.median(phone.gaps) == 300)
      let whole = phone.longestGap(from: phone.start, to: phone.end)
      #expect(whole >= 5 && whole < 10)
      #expect(phone.minutesToLastFix.values[0] > 350)
    }
    let ended = AndroidMeasures.phone(
      "android14", "serviceDeathsPerDay: 1000", "startsItself: 0%")
    let silent = try Self.live("traccar-android", ended) { $0.warmStart = "0s" }
    for phone in silent {
      #expect(phone.minutesToLastFix.values.allSatisfy { $0 < 30 })
      #expect(phone.longestGap(from: phone.start, to: phone.end) > 23 * 60)
    }
  }

  @Test("positions repeat at night in deep Doze, but for HIGH_ACCURACY")
  func repeats() throws {
    func share(_ policy: String) throws -> Double {
      let phones = try Self.live(AndroidMeasures.night(policy, AndroidMeasures.phone("android14")))
      return try #require(
        ClaimStatistic.share.value(of: phones.map { $0.repeated(from: 2, to: 5) }))
    }
    let (balanced, high) = (try share("traccar-android"), try share("owntracks-android-move"))
    #expect(balanced > 0.8 && high < 0.4, "\(balanced), \(high)")
  }

  @Test("a crossing of a fence is told late, or not at all by a phone without Play services")
  func fences() throws {
    let told = try Self.live("places-android").flatMap(\.crossings)
    let entries = told.filter(\.isEntry)
    #expect(entries.count > 5 && told.count - entries.count > 5)
    let delays = entries.compactMap(\.delay)
    #expect(delays.count > entries.count / 2)
    #expect(try #require(Sample.median(delays)) < 30 && delays.contains { $0 > 0 })
    // Where the phone was at the crossing, it was at the fence's edge.
    for phone in try Self.live("places-android") {
      for crossing in phone.crossings {
        let centre = phone.life.place(number: Int(crossing.place))
        let here = phone.life.segment(at: crossing.at).position(at: crossing.at)
        #expect(abs(here.distance(to: centre) - 150) < 250)
      }
    }
    let without = "{ base: android14, android: { withoutPlay: 100% } }"
    let untold = try Self.live("places-android", without).flatMap(\.crossings)
    #expect(untold.count == told.count && untold.allSatisfy { $0.toldAt == nil })
  }

  @Test("only a tracker with a service sends positions on the way")
  func trips() throws {
    func unseen(_ policy: String) throws -> Double {
      let phones = try Self.live(policy)
      return try #require(ClaimStatistic.share.value(of: phones.map { $0.unseen { _ in true } }))
    }
    #expect(try unseen("owntracks-android-move") < 0.1)
    #expect(try unseen("{ base: worker-15min, android: { work: 2h } }") > 0.5)
  }

  @Test("hourly work runs each hour, or in rarer and rarer windows at night")
  func work() throws {
    let work = "{ base: worker-15min, android: { work: 1h } }"
    let phones = try Self.live(
      AndroidMeasures.night(work, AndroidMeasures.phone("android14"))
    ) { $0.phones = 20 }
    let ratio = try #require(Sample.median(phones.flatMap(\.workGapRatios)))
    #expect(ratio > 1.2, "\(ratio)")
    let gaps = phones.flatMap(\.darkWorkGaps)
    #expect(gaps.contains { $0 > 90 } && gaps.allSatisfy { $0 >= 60 })
  }

  @Test("a phone that is switched off has no connection and gets no push")
  func pushes() throws {
    func phones(_ off: String) throws -> [LivedPhone] {
      try Self.live(PushMeasures.quiet) {
        $0.phones = 20
        $0.phone += ["switchedOff=\(off)"]
        $0.push = PushMeasures.every(
          "4h", within: "4h", ["request.type=alert", "request.androidPriority=high"])
      }
    }
    let all = try phones("0%")
    #expect(ClaimStatistic.share.value(of: all.map(\.unconnected)) == 0)
    #expect(ClaimStatistic.share.value(of: all.map { $0.arrived(within: .hours(1)) }) ?? 0 > 0.9)
    let some = try phones("40%")
    let unconnected = try #require(ClaimStatistic.share.value(of: some.map(\.unconnected)))
    #expect(abs(unconnected - 0.4) < 0.15, "\(unconnected)")
    #expect(
      ClaimStatistic.share.value(of: some.map { $0.arrived(within: .minutes(1)) }) ?? 1 < 0.9)
  }

  @Test("motion while the phone is used is left out")
  func use() throws {
    let hours = try ["0h", "16h"].map { time in
      let phones = try Self.live("owntracks-android-move") {
        $0.phone += ["battery.screenTime=\(time)", "battery.screenTimeSigma=0"]
      }
      return phones.reduce(0) { $0 + $1.darkFixesOnTheWay.whole }
    }
    #expect(hours[0] > 2 && hours[1] < 0.4 * hours[0], "\(hours)")
  }
}
