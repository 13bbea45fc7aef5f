import Core
import PhoneSupport
import TestSupport
import Testing
@testable import Phone
@testable import Scenarios

@Suite("Fences and permission on Android", .quick)
struct AndroidFenceTests {
  @Test("AGF1: a fence starts an app that has ended, and needs permission all the time")
  func starts() {
    let life = AndroidStartTests.fences()
    life.advance(until: .minutes(10))
    life.kill()
    life.advance(until: .hours(3))
    #expect(life.crossings.contains { $0.place == 1 && $0.isEntry })
    #expect(life.launches.contains(.location))
    let behind = AndroidStartTests.fences { $0.user = .whenInUse }
    behind.advance(until: .hours(3))
    #expect(behind.crossings.isEmpty && behind.exits.isEmpty)
  }

  @Test("AGF2: a fence of 10 m behaves like one of 100 m")
  func small() {
    let life = PhoneLife.android {
      $0.app = DeviceTests.careful(
        .monitorRegion(
          centre: PhoneLife(.way([.stay(.hours(9))])) { _ in [] }.place, radius: .meters(10)))
    }
    #expect(life.phone.services.regionRadius == 100)
  }

  @Test("AGF3: three crossings in five are told in minutes, the others in hours at most")
  func late() throws {
    let profile = OSProfile.android14.regions
    let looks = (0..<2_000).map { number in
      profile.look(
        isRunning: true, isLocating: false, wifi: true,
        Draw(seed: 1, phone: UInt32(number), .placeNotice),
        Draw(seed: 1, phone: UInt32(number), .placeLatency))
    }
    let prompt = looks.filter { !$0.isLate }.map(\.after.seconds).sorted()
    #expect(abs(Double(prompt.count) / 2_000 - 0.6) < 0.05)
    #expect((80...100).contains(prompt[prompt.count / 2]))
    let late = looks.filter(\.isLate).map(\.after)
    #expect(try #require(late.max()) <= .hours(6))
    #expect(late.contains { $0 > .hours(1) })
  }

  @Test("AGF4: an exit counts beyond the fence's edge, an entry at the edge")
  func edges() throws {
    func crossing(cushion: Double, isEntry: Bool) throws -> SimInstant {
      let life = AndroidStartTests.fences { $0.cushion = cushion }
      life.advance(until: .hours(3))
      let found = life.crossings.first { $0.place == (isEntry ? 1 : 0) && $0.isEntry == isEntry }
      return try #require(found).at
    }
    // 400 m at 8 m/s; the reports differ by their delays.
    let later = try crossing(cushion: 400, isEntry: false) - crossing(cushion: 0, isEntry: false)
    #expect(later > .seconds(20))
    let entry = try crossing(cushion: 400, isEntry: true) - crossing(cushion: 0, isEntry: true)
    #expect(entry == .zero)
  }

  @Test("AGF5: with a loitering delay an entry is told after a stay, and not in passing")
  func loitering() throws {
    func entry(_ delay: SimDuration?, place: UInt8) -> SimInstant? {
      // By the way, and at its end.
      let life = AndroidStartTests.fences {
        $0.way = [.stay(.hours(1)), .ride(.minutes(40), metersPerSecond: 2), .stay(.hours(24))]
        $0.places = [0, 2_400, 4_800]
        $0.use.loitering = delay
      }
      life.advance(until: .hours(3))
      return life.crossings.first { $0.place == place && $0.isEntry }?.at
    }
    #expect(entry(nil, place: 1) != nil && entry(.minutes(5), place: 1) == nil)
    let later = try #require(entry(.minutes(5), place: 2)) - #require(entry(nil, place: 2))
    #expect(later > .minutes(4) && later < .minutes(8))
  }

  @Test("AGF5: a stay in a place neither ends nor restarts while the phone leaves another place")
  func overlapping() throws {
    let life = AndroidStartTests.fences {
      $0.way = [.stay(.hours(1)), .ride(.minutes(40), metersPerSecond: 2), .stay(.hours(24))]
      $0.places = [0, 350]
      $0.cushion = 100
      $0.use.loitering = .minutes(1)
    }
    life.advance(until: .hours(3))
    // The phone leaves the first place after 125 s, and is in the second one from 100 to 250 s.
    let exit = try #require(life.crossings.first { $0.place == 0 && !$0.isEntry }?.at)
    let entry = try #require(life.crossings.first { $0.place == 1 && $0.isEntry }?.at)
    #expect(exit - life.truth.birth < .minutes(60) + .seconds(175))
    #expect(entry - life.truth.birth > .minutes(60) + .seconds(160))
    #expect(entry - life.truth.birth < .minutes(60) + .seconds(190))
  }

  @Test("AGF5: an initial trigger tells that the phone is inside a fence that is set")
  func initialTrigger() {
    for tells in [true, false] {
      let life = AndroidStartTests.fences { $0.use.initialTrigger = tells }
      life.advance(until: .minutes(30))
      #expect(life.crossings.contains { $0.place == 0 && $0.isEntry } == tells)
    }
  }

  @Test("AGF8: a fence lets an app start a service, which locates with permission all the time")
  func service() {
    let life = AndroidStartTests.fences {
      $0.use.service = .always
      let fence = $0.app
      $0.app = { event in
        event.isLaunch ? fence(event) + [.startStandard(.background)] : fence(event)
      }
    }
    life.advance(until: .minutes(30))
    life.kill()
    let mark = life.mark
    life.advance(until: .hours(3))
    #expect(life.launches.last == .location && life.phone.android.hasService)
    #expect(life.fixes(since: mark).count > 300)
  }

  // MARK: Permission

  private static func answer(
    _ request: AuthorizationRequest, current: Authorization, user: Authorization = .always,
    consent: Consent = []
  ) -> Authorization? {
    OSProfile.android14.system.rules.answer(
      to: request, current: current, app: .standard, user: user, consent: consent)?.reported
  }

  @Test("APM2, APM3: after While In Use, all the time is asked for separately, and once")
  func separate() {
    for user in [Authorization.denied, .whenInUse] {
      #expect(Self.answer(.whenInUse, current: .notDetermined, user: user) == user)
    }
    #expect(Self.answer(.whenInUse, current: .notDetermined) == .whenInUse)
    #expect(Self.answer(.always, current: .whenInUse) == .always)
    #expect(Self.answer(.always, current: .whenInUse, consent: .askedForAlways) == nil)
    #expect(Self.answer(.always, current: .denied) == nil)
  }

  @Test(
    "APM1: before Android 10 one prompt, and one switch in Settings, include the background",
    arguments: [28, 29] as [UInt8])
  func onePrompt(api: UInt8) {
    for user in [Authorization.denied, .whenInUse, .always] {
      let life = PhoneLife.android {
        $0.rules.api = api
        $0.user = user
      }
      let isWhole = api == 28 && user != .denied
      #expect(life.phone.authorization == (isWhole ? .always : user))
      life.settings(.whenInUse)
      #expect(life.phone.authorization == (api == 28 ? .always : .whenInUse))
      life.settings(.denied)
      #expect(life.phone.authorization == .denied)
    }
    let life = PhoneLife.android {
      $0.rules.api = api
      $0.user = .always
      $0.app = { event in
        if case .becameActive = event { [.requestAuthorization(.whenInUse)] } else { [] }
      }
    }
    #expect(life.phone.authorization == (api == 28 ? .always : .whenInUse))
  }

  @Test("APM6: the owner is reminded once of locations in the background, and may take them back")
  func reminder() throws {
    for takenBack in [0, 1] as [Double] {
      let life = PhoneLife.android {
        $0.way = Array(
          repeating: [.stay(.hours(23)), .ride(.hours(1), metersPerSecond: 8)], count: 16
        ).flatMap { $0 }
        $0.use.backgroundLocations = true
        $0.reminder = .hours(72)
        $0.world.owner.permission.takenBack = takenBack
        $0.world.owner.battery.unlocksPerDay = 100
        $0.world.owner.chargesAtNight = 1
      }
      // On iPhones the second reminder comes a week after the first.
      life.advance(until: .hours(24 * 15))
      let shown = PermissionPromptsTests.reminders(life)
      #expect(shown.count == 1 && shown[0] > .hours(72 + 23) && shown[0] < .hours(72 + 23 + 16))
      #expect(life.phone.authorization == (takenBack == 1 ? .whenInUse : .always))
      #expect(life.state == (takenBack == 1 ? .notRunning : .suspended))
    }
  }

  @Test("APM5: the owner may give the approximate position from Android 12 on")
  func approximate() throws {
    for (name, has) in [("android14", true), ("android11", false)] {
      let rules = try shipped.osProfile(name).value.system.rules
      #expect(rules.isImprecise(.reduced) == has)
    }
  }
}
