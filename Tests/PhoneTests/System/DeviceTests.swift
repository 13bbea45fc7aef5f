import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("One phone's system, without a fleet", .quick)
struct DeviceTests {
  /// An app that requests Always when it is first opened, and then what the test states.
  static func app(_ wishes: OSCommand...) -> PhoneLife.App {
    { event in event.isActivation ? [.requestAuthorization(.always)] + wishes : [] }
  }

  /// Gives the same commands at every launch, too (LC8).
  static func careful(_ wishes: OSCommand...) -> PhoneLife.App { careful(wishes) }

  static func careful(_ wishes: [OSCommand]) -> PhoneLife.App {
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

  static var homeRegion: OSCommand {
    let life = World.life(0).segment(at: World.monday)
    let centre = World.maker.projection.coordinate(of: life.position(at: World.monday))
    return .monitorRegion(centre: centre, radius: .meters(100))
  }

  // MARK: Relaunches

  @Test("AU5, RG2: leaving its region relaunches a dead app and notifies both managers once")
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

  @Test("VI1, VI2: a visit is reported while it lasts, and again when it is over")
  func visit() {
    let life = Self.installed(PhoneLife(app: Self.careful(.startVisits, .startSignificantChange)))
    life.advance(.hours(24))
    #expect(life.visits.contains { !$0.hasEnded } && life.visits.contains(where: \.hasEnded))
    for visit in life.visits where visit.hasEnded {
      #expect(visit.arrival < visit.departure && visit.departure <= life.now)
    }
  }

  @Test("a batch of an app that was installed anew since brings no position to the server")
  func storedWithoutPosition() {
    let life = PhoneLife(app: Self.app())
    life.open()
    let stored = life.phone.stored.time
    life.act { phone, context, out in phone.noteStored(context, &out) }
    #expect(life.phone.stored.time == stored)
  }

  // MARK: Standard service and permission

  @Test("AU6: a change in Settings stops the service; a running app learns of it now, else later")
  func settings() {
    let life = PhoneLife(app: Self.app(.startStandard(.background)))
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

  @Test("AU8: background updates without the background mode kill the app")
  func modeMissing() {
    var manifest = AppManifest.standard
    manifest.backgroundMode = false
    let life = PhoneLife(manifest: manifest, app: Self.app(.startStandard(.background)))
    life.open()
    #expect(life.crashes == [.backgroundModeMissing] && life.state == .notRunning)
  }

  @Test("a phone that is off sends nothing, and its app is dead")
  func switchedOff() {
    let life = Self.installed(PhoneLife(app: Self.careful(.startSignificantChange)))
    life.turnOff(for: .hours(10))
    #expect(life.state == .notRunning)
    let delivered = life.delivered.count
    life.advance(.hours(9))
    #expect(life.delivered.count == delivered)
  }
}
