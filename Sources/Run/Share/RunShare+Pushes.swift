internal import Core
internal import Fleet
internal import Foundation
internal import Push
internal import ServerLogic
internal import Uploads

/// Encodes a share with its pushes, 90 % of a plain encoding, as columns of differences.
extension RunShare {
  private enum Keys: String, CodingKey {
    case fleet, server, latencyLog, batches, target, pushes
  }

  package func encode(to encoder: any Encoder) throws {
    var rest = self
    let tape = PushTape(taking: &rest)
    var fields = encoder.container(keyedBy: Keys.self)
    try fields.encode(rest.fleet, forKey: .fleet)
    try fields.encode(rest.server, forKey: .server)
    try fields.encodeIfPresent(latencyLog, forKey: .latencyLog)
    try fields.encodeIfPresent(batches, forKey: .batches)
    try fields.encodeIfPresent(target, forKey: .target)
    try fields.encode(tape.bytes, forKey: .pushes)
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    try self.init(
      fleet: fields.decode(FleetAccount.self, forKey: .fleet),
      server: fields.decode(ServerAccount.self, forKey: .server),
      latencyLog: fields.decodeIfPresent(String.self, forKey: .latencyLog),
      batches: fields.decodeIfPresent(DemandLog.self, forKey: .batches))
    target = try fields.decodeIfPresent(TargetAccount.self, forKey: .target)
    let tape = try PushTape(bytes: fields.decode(Data.self, forKey: .pushes))
    guard tape.give(to: &self) else {
      throw DecodingError.dataCorruptedError(
        forKey: .pushes, in: fields, debugDescription: "the pushes are truncated or malformed")
    }
  }
}

private struct PushTape {
  let bytes: Data

  init(bytes: Data) { self.bytes = bytes }

  init(taking share: inout RunShare) {
    var columns = PackedColumns()
    columns.pass(&share)
    bytes = Data(columns.bytes)
    share.fleet.pushEndings = []
    share.server.wake.occasions = []
    share.server.wake.requests = []
  }

  /// Decodes the columns into `share`; returns false if they are invalid.
  func give(to share: inout RunShare) -> Bool {
    var columns = PackedColumns(adding: [UInt8](bytes))
    columns.pass(&share)
    return columns.isRead
  }
}

extension PackedColumns {
  fileprivate mutating func pass(_ share: inout RunShare) {
    pass(&share.fleet.pushEndings, \.numbers, PushEnding.init)
    pass(&share.server.wake.occasions, \.numbers, WakeOccasion.init)
    pass(
      &share.server.wake.requests, { [$0.microseconds, 0, 0, 0, 0, 0, 0, 0] },
      { SimInstant(microseconds: $0[0]) })
  }

  private mutating func pass<Value>(
    _ list: inout [Value], _ numbers: (Value) -> SIMD8<Int64>, _ value: (SIMD8<Int64>) -> Value
  ) {
    let count = agree(Int64(list.count))
    // A block of 64 numbers takes at least one byte in each column.
    guard adds ? (0...Int64(bytes.count) * 8).contains(count) : isSound else { return refuse() }
    var columns = Array(repeating: [Int64](repeating: 0, count: Int(count)), count: 8)
    var last = SIMD8<Int64>()
    for place in list.indices where !adds {
      let next = numbers(list[place])
      for lane in 0..<8 { columns[lane][place] = next[lane] &- last[lane] }
      last = next
    }
    for lane in 0..<8 { pass(&columns[lane]) }
    guard adds else { return }
    list = (0..<Int(count)).map { place in
      for lane in 0..<8 { last[lane] &+= columns[lane][place] }
      return value(last)
    }
  }
}

extension PushEnding {
  /// The ID, phone, instant and outcome, then two pairs: for the cause, and for the report without
  /// the push. A pair is 0, 0 (unknown), 1, 0 (never), or 2 and the time since the push.
  fileprivate var numbers: SIMD8<Int64> {
    func after(_ instant: SimInstant) -> (Int64, Int64) {
      instant == .distantFuture ? (1, 0) : (2, instant.microseconds &- requestedAt.microseconds)
    }
    let cause = after(causedAt)
    let other = counterfactualReport.map(after) ?? (0, 0)
    return [
      Int64(bitPattern: id), Int64(phone.rawValue), requestedAt.microseconds,
      Int64(Self.outcomes.firstIndex(of: outcome) ?? 0), cause.0, cause.1, other.0, other.1,
    ]
  }

  fileprivate init(_ numbers: SIMD8<Int64>) {
    let at = numbers[2]
    func instant(_ kind: Int64, _ after: Int64) -> SimInstant {
      kind == 2 ? SimInstant(microseconds: at &+ after) : .distantFuture
    }
    self.init(
      id: UInt64(bitPattern: numbers[0]),
      phone: PhoneID(rawValue: UInt32(truncatingIfNeeded: numbers[1])),
      requestedAt: SimInstant(microseconds: at),
      outcome: Self.outcomes[Self.outcomes.indices.contains(Int(numbers[3])) ? Int(numbers[3]) : 0],
      causedAt: instant(numbers[4], numbers[5]))
    if numbers[6] != 0 { counterfactualReport = instant(numbers[6], numbers[7]) }
  }

  private static let outcomes = WakeOutcome.allCases
}

extension WakeOccasion {
  /// The ID and instant, two flags, the manner, and whether and when the push was answered.
  fileprivate var numbers: SIMD8<Int64> {
    [
      Int64(bitPattern: pushID), at.microseconds, isWithheld ? 1 : 0, isPending ? 1 : 0,
      Int64(manner.rawValue), answeredAfter == nil ? 0 : 1, answeredAfter?.microseconds ?? 0, 0,
    ]
  }

  fileprivate init(_ numbers: SIMD8<Int64>) {
    self.init(
      pushID: UInt64(bitPattern: numbers[0]), at: SimInstant(microseconds: numbers[1]),
      isWithheld: numbers[2] != 0,
      answeredAfter: numbers[5] == 0 ? nil : SimDuration(microseconds: numbers[6]),
      isPending: numbers[3] != 0,
      manner: PushManner(rawValue: UInt8(truncatingIfNeeded: numbers[4])))
  }
}
