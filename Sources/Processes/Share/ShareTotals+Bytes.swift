internal import Figures
internal import Fleet
internal import Transport

extension ShareTotals {
  mutating func pass(_ tape: inout IntegerTape) {
    tape.pass(&second)
    tape.pass(&phones)
    tape.pass(&counts)
    pushes.pass(&tape)
    let nobody = Snapshot.ProcessLoad(name: "", cores: nil, residentBytes: 0)
    tape.pass(&senders, of: nobody, most: 1 << 20) { $1.pass(&$0) }
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
