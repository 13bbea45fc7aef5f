import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Permission of one phone", .quick)
struct PermissionRuleTests {
  static let straight: [Stretch] = [.ride(.hours(3), metersPerSecond: 5)]

  static func life(
    _ way: [Stretch], os: OSProfile = .standard, user: Authorization = .always,
    traits: PhoneTraits = [], manifest: AppManifest = .standard,
    app: @escaping PhoneLife.App = DeviceTests.app()
  ) -> PhoneLife {
    DeviceTests.installed(
      PhoneLife(.way(way), os: os, user: user, traits: traits, manifest: manifest, app: app))
  }

  @Test("AU1: an app that never asks gets no prompt, no fix and no error, and is not killed")
  func neverAsked() {
    let life = Self.life(Stretch.rides) { event in
      event.isActivation
        ? [.startStandard(.background), .startSignificantChange, .startVisits] : []
    }
    life.open()
    life.advance(.hours(1))
    #expect(life.fixes(since: 0).isEmpty && life.visits.isEmpty)
    #expect(life.state == .foreground && life.crashes.isEmpty)
    #expect(life.phone.authorization == .notDetermined && life.permissionsDelivered.isEmpty)
  }

  @Test(
    "AU2, AU3: only a request with its sentence in Info.plist yields fixes",
    arguments: [false, true], [AuthorizationRequest.nothing, .whenInUse, .always])
  func fourCells(hasKey: Bool, request: AuthorizationRequest) {
    var manifest = AppManifest.standard
    manifest.whenInUseDescription = hasKey
    manifest.alwaysDescription = hasKey
    let life = Self.life(Self.straight, manifest: manifest) { event in
      event.isActivation ? [.requestAuthorization(request), .startStandard(.plain)] : []
    }
    life.open()
    life.advance(.minutes(10))
    #expect(life.fixes(.standard).isEmpty == !(hasKey && request != .nothing))
    #expect(life.crashes.isEmpty)
  }

  @Test("AU3: before iOS 8 starting a service shows the prompt without a request")
  func implicit() {
    var os = OSProfile.standard
    os.system.rules.requiresRequest = false
    let life = Self.life(Stretch.rides, os: os) { event in
      event.isActivation ? [.startSignificantChange] : []
    }
    #expect(life.phone.authorization == .always)
  }

  @Test("AU4: with When In Use and no session nothing is delivered in the background")
  func whenInUseEnds() {
    let life = Self.life(Self.straight, user: .whenInUse)
    life.open()
    life.ask(.startStandard(.plain))
    life.advance(.minutes(1))
    #expect(!life.fixes(.standard).isEmpty)
    life.ask(.beginBackgroundTask)
    life.leave()
    let mark = life.mark
    life.advance(.minutes(10))
    #expect(life.fixes(since: mark).isEmpty)
  }

  @Test("AU5, SL8: a location relaunches an app with Always, and none with When In Use")
  func relaunch() {
    for user in [Authorization.always, .whenInUse] {
      let life = Self.life(
        Stretch.rides, user: user, app: DeviceTests.careful(.startSignificantChange))
      life.advance(.minutes(5))
      life.kill()
      life.advance(until: .hours(2))
      #expect(life.launches.contains(.location) == (user == .always))
      #expect((life.fixes(.imprecise).count > 1) == (user == .always))
    }
  }

  @Test("AU6: the prompt is shown once; after it only Settings changes the answer")
  func oneShot() {
    let life = Self.life(Self.straight, user: .whenInUse)
    life.open()
    #expect(life.phone.authorization == .whenInUse)
    let mark = life.mark
    life.ask(.requestAuthorization(.always))
    #expect(life.phone.authorization == .whenInUse)
    #expect(life.delivered(since: mark).isEmpty)
    life.settings(.always)
    #expect(life.phone.authorization == .always)
    #expect(life.delivered(since: mark).count == 1)
  }

  @Test(
    "AU7: a session continues in the background with standard on, background updates and mode",
    arguments: [true, false], [true, false])
  func session(isOn: Bool, allows: Bool) {
    for mode in [true, false] {
      var manifest = AppManifest.standard
      manifest.backgroundMode = mode
      let life = Self.life(Self.straight, user: .whenInUse, manifest: manifest)
      life.open()
      var request = ServiceRequest.plain
      request.allowsBackground = allows
      if isOn { life.ask(.startStandard(request)) }
      life.advance(.seconds(30))
      life.leave()
      let mark = life.mark
      life.advance(.minutes(10))
      let goesOn = life.fixes(since: mark).count > 500
      #expect(goesOn == (isOn && allows && mode))
      #expect((life.state == .background) == (isOn && allows && mode))
    }
  }

  @Test("AU9: significant changes need no background mode")
  func changesWithoutMode() {
    var manifest = AppManifest.standard
    manifest.backgroundMode = false
    manifest.allowsBackgroundUpdates = false
    let life = Self.life(
      Stretch.rides, manifest: manifest, app: DeviceTests.careful(.startSignificantChange))
    life.advance(until: .hours(2))
    #expect(life.fixes(.imprecise).count > 3)
  }

  @Test("AU10, AC5: motion activity requires its usage description in Info.plist")
  func motion() {
    for hasKey in [true, false] {
      var manifest = AppManifest.standard
      manifest.motionDescription = hasKey
      let life = Self.life(Stretch.rides, manifest: manifest)
      let birth = life.now
      life.open()
      life.ask(.startMotionActivity)
      life.advance(until: .minutes(31))
      #expect(life.activities.isEmpty == !hasKey)
      guard hasKey else { continue }
      let last = life.activities.last
      #expect(last?.activity == .automotive)
      let lag = (last?.at ?? .distantPast) - birth - .minutes(30)
      #expect(lag >= .seconds(5) && lag <= .seconds(20))
    }
  }

  @Test("AC5: movement during a suspension is delivered when the app runs again")
  func motionLater() {
    let life = Self.life(Stretch.rides)
    life.open()
    life.ask(.startMotionActivity)
    life.advance(.minutes(1))
    life.leave()
    let mark = life.mark
    life.advance(until: .minutes(45))
    #expect(life.mark == mark)
    life.open()
    #expect(life.activities.last?.activity == .automotive)
  }

  @Test(
    "BR1: Background App Refresh off blocks location wakes on old systems only",
    arguments: [true, false], [true, false])
  func refresh(isOff: Bool, blocks: Bool) {
    var os = OSProfile.standard
    os.system.rules.refreshOffBlocksLocationWakes = blocks
    let life = Self.life(
      Stretch.rides, os: os, traits: isOff ? .refreshOff : [],
      app: DeviceTests.careful(.startSignificantChange))
    // Its first launch, by its user, is a wake, too.
    let wakes = life.wakes
    life.advance(until: .hours(2))
    #expect((life.wakes > wakes) == !(isOff && blocks))
  }

  @Test("AU12: a provisional Always is revoked after the first event in the background (iOS 13)")
  func provisional() {
    for hasIt in [true, false] {
      var os = OSProfile.standard
      os.system.rules.hasProvisionalAlways = hasIt
      let life = Self.life(
        Stretch.rides, os: os, user: .whenInUse, traits: .provisional,
        app: DeviceTests.careful(.startSignificantChange))
      #expect(life.phone.authorization == (hasIt ? .always : .whenInUse))
      let wakes = life.wakes
      life.advance(until: .hours(2))
      #expect(life.phone.authorization == .whenInUse)
      #expect(life.wakes == wakes)
      life.open()
      #expect(life.permissionsDelivered.count == (hasIt ? 2 : 1))
    }
  }

  @Test("AU15: with precise location off fixes are kilometres wide and few an hour (iOS 14)")
  func reduced() {
    let life = Self.life(Self.straight, traits: .imprecise)
    life.open()
    life.ask(.startStandard(.plain))
    life.advance(.hours(1))
    let fixes = life.positions(.standard)
    #expect((2...12).contains(fixes.count))
    #expect(fixes.allSatisfy { $0.accuracyMeters >= 1_000 })
  }
}
