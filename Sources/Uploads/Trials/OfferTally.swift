package import Core
internal import Synchronization
package import Transport
package import Wire

/// The results of each second. Written on the event loop's thread, read on the pacing thread.
package final class OfferTally: OfferSource {
  package struct Tally: Sendable {
    /// Batches whose intended time is in this second.
    package var offered = 0
    /// Batches whose ack arrived in this second.
    package var acknowledged = 0
    /// Batches refused in this second because of overload.
    package var shed = 0
    /// Batches that failed for another reason, or timed out, in this second.
    package var failed = 0
    /// Acknowledged batches whose response time exceeds the limit.
    package var late = 0
    package var response = Histogram()
    package var lag = Histogram()

    mutating func merge(_ other: Tally) {
      offered += other.offered
      acknowledged += other.acknowledged
      shed += other.shed
      failed += other.failed
      late += other.late
      response.merge(other.response)
      lag.merge(other.lag)
    }
  }

  private struct Content: Sendable {
    var seconds: [Tally] = []
    var ended = 0
    /// The number of acknowledged batches by phone, which is the newest sequence number.
    var sequences: [UInt32]

    subscript(second: Int) -> Tally {
      get { second < seconds.count ? seconds[second] : Tally() }
      _modify {
        while seconds.count <= second { seconds.append(Tally()) }
        yield &seconds[second]
      }
    }
  }

  private let content: Mutex<Content>
  private let start: WallInstant
  private let templates: [UploadTemplate]
  private let limit: WallDuration

  /// - Parameter limit: the response time above which an acknowledged batch is late.
  package init(phones: Int, templates: [UploadTemplate], start: WallInstant, limit: WallDuration) {
    self.templates = templates
    self.limit = limit
    content = Mutex(Content(sequences: [UInt32](repeating: 0, count: phones)))
    self.start = start
  }

  /// Returns a phone's next batch. After a refusal, the next batch has the same sequence number.
  package func message(for phone: UInt32) -> (bytes: [UInt8], check: UInt32) {
    let sequence = content.withLock { $0.sequences[Int(phone)] + 1 }
    return templates[Int(phone) % templates.count].message(
      BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: sequence))
  }

  package func ended(
    _ offer: Offer, _ outcome: OfferOutcome, started: WallInstant, finished: WallInstant
  ) {
    let (intended, end) = (second(offer.intended), second(finished))
    content.withLock { content in
      content[intended].offered += 1
      content[intended].lag.record((offer.taken - offer.intended).microseconds)
      content.ended += 1
      switch outcome {
      case .acknowledged(let duplicate):
        content.sequences[Int(offer.phone)] += 1
        // The batch was stored before, but the ack was lost, so the batch does not count again.
        if duplicate { return }
        content[end].acknowledged += 1
        if finished - offer.intended > limit { content[end].late += 1 }
        content[end].response.record((finished - offer.intended).microseconds)
      case .failed(.resourceExhausted): content[end].shed += 1
      case .failed, .timedOut: content[end].failed += 1
      }
    }
  }

  package var ended: Int { content.withLock { $0.ended } }

  private func second(_ instant: WallInstant) -> Int { max(0, Int((instant - start).seconds)) }

  package func tally(_ seconds: Range<Int>) -> Tally {
    content.withLock { content in
      var sum = Tally()
      for second in seconds where second < content.seconds.count {
        sum.merge(content.seconds[second])
      }
      return sum
    }
  }
}
