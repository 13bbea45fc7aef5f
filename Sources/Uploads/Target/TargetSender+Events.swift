internal import Core
internal import Fleet
internal import Phone
internal import Scenarios
internal import Targets

/// Sends events, each in a request, beside the batches of their phone. The phone has at most one
/// upload in flight, and repeats an event that failed, so an event needs no queue here.
extension TargetSender {
  func beginEvent(_ batch: TargetBatch) {
    let place = Int(batch.id.phone.rawValue - first)
    phones[place].event = batch
    phones[place].cohort = batch.cohort
    let isKnown =
      setup.target.register == nil
      || phones[place].kept.count == setup.target.keptNames.count
        && phones[place].queue.isRegistered
    guard isKnown else {
      // The app registers first, and the phone repeats the event.
      apply(
        .opened(BatchID(phone: batch.id.phone, epoch: batch.id.epoch, sequence: 0)), place,
        intended: batch.intended)
      return settleEvent(of: place, attempt: batch.attempt, .failed)
    }
    ask(.event, place, 0..<0, intended: batch.intended)
  }

  /// Returns the number that an answer must have to count: for an event, that of the attempt.
  func generation(of place: Int, _ kind: RequestKind) -> UInt32 {
    kind == .event ? phones[place].event?.attempt ?? 0 : phones[place].generation
  }

  func context(of batch: TargetBatch, _ kept: [String]) -> UploadContext {
    var context = UploadContext(
      batch.id, fixes: batch.fixes[...], columns: setup.identities.row(of: batch.id.phone.rawValue),
      kept: kept, shift: shift, now: setup.now(), device: devices[Int(batch.cohort)])
    context.device.note(batch.device)
    context.event = batch.event?.event
    context.noticed = batch.event?.noticed
    if let tokens = parts.tokens {
      context.device.pushToken = tokens.text(of: batch.id.phone)
      context.device.pushService = tokens.kind(of: batch.id.phone).rawValue
    }
    return context
  }

  func ended(event request: Request, _ end: TargetExchange) {
    let result: UploadResult
    switch end.result {
    case .answered(let answer, _, _):
      switch answer.outcome {
      case .stored, .duplicate, .partly:
        result = .acknowledged
        keepEvent(of: request.phone, attempt: request.generation)
      case .refused: result = .refused
      case .retry, .failed: result = failure
      }
    case .unanswered: result = failure
    }
    settleEvent(of: request.phone, attempt: request.generation, result)
  }

  /// Keeps an acknowledged event for the read-back.
  private func keepEvent(of place: Int, attempt: UInt32) {
    guard setup.target.events?.readback != nil, let batch = phones[place].event,
      batch.attempt == attempt, let event = batch.event?.event
    else { return }
    let noticed = (batch.event?.noticed ?? FixTime(event.noticed)).centiseconds * 10
    var id: [UInt8] = []
    id.append(uuid: context(of: batch, []).uuid(fix: nil))
    let shift = shift.microseconds / 1_000
    phones[place].storedEvents.append(
      StoredEvent(
        // swift-format-ignore: it is ASCII.
        id: String(decoding: id, as: UTF8.self),
        times: [noticed + shift] + (event.happened.map { [$0.microseconds / 1_000 + shift] } ?? []))
    )
  }

  /// The result of a failed event, which some apps do not keep.
  private var failure: UploadResult {
    setup.target.events?.isKept == false ? .refused : .failed
  }

  func settleEvent(of place: Int, attempt: UInt32, _ result: UploadResult) {
    guard phones[place].event?.attempt == attempt else { return }
    parts.mailbox.deliver([
      (PhoneID(rawValue: first + UInt32(place)), .outcome(attempt: attempt, result))
    ])
  }
}
