import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Doze", .quick)
struct DozeTests {
  static let rules = AndroidRules.standard
  static let tick = SimDuration.microseconds(1)
  static let off = World.monday

  /// How the phone is, while its screen is off.
  enum Motion: CaseIterable { case lies, moves, savesPower }

  /// - Parameter still: since when the phone lies still, counted from the end of the screen time.
  static func doze(
    after time: SimDuration, _ motion: Motion, still: SimDuration = .hours(-1)
  ) -> Doze {
    let stillSince: SimInstant? =
      switch motion {
      case .lies: off + still
      case .moves, .savesPower: nil
      }
    return Doze.at(
      off + time, screenOff: off, stillSince: stillSince, savesPower: motion == .savesPower, rules)
  }

  /// The windows that begin within some hours, as times after the screen went off.
  static func windows(_ motion: Motion, hours: Int64) -> [Range<SimDuration>] {
    var windows: [Range<SimDuration>] = []
    var time = SimDuration.zero
    while time < .hours(hours) {
      let doze = doze(after: time, motion)
      let end = doze.until - off
      if doze.depth != .awake, !doze.isIdle { windows.append(time..<end) }
      time = end
    }
    return windows
  }

  // MARK: One state after another

  @Test("ADZ1: light Doze begins a minute after the screen went off, in motion, too")
  func light() {
    for motion in [Motion.lies, .moves] {
      let begin = SimDuration.minutes(1)
      #expect(Self.doze(after: .zero, motion) == .awake(until: Self.off + begin))
      #expect(Self.doze(after: begin - Self.tick, motion).depth == .awake)
      #expect(
        Self.doze(after: begin, motion)
          == Doze(depth: .light, until: Self.off + .minutes(6), isIdle: true))
    }
  }

  @Test("ADZ2: light Doze idles for 5, 10, 15, 15 … min, each time before a window of a minute")
  func lightWindows() {
    let windows = Self.windows(.moves, hours: 2)
    #expect(windows.map(\.lowerBound) == [6, 17, 33, 49, 65, 81, 97, 113].map { .minutes($0) })
    #expect(windows.allSatisfy { $0.upperBound - $0.lowerBound == .minutes(1) })
  }

  @Test("ADZ3: a phone that lies still is in deep Doze after 65 min, one that moves never")
  func deep() {
    let begin = SimDuration.minutes(65)
    #expect(Self.doze(after: begin - Self.tick, .lies).depth == .light)
    #expect(
      Self.doze(after: begin, .lies)
        == Doze(depth: .deep, until: Self.off + begin + .hours(1), isIdle: true))
    #expect(Self.doze(after: .hours(20), .moves).depth == .light)
  }

  @Test("ADZ5: deep Doze idles for 1, 2, 4, 6, 6 … h, each time before a window of 5 min")
  func deepWindows() {
    let windows = Self.windows(.lies, hours: 27).filter { $0.lowerBound > .minutes(65) }
    #expect(windows.map(\.lowerBound) == [125, 250, 495, 860, 1_225, 1_590].map { .minutes($0) })
    #expect(windows.allSatisfy { $0.upperBound - $0.lowerBound == .minutes(5) })
  }

  @Test("ADZ6: after motion deep Doze begins 45 min later, but no sooner than without motion")
  func afterMotion() {
    for (still, begins) in [(10, 65), (20, 65), (21, 66), (180, 225)] as [(Int64, Int64)] {
      let begins = SimDuration.minutes(begins)
      let before = Self.doze(after: begins - Self.tick, .lies, still: .minutes(still))
      #expect(before.depth == .light, "\(still) min")
      #expect(
        Self.doze(after: begins, .lies, still: .minutes(still))
          == Doze(depth: .deep, until: Self.off + begins + .hours(1), isIdle: true))
    }
  }

  @Test("ADZ9: with Battery Saver deep Doze begins a minute after the screen, in motion, too")
  func quick() {
    #expect(Self.doze(after: .seconds(59), .savesPower).depth == .awake)
    #expect(
      Self.doze(after: .seconds(60), .savesPower)
        == Doze(depth: .deep, until: Self.off + .minutes(61), isIdle: true))
  }

  @Test("a state lasts until its end, and not longer", arguments: Motion.allCases)
  func ends(motion: Motion) {
    var draw = Draw(seed: 1, phone: 0, .sample)
    for _ in 0..<1_000 {
      let time = SimDuration(seconds: draw.uniform(0, 48 * 3_600))
      let doze = Self.doze(after: time, motion)
      let end = doze.until - Self.off
      #expect(end > time && Self.doze(after: end - Self.tick, motion) == doze)
      #expect(Self.doze(after: end, motion) != doze)
    }
  }

  // MARK: On a phone

  @Test("ADZ6: use of the phone ends deep Doze, and all times begin anew")
  func use() {
    let life = PhoneLife.android()
    let use = life.nextUse.start
    life.advance(until: use - .seconds(1))
    #expect(life.doze == Doze(depth: .deep, until: use, isIdle: true))
    life.advance(until: use)
    #expect(life.doze == .awake(until: use + .minutes(1)))
    life.advance(until: use + .minutes(64))
    #expect(life.doze.depth == .light)
    life.advance(until: use + .minutes(65))
    #expect(life.doze == Doze(depth: .deep, until: use + .minutes(125), isIdle: true))
  }

  @Test("ADZ1: a phone does not doze while its screen is on")
  func screen() {
    let life = PhoneLife.android { $0.world.owner.battery.screenTime = .hours(1) }
    let use = life.nextUse
    #expect(abs((use.end - use.start - .hours(1)).seconds) < 1)
    life.advance(until: use.start + .minutes(30))
    #expect(life.doze == .awake(until: use.end))
    life.advance(until: use.end)
    #expect(life.doze == .awake(until: use.end + .minutes(1)))
    life.advance(until: use.end + .minutes(2))
    #expect(life.doze.depth == .light)
  }

  @Test("ADZ1: an app in front keeps the phone awake, and leaving it ends the screen time")
  func app() {
    let life = PhoneLife.android()
    life.advance(until: .hours(2))
    #expect(life.doze.depth == .deep)
    life.open()
    #expect(life.doze == .awake(until: .distantFuture))
    life.advance(.minutes(10))
    life.leave()
    #expect(life.doze == .awake(until: life.now + .minutes(1)))
  }

  @Test("ADZ6: motion ends deep Doze, which begins again 45 min after the phone came to rest")
  func motion() {
    let life = PhoneLife.android {
      $0.way = [.stay(.hours(3)), .ride(.minutes(10), metersPerSecond: 8), .stay(.hours(9))]
    }
    let states: [(minutes: Int64, depth: Doze.Depth)] = [
      (179, .deep), (181, .light), (191, .light), (234, .light), (235, .deep),
    ]
    for (minutes, depth) in states {
      life.advance(until: .minutes(minutes))
      #expect(life.doze.depth == depth, "\(minutes) min")
    }
  }

  @Test("ADZ6: a charger ends Doze, and unplugging counts as the end of screen time")
  func charger() {
    let life = PhoneLife.android { $0.world.owner.chargesAtNight = 1 }
    // From 23 to 6 h.
    let (begin, end) = (SimDuration.minutes(15 * 60 + 30), SimDuration.minutes(22 * 60 + 30))
    life.advance(until: begin - .minutes(1))
    #expect(life.doze.depth == .deep)
    life.advance(until: begin + .minutes(1))
    #expect(life.doze == .awake(until: .distantFuture))
    for (minutes, depth) in [(2, .light), (64, .light), (66, .deep)] as [(Int64, Doze.Depth)] {
      life.advance(until: end + .minutes(minutes))
      #expect(life.doze.depth == depth, "\(minutes) min")
    }
  }

  @Test("ADZ10: no Doze in the half hour before an alarm clock, and light Doze a minute after it")
  func alarmClock() {
    let life = PhoneLife.android { $0.rules.alarmClock = 1 }
    // It rings at six on Tuesday.
    let rings = life.truth.birth + .minutes(22 * 60 + 30)
    life.advance(until: rings - .minutes(31))
    #expect(life.doze == Doze(depth: .deep, until: rings - .minutes(30), isIdle: true))
    life.advance(.minutes(1))
    #expect(life.doze == .awake(until: rings))
    for (minutes, depth) in [(32, .light), (94, .light), (96, .deep)] as [(Int64, Doze.Depth)] {
      life.advance(until: rings + .minutes(minutes - 30))
      #expect(life.doze.depth == depth, "\(minutes) min")
    }
  }

  @Test("ADZ9: before Android 10 a phone in Battery Saver does not doze deeply at once")
  func slowBatterySaver() {
    let life = PhoneLife.android {
      $0.rules.api = 28
      $0.world.owner.lowPower = 1
    }
    life.advance(until: .minutes(2))
    #expect(life.doze.depth == .light)
  }

  @Test("ADZ9: a phone in Battery Saver dozes deeply on the way, and one without it lightly")
  func batterySaver() {
    for saves in [true, false] {
      let life = PhoneLife.android {
        $0.way = [.ride(.hours(3), metersPerSecond: 8)]
        $0.world.owner.lowPower = saves ? 1 : 0
      }
      life.advance(until: .minutes(2))
      #expect(life.doze.depth == (saves ? .deep : .light))
    }
  }
}
