import Core
import TestSupport
import Testing
@testable import Push

@Suite("A silent push, stage by stage", .quick)
struct PushDeliveryTests {
  typealias Event = PushDelivery.Event
  typealias Stage = PushDelivery.Stage
  typealias Step = PushDelivery.Step

  static let phone = PhoneID(rawValue: 3)
  static let within = SimDuration.minutes(10)
  static let asked = SimInstant(microseconds: 1_772_409_600_000_000)
  static let fix = FixTime(asked + .minutes(1))
  static let push = silentPush(7, at: asked)
  static let next = silentPush(8, at: asked + .minutes(5))

  static func silentPush(_ id: UInt64, at instant: SimInstant) -> SilentPush {
    SilentPush(id: id, phone: phone, requestedAt: instant, expiration: instant + .hours(1))
  }

  static func gone(_ id: UInt64, _ ending: UndeliveredPush.Ending) -> Event {
    .undelivered(UndeliveredPush(id: id, gate: .offline, ending: ending))
  }

  static func closed(after time: SimDuration, storedFor gate: StorageGate? = nil) -> Event {
    .closed(at: asked + time, within: within, storedFor: gate)
  }

  // MARK: The table

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let event: Event
    /// By stage.
    let cells: [String]

    init(_ name: String, _ event: Event, _ cells: String) {
      self.name = name
      self.event = event
      self.cells = cells.split(separator: " ").map(String.init)
    }

    var testDescription: String { name }
  }

  /// Effect of each event in each stage, in the order of `Stage`.
  ///
  /// | cell | meaning |
  /// |---|---|
  /// | `·` | ignored |
  /// | `!` | impossible |
  /// | a stage | moves there |
  /// | `(x)` | ends as x, or as the gate that stopped it first |
  /// | `[x]` | ends as x, whatever stopped it |
  /// | `+(x)` | the next push is opened, and this one ends like `(x)` |
  static let table = [
    //                             none inTransit stored arrived deferred woken fixTaken
    Row(
      "a newer push is requested", .requested(next),
      "+ +(overwritten) +(overwritten) ! +(no-fix) +(no-fix) +(upload-failed)"),
    Row("the provider stores it", .stored, "! stored ! ! ! ! !"),
    Row(
      "it is overwritten", gone(7, .overwritten), "· (overwritten) (overwritten) ! · · ·"),
    Row("it expires", gone(7, .expired), "· (expired) (expired) ! · · ·"),
    Row(
      "it expires in Doze",
      .undelivered(UndeliveredPush(id: 7, gate: .doze, ending: .expired)),
      "· (doze) (doze) ! · · ·"),
    Row("another push expires", gone(6, .expired), "· · · ! · · ·"),
    Row("it leaves the provider's store", .reconnected(id: 7), "· · inTransit ! · · ·"),
    Row("another leaves the provider's store", .reconnected(id: 6), "· · · ! · · ·"),
    Row("a push arrives", .arrived(lastReport: asked), "· arrived · ! · · ·"),
    Row(
      "a push arrives after a report", .arrived(lastReport: asked + .microseconds(1)),
      "· (raced) · ! · · ·"),
    Row("the deferred push is released", .released(lastReport: asked), "· · · ! arrived · ·"),
    Row(
      "the deferred push is released after a report",
      .released(lastReport: asked + .microseconds(1)), "· · · ! (raced) · ·"),
    Row("a gate throws a push away", .stopped(by: .lowPower), "· · · (low-power) · · ·"),
    Row("a gate defers a push", .deferred(by: .lowPower), "· · · deferred · · ·"),
    Row("the deferred push is discarded", .discarded, "· · · ! (no-fix) · ·"),
    Row("the app has no permission", .noPermission, "· · · (no-permission) · · ·"),
    Row(
      "the phone is off when it should run", .wakeFailed(isSwitchedOff: true),
      "· · · (switched-off) · · ·"),
    Row("the app does not run", .wakeFailed(isSwitchedOff: false), "· · · (app-crashed) · · ·"),
    Row("the app runs", .woke, "· · · woken · · ·"),
    Row(
      "a fix from before the request is kept",
      .fixTaken(FixTime(centiseconds: FixTime(asked).centiseconds - 1)), "· · · · · · ·"),
    Row("a fix is kept", .fixTaken(fix), "· · · · · fixTaken ·"),
    Row("the app is suspended", .wakeEnded(crashed: false), "· · · · · (no-fix) ·"),
    Row("the app crashes", .wakeEnded(crashed: true), "· · · · · (app-crashed) ·"),
    Row(
      "an older fix is reported",
      .reported(newest: fix.instant - .milliseconds(10), at: asked, within: within),
      "· · · · · · ·"),
    Row(
      "the fix is reported in time",
      .reported(newest: fix.instant, at: asked + within, within: within), "· · · · · · [caused]"),
    Row(
      "the fix is reported late",
      .reported(newest: fix.instant, at: asked + within + .microseconds(1), within: within),
      "· · · · · · [late]"),
    Row(
      "the run ends before W is over", closed(after: within - .microseconds(1)),
      "· [pending] [pending] ! [pending] [pending] [pending]"),
    Row(
      "the run ends", closed(after: within, storedFor: .offline),
      "· (late) (offline) ! (no-fix) (no-fix) (upload-failed)"),
    Row(
      "the run ends, and the phone is off", closed(after: within, storedFor: .switchedOff),
      "· (late) (switched-off) ! (no-fix) (no-fix) (upload-failed)"),
    Row(
      "the run ends, and the phone saves power", closed(after: within, storedFor: .restricted),
      "· (late) (low-power) ! (no-fix) (no-fix) (upload-failed)"),
    Row(
      "the run ends, and the phone dozes", closed(after: within, storedFor: .doze),
      "· (late) (doze) ! (no-fix) (no-fix) (upload-failed)"),
  ]

  /// How a push reaches a stage: directly, or past a gate that had deferred it.
  static func path(to stage: Stage, pastGate: Bool) -> [Event]? {
    let arrival: [Event] = [.requested(push), .arrived(lastReport: asked)]
    let deferred = arrival + [.deferred(by: .throttled)]
    let here = pastGate ? deferred + [.released(lastReport: asked)] : arrival
    switch stage {
    case .none: return pastGate ? nil : []
    case .inTransit: return pastGate ? nil : [.requested(push)]
    case .stored: return pastGate ? nil : [.requested(push), .stored]
    case .arrived: return here
    case .deferred: return pastGate ? deferred : nil
    case .woken: return here + [.woke]
    case .fixTaken: return here + [.woke, .fixTaken(fix)]
    }
  }

  static func delivery(in stage: Stage, pastGate: Bool) throws -> PushDelivery? {
    guard let path = path(to: stage, pastGate: pastGate) else { return nil }
    var delivery = PushDelivery()
    for event in path { #expect(delivery.handle(event, of: phone) == nil) }
    #expect(delivery.stage == stage)
    #expect(delivery.stoppedBy == (pastGate ? .throttled : nil))
    return delivery
  }

  private func step(_ cell: String) throws -> Step {
    func outcome(_ text: Substring) throws -> WakeOutcome {
      try #require(WakeOutcome(rawValue: String(text.dropFirst().dropLast())))
    }
    switch cell.first {
    case "·": return .ignored
    case "!": return .impossible
    case "(": return .ends(try outcome(cell[...]))
    case "[": return .endsInAnyCase(try outcome(cell[...]))
    case "+":
      return .opens(
        Self.next, endingAs: cell.count > 1 ? try outcome(cell.dropFirst()) : nil)
    default: return .moves(to: try #require(Stage.allCases.first { "\($0)" == cell }))
    }
  }

  @Test("every event has the effect of the table in every stage", arguments: table)
  func pairs(_ row: Row) throws {
    try #require(row.cells.count == Stage.allCases.count)
    for (stage, cell) in zip(Stage.allCases, row.cells) {
      for pastGate in [false, true] {
        guard var delivery = try Self.delivery(in: stage, pastGate: pastGate) else { continue }
        let before = delivery
        let expected = try step(cell)
        #expect(delivery.step(on: row.event) == expected, "\(stage)")
        // Not handled: it would trap.
        guard expected != .impossible else { continue }
        let ending = delivery.handle(row.event, of: Self.phone)
        #expect(ending?.id == (outcome(of: expected, before) == nil ? nil : 7))
        #expect(ending?.outcome == outcome(of: expected, before), "\(stage)")
        switch expected {
        case .ignored: #expect(delivery == before)
        case .moves(let next): #expect(delivery.stage == next && delivery.id == 7)
        case .ends, .endsInAnyCase: #expect(delivery == PushDelivery())
        case .opens:
          #expect(delivery.stage == .inTransit && delivery.id == 8 && delivery.stoppedBy == nil)
        case .impossible: break
        }
      }
    }
  }

  private func outcome(of step: Step, _ delivery: PushDelivery) -> WakeOutcome? {
    switch step {
    case .ignored, .moves, .impossible, .opens(_, endingAs: nil): nil
    case .ends(let outcome), .opens(_, endingAs: let outcome?): delivery.stoppedBy ?? outcome
    case .endsInAnyCase(let outcome): outcome
    }
  }

  @Test("the table lists every event")
  func complete() {
    func number(_ event: Event) -> Int {
      switch event {
      case .requested: 0
      case .stored: 1
      case .undelivered: 2
      case .reconnected: 3
      case .arrived: 4
      case .released: 5
      case .stopped: 6
      case .deferred: 7
      case .discarded: 8
      case .noPermission: 9
      case .wakeFailed: 10
      case .woke: 11
      case .fixTaken: 12
      case .wakeEnded: 13
      case .reported: 14
      case .closed: 15
      }
    }
    #expect(Set(Self.table.map { number($0.event) }) == Set(0...15))
  }

  // MARK: Properties

  @Test("an ending names its push, and when its fix reached the server if one did")
  func ending() throws {
    for row in Self.table {
      for stage in Stage.allCases {
        guard var delivery = try Self.delivery(in: stage, pastGate: stage == .deferred),
          delivery.step(on: row.event) != .impossible,
          let ending = delivery.handle(row.event, of: Self.phone)
        else { continue }
        #expect(ending.phone == Self.phone && ending.requestedAt == Self.asked)
        #expect(ending.counterfactualReport == nil)
        if case .reported(_, let at, _) = row.event {
          #expect(ending.causedAt == at)
        } else {
          #expect(ending.causedAt == .distantFuture)
        }
      }
    }
  }

  @Test("the first gate that stops a push is charged, not a later one")
  func firstGate() {
    var delivery = PushDelivery()
    let path: [Event] = [
      .requested(Self.push), .arrived(lastReport: Self.asked), .deferred(by: .refreshOff),
      .released(lastReport: Self.asked), .deferred(by: .throttled),
      .released(lastReport: Self.asked),
    ]
    for event in path { #expect(delivery.handle(event, of: Self.phone) == nil) }
    #expect(delivery.handle(.stopped(by: .lowPower), of: Self.phone)?.outcome == .refreshOff)
  }

  @Test("a push refused by the provider ends at once; one in flight has not ended")
  func turnedAway() {
    let gone = UndeliveredPush(id: 7, gate: .offline, ending: .expired)
    let ends: [(PushDecision, WakeOutcome?)] = [
      (.rejected(.tooManyRequests, status: 429), .rejected), (.unregistered, .unregistered),
      (.undelivered(gone, displaced: nil), .expired), (.deliver(at: Self.asked), nil),
      (.stored(displaced: gone), nil),
    ]
    for (decision, outcome) in ends {
      let ending = PushDelivery.turnedAway(Self.push, decision)
      #expect(ending?.outcome == outcome)
      #expect(ending == nil || ending?.id == 7 && ending?.phone == Self.phone)
    }
  }

  @Test(
    "every opened push ends exactly once, as the first gate that stopped it",
    arguments: 1...8 as ClosedRange<UInt64>)
  func exactlyOnce(_ seed: UInt64) {
    var life = RandomDelivery(seed: seed)
    for _ in 0..<20_000 { life.live() }
    life.close()
    #expect(life.endings.count > 500 && life.endings.count == life.opened)
    #expect(life.endings.values.allSatisfy { $0 == 1 })
    #expect(life.violations == [])
    #expect(life.outcomes.count >= 14)
  }

  @Test("it takes no more room in a phone's record than needed")
  func size() {
    // One byte of it is the push's purpose; a record has room for 32.
    #expect(MemoryLayout<PushDelivery>.size <= 27)
    #expect(MemoryLayout<PushDelivery>.stride == 32)
  }
}

/// A random sequence of events of a push, and a second account that does not use the stages' rules.
private struct RandomDelivery {
  private var delivery = PushDelivery()
  private var draw: Draw
  private var now = PushDeliveryTests.asked
  private var open: SilentPush?
  private var firstGate: WakeOutcome?
  private(set) var opened = 0
  /// By push.
  private(set) var endings: [UInt64: Int] = [:]
  private(set) var outcomes: Set<WakeOutcome> = []
  private(set) var violations: [String] = []

  init(seed: UInt64) { draw = Draw(seed: seed, phone: 1, Purpose(rawValue: 65_000), 0) }

  private mutating func number(_ count: Int) -> Int { Int(draw.uniform() * Double(count)) }
  private mutating func pick<T>(_ values: [T]) -> T { values[number(values.count)] }

  private mutating func event() -> PushDelivery.Event {
    let id = draw.chance(0.8) ? UInt64(opened) : UInt64(max(0, opened - 1))
    let lately = now - .seconds(Int64(number(400)))
    let within = SimDuration.minutes(10)
    switch number(60) {
    case 0: return .requested(PushDeliveryTests.silentPush(UInt64(opened + 1), at: now))
    case 1...3: return .stored
    case 4: return PushDeliveryTests.gone(id, .overwritten)
    case 5: return PushDeliveryTests.gone(id, .expired)
    case 6...9: return .reconnected(id: id)
    case 10...17: return .arrived(lastReport: lately)
    case 18...23: return .released(lastReport: lately)
    case 24, 25: return .stopped(by: pick([.forceQuit, .lowPower, .refreshOff, .throttled]))
    case 26...29: return .deferred(by: pick([.lowPower, .refreshOff, .throttled]))
    case 30: return .discarded
    case 31: return .noPermission
    case 32: return .wakeFailed(isSwitchedOff: draw.chance(0.5))
    case 33...44: return .woke
    case 45...50: return .fixTaken(FixTime(lately))
    case 51: return .wakeEnded(crashed: draw.chance(0.5))
    case 52...57: return .reported(newest: lately, at: now, within: within)
    case 58 where draw.chance(0.3):
      return .closed(
        at: now, within: within, storedFor: pick([.offline, .switchedOff, .restricted, nil]))
    default: return .requested(PushDeliveryTests.silentPush(UInt64(opened + 1), at: now))
    }
  }

  mutating func live() {
    now += .seconds(Int64(number(60)))
    let event = event()
    guard delivery.step(on: event) != .impossible else { return }
    handle(event)
  }

  /// Ends the run; a push that the phone is deciding about is delivered.
  mutating func close() {
    now += .hours(1)
    if delivery.stage == .arrived { handle(.woke) }
    handle(.closed(at: now, within: .minutes(10), storedFor: nil))
    if let open { violations.append("push \(open.id) is open after the end") }
  }

  private mutating func handle(_ event: PushDelivery.Event) {
    if delivery.stage == .arrived {
      if case .stopped(let gate) = event { firstGate = firstGate ?? gate }
      if case .deferred(let gate) = event { firstGate = firstGate ?? gate }
    }
    if let ending = delivery.handle(event, of: PushDeliveryTests.phone) { end(ending, event) }
    if case .requested(let push) = event {
      if let open { violations.append("push \(open.id) had no ending when \(push.id) was opened") }
      open = push
      firstGate = nil
      opened += 1
    }
    if open?.id ?? 0 != delivery.id {
      violations.append("\(delivery.id) is open, not \(open?.id ?? 0)")
    }
  }

  private mutating func end(_ ending: PushEnding, _ event: PushDelivery.Event) {
    endings[ending.id, default: 0] += 1
    outcomes.insert(ending.outcome)
    if ending.id != open?.id || ending.requestedAt != open?.requestedAt {
      violations.append("push \(ending.id) ended while \(open?.id ?? 0) was open")
    }
    var countsItsGate = ending.outcome != .pending
    if case .reported = event { countsItsGate = false }
    if countsItsGate, let firstGate, ending.outcome != firstGate {
      violations.append("push \(ending.id) ended as \(ending.outcome), not at \(firstGate)")
    }
    open = nil
    firstGate = nil
  }
}
