internal import Fleet
internal import Measure
internal import ServerLogic
internal import SimulationCore
internal import Transport

extension ShareInterval {
  /// Is the interval as it travels each second: whole numbers, so that sums stay exact.
  var bytes: [UInt8] {
    var copy = self
    var tape = IntegerTape()
    copy.pass(&tape)
    return tape.bytes
  }

  /// Reads what `bytes` gave; nil: it is something else.
  init?(bytes: [UInt8]) {
    self.init(
      second: 0, phones: 0, load: Interval(), metrics: LiveFigures(), census: FleetCensus(),
      uploads: UploadCounters(), pushes: Snapshot.PushFunnel(), occasions: 0, answers: 0,
      plainBytes: 0, payloadBytes: 0, senders: [])
    var tape = IntegerTape(reading: bytes)
    pass(&tape)
    guard tape.isRead else { return nil }
  }

  private mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&second)
    tape.pass(&phones)
    load.pass(&tape)
    metrics.pass(&tape)
    census.pass(&tape)
    uploads.pass(&tape)
    pushes.pass(&tape)
    tape.pass(&occasions)
    tape.pass(&answers)
    tape.pass(&plainBytes)
    tape.pass(&payloadBytes)
    let nobody = Snapshot.ProcessLoad(name: "", cores: nil, residentBytes: 0)
    tape.pass(&senders, of: nobody, most: 1 << 20) { $1.pass(&$0) }
  }
}

extension Interval {
  fileprivate mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&counters.offeredBatches)
    tape.pass(&counters.offeredFixes)
    tape.pass(&counters.acknowledgedBatches)
    tape.pass(&counters.acknowledgedFixes)
    tape.pass(&counters.failedBatches)
    tape.pass(&latency.response)
    tape.pass(&latency.generatorLag)
    tape.pass(&latency.connect)
    tape.pass(&latency.hold)
    tape.pass(&latency.service)
    tape.pass(&latency.attempt)
    tape.pass(&latency.secured, from: SecuredHistograms()) { tape, secured in
      tape.pass(&secured.tcp)
      tape.pass(&secured.full)
      tape.pass(&secured.resumed)
    }
  }
}

extension LiveFigures {
  fileprivate mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&fixesGenerated)
    tape.pass(&fixesPersisted)
    tape.pass(&fixesEvicted)
    tape.pass(&fixesRefused)
    tape.pass(&fixesAcknowledged)
    var (limit, reach) = (freshness.limit, freshness.reach.meters)
    tape.pass(&limit)
    tape.pass(&reach)
    var cohorts = freshness.cohorts
    tape.pass(&cohorts, of: CohortFreshness(), most: 1 << 12) { tape, cohort in
      tape.pass(&cohort.total)
      tape.pass(&cohort.fresh)
    }
    if freshness.limit != limit || freshness.reach.meters != reach {
      freshness = FreshnessMetrics(
        limit: limit, reach: Distance(meters: reach), cohorts: cohorts.count)
    }
    freshness.cohorts = cohorts
    freshness.installed.pass(&tape)
    freshness.reachable.pass(&tape)
    freshness.moving.pass(&tape)
  }
}

extension PopulationMetrics {
  fileprivate mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&ages)
    tape.pass(&located)
    tape.pass(&total)
  }
}

extension FleetCensus {
  fileprivate mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&foreground)
    tape.pass(&background)
    tape.pass(&suspended)
    tape.pass(&notRunning)
    tape.pass(&switchedOff)
    tape.pass(&offline)
    tape.pass(&moving)
    tape.pass(&reachable)
    tape.pass(&outboxFixes)
    tape.pass(&inFlightFixes)
    tape.pass(&outboxBatches)
    tape.pass(&inFlightBatches)
  }
}

extension UploadCounters {
  fileprivate mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&submitted)
    tape.pass(&started)
    tape.pass(&acknowledged)
    tape.pass(&failed)
    tape.pass(&timedOut)
    tape.pass(&connects)
    tape.pass(&handshakesFull)
    tape.pass(&handshakesResumed)
    tape.pass(&connectFailures)
    tape.pass(&attempts)
    tape.pass(&retries)
    tape.pass(&retriesWithheld)
    tape.pass(&pushbacks)
    tape.pass(&bytesRead)
    tape.pass(&bytesWritten)
    tape.pass(&openConnections)
    tape.pass(&openConnectionsPeak)
    tape.pass(&inFlight)
    tape.pass(&scheduled)
    tape.pass(&statuses, of: 0, most: 256) { $0.pass(&$1) }
    tape.pass(&openConnectionsMaxHits)
    tape.pass(&descriptorLimitHits)
    tape.pass(&portLimitHits)
  }
}

extension Snapshot.PushFunnel {
  fileprivate mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&requested)
    tape.pass(&withheld)
    tape.pass(&eligible)
    tape.pass(&answered)
    tape.pass(&outcomes, from: [:]) { tape, outcomes in
      for outcome in WakeOutcome.allCases {
        tape.pass(&outcomes[outcome.rawValue], from: 0) { $0.pass(&$1) }
      }
    }
  }
}

extension Snapshot.ProcessLoad {
  fileprivate mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&name)
    tape.pass(&cores, from: 0) { $0.pass(&$1) }
    tape.pass(&residentBytes)
    tape.pass(&waited, from: 0) { $0.pass(&$1) }
    let nothing = Sending(batchesPerSecond: 0, lagMaxMicroseconds: nil)
    tape.pass(&sending, from: nothing) { tape, sending in
      tape.pass(&sending.batchesPerSecond)
      tape.pass(&sending.lagMaxMicroseconds, from: 0) { $0.pass(&$1) }
    }
  }
}
