package struct StaleLedger: Equatable, Sendable, BitwiseCopyable {
  private var microseconds = InlineArray<16, Int64>(repeating: 0)

  package init() {}

  package subscript(_ cause: StaleCause) -> SimDuration {
    .microseconds(microseconds[cause.slot])
  }

  package mutating func add(_ duration: SimDuration, _ cause: StaleCause) {
    microseconds[cause.slot] += duration.microseconds
  }

  package var sum: SimDuration {
    StaleCause.allCases.reduce(.zero) { $0 + self[$1] }
  }

  package mutating func merge(_ other: StaleLedger) {
    for cause in StaleCause.allCases { add(other[cause], cause) }
  }

  package var phoneMinutes: [String: Double] {
    Dictionary(
      uniqueKeysWithValues: StaleCause.allCases.map { ($0.rawValue, self[$0].seconds / 60) })
  }

  package static func == (a: Self, b: Self) -> Bool {
    StaleCause.allCases.allSatisfy { a[$0] == b[$0] }
  }
}

extension StaleLedger: Codable {
  package init(from decoder: any Decoder) throws {
    for (cause, microseconds) in try [StaleCause: Int64](from: decoder) {
      add(.microseconds(microseconds), cause)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    try Dictionary(
      uniqueKeysWithValues: StaleCause.allCases.map { ($0, self[$0].microseconds) }
    ).encode(to: encoder)
  }
}

extension StaleCause {
  /// The index of the case. An enumeration without payloads is stored as this index.
  package var slot: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}
