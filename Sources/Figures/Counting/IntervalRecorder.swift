internal import Synchronization

/// How long one batch took, in wall microseconds: the four parts of its response.
package struct BatchTiming: Equatable, Sendable, BitwiseCopyable {
  /// From the intended time to the instant the generator calls connect, or write.
  package var generatorLag: Int64
  /// TCP, TLS and registration.
  package var connect: Int64
  /// Says what of `connect` was a TLS handshake; nil where there was none.
  package var handshake: Handshake?
  /// Waiting for a slot, flow control, pushback and back-off.
  package var hold: Int64
  /// First byte written → ack read, retries included.
  package var service: Int64

  /// Says how a connection was secured, and what it took.
  package struct Handshake: Equatable, Sendable, BitwiseCopyable {
    /// Says whether it went on from an earlier session.
    package var isResumed: Bool
    /// Is its length in wall microseconds.
    package var lasted: Int64

    /// Makes a handshake from its parts.
    package init(isResumed: Bool, lasted: Int64) {
      self.isResumed = isResumed
      self.lasted = lasted
    }
  }

  /// Makes a timing from its four parts, in wall microseconds.
  package init(generatorLag: Int64, connect: Int64, hold: Int64, service: Int64) {
    self.generatorLag = generatorLag
    self.connect = connect
    self.hold = hold
    self.service = service
  }

  /// Durable ack − intended time of the first attempt: the exact sum.
  package var response: Int64 { generatorLag + connect + hold + service }
}

/// The histograms of DESIGN's latency words, together.
package struct LatencyHistograms: Codable, Equatable, Sendable {
  /// Holds the responses: durable ack − intended time; batches that were given up are censored.
  package var response = Histogram()
  /// Holds how late the generator itself was for each batch, failed batches included.
  package var generatorLag = Histogram()
  /// Holds what each batch spent on TCP and registration, failed batches included.
  package var connect = Histogram()
  /// Holds what each batch waited for a slot, flow control, pushback and back-off.
  package var hold = Histogram()
  /// Holds the time from first byte written to ack read of each batch, retries included.
  package var service = Histogram()
  /// Each try by itself.
  package var attempt = Histogram()
  /// Splits `connect` of the batches that waited for a TLS handshake; nil where none did.
  package var secured: SecuredHistograms?

  /// Makes six empty histograms.
  package init() {}

  /// A batch whose durable ack was read.
  package mutating func record(_ timing: BatchTiming) {
    response.record(timing.response)
    recordParts(timing)
  }

  /// A batch that was given up: its response is at least its deadline; the parts are as far as
  /// they went.
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

  /// Adds another set's histograms, each to its counterpart.
  package mutating func merge(_ other: LatencyHistograms) {
    response.merge(other.response)
    generatorLag.merge(other.generatorLag)
    connect.merge(other.connect)
    hold.merge(other.hold)
    service.merge(other.service)
    attempt.merge(other.attempt)
    guard let others = other.secured else { return }
    if secured == nil { secured = SecuredHistograms() }
    secured?.merge(others)
  }

  /// Empties all histograms and keeps their memory.
  package mutating func reset() {
    response.reset()
    generatorLag.reset()
    connect.reset()
    hold.reset()
    service.reset()
    attempt.reset()
    secured?.reset()
  }
}

/// The parts of `connect` of batches that waited for a TLS handshake.
package struct SecuredHistograms: Codable, Equatable, Sendable {
  /// Holds what was not the handshake: TCP, and registration where there was one.
  package var tcp = Histogram()
  /// Holds the handshakes with certificates.
  package var full = Histogram()
  /// Holds the handshakes that went on from an earlier session.
  package var resumed = Histogram()

  /// Makes three empty histograms.
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

/// What was measured in one interval.
package struct Interval: Codable, Equatable, Sendable {
  /// Holds the counts of the interval.
  package var counters = Sheet()
  /// Holds the latencies of what ended in the interval, and of attempts in it.
  package var latency = LatencyHistograms()

  /// Makes an empty interval.
  package init() {}

  /// Adds another interval's counts and latencies.
  package mutating func merge(_ other: Interval) {
    counters += other.counters
    latency.merge(other.latency)
  }

  /// Empties the interval and keeps the histograms' memory.
  package mutating func reset() {
    counters.reset()
    latency.reset()
  }
}

/// Records from any thread; a reader takes an interval away without making writers wait for more
/// than an exchange of two buffers.
package final class IntervalRecorder: Sendable {
  private let active = Mutex(Interval())
  /// Reset and ready, so that who records waits for no more than an exchange.
  private let spare = Mutex(Interval())

  /// Makes a recorder whose first interval begins empty.
  package init() {}

  /// Records a batch whose durable ack was read.
  package func record(_ timing: BatchTiming) {
    active.withLock { $0.latency.record(timing) }
  }

  /// Records a batch that was given up, with its deadline in microseconds.
  package func recordFailure(_ timing: BatchTiming, deadline: Int64) {
    active.withLock { $0.latency.recordFailure(timing, deadline: deadline) }
  }

  /// Several changes under one lock, for a tick's worth of results.
  package func update(_ body: (inout Interval) -> Void) {
    active.withLock { body(&$0) }
  }

  /// Ends the interval, and hands it over.
  package func take() -> Interval {
    spare.withLock { finished in
      active.withLock { swap(&$0, &finished) }
      defer { finished.reset() }
      return finished
    }
  }
}
