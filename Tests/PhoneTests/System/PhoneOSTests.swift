import Mobility
import Scenarios
import SimulationCore
import Telemetry
import Testing

@testable import Phone

@Suite("One phone's system, without a fleet", .timeLimit(.minutes(10)))
struct PhoneOSTests {
  /// An app that asks for Always when it is first seen, and then for what the test wants.
  static func app(_ wishes: OSCommand...) -> PhoneLife.App {
    { event in event.isActivation ? [.requestAuthorization(.always)] + wishes : [] }
  }

  /// Gives the same commands at every launch, too (LC8).
  static func careful(_ wishes: OSCommand...) -> PhoneLife.App {
    { event in
      if event.isActivation { return [.requestAuthorization(.always)] + wishes }
      return event.isLaunch ? wishes : []
    }
  }

  /// Opened once and left.
  static func installed(_ life: PhoneLife) -> PhoneLife {
    life.open()
    life.leave()
    return life
  }

  static func standard(pauses: Bool = false) -> OSCommand {
    var use = ServiceUse.standard
    use.pausesAutomatically = pauses
    return .startStandard(ServiceRequest(use, .standard))
  }

  static var homeRegion: OSCommand {
    let life = World.life(0).segment(at: World.monday)
    let centre = World.maker.projection.coordinate(of: life.position(at: World.monday))
    return .monitorRegion(centre: centre, radius: .meters(100))
  }

  // MARK: Launch, suspension, background time

  @Test("LC1, LC3: an idle app is suspended when its user leaves it, and gets no event")
  func suspension() {
    let life = Self.installed(PhoneLife(app: Self.app()))
    #expect(life.launches == [.user] && life.state == .suspended)
    let delivered = life.delivered.count
    life.advance(.hours(12))
    #expect(life.delivered.count == delivered)
  }

  @Test("LC2: the timer of a suspended app fires when the app runs again")
  func timer() {
    let life = PhoneLife(app: Self.app())
    life.open()
    life.ask(.setTimer(.still, at: life.now + .seconds(60)))
    life.leave()
    life.advance(.hours(1))
    func isTimer(_ event: OSEvent) -> Bool {
      if case .timer(.still) = event { true } else { false }
    }
    #expect(life.count(isTimer) == 0)
    life.open()
    #expect(life.count(isTimer) == 1)
  }

  @Test(
    "LC4, LC5: a background task holds the app until its time expires; not to end it then is fatal",
    arguments: [true, false])
  func backgroundTask(endsIt: Bool) {
    let life = PhoneLife { event in
      if event.isExpiry && endsIt { return [.endBackgroundTask] }
      return event.isActivation ? [.beginBackgroundTask] : []
    }
    let left = life.now
    _ = Self.installed(life)
    life.advance(.seconds(29))
    #expect(life.state == .background)
    life.advance(.seconds(2))
    #expect(life.delivered.last { $0.event.isExpiry }?.at == left + .seconds(30))
    #expect(life.state == (endsIt ? .suspended : .notRunning))
    #expect(life.crashes == (endsIt ? [] : [.backgroundTimeOver]))
  }

  // MARK: What relaunches

  @Test("AU5, RG2: leaving its region relaunches a dead app and tells both managers once")
  func regionExit() {
    let life = Self.installed(PhoneLife(app: Self.careful()))
    life.ask(Self.homeRegion)
    life.kill()
    life.advance(until: life.leavesHome)
    #expect(life.launches == [.user] && life.state == .notRunning)
    life.advance(.hours(1))
    #expect(life.launches.first == .user && life.launches.contains(.location))
    #expect(life.count(\.isRegionExit) == 0, "LC8: the app made no manager")
    let listening = Self.installed(PhoneLife(app: Self.careful(.startVisits)))
    listening.ask(Self.homeRegion)
    listening.kill()
    listening.advance(until: listening.leavesHome + .hours(1))
    #expect(listening.count(\.isRegionExit) == 2)
  }

  @Test("AU5, SL8: a significant change relaunches an app with Always, and none with When In Use")
  func significantChange() {
    for user in [Authorization.always, .whenInUse] {
      let life = Self.installed(
        PhoneLife(user: user, app: Self.careful(.startSignificantChange)))
      life.kill()
      life.advance(.hours(8))
      #expect(life.launches.contains(.location) == (user == .always))
      #expect((life.fixes(.imprecise).count > 1) == (user == .always))
    }
  }

  @Test("VI1, VI2: a visit is reported while it lasts, and again when it is over")
  func visit() {
    let life = Self.installed(PhoneLife(app: Self.careful(.startVisits, .startSignificantChange)))
    life.advance(.hours(24))
    #expect(life.visits.contains { !$0.hasEnded } && life.visits.contains(where: \.hasEnded))
    for visit in life.visits where visit.hasEnded {
      #expect(visit.arrival < visit.departure && visit.departure <= life.now)
    }
  }

  @Test("LC10: after a force-quit a location brings the app back only where the system does so")
  func forceQuit() {
    for comesBack in [true, false] {
      var os = OSProfile.standard
      os.system.ios.relaunchesAfterForceQuit = comesBack
      let life = PhoneLife(os: os, app: Self.careful(.startSignificantChange))
      life.open()
      life.swipeAway()
      #expect(life.state == .notRunning && life.phone.process.isForceQuit)
      life.advance(.hours(8))
      #expect(life.launches.contains(.location) == comesBack)
    }
  }

  @Test("LC12: an app that was launched in the background cannot be swiped away")
  func notThere() {
    let life = Self.installed(PhoneLife(app: Self.careful(.startSignificantChange)))
    life.kill()
    life.advance(.hours(8))
    #expect(life.launches.contains(.location))
    life.swipeAway()
    #expect(!life.phone.process.isForceQuit)
  }

  // MARK: Standard service and permission

  @Test("PT1, PT2: standing still pauses the standard service; only opening the app ends that")
  func pause() {
    let life = Self.installed(PhoneLife(app: Self.app(Self.standard(pauses: true))))
    #expect(life.state == .background)
    life.advance(.minutes(14))
    #expect(!life.fixes(.standard).isEmpty && life.count(\.isPause) == 0)
    life.advance(.minutes(2))
    #expect(life.count(\.isPause) == 1 && life.state == .suspended)
    let fixes = life.fixes(.standard).count
    life.advance(.hours(8))
    #expect(life.fixes(.standard).count == fixes)
    life.open()
    life.advance(.minutes(3))
    #expect(life.fixes(.standard).count > fixes + 60)
  }

  @Test("AU1: a service that is started without permission delivers no fix and no callback")
  func silence() {
    let life = PhoneLife { event in event.isActivation ? [Self.standard()] : [] }
    life.open()
    life.advance(.hours(1))
    #expect(life.fixes(.standard).isEmpty && life.permissionsDelivered.isEmpty)
  }

  @Test("AU6: a change in Settings stops the service; a running app learns of it now, else later")
  func settings() {
    let life = PhoneLife(app: Self.app(Self.standard()))
    life.open()
    #expect(life.permissionsDelivered == [.always])
    life.advance(.minutes(5))
    life.settings(.denied)
    let fixes = life.fixes(.standard).count
    #expect(fixes > 200)
    #expect(life.permissionsDelivered == [.always, .denied] && !life.phone.standard.isOn)
    life.advance(.minutes(5))
    #expect(life.fixes(.standard).count == fixes)
    life.leave()
    life.settings(.whenInUse)
    #expect(life.permissionsDelivered.count == 2)
    life.open()
    #expect(life.permissionsDelivered == [.always, .denied, .whenInUse])
  }

  @Test("AU8: background updates without the background mode cost the app its life")
  func modeMissing() {
    var manifest = AppManifest.standard
    manifest.backgroundMode = false
    let life = PhoneLife(manifest: manifest, app: Self.app(Self.standard()))
    life.open()
    #expect(life.crashes == [.backgroundModeMissing] && life.state == .notRunning)
  }

  @Test("a phone that is off is silent, and its app is dead")
  func switchedOff() {
    let life = Self.installed(PhoneLife(app: Self.careful(.startSignificantChange)))
    life.turnOff(for: .hours(10))
    #expect(life.state == .notRunning)
    let delivered = life.delivered.count
    life.advance(.hours(9))
    #expect(life.delivered.count == delivered)
  }
}
