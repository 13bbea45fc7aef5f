import Core
import PhoneSupport
@testable import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Background processing", .quick)
struct ProcessingRuleTests {
  /// A phone at home whose owner sleeps from 23 to 6 h with the phone on the charger. The owner
  /// leaves the app on Monday at half past seven, and does not open it again. A task runs until the
  /// system ends it.
  private static func life(
    every: SimDuration? = .minutes(15), needsCharger: Bool = true, share: Double = 1,
    traits: PhoneTraits = [], os change: (inout SystemRules) -> Void = { _ in },
    world: (inout PushWorld) -> Void = { _ in }
  ) -> PhoneLife {
    var os = OSProfile.standard
    os.system.rules.refreshShare = 1
    os.system.rules.processingShare = share
    change(&os.system.rules)
    var policy = PolicySettings.standard
    policy.refresh = RefreshUse(every: .minutes(15), response: .cached)
    policy.processing = every.map {
      ProcessingUse(every: $0, response: .burst, needsCharger: needsCharger)
    }
    let life = PhoneLife(
      .way([.stay(.hours(240))]), os: os, traits: traits, policy: policy,
      pushes: {
        $0.owner.chargesAtNight = 1
        world(&$0)
      },
      timedApp: { event, _ in
        switch event {
        case .processing: [.beginBackgroundTask]
        case .backgroundTimeExpiring: [.endBackgroundTask]
        case _: []
        }
      })
    life.open()
    life.leave()
    return life
  }

  /// The ages of the phone at which tasks began, and those at which the system ended them.
  private static func runs(_ life: PhoneLife) -> (began: [SimDuration], ended: [SimDuration]) {
    var (began, ended): ([SimDuration], [SimDuration]) = ([], [])
    for (at, event) in life.delivered {
      if case .processing = event { began.append(at - life.truth.birth) }
      if case .backgroundTimeExpiring = event { ended.append(at - life.truth.birth) }
    }
    return (began, ended)
  }

  /// The age of the phone when a night begins, and when its owner takes the phone up again.
  private static func night(_ number: Int) -> Range<SimDuration> {
    let begin = SimDuration.minutes(15 * 60 + 30) + .hours(24 * Int64(number))
    return begin..<begin + .hours(7)
  }

  @Test("BR5: a requested task runs once a night, while the owner sleeps")
  func nightly() {
    let life = Self.life()
    life.advance(until: .hours(72))
    let began = Self.runs(life).began
    #expect(began.count == 3)
    for (number, age) in began.enumerated() { #expect(Self.night(number).contains(age)) }
  }

  @Test("BR5: no task runs before its earliest time, nor without a request, a grant or the system")
  func none() {
    let late = Self.life(every: .hours(30))
    late.advance(until: .hours(48))
    #expect(Self.runs(late).began.count == 1 && Self.night(1).contains(Self.runs(late).began[0]))
    let lives = [
      Self.life(every: nil), Self.life(share: 0), Self.life(os: { $0.hasProcessingTasks = false }),
    ]
    for life in lives {
      life.advance(until: .hours(48))
      #expect(Self.runs(life).began.isEmpty)
    }
  }

  @Test("BR5: the gates of a refresh and, where the app requires it, the charger stop a task")
  func gates() {
    let quit = Self.life()
    quit.swipeAway()
    let dark = Self.life()
    dark.turnOff(for: .hours(60))
    let closed = [
      Self.life(world: { $0.owner.lowPower = 1 }), Self.life(traits: .refreshOff), quit, dark,
      Self.life(world: { $0.owner.chargesAtNight = 0 }),
    ]
    for life in closed {
      life.advance(until: .hours(48))
      #expect(Self.runs(life).began.isEmpty)
    }
    let unplugged = Self.life(needsCharger: false, world: { $0.owner.chargesAtNight = 0 })
    unplugged.advance(until: .hours(48))
    #expect(Self.runs(unplugged).began.count == 2)
    dark.advance(until: .hours(72))
    #expect(Self.runs(dark).began.count == 1, "a task that met a closed gate is tried again")
  }

  @Test("BR5: no task runs if the owner has not opened the app for a week")
  func unused() {
    let life = Self.life()
    life.advance(until: .hours(220))
    #expect(Self.runs(life).began.count == 7)
    life.open()
    life.leave()
    life.advance(until: .hours(240))
    #expect(Self.runs(life).began.count == 8)
  }

  @Test("BR5: a task ends after its time, or earlier when the owner takes the phone up")
  func ends() throws {
    let short = Self.life(os: { $0.processingTime = .minutes(5) })
    short.advance(until: .hours(24))
    let (began, ended) = Self.runs(short)
    #expect(began.count == 1 && ended == began.map { $0 + .minutes(5) })
    let long = Self.life(os: { $0.processingTime = .hours(10) })
    long.advance(until: .hours(24))
    #expect(Self.runs(long).ended == [Self.night(0).upperBound])
  }

  @Test("BR4, BR5: refreshes and tasks of one app run beside each other")
  func both() throws {
    let life = Self.life()
    life.act { phone, _, _ in
      phone.session = Window(start: life.now + .hours(24), end: life.now + .hours(25))
    }
    life.open()
    life.leave()
    life.kill()
    life.advance(until: .hours(24))
    let refresh = life.delivered.firstIndex {
      if case .refreshed = $0.event { true } else { false }
    }
    let task = life.delivered.firstIndex { if case .processing = $0.event { true } else { false } }
    #expect(try #require(task) < #require(refresh))
    #expect(life.launches == [.user, .refresh])
  }

  @Test("BR5: the app responds as its policy states")
  func responds() {
    var settings = PolicySettings.standard
    settings.processing = ProcessingUse(every: .minutes(15), response: .burst, needsCharger: true)
    var tracker = TrackerStateMachine()
    var commands = CommandList()
    tracker.handle(
      .processing(cached: nil), of: PhoneID(rawValue: 0), now: World.monday,
      TrackerStateMachine.Context(settings: settings, seed: 1), into: &commands)
    #expect(
      (0..<commands.count).contains {
        if case .startStandard = commands[$0] { true } else { false }
      })
  }
}
