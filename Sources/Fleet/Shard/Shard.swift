package import Measure
internal import Mobility
package import Phone
package import PushService
internal import Scenarios
package import SimulationCore
internal import Synchronization
package import Telemetry
internal import Tracker

/// Who answers the phones' uploads.
package enum Answers: Sendable {
  /// An ideal network and a server that takes everything: answered in process, at the perceived
  /// instant.
  case inProcess
  /// A real server, or the log of one: outcomes come in as inputs.
  case fromOutside
}

/// A part of the fleet: its phones in contiguous storage, and everything they touch.
///
/// Owned by one serial queue or one task at a time. `advance(before:)` lives every phone that is
/// due up to the horizon; what they upload is left in `orders`. Phones of a shard do not
/// influence each other, so each is run to the horizon on its own.
package struct Shard: ~Copyable {
  let context: FleetContext
  /// Gives a shard an address. The compiler copies all of a large value, some 2,800 bytes and 15
  /// times an event, for each method that only reads it, unless some member of it cannot be
  /// loaded.
  private let anchor = Mutex(())
  /// Number of the shard's first phone.
  package let firstPhone: Int
  /// Freed in `deinit`. Never another one; `var`, since for a setter behind a `let` of a
  /// noncopyable value Swift 6.3 tells ThreadSanitizer of a write to the value's first field, or
  /// makes invalid code.
  var phones: PhoneStore
  var pool = OutboxPool()
  var wheel: DueWheel
  var taken: [Int32] = []
  var commands = CommandList()
  /// Of the last sighting, whichever phone's; behind a pointer, so that it can be lent to a
  /// phone's system beside the shard. Freed in `deinit`.
  private let memory: UnsafeMutablePointer<SightingMemory>
  var answers = Answers.inProcess
  /// Whose life is written down, by place in this shard; empty: nobody's.
  let traces: ShardTraces
  /// After the end of the measured time nothing new is sent.
  var isDraining = false
  /// Freshness and stale time are accounted within this window.
  var accounting = Window.never
  /// The same over time and over the city.
  package internal(set) var silence: SilenceHistory
  /// One for each phone while policies are compared, else none.
  var tallies = ShardTallies()
  /// All events before this instant have happened.
  package private(set) var horizon: SimInstant

  package var metrics: FleetMetrics
  package var orders: [UploadOrder] = []
  package var orderFixes: [Fix] = []
  /// Uploads begun in each scenario minute since the start; none while the warm start lasts.
  package internal(set) var uploadsByMinute: [UInt32] = []
  package var pushEndings: [PushEnding] = []
  /// Where the other course of a push is lived; nil: nobody asks.
  var counterfactual: Counterfactual?
  /// By push: when the phone would have reported without it; `distantFuture`: not within W.
  var counterfactualReports: [UInt64: SimInstant] = [:]
  /// Provider's answers for the server: (push, status).
  package var pushStatuses: [(id: UInt64, status: Int)] = []

  package init(
    context: FleetContext, phones range: Range<Int>, start: SimInstant,
    tracing traces: [PhoneTrace] = []
  ) {
    self.context = context
    self.traces = ShardTraces(traces, phones: range, context)
    metrics = FleetMetrics(context.scenario)
    firstPhone = range.lowerBound
    memory = .allocate(capacity: 1)
    memory.initialize(to: SightingMemory())
    let initial = Self.initial(range.lowerBound, context, start)
    StorageChecks.run(initial)
    let centre = context.scenario.projection.coordinate(of: PlanePoint(x: 0, y: 0))
    phones = PhoneStore(
      count: range.count,
      RecordPacker(
        fresh: initial,
        typical: initial.typical(
          at: start, centre: centre, context.trackers[Int(initial.policy)].settings,
          context.os(Int(initial.cohort))),
        references: PhoneRecord.references))
    silence = Self.silence(context.scenario)
    wheel = DueWheel(owners: range.count, slotWidth: .milliseconds(500), start: start)
    horizon = start
    for i in 0..<range.count {
      phones.add(i, Self.initial(range.lowerBound + i, context, start))
      begin(i, at: start)
    }
  }

  deinit {
    phones.deallocate()
    memory.deinitialize(count: 1)
    memory.deallocate()
  }

  package var count: Int { phones.count }

  static func silence(_ scenario: Scenario) -> SilenceHistory {
    SilenceHistory(
      start: scenario.start, duration: scenario.duration,
      map: SilenceMap(radius: scenario.city.extent.meters))
  }

  private static func initial(
    _ number: Int, _ context: FleetContext, _ start: SimInstant
  ) -> PhoneRecord {
    let id = PhoneID(rawValue: UInt32(number))
    let cohort = context.cohort(of: number)
    let habits = context.habits(cohort)
    return PhoneRecord(
      os: PhoneOS(
        id, user: habits.authorization(of: id), traits: habits.traits(of: id),
        segment: context.segment(of: id, cohort: cohort, at: start)),
      cohort: UInt8(cohort), policy: UInt8(context.scenario.fleet.cohorts[cohort].policy),
      pushes: PushState(
        context.scenario.push.request.kind, context.scenario.push.phone, now: start))
  }

  /// The app was installed and opened once; from then on the phone lives.
  private mutating func begin(_ i: Int, at start: SimInstant) {
    let traits =
      UInt64(phones[i].os.user.rawValue) << 8 | UInt64(phones[i].traits.rawValue)
    phones[i].world.combine(1, start, traits)
    phones[i].os.drawnSince = start
    eventBegins(i, start)
    enterSegment(i, phones[i].segment, now: start)
    offlineEdge(i, now: start)
    powerEdge(i, now: start)
    airplaneEdge(i, now: start)
    nextSession(i, after: start)
    openApp(i, now: start)
    leaveApp(i, now: start)
    forceQuitEdge(i, now: start)
    if phones[i].switchedOff.contains(start) { system(i, .terminated, now: start) }
    suspendIfIdle(i, now: start)
    traceState(i, now: start)
    wheel.schedule(i, at: phones[i].due.earliest.at)
  }

  /// Lives every phone up to, and without, `limit`.
  package mutating func advance(before limit: SimInstant) {
    guard limit > horizon else { return }
    taken.removeAll(keepingCapacity: true)
    wheel.drain(before: limit, into: &taken)
    for owner in taken {
      let mark = tallies.mark(metrics)
      run(Int(owner), before: limit)
      tallies.add(Int(owner), since: mark, metrics)
    }
    horizon = limit
    phones.isNow(limit)
  }

  mutating func run(_ i: Int, before limit: SimInstant) {
    while true {
      let (slot, now) = phones[i].due.earliest
      guard now < limit else {
        wheel.schedule(i, at: now)
        return
      }
      phones[i].due[slot] = .distantFuture
      metrics.events += 1
      eventBegins(i, now)
      deliverFixes(i, upTo: now, before: slot)
      let state = phones[i].process.state
      happen(slot, i, now)
      tallies.noteWake(i, slot, from: state, to: phones[i].process.state)
      suspendIfIdle(i, now: now)
      traceState(i, now: now)
    }
  }

  mutating func eventBegins(_ i: Int, _ now: SimInstant) {
    phones.isNow(now)
    phones[i].os.begin(at: now)
  }

  private mutating func happen(_ slot: DueSlot, _ i: Int, _ now: SimInstant) {
    switch slot {
    case .segment: segmentEnded(i, now: now)
    case .offlineEdge: offlineEdge(i, now: now)
    case .powerEdge: powerEdge(i, now: now)
    case .airplaneEdge: airplaneEdge(i, now: now)
    case .forceQuitEdge: forceQuitEdge(i, now: now)
    case .session: sessionEdge(i, now: now)
    case .stored: noteStored(i, now: now)
    case .push: pushArrived(i, now: now)
    case .pushGate: pushGateEdge(i, now: now)
    case .uploadOutcome: outcomePerceived(i, now: now)
    case .regionExit, .significantChange, .visit, .standard, .pause, .motion, .stopTimer,
      .sendTimer, .restartTimer, .stillTimer, .backgroundExpiry:
      system(i, .due(slot), now: now)
    }
  }

  /// Hands the app what its standard service found up to now.
  mutating func deliverFixes(_ i: Int, upTo now: SimInstant, before slot: DueSlot) {
    let memory = memory
    phones[i].os.deliverFixes(
      upTo: now, before: slot, context.systems[place(i)], &memory.pointee
    ) { os, effect, instant in self.perform(effect, of: i, &os, now: instant) }
  }

  /// Where the context of a phone's system lies.
  @inline(__always) func place(_ i: Int) -> Int {
    context.system(
      of: phones[i].os.id, cohort: Int(phones[i].cohort), policy: Int(phones[i].policy))
  }

  func fixMaker(_ i: Int) -> FixMaker {
    context.fixMaker(of: phones[i].id, cohort: Int(phones[i].cohort))
  }

  /// Puts a phone back on the wheel after something from outside touched it.
  mutating func reschedule(_ i: Int) { wheel.schedule(i, at: phones[i].due.earliest.at) }
}

extension Shard {
  /// Sets who answers; what is in flight in process keeps its answer.
  package mutating func answer(_ answers: Answers) { self.answers = answers }

  /// Begins the counted part of a run at the present horizon: ledgers start from what the
  /// outboxes hold, and freshness is accounted inside `window`.
  package mutating func startCounting(freshnessWithin window: Window) {
    let events = metrics.events
    metrics = FleetMetrics(context.scenario)
    metrics.events = events
    for i in 0..<count {
      trace(i, at: horizon, .live)
      metrics.fixesCarried += Int(phones[i].outbox.count)
      if phones[i].tracker.cutCount > 0 { metrics.batchesCarried += 1 }
      phones[i].mark = window.start
      phones[i].os.drawnSince = horizon
      phones[i].energy.begin()
      // A push from before belongs to nobody's ledger any more.
      phones[i].delivery = PushDelivery()
      phones[i].pushes.wasGated = false
    }
    metrics.fixesGenerated = metrics.fixesCarried
    metrics.fixesPersisted = metrics.fixesCarried
    metrics.batchesCut = metrics.batchesCarried
    silence = Self.silence(context.scenario)
    accounting = window
    pushEndings.removeAll()
    counterfactualReports.removeAll()
    let minutes = (context.scenario.duration.microseconds + 59_999_999) / 60_000_000
    uploadsByMinute = [UInt32](repeating: 0, count: Int(minutes))
  }

  /// From now on nothing new is sent; outcomes are still consumed.
  package mutating func startDraining() {
    for i in 0..<count {
      let mark = tallies.mark(metrics)
      account(i, upTo: horizon)
      tallies.add(i, since: mark, metrics)
    }
    closeEnergy()
    isDraining = true
  }

  package func digest() -> Digest {
    var digest = Digest()
    for i in 0..<count {
      digest.add(
        world: phones[i].world, behaviour: phones[i].behaviour, phone: phones[i].id.rawValue)
    }
    return digest
  }

  /// Each phone's chain over what it did so far.
  var behaviours: [UInt64] { phones.indices.map { phones[$0].behaviour.value } }

  package func census() -> FleetCensus { phones.census }

  /// What it has allocated for its phones, in bytes: their records, outboxes and due instants, and
  /// what they hand over between two windows. Logs of what happened are a run's, not the phones'.
  package var bytes: Int {
    phones.bytes + pool.bytes + wheel.bytes + taken.capacity * MemoryLayout<Int32>.stride
      + orders.capacity * MemoryLayout<UploadOrder>.stride
      + orderFixes.capacity * MemoryLayout<Fix>.stride + tallies.bytes
  }

  // MARK: What it hands out

  package func forEachRegistration(
    _ body: (PhoneID, Authorization, _ tokenIsValid: Bool) -> Void
  ) {
    for i in phones.indices {
      body(phones[i].id, phones[i].authorization, phones[i].tokenIsValid)
    }
  }

  /// The orders are taken; their fixes with them.
  package mutating func clearOrders() {
    // A rush is over sooner or later, and its room is for something else.
    let keeps = orders.capacity <= max(Self.fewOrders, 8 * orders.count)
    orders.removeAll(keepingCapacity: keeps)
    orderFixes.removeAll(keepingCapacity: keeps)
  }

  private static var fewOrders: Int { 4_096 }

  package mutating func takePushStatuses() -> [(id: UInt64, status: Int)] {
    defer { pushStatuses.removeAll(keepingCapacity: true) }
    return pushStatuses
  }

  // MARK: Without a push

  /// From here on the other course of every push of the measured time is lived, too.
  package mutating func startCounterfactuals() {
    counterfactual = Counterfactual(context: context, start: horizon)
  }

  /// Lives on, without the push, each phone that is about to be sent one, for W.
  ///
  /// Pushes too near the end of the measured time, for which nothing can be said, are left out.
  package mutating func runCounterfactuals(_ pushes: [SilentPush]) {
    guard let counterfactual else { return }
    let push = context.scenario.push
    for sent in pushes where accounting.contains(sent.requestedAt) {
      guard sent.requestedAt + push.within <= accounting.end else { continue }
      let i = Int(sent.phone.rawValue) - firstPhone
      counterfactualReports[sent.id] = counterfactual.reportInstant(
        of: phones[i], pool, after: sent.requestedAt, within: push.within,
        accuracyLimitMeters: push.accuracyLimit.meters)
    }
  }

  /// Every push's ending, with what its other course came to.
  var endingsWithForesight: [PushEnding] {
    pushEndings.map { ending in
      var ending = ending
      ending.counterfactualReport = counterfactualReports[ending.id]
      return ending
    }
  }
}
