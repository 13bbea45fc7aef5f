internal import Measure
internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Transport
internal import Wire

/// What the scenario clock asks of the server: sweeps at k · `sweep`, and the measured time's
/// begin and end.
extension CollectorServer {
  func doDuties() {
    while !isDraining, let run, let next = run.nextDuty(after: dutiesDoneUntil) {
      let due = run.clock.wall(of: next.at)
      guard due <= loop.now else {
        armTimer(at: due)
        return
      }
      figures.lateness.record((loop.now - due).microseconds)
      switch next.duty {
      case .openMeasure: run.openMeasure()
      case .sweep:
        sweep(run, at: next.at)
        dutiesDoneUntil = next.at
      case .closeMeasure:
        run.closeMeasure()
        publish(PushSweep(sweptAt: next.at, requests: [], isLast: true))
      }
    }
  }

  /// Without a subscriber nobody could deliver a push: the sweep is left out, and who is due stays
  /// due.
  private func sweep(_ run: OpenedRun, at now: SimInstant) {
    guard !subscribers.isEmpty else {
      figures.sweepsWithoutSubscriber += 1
      return
    }
    guard !run.isDown(at: now) else { return }
    var pushes: [SilentPush] = []
    var withheld: [UInt64] = []
    run.backend.sweep(
      at: now, emit: { pushes.append($0) }, withhold: { withheld.append($0.pushID) })
    figures.sweeps += 1
    if let store {
      for push in pushes {
        store.submit(
          WakeOccasion(pushID: push.id, at: now, isWithheld: false),
          token: desk.put(.occasion))
      }
      for id in withheld {
        store.submit(
          WakeOccasion(pushID: id, at: now, isWithheld: true), token: desk.put(.occasion))
      }
    }
    publish(PushSweep(sweptAt: now, requests: pushes, isLast: true, withheld: withheld))
  }

  /// Sends a sweep in parts that stay below the message limit, together with the answers that
  /// have come in since.
  private func publish(_ sweep: PushSweep) {
    let answered =
      run?.backend.takeAnswered().compactMap { occasion in
        occasion.answeredAfter.map { PushSweep.Answer(id: occasion.pushID, after: $0) }
      } ?? []
    let parts = max(
      1,
      (max(sweep.requests.count, sweep.withheld.count, answered.count) + Self.partMax - 1)
        / Self.partMax)
    for part in 0..<parts {
      let message = PushSweep(
        sweptAt: sweep.sweptAt, requests: Self.slice(sweep.requests, part),
        isLast: part == parts - 1, withheld: Self.slice(sweep.withheld, part),
        answered: Self.slice(answered, part))
      subscribers.removeAll { subscriber in
        switch send(subscriber, message) {
        case .queued: return false
        case .gone: return true
        case .full:
          figures.pushesDropped += UInt64(message.requests.count)
          refuse(subscriber, .resourceExhausted, "the reader of this stream is too slow")
          return true
        }
      }
    }
  }

  /// Answers that came after the last sweep, so that a snapshot never lags behind the stream.
  func publishAnswers() {
    guard let run, run.backend.hasNewAnswers, !subscribers.isEmpty else { return }
    publish(
      PushSweep(sweptAt: run.clock.scenario(at: loop.now), requests: [], isLast: true))
  }

  /// 20,000 pushes are below 700 kB.
  private static let partMax = 20_000

  private static func slice<Element>(_ all: [Element], _ part: Int) -> [Element] {
    Array(all.dropFirst(part * partMax).prefix(partMax))
  }

  // MARK: Calls

  func subscribe(_ call: ServerCall, _ request: PushesRequest) {
    guard let run else { return refuseWithoutRun(call) }
    guard request.runID == run.id else {
      return refuse(call, .failedPrecondition, "the open run is '\(run.id)'")
    }
    subscribers.append(call)
  }

  func takeResults(_ call: ServerCall, _ request: PushResultRequest) {
    guard let run else { return refuseWithoutRun(call) }
    let now = run.clock.scenario(at: call.receivedAt)
    var known: UInt32 = 0
    for outcome in request.outcomes
    where run.backend.pushResult(outcome.id, status: Int(outcome.status), at: now) {
      known += 1
    }
    answer(call, PushResultReply(known: known))
  }
}
