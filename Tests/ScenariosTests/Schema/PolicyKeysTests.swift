internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("The keys of a policy", .quick)
struct PolicyKeysTests {
  static func scenario(_ keys: String) -> String {
    """
    scenario: one
    policies: [{ name: p, \(keys) }]
    fleet: { cohorts: [{ name: all, share: 1, mobility: homebody, policy: p }] }
    """
  }

  static func settings(_ keys: String) throws -> PolicySettings {
    let scenario = try read(scenario(keys))
    #expect(try read(scenario.text) == scenario, "shown and read back is another policy")
    return scenario.policies[0].settings
  }

  @Test(
    "the standard service is off, continuous, a burst, a duty cycle or polled",
    arguments: [
      ("off", ServiceUse.Pattern.off), ("continuous", .continuous),
      (
        "{ burst: { for: 30s, minInterval: 1min } }",
        .burst(duration: .seconds(30), minInterval: .seconds(60))
      ),
      (
        "{ dutyCycle: { on: 10s, period: 60s } }",
        .dutyCycle(on: .seconds(10), period: .seconds(60))
      ),
      (
        "{ polled: { every: 150s, timeout: 20s } }",
        .polled(every: .seconds(150), timeout: .seconds(20))
      ),
    ])
  func patterns(text: String, pattern: ServiceUse.Pattern) throws {
    #expect(
      try Self.settings("background: { standard: \(text) }").background.service.pattern == pattern)
  }

  @Test("AC5: an idle mode at 3 km behind an endless filter is a rest by motion")
  func motionRest() throws {
    let rest = try #require(
      try Self.settings(
        """
        background: { standard: continuous, distanceFilter: 10m, rest: { sign: { motion:
          [cycling, running] }, standard: continuous, accuracy: threeKilometers,
          distanceFilter: max } }
        """
      ).background.rest)
    #expect(
      rest.sign == .motion(active: [MotionActivities(.cycling), MotionActivities(.running)]))
    #expect(rest.service.accuracy == .threeKilometers && rest.service.distanceFilter == .max)
    #expect(rest.service.pattern == .continuous && rest.regionRadius == nil)
  }

  @Test("DF1, PT1, SF3: elasticity, pauses, activity, deferral, stillness and turns are read")
  func everythingElse() throws {
    let mode = try Self.settings(
      """
      background: { standard: continuous, distanceFilter: 10m, elasticity: 1.5,
        pausesAutomatically: true, activityType: fitness, deferral: { distance: 5km, time: 10min },
        filter: { rule: { either: { time: 5min, distance: 200m, turn: 30 } } },
        rest: { sign: { still: { time: 140s, within: 70m } }, regionRadius: 100m } }
      """
    ).background
    #expect(mode.service.elasticity == 1.5 && mode.service.distanceFilter == .atLeast(.meters(10)))
    #expect(mode.service.pausesAutomatically && mode.service.activityType == .fitness)
    #expect(
      mode.service.deferral == Deferral(distance: .kilometers(5), time: .minutes(10)))
    #expect(
      mode.filter.rule == .either(time: .minutes(5), distance: .meters(200), turn: 30))
    #expect(mode.rest?.sign == .still(time: .seconds(140), within: .meters(70)))
    #expect(mode.rest?.regionRadius == .meters(100) && mode.rest?.service.pattern == .off)
  }

  @Test("AU2, AU8, LC4, LC6, LC8, DC6: the app's keys and its mistakes are settings")
  func app() throws {
    let app = try Self.settings(
      """
      app: { request: whenInUse, whenInUseDescription: false, alwaysDescription: false,
        motionDescription: false, backgroundMode: false, allowsBackgroundUpdates: false,
        showsIndicator: true, mistakes: { leaksBackgroundTasks: true, ignoresExpiration: true,
        mainThreadWork: 11s, startsNothingAtLaunch: true } }
      """
    ).app
    #expect(
      app
        == AppManifest(
          request: .whenInUse, whenInUseDescription: false, alwaysDescription: false,
          motionDescription: false, backgroundMode: false, allowsBackgroundUpdates: false,
          showsIndicator: true,
          mistakes: AppMistakes(
            leaksBackgroundTasks: true, ignoresExpiration: true, mainThreadWork: .seconds(11),
            startsNothingAtLaunch: true)))
  }

  @Test("LU1, LU2: live updates and their session are settings, and off by default")
  func liveUpdates() throws {
    let live = try Self.settings(
      "app: { activitySession: retaken }, background: { standard: continuous, liveUpdates: true }")
    #expect(live.background.service.liveUpdates && live.app.activitySession == .retaken)
    let plain = try Self.settings("visits: true")
    #expect(!plain.background.service.liveUpdates && plain.app.activitySession == .none)
  }

  @Test(
    "contradictory settings are mistakes",
    arguments: [
      ("background: { liveUpdates: true, standard: off }", "needs 'standard: continuous'"),
      ("background: { standard: { dutyCycle: { on: 60s, period: 60s } } }", "never off"),
      ("background: { standard: { polled: { every: 10s, timeout: 20s } } }", "do not overlap"),
      ("background: { elasticity: 1 }", "needs a 'distanceFilter'"),
      ("background: { rest: { sign: { motion: [cycling] }, regionRadius: 50m } }", "from 100m"),
      ("background: { rest: { standard: off } }", "'sign' is missing"),
      ("background: { rest: { sign: { motion: [swimming] } } }", "'swimming' is unknown"),
      ("send: { maxFixes: 200 }, outbox: { capacity: 100 }", "no batch could be full"),
      ("outbox: { capacity: 65536 }", "a whole number from 1 to 65535"),
      ("app: { mistakes: { mainThreadWork: 11 } }", "no unit"),
    ])
  func contradictions(keys: String, part: String) {
    let found = diagnostics(in: Self.scenario(keys))
    #expect(found.count == 1 && found[0].contains(part), "\(found)")
  }

  @Test("NO4, NO5, AU10: properties of phones have a key each")
  func mix() throws {
    let mix = """
      fleet: { phone: { provisionalDenied: 1%, reducedAccuracy: 2%, airplane: 3%,
        airplaneAtNight: 4%, withoutSIM: 5%, unopened: 6%, motionDenied: 7% }, cohorts:
      """
    let scenario = try read(
      smallest.replacing("fleet:\n  cohorts:", with: mix + " [")
        .replacing("policy: plain }\n", with: "policy: plain }] }\n").replacing(
          "    - {", with: "{"))
    let phone = scenario.fleet.phone
    #expect(
      [
        phone.provisionalDenied, phone.reducedAccuracy, phone.airplane, phone.airplaneAtNight,
        phone.withoutSIM, phone.unopened, phone.motionDenied,
      ] == [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07])
    #expect(try read(scenario.text) == scenario)
  }

  @Test("a policy names the events that it sends, and none by default")
  func events() throws {
    #expect(try Self.settings("").events == EventUse())
    let all = try Self.settings(
      "visits: true, places: { radius: 150m }, "
        + "events: { regions: true, visits: true, boot: true, opened: true, capacity: 20 }")
    #expect(all.events.kinds == [.regions, .visits, .boot, .opened] && all.events.capacity == 20)
    #expect(all.events.kinds.text == "regions, visits, boot, opened")
    #expect(try !read(Self.scenario("description: a")).text.contains("events"))
  }

  @Test(
    "events that the app cannot learn of, or cannot send, are mistakes",
    arguments: [
      ("events: { regions: true }", "'events.regions' needs regions"),
      ("visits: false, events: { visits: true }", "'events.visits' needs visits"),
      ("events: { motion: true }", "'events.motion' needs the motion activity"),
      (
        "send: { session: background }, events: { boot: true }",
        "'events' are not sent in a background session"
      ),
      ("events: { capacity: 1 }", "capacity"),
    ])
  func eventMistakes(keys: String, message: String) {
    let found = diagnostics(in: Self.scenario(keys))
    #expect(found.contains { $0.contains(message) }, "\(found)")
  }
}
