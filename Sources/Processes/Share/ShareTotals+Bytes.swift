internal import Fleet
internal import Measure
internal import Records
internal import Transport

extension ShareTotals {
  mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&second)
    tape.pass(&phones)
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
