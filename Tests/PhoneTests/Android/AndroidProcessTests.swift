import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Processes on Android", .quick)
struct AndroidProcessTests {
  /// Half an hour at home, an hour in a car, and the day elsewhere. The app has a fence round home,
  /// and asks for locations and work in the background.
  static func onItsWay(_ change: (inout AndroidSetup) -> Void = { _ in }) -> PhoneLife {
    let life = PhoneLife.android {
      $0.way = [.stay(.minutes(30)), .ride(.hours(1), metersPerSecond: 8), .stay(.hours(72))]
      $0.use.backgroundLocations = true
      $0.use.work = .minutes(15)
      $0.use.startsOnBoot = true
      $0.rules.neverDoze()
      change(&$0)
    }
    life.open()
    life.ask(.monitorRegion(centre: life.place, radius: .meters(150)))
    life.leave()
    return life
  }

  // MARK: Cached processes

  @Test("ALC1: half of the cached processes live four hours")
  func cachedLife() {
    let hours = (0..<1_000).map { number in
      let life = PhoneLife.android {
        $0.number = UInt32(number)
        $0.rules.cachedLife = .hours(4)
      }
      life.advance(until: .hours(24))
      #expect(life.ends.isEmpty == (life.state == .suspended) && life.launches == [.user])
      return life.ends.first.map { ($0 - life.truth.birth).seconds / 3_600 } ?? .infinity
    }.sorted()
    #expect((3.6...4.4).contains(hours[500]), "\(hours[500])")
    #expect(hours[999] == .infinity)
  }

  @Test("ALC1: a process that is woken or runs a service is not cached")
  func notCached() {
    let life = PhoneLife.android {
      $0.use.service = .locating
      $0.rules.cachedLife = .minutes(1)
      $0.app = DeviceTests.careful(.startStandard(.background))
    }
    life.advance(until: .hours(1))
    #expect(life.state == .background && life.ends.isEmpty)
    life.ask(.stopStandard)
    life.advance(until: .hours(2))
    #expect(life.state == .notRunning && life.ends.count == 1)
  }

  @Test("ALC3: the timers of a frozen app come due at its wake")
  func timers() throws {
    let life = PhoneLife.android()
    life.open()
    life.ask(.setTimer(.still, at: life.now + .minutes(1)))
    life.leave()
    let mark = life.mark
    life.advance(.hours(1))
    #expect(life.mark == mark && life.wakes == 0)
    life.push()
    let events = life.delivered(since: mark)
    try #require(events.count == 2)
    if case .timer(.still) = events[0], case .silentPush = events[1] { return }
    Issue.record("\(events)")
  }

  @Test("ALC1: Android's processes end at their own rates, not by memory pressure of iOS")
  func memoryPressure() {
    let life = PhoneLife.android {
      $0.world.owner.memory = MemoryPressure(
        perScreenHour: 60, perIdleHour: 60, whileRunning: 1, sigma: 0)
    }
    life.advance(until: .hours(5))
    #expect(life.state == .suspended && life.ends.isEmpty)
  }

  // MARK: Swipes and force stops

  @Test("ALC4: a swipe ends the process and is no force stop: work and fences start it again")
  func swipe() {
    let life = Self.onItsWay()
    life.swipeAway()
    #expect(life.state == .notRunning && !life.phone.process.isForceQuit)
    life.advance(until: .minutes(1))
    #expect(life.launches == [.user, .refresh])
    life.advance(until: .minutes(30) + .seconds(10))
    life.kill()
    life.advance(until: .minutes(39))
    #expect(life.launches == [.user, .refresh, .location], "before the next location and work")
  }

  @Test("ALC4: a swipe does not end a process with a service")
  func swipeBesideService() {
    let life = PhoneLife.android {
      $0.use.service = .locating
      $0.app = DeviceTests.careful(.startStandard(.background))
    }
    life.advance(.minutes(10))
    life.swipeAway()
    #expect(life.state == .background && life.phone.android.hasService)
    let fixes = life.fixes(.standard).count
    life.advance(.minutes(10))
    #expect(life.fixes(.standard).count > fixes + 300)
  }

  @Test(
    "ALC6: from Android 15 on a force stop removes fences, transitions and requests for good",
    arguments: [34, 35] as [UInt8])
  func forgotten(api: UInt8) {
    let life = Self.onItsWay {
      $0.rules.api = api
      $0.rules.swipeStops = true
      $0.use.motion = .transitions
      $0.app = DeviceTests.careful(.startMotionActivity, .startSignificantChange)
    }
    life.swipeAway()
    #expect((life.phone.due[.background] < .distantFuture) == (api == 34))
    #expect(life.phone.android.flags.contains(.transitions) == (api == 34))
    life.open()
    life.leave()
    life.advance(until: .hours(1))
    #expect(life.exits.isEmpty == (api == 35))
  }

  /// What no stopped app receives: an hour's way with fence, work and locations, pushes, a start of
  /// the phone and an update.
  static func goThroughDay(_ life: PhoneLife) {
    life.advance(.hours(4))
    life.push()
    life.turnOff(for: .minutes(10))
    life.advance(.minutes(20))
    life.update()
    life.advance(.hours(1))
  }

  @Test("ALC5, AOE3: where a swipe is a force stop nothing reaches the app until it is opened")
  func forceStop() {
    for stops in [true, false] {
      let life = Self.onItsWay {
        $0.rules.swipeStops = stops
        $0.use.service = stops ? .always : .never
      }
      life.swipeAway()
      #expect(life.state == .notRunning && life.phone.process.isForceQuit == stops)
      let mark = life.mark
      Self.goThroughDay(life)
      #expect((life.mark == mark) == stops && (life.launches == [.user]) == stops)
      guard stops else { continue }
      #expect(life.pushSteps == [.stopped(.stopped)])
      life.open()
      life.leave()
      life.advance(.minutes(1))
      #expect(life.phone.android.hasService && life.workRuns.count == 1)
    }
  }

  @Test("AOE3: nothing starts an ended app of a maker that lets no app start by itself")
  func startsItself() {
    for share in [0, 1] as [Double] {
      let life = Self.onItsWay { $0.rules.startsItself = share }
      life.kill()
      Self.goThroughDay(life)
      #expect((life.launches == [.user]) == (share == 0))
      #expect((life.pushSteps == [.stopped(.stopped)]) == (share == 0))
    }
    let stopped = (0..<1_000).map { number in
      let life = PhoneLife.android {
        $0.number = UInt32(number)
        $0.rules.startsItself = 0.25
      }
      #expect(!life.isStopped, "it is still cached")
      life.kill()
      return life.isStopped
    }
    #expect((0.7...0.8).contains(stopped.share { $0 }))
  }

  @Test("AOE2, AHI1, AHI2: an app that is not opened for long is stopped with its service")
  func unopened() {
    let life = PhoneLife.android {
      $0.way = [.stay(.hours(50)), .ride(.hours(1), metersPerSecond: 8), .stay(.hours(9))]
      $0.use.service = .always
      $0.use.work = .hours(1)
      $0.rules.stoppedAfter = .hours(48)
      $0.rules.neverDoze()
    }
    life.open()
    life.ask(.monitorRegion(centre: life.place, radius: .meters(150)))
    life.leave()
    life.advance(until: .hours(48))
    #expect(life.state == .background && life.workRuns.count == 48)
    life.advance(until: .hours(53))
    #expect(life.state == .notRunning && life.workRuns.count == 48 && life.launches == [.user])
    life.push()
    #expect(life.pushSteps == [.stopped(.stopped)])
    life.open()
    life.leave()
    life.advance(until: .hours(55))
    #expect(life.state == .background && life.workRuns.count == 50)
  }

  @Test("AOE2: a fence does not wake a stopped app that is cached")
  func fenceOfStopped() {
    for stops in [true, false] {
      let life = Self.onItsWay {
        $0.use = .none
        $0.rules.stoppedAfter = stops ? .minutes(20) : nil
      }
      life.advance(until: .hours(1))
      #expect((life.wakes == 0) == stops)
    }
  }

  @Test("ABT5: a maker's own saver ends the app and lets nothing start it, until it is off")
  func extremeSaver() {
    for saves in [false, true] {
      let life = PhoneLife.android {
        $0.use.service = .always
        $0.use.work = .minutes(15)
        $0.rules.neverDoze()
        $0.rules.extremeSaver = 1
        $0.world.owner.lowPower = saves ? 1 : 0
        $0.world.owner.chargesAtNight = 1
      }
      life.advance(until: .hours(2))
      #expect((life.state == .notRunning) == saves && (life.ends.count == 1) == saves)
      #expect(life.workRuns.isEmpty == saves)
      life.push()
      #expect((life.pushSteps == [.stopped(.stopped)]) == saves)
      // The charger ends it, from 23 to 6 h.
      life.advance(until: .hours(20))
      #expect(life.workRuns.count > 10)
    }
  }

  // MARK: Settings and updates

  @Test("ASB6: an app that is set to Restricted only gets pushes in the background")
  func restricted() {
    for (share, exempt) in [(0, 0), (1, 0), (1, 1)] as [(Double, Double)] {
      let life = Self.onItsWay {
        $0.rules.ownerRestricts = share
        $0.rules.exempt = exempt
        $0.use.asksExemption = true
        $0.use.service = .always
      }
      let isRestricted = share > exempt
      #expect(life.phone.android.hasService == !isRestricted)
      life.advance(until: .hours(4))
      #expect(life.workRuns.isEmpty == isRestricted)
      #expect(life.fixes(.imprecise).isEmpty == isRestricted)
      life.push()
      #expect(life.pushesDelivered.count == 1)
      let alarm = AlarmTests.life { $0.rules.ownerRestricts = share }
      alarm.advance(until: .hours(1))
      #expect(alarm.workRuns.isEmpty == (share == 1))
    }
  }

  @Test("ALC9: a permission taken back ends the process, and a granted one does not")
  func settings() {
    let taken = PhoneLife.android { $0.use.service = .always }
    taken.settings(.whenInUse)
    #expect(taken.state == .notRunning && taken.phone.authorization == .whenInUse)
    let granted = PhoneLife.android {
      $0.user = .whenInUse
      $0.use.service = .always
    }
    granted.settings(.always)
    #expect(granted.state == .background && granted.phone.authorization == .always)
  }

  @Test("ALC10: an update ends the process, and an app that asks for it starts again at once")
  func update() {
    for starts in [true, false] {
      let life = PhoneLife.android {
        $0.use.startsOnBoot = starts
        $0.use.service = .always
        $0.rules.restartAfter = .seconds(20)
      }
      life.update(needsOpening: true)
      #expect(life.state == .notRunning)
      let end = life.now
      life.advance(.minutes(1))
      #expect(life.systemStarts == (starts ? [end + .seconds(20)] : []))
      #expect(life.phone.android.hasService == starts)
      life.push()
      #expect(life.pushesDelivered.count == 1, "no app waits for its owner")
    }
  }
}
