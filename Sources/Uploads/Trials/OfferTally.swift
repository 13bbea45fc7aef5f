package import Figures
package import SimulationCore
internal import Synchronization
internal import Telemetry
package import Transport
package import Wire

/// What became of the batches of each second, and which sequence each phone is at.
///
/// Offers end on the event loop's thread; the pacing thread asks, now and then, what has come of a
/// stretch of time.
package final class OfferTally: OfferSource {
  /// What the batches of some seconds came to.
  package struct Tally: Sendable {
    /// Counts batches by the second in which they were meant to go out.
    package var offered = 0
    /// Counts acks by the second in which they came.
    package var acknowledged = 0
    /// Counts the batches that the collector refused, since it had too many.
    package var shed = 0
    /// Counts the batches that failed otherwise, or got no answer in time.
    package var failed = 0
    /// Acknowledged after the limit.
    package var late = 0
    /// Of the acknowledged: from the intended instant to the ack.
    package var response = Histogram()
    /// From the intended instant to the sender's taking it.
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
    /// Acknowledged so far, by phone: its next batch has the number after.
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

  /// - Parameter limit: an ack that takes longer is late.
  package init(phones: Int, templates: [UploadTemplate], start: WallInstant, limit: WallDuration) {
    self.templates = templates
    self.limit = limit
    content = Mutex(Content(sequences: [UInt32](repeating: 0, count: phones)))
    self.start = start
  }

  /// The batch that a phone sends next. One whose batch was refused sends it again under the same
  /// name.
  package func message(for phone: UInt32) -> (bytes: [UInt8], check: UInt32) {
    let sequence = content.withLock { $0.sequences[Int(phone)] + 1 }
    return templates[Int(phone) % templates.count].message(
      BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: sequence))
  }

  /// Counts how an offer ended.
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
        // It was stored before, and not told in time: no second good.
        if duplicate { return }
        content[end].acknowledged += 1
        if finished - offer.intended > limit { content[end].late += 1 }
        content[end].response.record((finished - offer.intended).microseconds)
      case .failed(.resourceExhausted): content[end].shed += 1
      case .failed, .timedOut: content[end].failed += 1
      }
    }
  }

  /// Offers whose end is known.
  package var ended: Int { content.withLock { $0.ended } }

  private func second(_ instant: WallInstant) -> Int { max(0, Int((instant - start).seconds)) }

  /// All that belongs to these seconds since the start.
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
