import Phone
import SimulationCore
import Telemetry
import Testing

@testable import Fleet
@testable import Scenarios

@Suite("Permission", .timeLimit(.minutes(10)))
struct PermissionRuleTests {
  static func whenInUse(_ scenario: inout Scenario) {
    scenario.fleet.phone.always = 0
    scenario.fleet.phone.whenInUse = 1
  }

  static let rides: [PhoneBench.Stretch] = [
    .stay(.minutes(30)), .ride(.minutes(30), metersPerSecond: 12), .stay(.hours(10)),
  ]

  @Test("AU1: who never asks gets nothing: no prompt, no fix, no error, and the app lives")
  func neverAsked() {
    var settings = PolicySettings.standard
    settings.app.request = .nothing
    let bench = PhoneBench(settings, way: Self.rides)
    bench.open()
    bench.advance(.hours(1))
    #expect(bench.fixes().isEmpty)
    #expect(bench.state == .foreground && bench.metrics.kills == 0)
    #expect(bench.phone.authorization == .notDetermined)
  }

  @Test(
    "AU2, AU3: only a request with its sentence in Info.plist yields fixes",
    arguments: [false, true], [AuthorizationRequest.nothing, .whenInUse, .always])
  func fourCells(hasKey: Bool, request: AuthorizationRequest) {
    var settings = PolicySettings.standard
    settings.app.request = request
    settings.app.whenInUseDescription = hasKey
    settings.app.alwaysDescription = hasKey
    let bench = PhoneBench(settings, way: [.ride(.hours(2), metersPerSecond: 5)])
    bench.open()
    bench.advance(.minutes(10))
    #expect(bench.fixes(.standard).isEmpty == !(hasKey && request != .nothing))
    #expect(bench.metrics.kills == 0)
  }

  @Test("AU3: before iOS 8 starting a service asks by itself")
  func implicit() {
    var os = OSProfile.standard
    os.requiresRequest = false
    var settings = PolicySettings.standard
    settings.app.request = .nothing
    let bench = PhoneBench(settings, os: os, way: Self.rides)
    #expect(bench.phone.authorization == .always)
  }

  @Test("AU4: with When In Use and no session nothing is delivered in the background")
  func whenInUseEnds() {
    let bench = PhoneBench(
      .quiet, way: [.ride(.hours(2), metersPerSecond: 5)], change: Self.whenInUse)
    bench.open()
    bench.command(.startStandard(.plain))
    bench.advance(.minutes(1))
    #expect(!bench.fixes(.standard).isEmpty)
    bench.command(.beginBackgroundTask)
    bench.leave()
    let mark = bench.mark
    bench.advance(.minutes(10))
    #expect(bench.fixes(since: mark).isEmpty)
  }

  @Test("AU5, SL8: a location relaunches an app with Always, and none with When In Use")
  func relaunch() {
    for always in [true, false] {
      let bench = PhoneBench(way: Self.rides) { if !always { Self.whenInUse(&$0) } }
      bench.open()
      bench.leave()
      bench.advance(.minutes(5))
      bench.kill()
      bench.advance(until: .hours(2))
      #expect((bench.metrics.launches > 0) == always)
    }
  }

  @Test("AU6: the prompt is one-shot; after it only Settings changes the answer")
  func oneShot() {
    let bench = PhoneBench(.quiet, change: Self.whenInUse)
    bench.open()
    #expect(bench.phone.authorization == .whenInUse)
    let mark = bench.mark
    bench.command(.requestAuthorization(.always))
    #expect(bench.phone.authorization == .whenInUse)
    #expect(bench.delivered(since: mark).isEmpty)
    bench.act { $0.system(0, .permissionChanged(.always), now: $1) }
    #expect(bench.phone.authorization == .always)
    #expect(bench.delivered(since: mark).count == 1)
  }

  @Test(
    "AU7: a session goes on in the background with standard on, background updates and mode",
    arguments: [true, false], [true, false])
  func session(isOn: Bool, allows: Bool) {
    for mode in [true, false] {
      var settings = PolicySettings.quiet
      settings.app.backgroundMode = mode
      let bench = PhoneBench(
        settings, way: [.ride(.hours(2), metersPerSecond: 5)], change: Self.whenInUse)
      bench.open()
      var request = ServiceRequest.plain
      request.allowsBackground = allows
      if isOn { bench.command(.startStandard(request)) }
      bench.advance(.seconds(30))
      bench.leave()
      let mark = bench.mark
      bench.advance(.minutes(10))
      let goesOn = bench.fixes(since: mark).count > 500
      #expect(goesOn == (isOn && allows && mode))
      #expect((bench.state == .background) == (isOn && allows && mode))
    }
  }

  @Test("AU8: background updates without the background mode crash the app")
  func modeMissing() {
    var settings = PolicySettings.quiet
    settings.app.backgroundMode = false
    let bench = PhoneBench(settings)
    bench.open()
    var request = ServiceRequest.plain
    request.allowsBackground = true
    bench.command(.startStandard(request))
    #expect(bench.state == .notRunning && bench.crashes == [.backgroundModeMissing])
  }

  @Test("AU9: significant changes want no background mode")
  func changesWithoutMode() {
    var settings = PolicySettings.quiet
    settings.significantChange = true
    settings.app.backgroundMode = false
    settings.app.allowsBackgroundUpdates = false
    let bench = PhoneBench(settings, way: Self.rides)
    bench.advance(until: .hours(2))
    #expect(bench.fixes(.imprecise).count > 3)
  }

  @Test("AU10, AC5: motion activity is told with its sentence in Info.plist, and not without")
  func motion() {
    for hasKey in [true, false] {
      var settings = PolicySettings.quiet
      settings.app.motionDescription = hasKey
      let bench = PhoneBench(settings, way: Self.rides)
      bench.open()
      bench.command(.startMotionActivity)
      bench.advance(until: .minutes(31))
      #expect(bench.activities.isEmpty == !hasKey)
      guard hasKey else { continue }
      let last = bench.activities.last
      #expect(last?.activity == .automotive)
      let lag = (last?.at ?? .distantPast) - bench.scenario.start - .minutes(30)
      #expect(lag >= .seconds(5) && lag <= .seconds(20))
    }
  }

  @Test("AC5: what moved while the app was suspended is told when it runs again")
  func motionLater() {
    let bench = PhoneBench(.quiet, way: Self.rides)
    bench.open()
    bench.command(.startMotionActivity)
    bench.advance(.minutes(1))
    bench.leave()
    let mark = bench.mark
    bench.advance(until: .minutes(45))
    #expect(bench.delivered(since: mark).isEmpty)
    bench.open()
    #expect(bench.activities.last?.activity == .automotive)
  }

  @Test(
    "BR1: Background App Refresh off blocks location wakes on old systems only",
    arguments: [true, false], [true, false])
  func refresh(isOff: Bool, blocks: Bool) {
    var os = OSProfile.standard
    os.refreshOffBlocksLocationWakes = blocks
    let bench = PhoneBench(os: os, way: Self.rides) { $0.fleet.phone.refreshOff = isOff ? 1 : 0 }
    bench.advance(until: .hours(2))
    #expect((bench.metrics.wakes > 0) == !(isOff && blocks))
  }

  @Test("a provisional Always is taken back at the first event in the background (iOS 13)")
  func provisional() {
    for hasIt in [true, false] {
      var os = OSProfile.standard
      os.hasProvisionalAlways = hasIt
      let bench = PhoneBench(os: os, way: Self.rides) {
        Self.whenInUse(&$0)
        $0.fleet.phone.provisionalDenied = 1
      }
      #expect(bench.phone.authorization == (hasIt ? .always : .whenInUse))
      bench.advance(until: .hours(2))
      #expect(bench.phone.authorization == .whenInUse)
      #expect(bench.metrics.wakes == 0)
      bench.open()
      let changes = bench.delivered.filter {
        if case .authorizationChanged = $0.event { true } else { false }
      }
      #expect(changes.count == (hasIt ? 2 : 1))
    }
  }

  @Test("with precise locations withheld fixes are kilometres wide and few an hour (iOS 14)")
  func reduced() {
    let bench = PhoneBench(.quiet, way: [.ride(.hours(3), metersPerSecond: 5)]) {
      $0.fleet.phone.reducedAccuracy = 1
    }
    bench.open()
    bench.command(.startStandard(.plain))
    bench.advance(.hours(1))
    let fixes = bench.fixes(.standard)
    #expect((2...12).contains(fixes.count))
    #expect(fixes.allSatisfy { $0.accuracyMeters >= 1_000 })
  }
}
