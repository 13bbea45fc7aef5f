internal import Figures
internal import Fleet
internal import Foundation
internal import Processes
internal import PushService
internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Uploads

/// A share as it travels between processes or lies in a file: pushes, of which a day has as many as
/// all else together has numbers, as a tape of differences; the rest as its fields name it.
///
/// Written out by their fields, pushes were nine tenths of a share, and of two processes that share
/// a day a twelfth of the time went into writing and reading them.
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
        forKey: .pushes, in: fields, debugDescription: "the pushes end too early, or are no pushes")
    }
  }
}

/// Holds the three lists of a share that have an entry for each push.
private struct PushTape {
  let bytes: Data

  init(bytes: Data) { self.bytes = bytes }

  /// Takes the lists out of a share.
  init(taking share: inout RunShare) {
    var tape = IntegerTape()
    Self.pass(&share, &tape, most: .max)
    bytes = Data(tape.bytes)
    share.fleet.pushEndings = []
    share.server.wake.occasions = []
    share.server.wake.requests = []
  }

  /// Puts the lists into a share; false: these are none.
  func give(to share: inout RunShare) -> Bool {
    var tape = IntegerTape(reading: [UInt8](bytes))
    // Every entry takes a byte at least.
    Self.pass(&share, &tape, most: bytes.count)
    return tape.isRead
  }

  private static func pass(
    _ share: inout RunShare, _ tape: inout IntegerTape, most: Int
  ) {
    var last = PushFields()
    tape.pass(&share.fleet.pushEndings, of: PushFields().ending, most: most) { tape, ending in
      var fields = PushFields(ending)
      fields.pass(&tape, after: last)
      last = fields
      ending = fields.ending
    }
    last = PushFields()
    let none = PushFields().occasion
    tape.pass(&share.server.wake.occasions, of: none, most: most) { tape, occasion in
      var fields = PushFields(occasion)
      fields.pass(&tape, after: last)
      last = fields
      occasion = fields.occasion
    }
    var before: Int64 = 0
    tape.pass(&share.server.wake.requests, of: .distantPast, most: most) { tape, instant in
      var step = instant.microseconds &- before
      tape.pass(&step)
      before = before &+ step
      instant = SimInstant(microseconds: before)
    }
  }
}

/// Holds the numbers of one push, of which the next one's differ little.
private struct PushFields {
  private var id: UInt64 = 0
  private var phone: Int64 = 0
  private var at: Int64 = 0
  /// Is the place of the outcome among all, or what is true of an occasion, a bit each.
  private var kind: Int64 = 0
  /// Is what follows the push, after it; nil: nothing did.
  private var first: Int64?
  private var second: Int64?

  init() {}

  // MARK: An ending

  init(_ ending: PushEnding) {
    id = ending.id
    phone = Int64(ending.phone.rawValue)
    at = ending.requestedAt.microseconds
    kind = Int64(Self.places[ending.outcome] ?? 0)
    first = after(ending.causedAt)
    guard let other = ending.counterfactualReport else { return }
    kind |= Self.isKnown
    second = after(other)
  }

  var ending: PushEnding {
    var ending = PushEnding(
      id: id, phone: PhoneID(rawValue: UInt32(truncatingIfNeeded: phone)),
      requestedAt: SimInstant(microseconds: at), outcome: Self.outcomes[place],
      causedAt: instant(first))
    if kind & Self.isKnown != 0 { ending.counterfactualReport = instant(second) }
    return ending
  }

  private var place: Int {
    let place = Int(kind & ~Self.isKnown)
    return Self.outcomes.indices.contains(place) ? place : 0
  }

  /// Marks an ending of which is known what the phone would have done without the push.
  private static let isKnown: Int64 = 1 << 8
  private static let outcomes = WakeOutcome.allCases
  private static let places = Dictionary(
    uniqueKeysWithValues: WakeOutcome.allCases.enumerated().map { ($1, $0) })

  private func after(_ instant: SimInstant) -> Int64? {
    instant == .distantFuture ? nil : instant.microseconds &- at
  }

  private func instant(_ after: Int64?) -> SimInstant {
    after.map { SimInstant(microseconds: at &+ $0) } ?? .distantFuture
  }

  // MARK: An occasion

  init(_ occasion: WakeOccasion) {
    id = occasion.pushID
    at = occasion.at.microseconds
    kind =
      (occasion.isWithheld ? 1 : 0) | (occasion.isPending ? 2 : 0)
      | Int64(occasion.manner.rawValue) << 2
    first = occasion.answeredAfter?.microseconds
  }

  var occasion: WakeOccasion {
    WakeOccasion(
      pushID: id, at: SimInstant(microseconds: at), isWithheld: kind & 1 != 0,
      answeredAfter: first.map { SimDuration(microseconds: $0) }, isPending: kind & 2 != 0,
      manner: PushManner(rawValue: UInt8(truncatingIfNeeded: kind >> 2)))
  }

  // MARK: The tape

  mutating func pass(_ tape: inout IntegerTape, after last: PushFields) {
    var (steps, phoneStep) = (id &- last.id, phone &- last.phone)
    var step = at &- last.at
    tape.pass(&steps)
    tape.pass(&phoneStep)
    tape.pass(&step)
    tape.pass(&kind)
    id = last.id &+ steps
    phone = last.phone &+ phoneStep
    at = last.at &+ step
    tape.pass(&first, from: 0) { $0.pass(&$1) }
    tape.pass(&second, from: 0) { $0.pass(&$1) }
  }
}
