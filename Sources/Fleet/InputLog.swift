package import Core
internal import Phone
package import Scenarios

/// A record of everything that a server sent to the phones of a live run, and when each phone
/// consumed it.
///
/// `simulate --inputs` repeats the run's behaviour from this log. The file is a `RecordFile`: a
/// header with seed and hash of the scenario, one record per input, and an end record with the end
/// of the measured time and the number of inputs. The log of a killed run has no end record.
package struct InputLog: Equatable, Sendable {
  package var seed: UInt64
  package var scenarioHash: UInt64
  package var end: SimInstant
  package var inputs: [ConsumedInput]

  private enum Kind: UInt8 { case head = 1, outcome, push, settings, end }
  private static let contentMax = 64

  package init(seed: UInt64, scenarioHash: UInt64, end: SimInstant, inputs: [ConsumedInput]) {
    self.seed = seed
    self.scenarioHash = scenarioHash
    self.end = end
    self.inputs = inputs
  }

  package var bytes: [UInt8] {
    var out = Self.begun(seed: seed, scenarioHash: scenarioHash)
    for input in inputs { Self.append(input, to: &out) }
    Self.finish(&out, end: end, inputs: inputs.count)
    return out.bytes
  }

  static func begun(seed: UInt64, scenarioHash: UInt64) -> RecordWriter {
    var out = RecordWriter(.inputs)
    out.record(Kind.head.rawValue) {
      $0.append(seed)
      $0.append(scenarioHash)
    }
    return out
  }

  static func finish(_ out: inout RecordWriter, end: SimInstant, inputs: Int) {
    out.record(Kind.end.rawValue) {
      $0.append(end.microseconds)
      $0.append(UInt64(inputs))
    }
  }

  static func append(_ consumed: ConsumedInput, to out: inout RecordWriter) {
    func begin(_ out: inout RecordWriter) {
      out.append(consumed.phone.rawValue)
      out.append(consumed.at.microseconds)
    }
    switch consumed.input {
    case .outcome(let attempt, let result):
      out.record(Kind.outcome.rawValue) {
        begin(&$0)
        $0.append(attempt)
        $0.append(result.rawValue)
      }
    case .settings(let number):
      out.record(Kind.settings.rawValue) {
        begin(&$0)
        $0.append(number)
      }
    case .push(let push):
      out.record(Kind.push.rawValue) {
        begin(&$0)
        $0.append(push.id)
        $0.append(push.requestedAt.microseconds)
        $0.append(push.expiration.microseconds)
        $0.append(push.manner.rawValue)
      }
    }
  }

  package init(bytes: [UInt8]) throws(InputLogError) {
    (seed, scenarioHash, end, inputs) = (0, 0, .distantPast, [])
    do throws(RecordError) {
      var reader = try RecordReader(bytes, .inputs)
      guard var head = try reader.next(most: Self.contentMax), head.kind == Kind.head.rawValue
      else {
        throw RecordError.foreign
      }
      (seed, scenarioHash) = (head.next(), head.next())
      while var record = try reader.next(most: Self.contentMax) {
        guard record.kind != Kind.end.rawValue else {
          end = SimInstant(microseconds: record.next())
          let isWhole = record.next(UInt64.self) == UInt64(inputs.count) && reader.isAtEnd
          guard record.isRead, isWhole, end.isWithinReach else { throw RecordError.foreign }
          return
        }
        guard let input = Self.read(&record) else {
          throw RecordError.damaged(offset: reader.offset)
        }
        inputs.append(input)
      }
    } catch {
      throw error == .foreign ? .notAnInputLog : .unknownRecord(number: inputs.count)
    }
    throw .cutOff(records: inputs.count)
  }

  private static func read(_ record: inout Record) -> ConsumedInput? {
    let phone = PhoneID(rawValue: record.next())
    let at = SimInstant(microseconds: record.next())
    let input: ServerInput
    switch Kind(rawValue: record.kind) {
    case .outcome:
      let attempt: UInt32 = record.next()
      guard let result = UploadResult(rawValue: record.next()) else { return nil }
      input = .outcome(attempt: attempt, result)
    case .push:
      let push = SilentPush(
        id: record.next(), phone: phone, requestedAt: SimInstant(microseconds: record.next()),
        expiration: SimInstant(microseconds: record.next()),
        manner: PushManner(rawValue: record.next()))
      guard push.requestedAt.isWithinReach, push.expiration.isWithinReach else { return nil }
      input = .push(push)
    case .settings: input = .settings(rollout: record.next())
    case .head, .end, nil: return nil
    }
    guard at.isWithinReach, record.isRead else { return nil }
    return ConsumedInput(phone: phone, at: at, input: input)
  }
}

package enum InputLogError: Error, Equatable, Sendable, CustomStringConvertible {
  case notAnInputLog
  case cutOff(records: Int)
  case unknownRecord(number: Int)

  package var description: String {
    switch self {
    case .notAnInputLog:
      "this is not an input log of this version (it does not begin with "
        + "\(RecordFile.inputs.rawValue)); give an inputs.bin that this version wrote"
    case .cutOff(let records):
      "the input log ends early, after \(records) records; the run was interrupted"
    case .unknownRecord(let number):
      "record \(number) of the input log has a kind or a time that this version does not know"
    }
  }
}

extension InputLog {
  /// Returns whether the log ends within the scenario's run and names only its rollouts.
  package func fits(_ scenario: Scenario) -> Bool {
    end <= scenario.measureEnd + scenario.phases.drain
      && inputs.allSatisfy { input in
        guard case .settings(let number) = input.input else { return true }
        return Int(number) <= scenario.rollouts.count
      }
  }
}

extension PhoneFleet {
  /// Repeats a live run with the same inputs at the same instants, without a server.
  package func replay(_ log: InputLog) {
    var byShard = [[ConsumedInput]](repeating: [], count: shardCount)
    for input in log.inputs {
      if let shard = shard(of: input.phone) { byShard[shard].append(input) }
    }
    let inputs = byShard
    forEachShard { n, shard in
      // The sort by instant is stable, so that one phone's inputs keep their order of consumption.
      let sorted = inputs[n].enumerated().sorted {
        ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
      }
      for (_, consumed) in sorted where consumed.at < log.end {
        shard.advance(before: consumed.at)
        _ = shard.consume(consumed.input, phone: consumed.phone)
        shard.clearOrders()
      }
      shard.advance(before: log.end)
      shard.clearOrders()
    }
  }
}
