import Core
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Habits", .quick)
struct HabitsTests {
  static let tick = SimDuration.microseconds(1)

  static func habits(faults: [Fault] = [], _ change: (inout PhoneMix) -> Void = { _ in }) -> Habits
  {
    var mix = PhoneMix.standard
    change(&mix)
    return Habits(seed: 7, mix: mix, faults: faults)
  }

  static func outage(at: SimInstant, cohort: Int? = nil, share: Double = 1) -> Fault {
    Fault(
      kind: .networkOutage, at: at, lasts: .minutes(30), lastsWall: .zero,
      cohorts: cohort.map { [$0] }, share: share)
  }

  @Test("windows cover their share of phone-time", arguments: [0.01, 0.05, 0.12, 0.4, 0.5, 0.8, 1])
  func share(_ share: Double) {
    let windows = RecurringWindow(purpose: .offWindow, slot: .hours(1), share: share, seed: 3)
    let end = World.monday + .hours(48)
    var covered = SimDuration.zero
    for number in 0..<200 {
      var t = World.monday
      while true {
        let window = windows.next(endingAfter: t, phone: World.phone(number))
        guard t < end, window.start < end else { break }
        covered += min(window.end, end) - max(window.start, World.monday)
        t = window.end
      }
    }
    let measured = covered.seconds / (200 * 48 * 3_600)
    #expect(abs(measured - share) < 0.05 * share + 0.002, "\(measured)")
  }

  @Test("a window is the same from any instant inside it, and windows do not overlap")
  func sameWindow() {
    let windows = RecurringWindow(purpose: .offWindow, slot: .hours(8), share: 0.3, seed: 3)
    var draw = Draw(seed: 1, phone: 0, .sample)
    for number in 0..<50 {
      var last = SimInstant.distantPast
      var t = World.monday
      for _ in 0..<10 {
        let window = windows.next(endingAfter: t, phone: World.phone(number))
        #expect(window.start >= last && window.end > t)
        for _ in 0..<5 {
          let inside =
            window.start
            + SimDuration(seconds: draw.uniform() * (window.end - window.start).seconds)
          #expect(
            windows.next(
              endingAfter: min(inside, window.end - Self.tick), phone: World.phone(number))
              == window)
        }
        #expect(windows.next(endingAfter: window.end, phone: World.phone(number)) != window)
        last = window.end
        t = window.end
      }
    }
  }

  @Test("SP13: some phones save power often and most never, with the share of the mix as mean")
  func savesPower() {
    var mix = PhoneMix.standard
    (mix.restricted, mix.restrictedAtNight) = (0.2, 0)
    let power = PowerHabits(seed: 7, mix: mix, clock: World.town.clock)
    let shares = (0..<1_000).map { number in
      let times = (0..<100).filter { hours in
        power.restrictedUntil(
          World.monday + .hours(5 * Int64(hours)), phone: World.phone(number)) != nil
      }
      return Double(times.count) / 100
    }
    #expect(abs(shares.mean - 0.2) < 0.03)
    let (never, often) = (shares.share { $0 == 0 }, shares.share { $0 > 0.6 })
    #expect(never > 0.25 && often > 0.05, "\(never) and \(often)")
  }

  @Test("with share 0 there is no window")
  func never() {
    let windows = RecurringWindow(purpose: .offWindow, slot: .hours(8), share: 0, seed: 3)
    #expect(windows.next(endingAfter: World.monday, phone: World.phone(1)) == .never)
    #expect(!Window.never.contains(World.monday))
  }

  @Test("AU5: permissions have the shares of the mix, and do not change")
  func authorizations() {
    let habits = Self.habits()
    let all = (0..<5_000).map { habits.authorization(of: World.phone($0)) }
    let share = { (a: Authorization) in Double(all.count { $0 == a }) / 5_000 }
    #expect(abs(share(.always) - 0.45) < 0.02 && abs(share(.whenInUse) - 0.4) < 0.02)
    #expect(abs(share(.denied) - 0.15) < 0.02)
    #expect(all == (0..<5_000).map { habits.authorization(of: World.phone($0)) })
  }

  @Test("BR1: refresh is off, and tokens are invalid, on their shares of phones")
  func switches() {
    let habits = Self.habits()
    let off = (0..<5_000).count { habits.backgroundRefreshIsOff(World.phone($0)) }
    let valid = (0..<5_000).count { habits.tokenIsValid(World.phone($0)) }
    #expect(abs(Double(off) / 5_000 - 0.2) < 0.02 && abs(Double(valid) / 5_000 - 0.96) < 0.01)
  }

  @Test("a scripted outage begins and ends when its script says")
  func scriptedOutage() {
    let at = World.monday + .hours(4)
    let habits = Self.habits(faults: [Self.outage(at: at)]) { $0.offline = 0 }
    let outage = Window(start: at, end: at + SimDuration.minutes(30))
    for t in [World.monday, at, outage.end - Self.tick] {
      #expect(habits.offline(endingAfter: t, phone: World.phone(0), cohort: 0) == outage)
    }
    #expect(habits.offline(endingAfter: outage.end, phone: World.phone(0), cohort: 0) == .never)
  }

  @Test("a scripted outage affects its cohort's share of phones, always the same ones")
  func outageTargets() {
    let at = World.monday + .hours(4)
    let faults = [Self.outage(at: at, cohort: 1, share: 0.3)]
    let habits = Self.habits(faults: faults) { $0.offline = 0 }
    let hit = (0..<3_000).filter {
      habits.offline(endingAfter: at, phone: World.phone($0), cohort: 1).contains(at)
    }
    #expect(abs(Double(hit.count) / 3_000 - 0.3) < 0.03)
    for n in 0..<3_000 {
      #expect(habits.offline(endingAfter: at, phone: World.phone(n), cohort: 0) == .never)
    }
    let late = at + .minutes(29)
    #expect(
      hit.allSatisfy {
        habits.offline(endingAfter: late, phone: World.phone($0), cohort: 1).contains(late)
      })
  }

  @Test("a phone is offline by chance or by script, and for no other reason")
  func outagesAndChance() {
    let at = World.monday + .minutes(100)
    let habits = Self.habits(faults: [Self.outage(at: at)]) { $0.offline = 0.3 }
    for number in 0..<40 {
      let phone = World.phone(number)
      for minute in Int64(0)..<240 {
        let t: SimInstant = World.monday + .minutes(minute)
        let chance = habits.offlineWindows.next(endingAfter: t, phone: phone).contains(t)
        let script = Window(start: at, end: at + .minutes(30)).contains(t)
        let said = habits.offline(endingAfter: t, phone: phone, cohort: 0).contains(t)
        #expect(said == (chance || script))
      }
    }
  }

  @Test("an owner opens the app as often as the mix says, seldom at night")
  func sessions() {
    let habits = Self.habits { ($0.sessionsSigma, $0.daysUnopened, $0.unopened) = (0, 0, 0) }
    var (count, nights) = (0, 0)
    let clock = World.town.clock
    for number in 0..<100 {
      var t = World.monday
      var last: SimInstant = World.monday
      while true {
        let session = habits.session(
          endingAfter: t, phone: World.phone(number), habits.traits(of: World.phone(number)),
          clock: clock)
        guard session.start < World.monday + .hours(96) else { break }
        #expect(session.end > session.start && (session.start >= last || t == World.monday))
        count += 1
        if clock.timeOfDay(at: session.start) < .hours(6) { nights += 1 }
        last = session.end
        t = session.end
      }
    }
    let perDay = Double(count) / 400
    #expect(abs(perDay - 8) < 0.4, "\(perDay) a day")
    #expect(Double(nights) / Double(count) < 0.05)
  }

  @Test("OP1: owners open the app on two of three days, and a few far more often than most")
  func owners() {
    let habits = Self.habits { ($0.unopened, $0.nights.sessionsSlept) = (0, 0) }
    let clock = World.town.clock
    let people = (0..<600).map { number in
      var (count, days, t) = (0, Set<Int32>(), World.monday)
      while true {
        let session = habits.session(
          endingAfter: t, phone: World.phone(number), habits.traits(of: World.phone(number)),
          clock: clock)
        guard session.start < World.monday + .hours(24 * 10) else { break }
        (count, t) = (count + 1, session.end)
        days.insert(clock.day(at: session.start))
      }
      return (perDay: Double(count) / 10, days: days.count)
    }
    let rates = people.map(\.perDay).sorted()
    let mean = rates.reduce(0, +) / 600
    #expect(abs(mean - 8) < 1.2, "\(mean) a day")
    #expect(rates[300] < 0.75 * mean && rates[570] > 2.2 * mean, "\(rates[300]), \(rates[570])")
    let opened = Double(people.reduce(0) { $0 + $1.days }) / 6_000
    #expect(abs(opened - 0.62) < 0.05, "\(opened)")
    #expect(people.contains { $0.days == 0 } && people.contains { $0.days == 10 })
  }

  @Test("OP1: a session is the same from any instant before its end")
  func sameSession() {
    let (habits, clock) = (Self.habits { $0.unopened = 0 }, World.town.clock)
    for number in 0..<200 {
      var t = World.monday
      for _ in 0..<5 {
        let session = habits.session(
          endingAfter: t, phone: World.phone(number), habits.traits(of: World.phone(number)),
          clock: clock)
        guard session != .never else { break }
        #expect(
          habits.session(
            endingAfter: max(t, session.end - Self.tick), phone: World.phone(number),
            habits.traits(of: World.phone(number)), clock: clock) == session)
        t = session.end
      }
    }
  }

  @Test("the data path is Wi-Fi at most stays and on few ways")
  func wifi() {
    let habits = Self.habits()
    for (moving, share) in [(true, 0.05), (false, 0.9)] {
      let hits = (0..<5_000).count {
        !habits.traits(of: World.phone($0)).contains(.wifiOff)
          && habits.isOnWifi(segmentStart: World.monday, moving: moving, phone: World.phone($0))
      }
      #expect(abs(Double(hits) / 5_000 - share) < 0.02)
    }
  }

  @Test("BT9, BT10: places and trips have their share of weak cells and of 5G, always the same")
  func cells() {
    let habits = Self.habits {
      $0.weakSignal = 0.2
      $0.newRadio = 0.4
    }
    var (weak, next, all) = (0, 0, 0)
    for number in 0..<400 as Range<UInt32> {
      let phone = PhoneID(rawValue: number)
      var home: Link?
      for segment in World.segments(number, hours: 72) {
        let link = habits.link(of: segment, phone: phone, habits.traits(of: phone))
        let cells = link.subtracting(.wifi)
        if !segment.isMoving, segment.place == 0 {
          #expect(cells == home ?? cells)
          home = cells
        }
        guard segment.isMoving else { continue }
        all += 1
        if link.contains(.weakSignal) { weak += 1 }
        if link.contains(.newRadio) { next += 1 }
      }
    }
    #expect(abs(Double(weak) / Double(all) - 0.2) < 0.03)
    #expect(abs(Double(next) / Double(all) - 0.4) < 0.03)
  }

  @Test("NO4: airplane mode covers its share of the day, and more of the night")
  func airplane() {
    let habits = Self.habits {
      $0.airplane = 0.05
      $0.airplaneAtNight = 0.3
      $0.nights.spread = .zero
    }
    let clock = World.town.clock
    var covered = [true: 0, false: 0]
    var asked = [true: 0, false: 0]
    for number in 0..<150 {
      for quarter in Int64(0)..<(4 * 96) {
        let t: SimInstant = World.monday + .minutes(15 * quarter)
        let hour = clock.timeOfDay(at: t)
        let isNight = hour < .hours(6) || hour >= .hours(23)
        asked[isNight, default: 0] += 1
        let window = habits.airplane(endingAfter: t, phone: World.phone(number), clock: clock)
        if window.contains(t) { covered[isNight, default: 0] += 1 }
      }
    }
    let share = { (isNight: Bool) in Double(covered[isNight] ?? 0) / Double(asked[isNight] ?? 1) }
    #expect(abs(share(false) - 0.05) < 0.015, "\(share(false))")
    #expect(abs(share(true) - 0.33) < 0.04, "\(share(true))")
  }

  @Test("prompt results match the mix: losses at the second prompt count as When In Use")
  func secondPrompt() {
    let habits = Self.habits()
    let phones = (0..<5_000).map { World.phone($0) }
    let first = phones.count {
      let user = habits.authorization(of: $0)
      return user == .always
        || user == .whenInUse && habits.traits(of: $0).contains(.provisional)
    }
    let last = phones.count { habits.authorization(of: $0) == .always }
    #expect(abs(Double(first - last) / Double(first) - 0.4) < 0.03)
  }
}
