internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

/// Answers requests for one position. A request pushes the phone at once, and waits until a later
/// fix is durable, the provider refuses the push, or the deadline passes.
///
///     Ask ─▶ judge ─▶ push ─▶ waits ─▶ durable fix since the request ─▶ answered
///              │                │─▶ provider's answer is not 200 ───▶ refused
///              ▼                └─▶ deadline ─▶ silent, only older, only coarse
///        unknown,  no permission,  no token,  no provider
///
/// The push is independent of the wake scheduler's spacing, rate, holdout and figures. Pending
/// requests are lost with the process. For the loop's thread only.
final class PositionRequests {
  private struct Open {
    let call: ServerCall
    let deadline: SimInstant
    let accuracyLimitMeters: Double
    var reply: AskReply
    var coarse: AskReply.Position?
    var coarseArrivedAfter: SimDuration?
    var hasReceived = false
    /// The positions in uploads that are not durable yet, by batch.
    var update: [BatchID: Update] = [:]
  }

  private struct Update {
    var arrivedAt: SimInstant
    var good: AskReply.Position?
    var best: AskReply.Position?
  }

  private let loop: EventLoop
  private let runs: RunHost
  private let replies: ReplyWriter
  private let sweeper: PushSweeper
  private var open: [PhoneID: [Open]] = [:]
  /// The second in the last push's number, which the next push must exceed.
  private var lastSecond: Int64 = 0
  private(set) var counters = Sheet()
  private lazy var timer = LoopTimer(on: loop) { [unowned self] in expire() }

  init(_ loop: EventLoop, _ runs: RunHost, _ replies: ReplyWriter, _ sweeper: PushSweeper) {
    self.loop = loop
    self.runs = runs
    self.replies = replies
    self.sweeper = sweeper
  }

  // MARK: Begin and end

  func beginRun() {
    refuseAll(.aborted, "another run was opened")
    counters.reset()
  }

  func stop() {
    refuseAll(.unavailable, "the server is shutting down")
    timer.disarm()
  }

  private func refuseAll(_ code: StatusCode, _ text: String) {
    for request in open.values.joined() { replies.refuse(request.call, code, text) }
    open = [:]
  }

  // MARK: Calls

  func ask(_ call: ServerCall, _ request: AskRequest) {
    guard let run = runs.serving(call) else { return }
    if let fault = request.fault(phones: run.backend.phones) {
      return replies.refuse(call, .invalidArgument, fault)
    }
    guard !run.hasClosedMeasure else {
      return replies.refuse(
        call, .failedPrecondition, "the run's measured time is over; no more pushes are sent")
    }
    let now = run.clock.scenario(at: call.receivedAt)
    var reply = AskReply(.answered, askedAt: now)
    if let outcome = outcomeWithoutPush(run.backend.lastSeen(request.phone)) {
      reply.outcome = outcome
      return end(reply, call, run, request.phone)
    }
    let second = max(lastSecond + 1, now.microseconds / 1_000_000)
    lastSecond = second
    let push = SilentPush(
      id: SilentPush.onRequest(request.phone, second: second), phone: request.phone,
      requestedAt: now, expiration: now + request.deadline)
    reply.pushID = push.id
    open[request.phone, default: []].append(
      Open(
        call: call, deadline: now + request.deadline,
        accuracyLimitMeters: (request.accuracyLimit ?? run.backend.settings.accuracyLimit).meters,
        reply: reply))
    sweeper.send(push)
    arm()
  }

  private func outcomeWithoutPush(_ row: LastSeen) -> AskOutcome? {
    if !row.isKnown { return .unknown }
    if row.authorization != .always { return .noPermission }
    if !row.tokenValid { return .noToken }
    return sweeper.subscribers == 0 ? .noProvider : nil
  }

  func cancel(_ call: ServerCall) {
    for phone in open.keys { remove(phone) { $0.call == call } }
  }

  // MARK: What comes in

  /// Takes the provider's answers to pushes, and ignores answers to a sweep's pushes.
  func take(_ outcomes: [PushResultRequest.Outcome]) {
    guard !open.isEmpty, let run = runs.run else { return }
    let now = run.clock.scenario(at: loop.now)
    for outcome in outcomes where SilentPush.isOnRequest(outcome.id) {
      let phone = PhoneID(rawValue: UInt32(truncatingIfNeeded: outcome.id))
      guard let place = open[phone]?.firstIndex(where: { $0.reply.pushID == outcome.id }),
        var request = open[phone]?[place]
      else { continue }
      request.reply.pushStatus = outcome.status
      request.reply.providerAfter = now - request.reply.askedAt
      open[phone]?[place] = request
      guard PushAnswer(status: Int(outcome.status)) != .accepted else { continue }
      request.reply.outcome = .refused
      remove(phone) { $0.call == request.call }
      end(request.reply, request.call, run, phone)
    }
  }

  func look(_ batch: BatchID, _ fixes: UnsafeBufferPointer<Fix>, at now: SimInstant) {
    guard !open.isEmpty, let waiting = open[batch.phone] else { return }
    for place in waiting.indices {
      let request = waiting[place]
      var update = Update(arrivedAt: now)
      for fix in fixes where fix.time.instant > request.reply.askedAt {
        let position = AskReply.Position(
          time: fix.time, coordinate: fix.coordinate, accuracyMeters: fix.accuracyMeters)
        if Double(fix.accuracyMeters) <= request.accuracyLimitMeters,
          fix.time >= update.good?.time ?? fix.time
        {
          update.good = position
        }
        if fix.accuracyMeters < update.best?.accuracyMeters ?? .max { update.best = position }
      }
      open[batch.phone]?[place].update[batch] = update
    }
  }

  func finish(_ batch: BatchID, isStored: Bool) {
    guard !open.isEmpty, let waiting = open[batch.phone], let run = runs.run else { return }
    var answered: [Open] = []
    for place in waiting.indices {
      var request = waiting[place]
      guard let update = request.update.removeValue(forKey: batch) else { continue }
      if isStored {
        request.hasReceived = true
        let after = update.arrivedAt - request.reply.askedAt
        if let good = update.good {
          request.reply.position = good
          request.reply.arrivedAfter = after
          answered.append(request)
        } else if let best = update.best,
          best.accuracyMeters ?? .max < request.coarse?.accuracyMeters ?? .max
        {
          request.coarse = best
          request.coarseArrivedAfter = after
        }
      }
      open[batch.phone]?[place] = request
    }
    for request in answered {
      remove(batch.phone) { $0.call == request.call }
      end(request.reply, request.call, run, batch.phone)
    }
  }

  // MARK: Deadlines

  private func arm() {
    guard let run = runs.run, let next = open.values.joined().map(\.deadline).min() else {
      return timer.disarm()
    }
    timer.arm(at: run.clock.wall(of: next))
  }

  private func expire() {
    guard let run = runs.run else { return }
    let now = run.clock.scenario(at: loop.now)
    for phone in open.keys.sorted() {
      for request in open[phone] ?? [] where request.deadline <= now {
        var reply = request.reply
        reply.outcome = request.hasReceived ? .onlyOlder : .silent
        if let coarse = request.coarse {
          reply.outcome = .onlyCoarse
          reply.position = coarse
          reply.arrivedAfter = request.coarseArrivedAfter
        }
        end(reply, request.call, run, phone)
      }
      remove(phone) { $0.deadline <= now }
    }
    arm()
  }

  private func remove(_ phone: PhoneID, where isMeant: (Open) -> Bool) {
    open[phone]?.removeAll(where: isMeant)
    if open[phone]?.isEmpty == true { open[phone] = nil }
  }

  private func end(_ reply: AskReply, _ call: ServerCall, _ run: OpenedRun, _ phone: PhoneID) {
    var reply = reply
    let row = run.backend.lastSeen(phone)
    if reply.position == nil, row.hasFix {
      reply.position = AskReply.Position(time: row.newestFix, coordinate: row.coordinate)
    }
    reply.endedAfter = run.clock.scenario(at: loop.now) - reply.askedAt
    counters.count(.asks, "\(reply.outcome)")
    counters[.asksEnded] += 1
    if reply.outcome == .answered { counters[.asksAnswered] += 1 }
    replies.answer(call, reply)
  }
}

extension AskRequest {
  fileprivate func fault(phones: Int) -> String? {
    if Int(phone.rawValue) >= phones {
      return "phone \(phone.rawValue) is not in this run, which has 0 to \(phones - 1)"
    }
    if !Self.deadlines.contains(deadline) {
      return "deadline_us is \(deadline.microseconds); 1000000 to 3600000000"
    }
    if let limit = accuracyLimit?.meters, !(limit > 0 && limit.isFinite) {
      return "accuracy_limit_meters is \(limit); above 0, or 0 for that of the run"
    }
    return nil
  }
}
