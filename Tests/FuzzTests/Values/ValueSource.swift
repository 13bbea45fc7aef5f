internal import Core

/// Makes values from bytes: each byte selects one, mostly the usual value, else one at the end of a
/// range, or the eight bytes that follow.
struct ValueSource {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place >= bytes.count }

  mutating func byte() -> UInt8 {
    guard place < bytes.count else { return 0 }
    defer { place += 1 }
    return bytes[place]
  }

  private mutating func word() -> UInt64 {
    (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) }
  }

  private mutating func pick<Value>(_ usual: Value, _ others: [Value], raw: (UInt64) -> Value)
    -> Value
  {
    let choice = byte()
    if choice < 160 { return usual }
    if choice == 255 { return raw(word()) }
    return others[Int(choice - 160) % others.count]
  }

  private static let wholes: [Int64] = [
    .max, .min, 0, -1, 1, 9_223_372_036_854_775_806, -9_223_372_036_854_775_807,
    2_305_843_009_213_693_951, 2_305_843_009_213_693_952, -2_305_843_009_213_693_952,
    -2_305_843_009_213_693_953, 922_337_203_685_477, -922_337_203_685_478,
    315_360_000_000_000, 315_360_000_000_001, 4_294_967_295_999_999, 4_294_967_296_000_000,
    -1_000_000_000_000_000, 999_999, 1_000_000, 1_000_001, 86_400_000_000,
  ]

  mutating func int64(_ usual: Int64) -> Int64 {
    pick(usual, Self.wholes, raw: { Int64(bitPattern: $0) })
  }

  private static let words: [UInt64] = [
    .max, 0, 1, 18_446_744_073_709_551_614, 9_223_372_036_854_775_808, 9_223_372_036_854_775_807,
    9_007_199_254_740_992, 9_007_199_254_740_993, 4_294_967_296,
  ]

  mutating func uint64(_ usual: UInt64) -> UInt64 { pick(usual, Self.words, raw: { $0 }) }

  private static let halves: [UInt32] = [
    .max, 0, 1, 2, 4_294_967_294, 2_147_483_648, 2_147_483_647, 63, 64, 65, 255, 256,
  ]

  mutating func uint32(_ usual: UInt32) -> UInt32 {
    pick(usual, Self.halves, raw: { UInt32(truncatingIfNeeded: $0) })
  }

  mutating func int32(_ usual: Int32) -> Int32 {
    Int32(bitPattern: uint32(UInt32(bitPattern: usual)))
  }

  private static let numbers: [Double] = [
    .nan, .infinity, -.infinity, 0, -0.0, -1, 1, 0.5, 1e300, -1e300, 1e-300, .leastNonzeroMagnitude,
    1e15, 1e18,
    .greatestFiniteMagnitude, 0.001, 0.01, 100_000, 1_000_000, 10, 255,
  ]

  mutating func double(_ usual: Double) -> Double {
    pick(usual, Self.numbers, raw: { Double(bitPattern: $0) })
  }

  mutating func flag() -> Bool { byte() & 1 == 0 }

  mutating func span<Timeline>(_ usual: TimeSpan<Timeline>) -> TimeSpan<Timeline> {
    .microseconds(int64(usual.microseconds))
  }

  mutating func instant<Timeline>(_ usual: TimePoint<Timeline>) -> TimePoint<Timeline> {
    TimePoint(microseconds: int64(usual.microseconds))
  }

  /// A list of up to three, or of many.
  mutating func list<Value>(_ make: (inout Self) -> Value) -> [Value] {
    let choice = byte()
    return (0..<(choice == 255 ? 300 : Int(choice % 4))).map { _ in make(&self) }
  }

  mutating func one<Value>(of all: [Value]) -> Value { all[Int(byte()) % all.count] }
}
