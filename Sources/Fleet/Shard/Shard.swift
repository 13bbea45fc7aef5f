package import Core
package import Phone
package import Push
internal import Scenarios
internal import Synchronization

package enum Answers: Sendable {
  /// An ideal network and a server that accepts every upload. The process answers at the perceived
  /// instant.
  case inProcess
  /// Outcomes are inputs, from a real server or from its log.
  case fromOutside
}

/// A part of the fleet: its phones in contiguous storage, and everything that belongs to them.
///
/// One serial queue or one task owns a shard at a time. `advance(before:)` simulates every phone
/// that is due up to the horizon and leaves the uploads in `orders`. Phones of a shard do not
/// influence each other, so each phone runs to the horizon independently.
package struct Shard: ~Copyable {
  let context: FleetContext
  /// A noncopyable member, as a workaround: without it the compiler copies the shard's 2,800 bytes
  /// for each method that only reads them, 15 times per event.
  private let anchor = Mutex(())
  package internal(set) var firstPhone: Int
  /// The phones, freed in `deinit` and never replaced. The property is a `var` as a workaround: for
  /// a setter behind a `let` of a noncopyable value, Swift 6.3 reports a write to the value's first
  /// field to ThreadSanitizer, or makes invalid code.
  var phones: PhoneStore
  var wheel: DueWheel
  var taken: [Int32] = []
  var effects: Effects
  var traces: ShardTraces
  package internal(set) var silence: SilenceHistory
  var tallies = ShardTallies()
  var lastSteps = ShardLastSteps()
  /// The index of each phone's next recorded upload; empty in a fleet without such phones.
  var replayed: [Int32] = []
  /// The instant before which all events have happened.
  package private(set) var horizon: SimInstant

  package var metrics: FleetMetrics
  /// The number of uploads begun in each scenario minute since the start, without the warm start.
  package internal(set) var uploadsByMinute: [UInt32] = []
  package var pushEndings: [PushEnding] = []
  /// The simulation of phones without a push; nil if the run does not measure `uplift`.
  var counterfactual: Counterfactual?
  /// The instant at which the phone of each open push, by push ID, would have reported without that
  /// push; `distantFuture` if not within W.
  var counterfactualReports: [UInt64: SimInstant] = [:]
  /// AFC5: Messages beside the newest one of a phone, by the phone's index; few phones have any.
  var messages: [Int: MessageStore] = [:]
  var former = FormerInstallations()
  package var pushStatuses: [(id: UInt64, status: Int)] = []
  /// The newly invalid tokens and when the provider's 410 begins; nil before `takeTokenEndings`.
  var tokenEndings: [(phone: PhoneID, from: SimInstant)]?

  /// Creates the phones of a range, with the app installed and opened once at `start`.
  package init(
    context: FleetContext, phones range: Range<Int>, start: SimInstant,
    tracing traces: [PhoneTrace] = []
  ) {
    self.init(context: context, places: range, start: start, tracing: traces)
    for i in 0..<range.count {
      phones.add(i, Self.initial(range.lowerBound + i, context, start))
      begin(&phones[i], at: start)
    }
  }

  init(
    context: FleetContext, places range: Range<Int>, start: SimInstant,
    tracing traces: [PhoneTrace] = []
  ) {
    self.context = context
    self.traces = ShardTraces(traces, phones: range, context)
    metrics = FleetMetrics(context.scenario)
    effects = Effects(freshFor: metrics.freshness.limit)
    firstPhone = range.lowerBound
    phones = PhoneStore(
      count: range.count, isPacked: context.packsPhones,
      Self.packer(range.lowerBound, context, start))
    silence = Self.silence(context.scenario)
    wheel = DueWheel(owners: range.count, slotWidth: .milliseconds(500), start: start)
    horizon = start
  }

  deinit { phones.deallocate() }

  /// The uploads begun since the orders were last cleared.
  package var orders: [UploadOrder] { effects.orders }
  package var orderFixes: [Fix] { effects.orderFixes }
  package var eventOrders: [EventOrder] { effects.eventOrders }
  package var count: Int { phones.count }

  static func silence(_ scenario: Scenario) -> SilenceHistory {
    SilenceHistory(
      start: scenario.start, duration: scenario.duration,
      map: SilenceMap(radius: scenario.city.extent.meters))
  }

  static func initial(_ number: Int, _ context: FleetContext, _ start: SimInstant) -> Device {
    let id = PhoneID(rawValue: UInt32(number))
    let cohort = context.cohort(of: number)
    let traits = context.people[cohort].traits(of: id)
    return Device(
      id, user: context.people[cohort].authorization(of: id), traits: traits,
      segment: context.segment(of: id, cohort: cohort, at: start),
      battery: context.battery(cohort).battery(of: id, at: start),
      pushes: PushState(
        context.scenario.push.request.kind, context.scenario.push.phone,
        on: context.scenario.fleet.cohorts[cohort].os.value.system, now: start,
        isUnopened: traits.contains(.unopened)),
      consent: context.people[cohort].consent(of: id), cohort: UInt8(cohort),
      policy: UInt8(context.scenario.fleet.cohorts[cohort].policy))
  }

  private mutating func begin(_ phone: inout Device, at start: SimInstant) {
    let traits = UInt64(phone.user.rawValue) << 8 | UInt64(phone.traits.rawValue)
    phone.world.combine(1, start, traits)
    phone.drawnSince = start
    eventBegins(&phone, start)
    if beginsReplay(&phone, at: start) { return }
    enterSegment(&phone, phone.segment, now: start)
    offlineEdge(&phone, now: start)
    powerEdge(&phone, now: start)
    airplaneEdge(&phone, now: start)
    nextSession(&phone, after: start)
    system(&phone, .opened, now: start)
    system(&phone, .left, now: start)
    armSwipe(&phone, afterLeavingAt: start)
    if phone.switchedOff.contains(start) { system(&phone, .terminated, now: start) }
    batteryDue(&phone, now: start)
    lookAtMemory(&phone, now: start)
    armInstallation(&phone, after: start)
    phone.due[.settings] = context.systems[context.system(of: phone)].permission.nextChange(
      after: start, phone: phone.id)
    suspendIfIdle(&phone, now: start)
    traceState(&phone, now: start)
    reschedule(phone)
  }

  /// Simulates every phone up to, but not including, `limit`.
  package mutating func advance(before limit: SimInstant) {
    guard limit > horizon else { return }
    taken.removeAll(keepingCapacity: true)
    wheel.drain(before: limit, into: &taken)
    for owner in taken {
      let mark = tallies.mark(metrics, cohort: phones[Int(owner)].cohort)
      run(&phones[Int(owner)], before: limit)
      tallies.add(Int(owner), since: mark, metrics)
    }
    horizon = limit
    phones.isNow(limit)
  }

  mutating func run(_ phone: inout Device, before limit: SimInstant) {
    while true {
      let (slot, now) = phone.due.earliest
      guard now < limit else {
        wheel.schedule(index(phone.id), at: now)
        return
      }
      phone.due[slot] = .distantFuture
      metrics[.events] += 1
      eventBegins(&phone, now)
      let ran = phone.process.mayRunCode
      deliverFixes(&phone, upTo: now, before: slot)
      let state = phone.process.state
      // A due fix may have woken the app before the slot's event.
      lastSteps.noteWake(
        index(phone.id), .standard, ran: ran, runs: phone.process.mayRunCode, at: now)
      happen(slot, &phone, now)
      lastSteps.noteWake(
        index(phone.id), slot, ran: state == .foreground || state == .background,
        runs: phone.process.mayRunCode, at: now)
      tallies.noteWake(index(phone.id), slot, from: state, to: phone.process.state)
      suspendIfIdle(&phone, now: now)
      traceState(&phone, now: now)
    }
  }

  mutating func eventBegins(_ phone: inout Device, _ now: SimInstant) {
    phones.isNow(now)
    effects.isTraced = traces[index(phone.id)] != nil
    phone.begin(at: now, &effects)
  }

  private mutating func happen(_ slot: DueSlot, _ phone: inout Device, _ now: SimInstant) {
    switch slot {
    case .segment: segmentEnded(&phone, now: now)
    case .offlineEdge: offlineEdge(&phone, now: now)
    case .powerEdge: powerEdge(&phone, now: now)
    case .airplaneEdge: airplaneEdge(&phone, now: now)
    case .swipe: swipe(&phone, now: now)
    case .session: sessionEdge(&phone, now: now)
    case .stored: noteStored(&phone, now: now)
    case .push: pushArrived(&phone, now: now)
    case .pushGate: pushGateEdge(&phone, now: now)
    case .battery: batteryDue(&phone, now: now)
    case .installation: installationDue(&phone, now: now)
    case .memory: lookAtMemory(&phone, now: now)
    case .uploadOutcome: outcomePerceived(&phone, now: now)
    case .sendTimer where !replayed.isEmpty: replayDue(&phone, now: now)
    case .regionExit, .significantChange, .visit, .standard, .pause, .motion, .place, .consent,
      .refresh, .process, .background, .settings, .stopTimer, .sendTimer, .restartTimer,
      .stillTimer, .backgroundExpiry:
      system(&phone, .due(slot), now: now)
    }
  }

  mutating func deliverFixes(_ phone: inout Device, upTo now: SimInstant, before slot: DueSlot) {
    phone.deliverFixes(
      upTo: now, before: slot, context.systems[context.system(of: phone)], &effects)
    settle(&phone)
  }

  @inline(__always) func index(_ phone: PhoneID) -> Int { Int(phone.rawValue) - firstPhone }

  @inline(__always) mutating func reschedule(_ phone: borrowing Device) {
    wheel.schedule(index(phone.id), at: phone.due.earliest.at)
  }
}

extension Shard {
  /// Selects who answers uploads. An upload that was answered in process keeps its answer.
  package mutating func answer(_ answers: Answers) {
    effects.isAnsweredInProcess = answers == .inProcess
  }

  /// Begins the counted part of a run at the current horizon. Ledgers start from the outboxes, and
  /// freshness is counted inside `window`.
  package mutating func startCounting(freshnessWithin window: Window) {
    // Energy used until now was drawn from the batteries, but is not counted.
    closeEnergy()
    beginLedgers(freshnessWithin: window)
    for i in 0..<count {
      trace(phones[i].id, at: horizon, .live)
      // A push from before the counting belongs to no ledger.
      phones[i].delivery = PushDelivery()
      phones[i].pushWasGated = false
    }
    pushEndings.removeAll()
    counterfactualReports.removeAll()
    messages.removeAll()
    former.removeAll()
  }

  /// Resets all counts except the count of events, and carries over the content of the outboxes.
  mutating func beginLedgers(freshnessWithin window: Window) {
    let events = metrics[.events]
    metrics = FleetMetrics(context.scenario)
    metrics[.events] = events
    for i in 0..<count {
      metrics[.fixesCarried] += Int(phones[i].outbox.count)
      if phones[i].tracker.cutCount > 0 { metrics[.batchesCarried] += 1 }
      metrics[.eventsCarried] += Int(phones[i].tracker.eventCount)
      phones[i].mark = window.start
      phones[i].energy.begin()
      phones[i].battery.forgetRunsEmpty()
    }
    metrics[.fixesGenerated] = metrics[.fixesCarried]
    metrics[.fixesPersisted] = metrics[.fixesCarried]
    metrics[.batchesCut] = metrics[.batchesCarried]
    metrics[.eventsGenerated] = metrics[.eventsCarried]
    silence = Self.silence(context.scenario)
    effects.accounting = window
    let minutes = (context.scenario.duration.microseconds + 59_999_999) / 60_000_000
    uploadsByMinute = [UInt32](repeating: 0, count: Int(minutes))
  }

  package mutating func startDraining() {
    for i in 0..<count {
      let mark = tallies.mark(metrics, cohort: phones[i].cohort)
      account(&phones[i], upTo: horizon)
      tallies.add(i, since: mark, metrics)
    }
    closeEnergy()
    closeDischarges()
    effects.isDraining = true
  }

  package func digest() -> Digest {
    var digest = Digest()
    for i in 0..<count {
      digest.add(
        world: phones[i].world, behaviour: phones[i].behaviour, phone: phones[i].id.rawValue)
    }
    return digest
  }

  var behaviours: [UInt64] { phones.indices.map { phones[$0].behaviour.value } }

  package func census() -> Sheet { phones.census }

  /// The memory allocated for the phones, in bytes: records, outboxes, due instants and the uploads
  /// since the last window. Event logs belong to the run and do not count.
  package var bytes: Int {
    phones.bytes + effects.bytes + wheel.bytes + taken.capacity * MemoryLayout<Int32>.stride
      + tallies.bytes + lastSteps.bytes
  }

  // MARK: Outputs

  /// Calls `body` with each phone's permission and whether its push token is valid, in the order of
  /// phones.
  package func forEachRegistration(_ body: (PhoneID, Authorization, _ tokenIsValid: Bool) -> Void) {
    for i in phones.indices {
      body(phones[i].id, phones[i].authorization, phones[i].tokenIsValid)
    }
  }

  /// Calls `body` with the time of each phone's newest fix at the server; `distantPast` without a
  /// fix.
  package func forEachStored(_ body: (PhoneID, SimInstant) -> Void) {
    for i in phones.indices {
      body(phones[i].id, phones[i].stored.isNever ? .distantPast : phones[i].stored.time)
    }
  }

  package mutating func clearOrders() { effects.clearOrders() }

  package mutating func takePushStatuses() -> [(id: UInt64, status: Int)] {
    defer { pushStatuses.removeAll(keepingCapacity: true) }
    return pushStatuses
  }

  /// Returns the tokens found invalid since the last call, each with the instant from which the
  /// provider answers 410. The first call returns all known invalid tokens.
  package mutating func takeTokenEndings(
    at now: SimInstant
  ) -> [(phone: PhoneID, from: SimInstant)] {
    defer { tokenEndings = [] }
    if let tokenEndings { return tokenEndings }
    return phones.indices.compactMap { i in
      phones[i].provider.deadFrom(at: now).map { (phones[i].id, $0) }
    }
  }

  // MARK: Without a push

  package mutating func startCounterfactuals() {
    counterfactual = Counterfactual(context: context, start: horizon)
  }

  /// Simulates the W after a push that is about to be sent, as if the push were withheld. Does
  /// nothing for a push whose W extends beyond the counted time.
  package mutating func runCounterfactual(of sent: SilentPush) {
    let within = context.scenario.push.within
    guard let counterfactual, effects.accounting.contains(sent.requestedAt),
      sent.requestedAt + within <= effects.accounting.end
    else { return }
    counterfactualReports[sent.id] = counterfactual.reportInstant(
      of: phones[index(sent.phone)], effects, after: sent.requestedAt,
      within: within, accuracyLimitMeters: context.scenario.push.accuracyLimit.meters)
  }

  mutating func sortPushEndings() { pushEndings.sort(by: PushEnding.precedes) }
}
