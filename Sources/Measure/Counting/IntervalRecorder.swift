internal import Synchronization

/// How long one batch took, in wall microseconds: the four parts of its response.
package struct BatchTiming: Equatable, Sendable, BitwiseCopyable {
  /// From the intended time to the instant the generator calls connect, or write.
  package var generatorLag: Int64
  /// TCP and registration.
  package var connect: Int64
  /// Waiting for a slot, flow control, pushback and back-off.
  package var hold: Int64
  /// First byte written → ack read, retries included.
  package var service: Int64

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
  package var response = Histogram()
  package var generatorLag = Histogram()
  package var connect = Histogram()
  package var hold = Histogram()
  package var service = Histogram()
  /// Each try by itself.
  package var attempt = Histogram()

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
  }

  package mutating func merge(_ other: LatencyHistograms) {
    response.merge(other.response)
    generatorLag.merge(other.generatorLag)
    connect.merge(other.connect)
    hold.merge(other.hold)
    service.merge(other.service)
    attempt.merge(other.attempt)
  }

  package mutating func reset() {
    response.reset()
    generatorLag.reset()
    connect.reset()
    hold.reset()
    service.reset()
    attempt.reset()
  }
}

/// Counters that only grow, of one interval.
package struct IntervalCounters: Codable, Equatable, Sendable, BitwiseCopyable {
  package var offeredBatches = 0
  package var offeredFixes = 0
  package var acknowledgedBatches = 0
  package var acknowledgedFixes = 0
  package var failedBatches = 0
  package var attempts = 0
  package var bytesSent = 0
  package var bytesReceived = 0
  package var pushesReceived = 0

  package init() {}

  package static func += (a: inout Self, b: Self) {
    a.offeredBatches += b.offeredBatches
    a.offeredFixes += b.offeredFixes
    a.acknowledgedBatches += b.acknowledgedBatches
    a.acknowledgedFixes += b.acknowledgedFixes
    a.failedBatches += b.failedBatches
    a.attempts += b.attempts
    a.bytesSent += b.bytesSent
    a.bytesReceived += b.bytesReceived
    a.pushesReceived += b.pushesReceived
  }
}

/// What was measured in one interval.
package struct Interval: Codable, Equatable, Sendable {
  package var counters = IntervalCounters()
  package var latency = LatencyHistograms()

  package init() {}

  package mutating func merge(_ other: Interval) {
    counters += other.counters
    latency.merge(other.latency)
  }

  package mutating func reset() {
    counters = IntervalCounters()
    latency.reset()
  }
}

/// Records from any thread; a reader takes an interval away without making writers wait for more
/// than an exchange of two buffers.
package final class IntervalRecorder: Sendable {
  private let active = Mutex(Interval())
  /// Reset and ready, so that who records waits for no more than an exchange.
  private let spare = Mutex(Interval())

  package init() {}

  package func record(_ timing: BatchTiming) {
    active.withLock { $0.latency.record(timing) }
  }

  package func recordFailure(_ timing: BatchTiming, deadline: Int64) {
    active.withLock { $0.latency.recordFailure(timing, deadline: deadline) }
  }

  package func recordAttempt(_ microseconds: Int64) {
    active.withLock { $0.latency.attempt.record(microseconds) }
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
