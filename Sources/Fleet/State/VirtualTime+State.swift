package import Core
internal import Phone
package import Scenarios
internal import ServerLogic

/// Writes and reads the state of virtual time besides its phones: the server, and the uploads in
/// flight.
extension VirtualTime {
  package func serverState() -> [UInt8] {
    let memory = backend.memory
    var tape = RecordWriter()
    tape.append(UInt64(memory.rows.count))
    memory.rows.withUnsafeBytes { tape.append($0) }
    tape.append(memory.forgotten)
    tape.append(UInt64(memory.leftovers.count))
    for beside in memory.leftovers {
      tape.append(beside.phone.rawValue)
      tape.append(beside.low)
      tape.append(beside.forgottenEpoch)
      tape.append(beside.forgottenUntil)
      tape.append(UInt32(beside.runs.count))
      for run in beside.runs {
        tape.append(run.epoch)
        tape.append(run.low)
        tape.append(run.high)
      }
    }
    return tape.bytes
  }

  /// - Parameter before: the settings by which the writing server pushed.
  package mutating func takeUpServer(
    _ bytes: [UInt8], terms before: PushTerms, at now: SimInstant
  ) throws(FleetStateError) {
    var tape = StateReader(bytes)
    let count = try tape.next(UInt64.self)
    guard count == UInt64(backend.phones) else {
      throw .notAllPhones(found: Int(clamping: count), wanted: backend.phones)
    }
    var memory = BackendMemory(
      rows: try tape.records(LastSeen(), count: Int(count)), leftovers: [],
      forgotten: try tape.next())
    for _ in 0..<(try tape.next(UInt64.self)) {
      var beside = RunsBesideRow(
        phone: PhoneID(rawValue: try tape.next()), low: try tape.next())
      beside.forgottenEpoch = try tape.next()
      beside.forgottenUntil = try tape.next()
      for _ in 0..<(try tape.next(UInt32.self)) {
        beside.runs.append(
          SequenceRun(epoch: try tape.next(), low: try tape.next(), high: try tape.next()))
      }
      memory.leftovers.append(beside)
    }
    guard tape.isAtEnd else { throw .tooLong }
    guard
      memory.rows.allSatisfy({
        $0.reportedAt.isWithinReach
          && ($0.newestFix.isWithinReach || $0.newestFix == LastSeen.neverSeen)
      })
    else { throw .impossible("a time that is out of reach") }
    backend.takeUp(memory, terms: before, at: now)
  }

  package func trafficState() -> [UInt8] {
    var tape = RecordWriter()
    let turns = turns(before: .distantFuture)
    tape.append(UInt64(turns.count))
    for turn in turns {
      inbox(of: PhoneID(rawValue: turn.phone))?.show(turn) { order, fixes in
        withUnsafeBytes(of: order) { tape.append($0) }
        for fix in fixes { fix.write(to: &tape) }
      }
    }
    return tape.bytes
  }

  /// Restores the uploads in flight. The fleet's ledgers record the uploads of deleted apps.
  package mutating func takeUpTraffic(_ bytes: [UInt8]) throws(FleetStateError) {
    var tape = StateReader(bytes)
    for _ in 0..<(try tape.next(UInt64.self)) {
      let order = try tape.records(UploadOrder.blank, count: 1)[0]
      guard [order.intended, order.perceivedAt, order.reachesServer].allSatisfy(\.isWithinReach)
      else { throw .impossible("a time that is out of reach") }
      guard let inbox = inbox(of: order.id.phone) else {
        throw .impossible("an upload of phone \(order.id.phone.rawValue)")
      }
      var fixes: [Fix] = []
      for _ in 0..<order.fixCount { fixes.append(try Fix(&tape)) }
      inbox.put(order, fixes)
      fleet.noteFormer(order, fixes)
    }
    guard tape.isAtEnd else { throw .tooLong }
  }
}

extension StateReader {
  /// Returns records read in their memory layout; `blank` initializes each record first.
  fileprivate mutating func records<Record: BitwiseCopyable>(
    _ blank: Record, count: Int
  ) throws(FleetStateError) -> [Record] {
    guard count <= left / MemoryLayout<Record>.size else { throw .cutShort }
    var records = [Record](repeating: blank, count: count)
    let size = count == 1 ? MemoryLayout<Record>.size : count * MemoryLayout<Record>.stride
    var problem: FleetStateError?
    records.withUnsafeMutableBytes { places in
      guard let base = places.baseAddress else { return }
      do throws(FleetStateError) { try copy(size, to: base) } catch { problem = error }
    }
    if let problem { throw problem }
    return records
  }
}

extension PhoneFleet {
  /// Begins the counted part of a run from a checkpoint, without an effect on behaviour.
  /// - Parameter before: the scenario up to now; changed settings apply at once.
  /// - Parameter carry: receives the hash and fixes of each stored batch without an answer at its
  ///   phone.
  /// - Returns: the `order` of each phone's newest acknowledged batch.
  package func goOnCounting(
    after before: Scenario, holds: (BatchID) -> Bool, carry: (_ hash: UInt64, _ fixes: Int) -> Void
  ) -> [UInt64] {
    let scenario = context.scenario
    let start = max(scenario.measureStart, min(horizon, scenario.measureEnd))
    let window = Window(start: start, end: scenario.measureEnd)
    var newest: [UInt64] = []
    newest.reserveCapacity(phones.count)
    inOrder { shard in
      shard.answer(.inProcess)
      shard.goOnCounting(freshnessWithin: window)
      shard.unanswered { id, hash, fixes in
        if holds(id) { carry(hash, fixes) }
      }
      shard.acknowledged { newest.append($0.order) }
      shard.adopt(settingsAfter: before)
    }
    return newest
  }

  fileprivate func noteFormer(_ order: UploadOrder, _ fixes: [Fix]) {
    guard let number = shard(of: order.id.phone) else { return }
    owners[number].shard.noteFormer(order, fixes)
  }
}
