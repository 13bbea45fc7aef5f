internal import Synchronization

/// The four parts of a batch's response, in wall-clock microseconds.
package struct BatchTiming: Equatable, Sendable, BitwiseCopyable {
  /// The time from the intended time until the generator calls connect, or write.
  package var generatorLag: Int64
  /// The time of TCP, TLS and registration.
  package var connect: Int64
  /// The TLS handshake within `connect`; nil if there was none.
  package var handshake: Handshake?
  /// The time of waiting for a slot, flow control, pushback and backoff.
  package var hold: Int64
  /// The time from the first byte written to the ack read, retries included.
  package var service: Int64

  package struct Handshake: Equatable, Sendable, BitwiseCopyable {
    package var isResumed: Bool
    package var lasted: Int64

    package init(isResumed: Bool, lasted: Int64) {
      self.isResumed = isResumed
      self.lasted = lasted
    }
  }

  package init(generatorLag: Int64, connect: Int64, hold: Int64, service: Int64) {
    self.generatorLag = generatorLag
    self.connect = connect
    self.hold = hold
    self.service = service
  }

  /// The time from the intended time to the durable ack: the sum of the four parts.
  package var response: Int64 { generatorLag + connect + hold + service }
}

package struct LatencyHistograms: Codable, Equatable, Sendable {
  /// The response times. Abandoned batches are censored.
  package var response = Histogram()
  /// The lag of the generator for each batch, failed batches included.
  package var generatorLag = Histogram()
  package var connect = Histogram()
  package var hold = Histogram()
  package var service = Histogram()
  package var attempt = Histogram()
  /// The parts of `connect` for batches that waited for a TLS handshake; nil if none did.
  package var secured: SecuredHistograms?

  package init() {}

  package mutating func record(_ timing: BatchTiming) {
    response.record(timing.response)
    recordParts(timing)
  }

  /// Records an abandoned batch: a response censored at its deadline, and the parts so far.
  package mutating func recordFailure(_ timing: BatchTiming, deadline: Int64) {
    response.recordCensored(atLeast: max(deadline, timing.response))
    recordParts(timing)
  }

  private mutating func recordParts(_ timing: BatchTiming) {
    generatorLag.record(timing.generatorLag)
    connect.record(timing.connect)
    hold.record(timing.hold)
    service.record(timing.service)
    guard let handshake = timing.handshake else { return }
    if secured == nil { secured = SecuredHistograms() }
    secured?.record(handshake, of: timing.connect)
  }

  package mutating func merge(_ other: LatencyHistograms) {
    for tag in LatencyTag.allCases { self[tag].merge(other[tag]) }
    guard let others = other.secured else { return }
    if secured == nil { secured = SecuredHistograms() }
    secured?.merge(others)
  }

  package mutating func reset() {
    for tag in LatencyTag.allCases { self[tag].reset() }
    secured?.reset()
  }
}

package struct SecuredHistograms: Codable, Equatable, Sendable {
  /// The parts of `connect` other than the handshake: TCP, and any registration.
  package var tcp = Histogram()
  package var full = Histogram()
  package var resumed = Histogram()

  package init() {}

  mutating func record(_ handshake: BatchTiming.Handshake, of connect: Int64) {
    tcp.record(connect - handshake.lasted)
    if handshake.isResumed {
      resumed.record(handshake.lasted)
    } else {
      full.record(handshake.lasted)
    }
  }

  mutating func merge(_ other: SecuredHistograms) {
    tcp.merge(other.tcp)
    full.merge(other.full)
    resumed.merge(other.resumed)
  }

  mutating func reset() {
    tcp.reset()
    full.reset()
    resumed.reset()
  }
}

package struct Interval: Codable, Equatable, Sendable {
  package var counters = Sheet()
  package var latency = LatencyHistograms()

  package init() {}

  package mutating func merge(_ other: Interval) {
    counters += other.counters
    latency.merge(other.latency)
  }

  package mutating func reset() {
    counters.reset()
    latency.reset()
  }
}

/// Collects samples from any thread. A reader takes an interval, and writers wait no longer than
/// two buffers take to swap.
package final class IntervalRecorder: Sendable {
  private let active = Mutex(Interval())
  private let spare = Mutex(Interval())

  package init() {}

  package func record(_ timing: BatchTiming) {
    active.withLock { $0.latency.record(timing) }
  }

  /// Applies several changes under one lock, for the results of a tick.
  package func update(_ body: (inout Interval) -> Void) {
    active.withLock { body(&$0) }
  }

  package func take() -> Interval {
    spare.withLock { finished in
      active.withLock { swap(&$0, &finished) }
      defer { finished.reset() }
      return finished
    }
  }
}
