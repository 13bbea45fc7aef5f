internal import Phone
package import Scenarios
package import SimulationCore
internal import Telemetry

/// Records everything that a server sent to the phones of a live run, and when each phone consumed
/// it.
///
/// With it `simulate --inputs` repeats the same behaviour. All numbers are little-endian:
///
/// | offset | size | header |
/// |---|---|---|
/// | 0 | 8 | `FLOTINP1` |
/// | 8 | 8 | seed |
/// | 16 | 8 | scenario hash |
/// | 24 | 8 | instant at which the run's measured time ended, µs |
/// | 32 | 8 | number of records |
///
/// | offset | size | record |
/// |---|---|---|
/// | 0 | 4 | phone |
/// | 4 | 1 | kind: 0 outcome, 1 push, 2 settings |
/// | 5 | 1 | result of an outcome |
/// | 6 | 2 | zero |
/// | 8 | 8 | instant of consumption, µs |
/// | 16 | 8 | attempt, push id, or number of the rollout |
/// | 24 | 8 | push: requested at, µs |
/// | 32 | 8 | push: expiration, µs |
package struct InputLog: Equatable, Sendable {
  /// The seed of the run that was recorded.
  package var seed: UInt64
  /// The hash of the scenario that was run.
  package var scenarioHash: UInt64
  /// The instant at which the run's measured time ended.
  package var end: SimInstant
  /// The inputs, for each phone in its order of consumption.
  package var inputs: [ConsumedInput]

  /// The text with which every log begins.
  package static let magic: [UInt8] = Array("FLOTINP1".utf8)
  /// The length of the header in bytes.
  package static let headerBytes = 40
  /// The length of one record in bytes.
  package static let recordBytes = 40

  /// Makes a log of a run from inputs in order of consumption for each phone.
  package init(seed: UInt64, scenarioHash: UInt64, end: SimInstant, inputs: [ConsumedInput]) {
    self.seed = seed
    self.scenarioHash = scenarioHash
    self.end = end
    self.inputs = inputs
  }

  /// Returns the file's bytes: header, then one record an input.
  package var bytes: [UInt8] {
    var out = Self.header(
      seed: seed, scenarioHash: scenarioHash, end: end, records: UInt64(inputs.count))
    out.reserveCapacity(Self.headerBytes + inputs.count * Self.recordBytes)
    for input in inputs { Self.append(input, to: &out) }
    return out
  }

  static func header(
    seed: UInt64, scenarioHash: UInt64, end: SimInstant, records: UInt64
  ) -> [UInt8] {
    var out = magic
    out.appendWord(seed)
    out.appendWord(scenarioHash)
    out.appendWord(UInt64(bitPattern: end.microseconds))
    out.appendWord(records)
    return out
  }

  static func append(_ consumed: ConsumedInput, to out: inout [UInt8]) {
    let phone = UInt64(consumed.phone.rawValue)
    let at = UInt64(bitPattern: consumed.at.microseconds)
    switch consumed.input {
    case .outcome(let attempt, let result):
      out.appendWord(phone | UInt64(result.rawValue) << 40)
      out.appendWord(at)
      out.appendWord(UInt64(attempt))
      out.appendWord(0)
      out.appendWord(0)
    case .settings(let number):
      out.appendWord(phone | 2 << 32)
      out.appendWord(at)
      out.appendWord(UInt64(number))
      out.appendWord(0)
      out.appendWord(0)
    case .push(let push):
      out.appendWord(phone | 1 << 32 | UInt64(push.manner.rawValue) << 40)
      out.appendWord(at)
      out.appendWord(push.id)
      out.appendWord(UInt64(bitPattern: push.requestedAt.microseconds))
      out.appendWord(UInt64(bitPattern: push.expiration.microseconds))
    }
  }

  /// Reads a log, or says what is wrong with it.
  package init(bytes: [UInt8]) throws(InputLogError) {
    guard bytes.count >= Self.headerBytes, Array(bytes[0..<8]) == Self.magic else {
      throw .notAnInputLog
    }
    let count = bytes.word(at: 32)
    guard count <= UInt64(bytes.count / Self.recordBytes),
      bytes.count == Self.headerBytes + Int(count) * Self.recordBytes
    else { throw .truncated(records: count, bytes: bytes.count) }
    seed = bytes.word(at: 8)
    scenarioHash = bytes.word(at: 16)
    end = SimInstant(microseconds: Int64(bitPattern: bytes.word(at: 24)))
    guard end.isWithinReach else { throw .notAnInputLog }
    inputs = []
    inputs.reserveCapacity(Int(count))
    for n in 0..<Int(count) {
      guard let input = Self.read(bytes, at: Self.headerBytes + n * Self.recordBytes) else {
        throw .unknownRecord(number: n)
      }
      inputs.append(input)
    }
  }

  private static func read(_ bytes: [UInt8], at offset: Int) -> ConsumedInput? {
    let head = bytes.word(at: offset)
    let phone = PhoneID(rawValue: UInt32(truncatingIfNeeded: head))
    let at = SimInstant(microseconds: Int64(bitPattern: bytes.word(at: offset + 8)))
    let name = bytes.word(at: offset + 16)
    guard at.isWithinReach else { return nil }
    switch UInt8(truncatingIfNeeded: head >> 32) {
    case 0:
      guard let result = UploadResult(rawValue: UInt8(truncatingIfNeeded: head >> 40)),
        let attempt = UInt32(exactly: name)
      else { return nil }
      return ConsumedInput(phone: phone, at: at, input: .outcome(attempt: attempt, result))
    case 1:
      let push = SilentPush(
        id: name, phone: phone,
        requestedAt: SimInstant(microseconds: Int64(bitPattern: bytes.word(at: offset + 24))),
        expiration: SimInstant(microseconds: Int64(bitPattern: bytes.word(at: offset + 32))),
        manner: PushManner(rawValue: UInt8(truncatingIfNeeded: head >> 40)))
      guard push.requestedAt.isWithinReach, push.expiration.isWithinReach else { return nil }
      return ConsumedInput(phone: phone, at: at, input: .push(push))
    case 2:
      guard let number = UInt8(exactly: name) else { return nil }
      return ConsumedInput(phone: phone, at: at, input: .settings(rollout: number))
    default:
      return nil
    }
  }
}

/// Is thrown when a file cannot be replayed.
package enum InputLogError: Error, Equatable, Sendable, CustomStringConvertible {
  case notAnInputLog
  case truncated(records: UInt64, bytes: Int)
  case unknownRecord(number: Int)

  /// What is wrong with the file.
  package var description: String {
    switch self {
    case .notAnInputLog:
      "this is not an input log (it does not begin with FLOTINP1); name a run's inputs.bin"
    case .truncated(let records, let bytes):
      "the input log announces \(records) records but has \(bytes) bytes; the run was cut off"
    case .unknownRecord(let number):
      "record \(number) of the input log has a kind or a time that this version does not know"
    }
  }
}

extension [UInt8] {
  fileprivate mutating func appendWord(_ word: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }

  fileprivate func word(at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for k in 0..<8 { word |= UInt64(self[offset + k]) << (8 * UInt64(k)) }
    return word
  }
}

extension InputLog {
  /// Returns whether a run of the scenario may have written the log: it ends with the run, and
  /// names only settings that the run had.
  package func fits(_ scenario: Scenario) -> Bool {
    end <= scenario.measureEnd + scenario.phases.drain
      && inputs.allSatisfy { input in
        guard case .settings(let number) = input.input else { return true }
        return Int(number) <= scenario.rollouts.count
      }
  }
}

extension PhoneFleet {
  /// Repeats a live run with the same inputs at the same instants and without a server.
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
