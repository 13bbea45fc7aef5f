import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Foreground services", .quick)
struct ForegroundServiceTests {
  /// An app whose service always runs. Its process has ended, and the service with it.
  static func dead(_ change: (inout AndroidSetup) -> Void) -> PhoneLife {
    let life = PhoneLife.android {
      $0.use.service = .always
      $0.rules.lowered = 0
      $0.rules.neverDoze()
      change(&$0)
    }
    #expect(life.phone.android.hasService)
    life.kill()
    #expect(!life.phone.android.hasService)
    return life
  }

  /// Pushes of high priority, which no phone lowers.
  static func urgent(_ setup: inout AndroidSetup) {
    setup.world.request.androidPriority = .high
    setup.rules.lowered = 0
  }

  // MARK: What it does

  @Test(
    "AFG1: only a service keeps the process of an app behind, and lets it locate",
    arguments: AndroidUse.Service.allCases)
  func locates(service: AndroidUse.Service) {
    let life = PhoneLife.android {
      $0.use.service = service
      $0.app = DeviceTests.careful(.startStandard(.background))
    }
    life.advance(.minutes(10))
    let runs = service != .never
    #expect(life.phone.android.hasService == runs)
    #expect(life.state == (runs ? .background : .suspended))
    #expect(runs ? life.fixes(.standard).count > 300 : life.fixes(.standard).isEmpty)
  }

  @Test("AFG1: a service lasts without locating, unless the app runs it while it locates only")
  func outlastsLocating() {
    for service in [AndroidUse.Service.always, .locating] {
      let life = PhoneLife.android {
        $0.use.service = service
        $0.app = DeviceTests.careful(.startStandard(.background))
      }
      life.advance(.minutes(1))
      life.ask(.stopStandard)
      #expect(life.phone.android.hasService == (service == .always))
      #expect(life.state == (service == .always ? .background : .suspended))
    }
  }

  // MARK: Its start

  @Test(
    "AFG3: from API 31 on, work and normal pushes start no service in the background",
    arguments: [30, 31] as [UInt8], [true, false])
  func behind(api: UInt8, byWork: Bool) {
    let life = Self.dead {
      $0.rules.api = api
      if byWork { $0.use.work = .minutes(15) }
    }
    if !byWork { life.push() }
    life.advance(.minutes(1))
    #expect(life.launches == [.user, byWork ? .refresh : .push])
    #expect(life.phone.android.hasService == (api == 30))
    #expect(life.state == (api == 30 ? .background : .suspended))
  }

  @Test("AFG3: a normal push wakes an app whose service has ended, and does not let it locate")
  func endedService() {
    for priority in PushRequest.AndroidPriority.allCases {
      let life = PhoneLife.android {
        $0.use.service = .locating
        $0.rules.lowered = 0
        $0.world.request.androidPriority = priority
        $0.app = { event in
          switch event {
          case .becameActive: [.requestAuthorization(.always)]
          case .silentPush: [.startStandard(.background)]
          case _: []
          }
        }
      }
      #expect(life.state == .suspended && !life.phone.android.hasService)
      life.advance(.minutes(1))
      life.push()
      life.advance(.minutes(10))
      #expect(life.pushesDelivered.count == 1)
      #expect(life.phone.android.hasService == (priority == .high))
      #expect(life.fixes(.standard).isEmpty == (priority == .normal))
    }
  }

  @Test("AFG4: a fence lets an app start its service in the background")
  func fromFence() {
    let life = PhoneLife.android {
      $0.use.service = .always
      $0.way = [.stay(.minutes(10)), .ride(.minutes(40), metersPerSecond: 8)]
    }
    life.open()
    life.ask(.monitorRegion(centre: life.place, radius: .meters(150)))
    life.leave()
    life.kill()
    life.advance(until: .minutes(50))
    #expect(life.launches == [.user, .location] && life.phone.android.hasService)
  }

  @Test("AFG4, ABL6: so does a location in the background")
  func fromLocation() {
    let life = Self.dead {
      $0.use.backgroundLocations = true
      $0.way = [.stay(.minutes(10)), .ride(.minutes(40), metersPerSecond: 8)]
    }
    life.advance(until: .minutes(50))
    #expect(life.launches == [.user, .location] && life.phone.android.hasService)
    #expect(life.fixes(.imprecise).count == 1)
  }

  @Test("AFG4, AFC4: so does a push of high priority, unless it counts as a normal one")
  func fromPush() {
    for lowered in [0, 1] as [Double] {
      let life = Self.dead {
        Self.urgent(&$0)
        $0.rules.lowered = lowered
      }
      life.push()
      #expect(life.pushesDelivered.count == 1)
      #expect(life.phone.android.hasService == (lowered == 0))
    }
  }

  @Test("AFC3: beyond the bucket's cap a push of high priority starts no service")
  func fromPushBeyondCap() {
    let life = Self.dead {
      Self.urgent(&$0)
      $0.traits = .unopened
      $0.rules.rarePushes = 2
    }
    for number in 1...3 {
      life.push()
      #expect(life.phone.android.hasService == (number <= 2))
      life.kill()
    }
  }

  @Test(
    "AFG5, APM7: with While In Use a service goes on behind, but does not start there",
    arguments: [30, 34] as [UInt8])
  func whileInUse(api: UInt8) {
    let life = PhoneLife.android {
      Self.urgent(&$0)
      $0.rules.api = api
      $0.user = .whenInUse
      $0.use.service = .always
      $0.app = DeviceTests.careful(.startStandard(.background))
    }
    life.advance(.minutes(10))
    #expect(life.phone.authorization == .whenInUse && life.phone.android.hasService)
    #expect(life.fixes(.standard).count > 300)
    life.kill()
    let mark = life.mark
    life.push()
    life.advance(.minutes(10))
    #expect(life.pushesDelivered.count == 1 && !life.phone.android.hasService)
    #expect(life.fixes(since: mark).isEmpty)
  }

  // MARK: Its type

  @Test("AFG6: a service of type location starts with permission to locate alone, others without")
  func permission() {
    for type in AndroidUse.ServiceType.allCases {
      for user in [Authorization.denied, .whenInUse, .always] {
        let life = PhoneLife.android {
          $0.user = user
          $0.use.service = .always
          $0.use.serviceType = type
        }
        #expect(life.phone.android.hasService == (type != .location || user != .denied))
      }
    }
  }

  @Test("AFG6, APM7: with While In Use only a service of type location locates in the background")
  func locatesBehind() {
    for type in [AndroidUse.ServiceType.location, .dataSync] {
      for user in [Authorization.whenInUse, .always] {
        let life = PhoneLife.android {
          $0.user = user
          $0.use.service = .always
          $0.use.serviceType = type
          $0.app = DeviceTests.careful(.startStandard(.background))
        }
        life.advance(.minutes(10))
        let locates = type == .location || user == .always
        #expect(life.phone.android.hasService && life.fixes(.standard).isEmpty == !locates)
      }
    }
  }

  @Test(
    "AFG8: a short service ends after 3 min, from Android 14 on",
    arguments: [33, 34] as [UInt8])
  func short(api: UInt8) {
    let life = PhoneLife.android {
      $0.rules.api = api
      $0.use.service = .always
      $0.use.serviceType = .shortService
    }
    life.advance(until: .seconds(179))
    #expect(life.phone.android.hasService)
    life.advance(until: .seconds(181))
    #expect(life.phone.android.hasService == (api == 33) && life.ends.isEmpty)
    #expect(life.state == (api == 33 ? .background : .suspended))
  }

  @Test(
    "AFG8: a service that syncs data has 6 h in 24, or from the app's opening, from Android 15 on",
    arguments: [34, 35] as [UInt8])
  func dataSync(api: UInt8) {
    let life = PhoneLife.android {
      Self.urgent(&$0)
      $0.rules.api = api
      $0.use.service = .always
      $0.use.serviceType = .dataSync
    }
    let hours: [(SimDuration, Bool)] = [
      (.minutes(359), true), (.minutes(361), api == 34), (.hours(20), api == 34),
      (.hours(24) + .minutes(1), true), (.minutes(30 * 60 + 2), api == 34),
    ]
    for (age, runs) in hours {
      life.advance(until: age)
      life.push()
      #expect(life.phone.android.hasService == runs, "\(age)")
    }
    life.open()
    life.leave()
    life.advance(.hours(5))
    #expect(life.phone.android.hasService)
  }

  // MARK: Its end

  @Test(
    "ALC7: from Android 13 on owners end a service, which then starts by nothing but an exemption",
    arguments: [32, 33] as [UInt8])
  func activeApps(api: UInt8) {
    let life = PhoneLife.android {
      Self.urgent(&$0)
      $0.rules.api = api
      $0.rules.neverDoze()
      $0.rules.activeAppsStops = 30_000
      $0.use.service = .always
      $0.use.work = .minutes(15)
    }
    life.advance(until: .minutes(14))
    #expect(life.phone.android.hasService == (api == 32) && life.ends.isEmpty)
    life.advance(until: .minutes(16))
    #expect(life.launches == (api == 32 ? [.user] : [.user, .refresh]))
    life.push()
    #expect(life.pushesDelivered.count == 1 && life.phone.android.hasService)
  }

  @Test("AOE4: a wake lock of an hour is a force stop on some makers' phones")
  func wakeLock() {
    for (holds, limit) in [(true, nil), (false, .hours(1)), (true, .hours(1))]
      as [(Bool, SimDuration?)]
    {
      let life = PhoneLife.android {
        $0.rules.wakeLockLimit = limit
        $0.use.service = .always
        $0.use.wakeLock = holds
      }
      life.advance(until: .minutes(59))
      #expect(life.phone.android.hasService)
      life.advance(until: .minutes(61))
      let stops = holds && limit != nil
      #expect(life.phone.process.isForceQuit == stops)
      #expect(life.phone.android.hasService == !stops)
    }
  }

  @Test("AFG9, AOE1, AOE3: services die at the maker's rate")
  func deaths() {
    func deaths(perDay: Double) -> Int {
      (0..<200).reduce(0) { sum, number in
        let life = PhoneLife.android {
          $0.number = UInt32(number)
          $0.use.service = .always
          $0.rules.serviceDeathsPerDay = perDay
        }
        life.advance(until: .hours(24))
        return sum + life.ends.count
      }
    }
    #expect(deaths(perDay: 0) == 0)
    // 200 phones for a day, and three standard deviations.
    #expect((905...1_095).contains(deaths(perDay: 5)))
  }

  @Test("ALC8: the system starts a service that always runs again some time after its end")
  func sticky() {
    for service in [AndroidUse.Service.always, .locating] {
      let life = PhoneLife.android {
        $0.use.service = service
        $0.rules.serviceDeathsPerDay = 200
        $0.rules.restartAfter = .seconds(20)
        if service == .locating { $0.app = DeviceTests.careful(.startStandard(.background)) }
      }
      life.advance(until: .hours(3))
      switch service {
      case .always:
        #expect(life.ends.count > 10)
        #expect(life.systemStarts == life.ends.map { $0 + .seconds(20) })
      case .locating, .never:
        #expect(life.ends.count == 1 && life.systemStarts.isEmpty)
        #expect(life.state == .notRunning)
      }
    }
  }
}
