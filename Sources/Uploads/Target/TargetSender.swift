package import Core
package import Fleet
internal import Phone
internal import Scenarios
package import Synchronization
package import Targets
package import Transport

/// Sends a fleet's batches to a target as the target's app would. Runs a `TargetQueue` per phone
/// with timers and the rate limit, and accounts for every request.
///
/// shards ──batches──▶ queue of the phone ──request──▶ rate limit ──▶ carrier
/// mailbox ◀──results──┘        ▲─────────────answer────────────────────┘
///
/// `@unchecked Sendable`: only the loop's thread touches the state; the members of `UploadSender`
/// switch to that thread.
package final class TargetSender: UploadSender, @unchecked Sendable {
  package struct Phone {
    var queue: TargetQueue
    var fixes: [Fix] = []
    /// The values from the answer to the phone's registration.
    var kept: [String] = []
    /// The acknowledged fixes; empty without a read-back.
    package var stored: [Fix] = []
    package var partly: [PartlyStored] = []
    /// The acknowledged events; empty without a read-back of events.
    var storedEvents: [StoredEvent] = []
    var cohort: UInt8 = 0
    var state = BatchDevice()
    /// A number that grows with each batch, so that answers to older batches are ignored.
    var generation: UInt32 = 0
    /// The event in flight, or the last one; nil before the first.
    var event: TargetBatch?
  }

  struct Request {
    var kind: RequestKind
    var phone: Int
    var generation: UInt32
    var fixes: Range<Int>
    var intended: WallInstant
    var lag: WallDuration
    /// The instant of sending; nil while the request waits for the rate limit.
    var sentAt: WallInstant?
    var number: UInt32
    /// The phone on whose connection the request is sent, which for a view is the viewer's.
    var by: UInt32
    /// The page of a read-back; nil for other requests.
    var page: ReadbackPage?
  }

  enum Due: BitwiseCopyable {
    case batch(Int32)
    case wake(phone: Int32)
    case opening(phone: Int32)
    case view(viewer: Int32)
    case rate
  }

  package let setup: TargetSetup
  package let loop: EventLoop
  let parts: SenderParts
  private let rule: AppRetry
  let first: UInt32
  let devices: [DeviceState]
  /// The difference from scenario time to the wall-clock time that the server sees.
  package let shift: SimDuration
  /// The wall-clock start of the live part (after the warm start), in microseconds since 1970.
  package let startsAt: Int64
  private let via: Endpoint?
  var carrier: (any TargetCarrier)?

  package var phones: [Phone]
  var requests: [Request?] = []
  private var freeRequests: [Int] = []
  private var nextNumber: UInt32 = 0
  private var batches: [TargetBatch?] = []
  private var freeBatches: [Int] = []
  var due = DueHeap<Due>()
  private var timer: LoopTimer?
  private var bucket: RequestBucket
  private var registerBucket: RequestBucket
  private var waiting = RequestLine()
  private var registering = RequestLine()
  private var isRateTimed = false
  var isDraining = false
  private(set) var isClosing = false
  /// Whether the run's carrier was closed, after which requests are in no figure.
  var isOver = false
  var readers: [Int: (TargetExchange) -> Void] = [:]
  /// The viewers; nil without any.
  var viewing: Viewing?

  var account = FixAccount()
  var tally = TargetTally()
  var times: PartHistograms
  var counts = Sheet()
  /// Receives the end of each upload, on the loop's thread; nil for no receiver.
  package var watch: ((UploadCompletion, RequestFate) -> Void)?
  /// Receives the results for phones, on the loop's thread; nil to deliver them to the mailbox.
  package var results: ((UInt32, TargetQueue.Result) -> Void)?
  package let notes = Mutex<[String]>([])
  private var draws: Int64 = 0

  /// - Parameter via: the address of a proxy to use instead of the server; nil for none.
  package init(_ setup: TargetSetup, _ parts: SenderParts, via: Endpoint?) {
    self.setup = setup
    self.parts = parts
    self.via = via
    loop = parts.loop
    rule = AppRetry(setup.target)
    first = UInt32(parts.fleet.phones.lowerBound)
    devices = TargetSetup.devices(parts.scenario)
    let wait = parts.clock.wallStart - parts.wall()
    startsAt = setup.now() + wait.microseconds
    shift = .microseconds(startsAt - parts.clock.scenarioStart.microseconds)
    let share = parts.phonesShare
    bucket = RequestBucket(perSecond: setup.rateLimit.map { $0.perSecond * share })
    registerBucket = RequestBucket(
      perSecond: (setup.target.register?.rate).map { $0.perSecond * share })
    let rule = self.rule
    phones = parts.fleet.phones.map { _ in Phone(queue: TargetQueue(rule)) }
    times = PartHistograms()
    loop.sync { [self] in openCarrier() }
  }

  private func openCarrier() {
    carrier = ClientsOfTarget(setup, via: via, on: loop, seed: parts.scenario.seed) {
      [unowned self] in ended($0, $1)
    }
    timer = LoopTimer(on: loop) { [unowned self] in run() }
  }

  package var uplink: any Uplink { TargetUplink(self, parts) }

  // MARK: Batches

  /// Takes batches from any thread, preferably ahead of their intended instants.
  package func submit(_ batches: [TargetBatch]) {
    guard !batches.isEmpty else { return }
    loop.post { [self] in
      counts[.submitted] += batches.count { $0.event == nil }
      for batch in batches {
        if due.next == nil, batch.intended <= loop.now {
          begin(batch)
        } else {
          let slot = freeBatches.popLast() ?? self.batches.count
          if slot == self.batches.count { self.batches.append(batch) }
          self.batches[slot] = batch
          counts[.scheduled] += 1
          due.push(.batch(Int32(slot)), at: batch.intended)
        }
      }
      run()
    }
  }

  /// The maximum number of due items in one turn of the loop, so that answers are read in between.
  private static let workPerTurn = 64

  func run() {
    loop.assertOnLoop()
    for _ in 0..<Self.workPerTurn {
      let at = due.next
      guard let at, let item = due.pop(at: loop.now) else { break }
      switch item {
      case .batch(let slot):
        counts[.scheduled] -= 1
        let batch = batches[Int(slot)]
        batches[Int(slot)] = nil
        freeBatches.append(Int(slot))
        if let batch { begin(batch) }
      case .wake(let phone): apply(.timer, Int(phone), intended: at)
      case .opening(let phone): open(Int(phone), at: at)
      case .view(let viewer): look(Int(viewer), at: at)
      case .rate:
        isRateTimed = false
        sendWaiting()
      }
    }
    arm()
    wakeIfIdle()
  }

  func wakeIfIdle() {
    if isDraining, counts[.inFlight] == 0, counts[.scheduled] == 0 { Waiter.shared.wake() }
  }

  func arm() {
    if let next = due.next { timer?.arm(at: next) }
  }

  private func begin(_ batch: TargetBatch) {
    if batch.event != nil { return beginEvent(batch) }
    let place = Int(batch.id.phone.rawValue - first)
    if phones[place].queue.batch != batch.id {
      phones[place].fixes = batch.fixes
      phones[place].cohort = batch.cohort
      phones[place].state = batch.device
      if !phones[place].queue.isOpening(for: batch.id) { phones[place].generation &+= 1 }
    }
    apply(
      .handed(
        batch.id, attempt: batch.attempt, fixes: batch.fixes.count, isLaunched: batch.isLaunched),
      place, intended: batch.intended)
  }

  func apply(_ event: TargetQueue.Event, _ place: Int, intended: WallInstant) {
    draws += 1
    var draw = Draw(
      seed: parts.scenario.seed, phone: UInt32(place), .uploadRetry, draws, 1)
    let effects = phones[place].queue.handle(
      event, rule, &account, at: loop.now, chance: draw.uniform(), isEnding: isDraining)
    if !effects.stored.isEmpty, setup.target.readback != nil {
      phones[place].stored += phones[place].fixes[effects.stored]
    }
    if let (fixes, taken) = effects.partly, setup.target.readback != nil {
      phones[place].partly.append(
        PartlyStored(fixes: Array(phones[place].fixes[fixes]), taken: taken))
    }
    if effects.registers {
      ask(.registration, place, 0..<0, intended: intended)
    } else if let (form, fixes) = effects.sends {
      ask(form == .backlog ? .backlog : .upload, place, fixes, intended: intended)
    }
    if let at = effects.wakeAt {
      due.push(.wake(phone: Int32(place)), at: at)
      arm()
    }
    if let (attempt, result) = effects.result {
      if let results { return results(first + UInt32(place), result) }
      let outcome: UploadResult =
        switch result {
        case .taken: .acknowledged
        case .thrownAway: .refused
        case .failed: .failed
        }
      let phone = PhoneID(rawValue: first + UInt32(place))
      parts.mailbox.deliver([(phone, .outcome(attempt: attempt, outcome))])
    }
  }

  // MARK: Requests

  @discardableResult
  func ask(
    _ kind: RequestKind, _ place: Int, _ fixes: Range<Int>, intended: WallInstant,
    page: ReadbackPage? = nil, by phone: UInt32? = nil
  ) -> Int {
    let now = loop.now
    nextNumber &+= 1
    let request = Request(
      kind: kind, phone: place, generation: generation(of: place, kind), fixes: fixes,
      intended: min(intended, now), lag: max(.zero, now - intended), number: nextNumber,
      by: phone ?? first + UInt32(place), page: page)
    let slot = freeRequests.popLast() ?? requests.count
    if slot == requests.count { requests.append(request) } else { requests[slot] = request }
    if !kind.isRead { counts[.inFlight] += 1 }
    counts[.started] += 1
    if kind == .upload || kind == .backlog {
      parts.recorder.offered(at: request.intended, fixes: fixes.count)
    }
    if kind == .registration {
      registering.append((slot, request.number))
    } else {
      waiting.append((slot, request.number))
    }
    if !isRateTimed { sendWaiting() }
    return slot
  }

  /// Sends the requests that the rate limits allow. Registrations have a limit of their own.
  private func sendWaiting() {
    let now = loop.now
    var next = WallInstant.distantFuture
    while let slot = oldest(of: &registering) {
      var limit = registerBucket
      if let at = limit.take(at: now) ?? bucket.take(at: now) {
        next = at
        break
      }
      registerBucket = limit
      registering.popFirst()
      send(slot)
    }
    while let slot = oldest(of: &waiting) {
      if let at = bucket.take(at: now) {
        next = min(next, at)
        break
      }
      waiting.popFirst()
      send(slot)
    }
    guard next < .distantFuture else { return }
    isRateTimed = true
    due.push(.rate, at: next)
    arm()
  }

  private typealias RequestLine = WaitingLine<(slot: Int, number: UInt32)>

  private func oldest(of line: inout RequestLine) -> Int? {
    while let (slot, number) = line.first {
      if requests[slot]?.number == number { return slot }
      line.popFirst()
    }
    return nil
  }

  private func send(_ slot: Int) {
    guard let request = requests[slot] else { return }
    requests[slot]?.sentAt = loop.now
    counts[.attempts] += 1
    carrier?.send(
      TargetRequest(kind: request.kind, context: context(of: request)),
      as: UInt64(slot) << 32 | UInt64(request.number), of: request.by)
  }

  private func context(of request: Request) -> UploadContext {
    let phone = phones[request.phone]
    let id = PhoneID(rawValue: first + UInt32(request.phone))
    if request.kind == .event, let batch = phone.event { return context(of: batch, phone.kept) }
    let batch =
      phone.queue.batch ?? BatchID(phone: id, epoch: parts.fleet.context.epoch, sequence: 0)
    var context = UploadContext(
      batch, fixes: request.kind.isRead ? [] : phone.fixes[request.fixes],
      firstFix: request.fixes.lowerBound, columns: setup.identities.row(of: id.rawValue),
      kept: phone.kept, shift: shift, now: setup.now(),
      device: devices[Int(phone.cohort)])
    context.phone = id
    context.device.note(phone.state)
    if let page = request.page {
      context.span = span(of: phone, request.kind, now: context.now)
      context.page = page
    }
    if let tokens = parts.tokens {
      context.device.pushToken = tokens.text(of: id)
      context.device.pushService = tokens.kind(of: id).rawValue
    }
    return context
  }

  func release(_ slot: Int) {
    requests[slot] = nil
    freeRequests.append(slot)
  }

  // MARK: The end

  package func drain() {
    loop.sync { [self] in
      isDraining = true
      // Batches that wait for the rate limit, or for the app's backoff, go back to their phones.
      for (slot, number) in Array(registering.all) + waiting.all {
        guard let request = requests[slot], request.number == number, request.sentAt == nil,
          !request.kind.isRead
        else { continue }
        release(slot)
        counts[.inFlight] -= 1
        if request.kind == .event {
          settleEvent(of: request.phone, attempt: request.generation, .failed)
          continue
        }
        guard request.generation == phones[request.phone].generation else { continue }
        apply(.unsent, request.phone, intended: loop.now)
      }
      for place in phones.indices where phones[place].queue.isAwaited && !phones[place].queue.isBusy
      {
        apply(.timer, place, intended: loop.now)
      }
    }
  }

  /// Ends requests in flight as timed out. Schedules nothing on the loop, which may still run while
  /// the last owner releases the sender.
  package func abort() {
    loop.sync { [self] in
      timer = nil
      isClosing = true
      isDraining = true
      carrier?.close()
      viewing?.clients?.close()
      carrier?.fill(&counts)
      carrier = nil
      isOver = true
    }
  }

  package func reopen() {
    loop.sync { [self] in
      guard carrier == nil else { return }
      isClosing = false
      openCarrier()
      arm()
    }
  }
}
