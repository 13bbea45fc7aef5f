import Core
import PhoneSupport
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("Memory pressure", .quick)
struct MemoryConditionsTests {
  static let midnight = World.monday - .hours(4)

  static func battery(screen: SimDuration) -> BatteryConditions {
    var mix = PhoneMix.standard
    mix.battery.screenTime = screen
    mix.battery.screenTimeSigma = 0
    return BatteryConditions(
      seed: 7, mix: mix, clock: CivilClock(utcOffset: .hours(1)), EnergyPrices(.standard))
  }

  /// When a phone needs memory in one day, from midnight on.
  static func needs(
    of number: UInt32, screen: SimDuration = .hours(4), megabytes: Int64 = 100,
    _ pressure: MemoryPressure = .standard
  ) -> [SimInstant] {
    var mix = PhoneMix.standard
    mix.memory = pressure
    var app = AppManifest.standard
    app.memory = ByteCount(bytes: megabytes * 1_000_000)
    let memory = MemoryConditions(seed: 7, mix: mix, app: app)
    let battery = battery(screen: screen)
    let phone = PhoneID(rawValue: number)
    var needs: [SimInstant] = []
    var t = midnight
    while t < midnight + .hours(24) {
      t = memory.next(after: t, phone: phone, battery)
      if t < midnight + .hours(24), memory.urgency(at: t, phone: phone, battery) != nil {
        needs.append(t)
      }
    }
    return needs
  }

  @Test("LC13: at four hours of screen a day the median phone ends its app once in a day or two")
  func rates() {
    let counts = (0..<400).map { Self.needs(of: $0).count }.sorted()
    let mean = Double(counts.reduce(0, +)) / Double(counts.count)
    // Of a log-normal rate the mean is 1.65 medians, and the 90th percentile 3.6.
    #expect((0.2...1.2).contains(mean / 1.65))
    #expect((1...4).contains(counts[counts.count * 9 / 10]))
  }

  @Test("LC13: more app memory and more phone use mean more endings")
  func grows() {
    func sum(screen: SimDuration, megabytes: Int64) -> Int {
      (0..<200).reduce(0) { sum, number in
        sum + Self.needs(of: number, screen: screen, megabytes: megabytes).count
      }
    }
    let usual = sum(screen: .hours(4), megabytes: 100)
    #expect(sum(screen: .hours(4), megabytes: 50) < usual * 7 / 10)
    #expect(sum(screen: .hours(4), megabytes: 200) > usual * 14 / 10)
    #expect(sum(screen: .hours(1), megabytes: 100) < usual * 7 / 10)
  }

  @Test("LC13: at night a phone rarely needs memory")
  func nights() {
    let needs = (0..<400).flatMap { Self.needs(of: $0) }
    let atNight = needs.count { $0 < Self.midnight + .hours(6) }
    #expect(atNight * 8 < needs.count, "a quarter of the day has a twelfth of them")
  }

  @Test("without pressure there are no events")
  func none() {
    var mix = PhoneMix.standard
    mix.memory = .none
    let memory = MemoryConditions(seed: 7, mix: mix, app: .standard)
    let battery = Self.battery(screen: .hours(4))
    #expect(
      memory.next(after: Self.midnight, phone: PhoneID(rawValue: 1), battery) == .distantFuture)
  }

  // MARK: Timelines

  /// A phone that needs memory once in each hour. Its person stays for three hours, then drives.
  static func life(whileRunning: Double, app: @escaping PhoneLife.App) -> PhoneLife {
    PhoneLife(
      .way([.stay(.hours(3)), .ride(.minutes(30), metersPerSecond: 12), .stay(.hours(10))]),
      pushes: {
        $0.owner.battery.screenTime = .hours(17)
        $0.owner.memory = MemoryPressure(
          perScreenHour: 100, perIdleHour: 100, whileRunning: whileRunning, sigma: 0)
      }, app: app)
  }

  static func ends(of life: PhoneLife) -> [SimInstant] {
    life.effectsInTime.compactMap { entry in
      if case .ends(.memory) = entry.effect { entry.at } else { nil }
    }
  }

  @Test("LC13: a suspended app that was ended is launched for the next location, and misses none")
  func suspended() throws {
    let life = Self.life(whileRunning: 0) { event in
      if event.isLaunch { return [.startSignificantChange] }
      return event.isActivation ? [.requestAuthorization(.always)] : []
    }
    life.open()
    life.leave()
    life.advance(until: .minutes(179))
    let mark = life.mark
    #expect(life.state == .notRunning && Self.ends(of: life).count == 1)
    #expect(life.phone.process.ending == .none, "it would not have done anything")
    life.advance(until: .minutes(225))
    #expect(life.delivered(since: mark).first?.isLaunch == true)
    #expect(life.launches.contains(.location))
    #expect(!life.fixes(since: mark).isEmpty)
  }

  @Test("LC13: a silent push starts an app that was ended for memory")
  func pushed() {
    let life = Self.life(whileRunning: 0) { event in
      event.isActivation ? [.requestAuthorization(.always)] : []
    }
    life.open()
    life.leave()
    life.advance(until: .hours(2))
    #expect(life.state == .notRunning)
    life.push()
    #expect(life.launches.last == .push && life.pushesDelivered.count == 1)
  }

  @Test("LC13: the app in the foreground is never ended for memory")
  func foreground() {
    let life = Self.life(whileRunning: 1) { _ in [] }
    life.open()
    life.advance(until: .hours(3))
    #expect(life.state == .foreground && Self.ends(of: life).isEmpty)
  }

  @Test("LC14, LC9: a running app is often spared; if not, its service is gone until a relaunch")
  func running() throws {
    let app: PhoneLife.App = { event in
      event.isActivation
        ? [
          .requestAuthorization(.always), .startSignificantChange, .startStandard(.background),
        ] : []
    }
    let spared = Self.life(whileRunning: 0, app: app)
    spared.open()
    spared.leave()
    spared.advance(until: .minutes(179))
    #expect(spared.state == .background && Self.ends(of: spared).isEmpty)
    let ended = Self.life(whileRunning: 1, app: app)
    ended.open()
    ended.leave()
    ended.advance(until: .minutes(179))
    #expect(ended.state == .notRunning && ended.phone.process.ending == .memory)
    #expect(!ended.phone.standard.isOn)
    let mark = ended.mark
    let at = try #require(Self.ends(of: ended).first)
    ended.advance(until: .minutes(225))
    let next = try #require(ended.delivered[mark...].first)
    #expect(next.event.isLaunch && next.at > at)
    #expect(ended.phone.process.ending == .none)
  }
}
