import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("An owner's answers about location, over time", .quick)
struct PermissionPromptsTests {
  /// Significant changes, and a request for Always whenever it is opened.
  static var app: PhoneLife.App { DeviceTests.careful(.startSignificantChange) }

  /// A request for When In Use, and one for Always once it is granted.
  static func stepwise(_ event: OSEvent) -> [OSCommand] {
    if case .authorizationChanged(.whenInUse) = event { return [.requestAuthorization(.always)] }
    return event.isActivation ? [.requestAuthorization(.whenInUse)] : []
  }

  static func life(
    _ way: [Stretch] = Stretch.rides, os: OSProfile = .standard, user: Authorization = .always,
    _ consent: Consent = .promptAhead, change: (inout PushWorld) -> Void = { _ in },
    app: @escaping PhoneLife.App = app
  ) -> PhoneLife {
    DeviceTests.installed(
      PhoneLife(.way(way), os: os, user: user, consent: consent, pushes: change, app: app))
  }

  static func when(_ step: ConsentStep, _ life: PhoneLife) -> SimInstant? {
    life.consentSteps.first { $0.step == step }?.at
  }

  /// An owner who rarely unlocks the phone.
  static func seldom(_ world: inout PushWorld) { world.owner.battery.unlocksPerDay = 0.01 }

  // MARK: AU12

  @Test("AU12: a first Always is provisional, and the first background event waits for the answer")
  func secondPrompt() throws {
    var os = OSProfile.standard
    os.system.rules.storedEventLife = .hours(6)
    let life = Self.life(os: os)
    #expect(life.permissionsDelivered == [.always])
    let mark = life.mark
    life.advance(until: .hours(6))
    let event = try #require(Self.when(.secondPromptWaits, life))
    let answer = try #require(Self.when(.secondPrompt(.always), life))
    #expect(event < answer && answer - event < .hours(2))
    let first = try #require(life.delivered.dropFirst(mark).first)
    #expect(first.at == answer)
    let fix = try #require(life.fixes(since: mark).first)
    #expect(fix.time.instant > event - .seconds(1) && fix.time.instant < answer)
    #expect(life.permissionsDelivered == [.always] && life.fixes(since: mark).count > 1)
  }

  @Test("AU12: an event that became too old before the unlock is not delivered")
  func storedLife() throws {
    var os = OSProfile.standard
    os.system.rules.storedEventLife = .zero
    let life = Self.life(os: os)
    life.advance(until: .hours(6))
    let answer = try #require(Self.when(.secondPrompt(.always), life))
    #expect(!life.delivered.contains { $0.at == answer })
    #expect(life.fixes(.imprecise).contains { $0 > answer })
  }

  @Test(
    "AU12: Always revoked at the second prompt stays revoked, and the app learns it later")
  func takenBack() {
    let life = Self.life(user: .whenInUse)
    #expect(life.permissionsDelivered == [.always])
    let wakes = life.wakes
    life.advance(until: .hours(6))
    #expect(Self.when(.secondPrompt(.whenInUse), life) != nil && life.wakes == wakes)
    #expect(life.permissionsDelivered == [.always])
    life.open()
    life.ask(.requestAuthorization(.always))
    #expect(life.permissionsDelivered == [.always, .whenInUse])
  }

  @Test("AU12: opening the app is an unlock")
  func opening() {
    let life = Self.life(change: Self.seldom)
    life.advance(until: .hours(2))
    #expect(Self.when(.secondPromptWaits, life) != nil)
    #expect(Self.when(.secondPrompt(.always), life) == nil)
    life.open()
    #expect(Self.when(.secondPrompt(.always), life) == life.now)
  }

  @Test("AU12: to a push a provisional Always counts as When In Use")
  func push() {
    let life = Self.life([.stay(.hours(4))], change: Self.seldom) { event in
      if case .silentPush = event { return [.beginBackgroundTask, .startStandard(.background)] }
      return event.isActivation ? [.requestAuthorization(.always)] : []
    }
    life.push()
    life.advance(.minutes(1))
    #expect(life.pushSteps.contains(.withoutPermission) && life.pushesDelivered.count == 1)
    #expect(life.fixes(since: 0).isEmpty && Self.when(.secondPromptWaits, life) != nil)
  }

  // MARK: AU11

  @Test(
    "AU11: Always after When In Use is decided at once, and requested once",
    arguments: [Authorization.always, .whenInUse])
  func inTwoSteps(user: Authorization) {
    for upgrades in [true, false] {
      var os = OSProfile.standard
      os.system.rules.upgradesWhenInUse = upgrades
      let life = Self.life(os: os, user: user, app: Self.stepwise)
      let isGranted = upgrades && user == .always
      let reported: [Authorization] = isGranted ? [.whenInUse, .always] : [.whenInUse]
      #expect(life.permissionsDelivered == reported)
      life.advance(until: .hours(6))
      #expect(life.consentSteps.isEmpty)
      life.open()
      life.ask(.requestAuthorization(.always))
      #expect(life.phone.authorization == (isGranted ? .always : .whenInUse))
    }
  }

  // MARK: AU13

  /// A change of cell an hour for two weeks.
  static func used(takenBack: Double, first: SimDuration? = .hours(72)) -> PhoneLife {
    var os = OSProfile.standard
    os.significantChange.spuriousPerHour = 1
    os.significantChange.cellEdges = 1
    os.system.rules.reminderFirst = first
    let life = Self.life([.stay(.hours(24 * 14))], os: os, []) {
      $0.owner.permission.takenBack = takenBack
      $0.owner.chargesAtNight = 1
    }
    life.advance(until: .hours(24 * 13))
    return life
  }

  static func reminders(_ life: PhoneLife) -> [SimDuration] {
    life.consentSteps.compactMap { at, step in
      if case .reminder = step { at - life.truth.birth } else { nil }
    }
  }

  @Test("AU13: the reminder comes three days after the first use of Always, then every week")
  func reminder() throws {
    let shown = Self.reminders(Self.used(takenBack: 0))
    try #require(shown.count == 2)
    #expect(shown[0] > .hours(72) && shown[0] < .hours(72 + 16))
    #expect(shown[1] - shown[0] > .hours(168) && shown[1] - shown[0] < .hours(168 + 16))
    #expect(Self.reminders(Self.used(takenBack: 0, first: nil)).isEmpty)
  }

  @Test("AU13: Always revoked at the reminder is not requested again")
  func reminderTakesBack() throws {
    let life = Self.used(takenBack: 1)
    let shown = Self.reminders(life)
    #expect(shown.count == 1 && life.phone.authorization == .whenInUse)
    let last = try #require(life.fixes(.imprecise).last)
    #expect(last - life.truth.birth <= shown[0])
    life.open()
    #expect(life.permissionsDelivered == [.always, .whenInUse])
  }

  // MARK: AU14

  @Test("AU14: Allow Once outlasts a short absence, and lapses after a longer one")
  func once() {
    let life = Self.life(user: .whenInUse, .allowsOnce)
    #expect(life.permissionsDelivered == [.whenInUse])
    life.advance(.minutes(2))
    life.open()
    life.advance(.minutes(20))
    life.leave()
    #expect(life.phone.authorization == .whenInUse && life.consentSteps.isEmpty)
    life.advance(.minutes(6))
    #expect(life.phone.authorization == .notDetermined)
    life.open()
    #expect(life.permissionsDelivered == [.whenInUse, .notDetermined, .whenInUse])
    life.leave()
    life.kill()
    #expect(life.phone.authorization == .notDetermined)
  }

  // MARK: AU15

  static func precise(_ isOn: Bool, _ life: PhoneLife) {
    life.act { phone, context, out in
      phone.setPrecise(isOn, context, &out)
    }
  }

  @Test("AU15: with precise location off, fixes are few and kilometres wide")
  func preciseOff() {
    let life = Self.life([.ride(.hours(3), metersPerSecond: 5)], [], app: DeviceTests.app())
    life.open()
    life.ask(.startStandard(.plain))
    life.advance(.minutes(5))
    #expect(life.positions(.standard).count > 200)
    Self.precise(false, life)
    #expect(life.permissionsDelivered == [.always, .always])
    let mark = life.mark
    life.advance(.hours(1))
    #expect((2...5).contains(life.fixes(since: mark).count))
    #expect(life.fixes(since: mark).allSatisfy { $0.accuracyMeters >= 1_000 })
    Self.precise(true, life)
    life.advance(.minutes(5))
    #expect(life.positions(.standard).last.map { $0.accuracyMeters < 100 } == true)
  }

  @Test("AU15: without precise location a region is silent, and significant changes are coarse")
  func silentRegions() {
    let way: [Stretch] = [
      .stay(.minutes(30)), .ride(.minutes(20), metersPerSecond: 12), .stay(.hours(1)),
    ]
    for isOff in [true, false] {
      let life = Self.life(way, [])
      life.open()
      life.ask(.monitorRegion(centre: life.place, radius: .meters(100)))
      life.leave()
      if isOff { Self.precise(false, life) }
      let mark = life.mark
      life.advance(until: .hours(2))
      #expect(life.exits.isEmpty == isOff)
      let wide = life.fixes(since: mark).filter { $0.accuracyMeters >= 1_000 }
      #expect(!isOff || wide.count == life.fixes(since: mark).count && !wide.isEmpty)
    }
  }

  // MARK: AU16

  @Test("AU16: a suspended app learns of a change in Settings when it runs next; some die of it")
  func settings() {
    for ends in [false, true] {
      var os = OSProfile.standard
      os.system.rules.settingsEndApp = ends
      let life = Self.life(os: os, [])
      life.settings(.whenInUse)
      #expect(life.permissionsDelivered == [.always])
      #expect(life.state == (ends ? .notRunning : .suspended))
      life.open()
      #expect(life.permissionsDelivered == [.always, .whenInUse])
      life.settings(.denied)
      #expect(life.permissionsDelivered.last == (ends ? .whenInUse : .denied))
    }
  }

  @Test("AU16: owners who change Settings decide by the shares of the mix")
  func changes() {
    let life = Self.life([.stay(.hours(24 * 3))], []) {
      $0.owner.permission.changesPerYear = 1_000
      $0.owner.always = 0
      $0.owner.whenInUse = 0
    }
    life.advance(until: .hours(48))
    #expect(life.phone.authorization == .denied)
    #expect(life.consentSteps.map(\.step).contains(.settings(.denied)))
  }

  @Test("AU16: changes in Settings have the frequency of the mix")
  func frequency() {
    var mix = PhoneMix.standard
    mix.permission.changesPerYear = 2
    let conditions = PermissionConditions(seed: 5, mix: mix)
    var count = 0
    for number in 0..<500 {
      var t = World.monday
      while true {
        t = conditions.nextChange(after: t, phone: World.phone(number))
        guard t < World.monday + .hours(24 * 365) else { break }
        count += 1
      }
    }
    #expect(abs(Double(count) / 500 - 2) < 0.2, "\(count)")
  }

  @Test("AU12, AU14: pending prompts and Allow Once have the shares of the mix")
  func shares() {
    let habits = HabitsTests.habits()
    let all = (0..<5_000).map { habits.consent(of: World.phone($0)) }
    let share = { (flag: Consent) in Double(all.count { $0.contains(flag) }) / 5_000 }
    // All with Always, and those of When In Use that revoke it: 0.45 + 0.3.
    #expect(abs(share(.promptAhead) - 0.75) < 0.02 && abs(share(.allowsOnce) - 0.1) < 0.015)
    let settled = HabitsTests.habits { $0.permission = .settled }
    #expect(
      (0..<500).allSatisfy { !settled.consent(of: World.phone($0)).contains(.allowsOnce) })
  }
}
