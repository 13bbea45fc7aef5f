/// A block's residuals for one prediction, and their cost. Eight lanes are processed at once,
/// filled up with zeros, so no length needs a branch. Comparisons use the sign of a difference.
struct PackedResiduals {
  typealias Lanes = SIMD8<Int64>
  typealias Bits = SIMD8<UInt64>

  static let lanes = 8

  /// Zigzag values and their bit widths: two rows of a block.
  private let zigzags: UnsafeMutablePointer<UInt64>
  private let widths: UnsafeMutablePointer<UInt64>
  private(set) var widthsSum = 0

  /// - Parameter scratch: `wordsMax` words, aligned as eight words, in use until the next `take`.
  init(_ scratch: UnsafeMutablePointer<UInt64>) {
    zigzags = scratch
    widths = scratch + PackedColumn.blockLength
  }

  static let wordsMax = 2 * PackedColumn.blockLength

  // MARK: Reading

  /// - Parameter residuals: returns eight residuals from an index on, arbitrary beyond the last.
  @inline(__always)
  mutating func take(_ length: Int, isCircle: Bool = false, _ residuals: (Int) -> Lanes) {
    for begin in stride(from: 0, to: length, by: Self.lanes) {
      var lanes = residuals(begin)
      if isCircle { lanes = Self.shortWay(lanes) }
      let isThere = (Self.places &- Lanes(repeating: Int64(length &- begin))) &>> 63
      let zigzag = Bits(truncatingIfNeeded: (lanes &<< 1 ^ lanes &>> 63) & isThere)
      UnsafeMutableRawPointer(zigzags + begin).storeBytes(of: zigzag, as: Bits.self)
    }
    measure(length)
  }

  /// Measures value by value, since most processors do not count leading zeros by lane.
  @inline(__always)
  private mutating func measure(_ length: Int) {
    widthsSum = 0
    for place in 0..<length &+ Self.behind(length) { measure(at: place) }
  }

  @inline(__always)
  private mutating func measure(at place: Int) {
    let width = 64 &- zigzags[place].leadingZeroBitCount
    widths[place] = UInt64(truncatingIfNeeded: width)
    widthsSum &+= width
  }

  @inline(__always)
  private static func behind(_ length: Int) -> Int { -length & (lanes - 1) }

  /// The property is computed, since a stored one would be a call and not a constant.
  @inline(__always)
  private static var places: Lanes { Lanes(0, 1, 2, 3, 4, 5, 6, 7) }

  /// Does what `shortWay` of `PackedColumn` does, but only within two turns, as course values need.
  @inline(__always)
  private static func shortWay(_ differences: Lanes) -> Lanes {
    let turn = Lanes(repeating: PackedKind.fullCircle)
    let half = Lanes(repeating: PackedKind.fullCircle / 2)
    var short = differences
    for _ in 0..<2 {
      short &+= turn & ((short &+ half) &>> 63)
      short &-= turn & ((half &- 1 &- short) &>> 63)
    }
    return short
  }

  /// Takes one residual; after the last one, the caller must call `end`.
  @inline(__always)
  mutating func put(_ residual: Int64, at place: Int) {
    zigzags[place] = PackedColumn.zigzag(residual)
    measure(at: place)
  }

  @inline(__always)
  mutating func end(_ length: Int) {
    for place in length..<length &+ Self.behind(length) {
      zigzags[place] = 0
      widths[place] = 0
    }
  }

  /// Returns the differences of eight values to their predecessors.
  @inline(__always)
  static func steps(_ values: UnsafePointer<Int64>) -> Lanes {
    load(values) &- load(values - 1)
  }

  @inline(__always)
  private static func load(_ values: UnsafePointer<Int64>) -> Lanes {
    UnsafeRawPointer(values).loadUnaligned(as: Lanes.self)
  }

  @inline(__always)
  private static func bits(_ row: UnsafePointer<UInt64>) -> Bits {
    UnsafeRawPointer(row).load(as: Bits.self)
  }

  // MARK: Costs

  /// Returns the bits for three parameters; `below` is `.max` if `parameter` is 0.
  func costs(_ length: Int, around parameter: Int) -> (below: Int, at: Int, above: Int) {
    let less = max(parameter - 1, 0)
    var (below, at, above) = (Bits.zero, Bits.zero, Bits.zero)
    for begin in stride(from: 0, to: length, by: Self.lanes) {
      let (zigzag, width) = (Self.bits(zigzags + begin), Self.bits(widths + begin))
      below &+= Self.cost(zigzag, width, less)
      at &+= Self.cost(zigzag, width, parameter)
      above &+= Self.cost(zigzag, width, parameter &+ 1)
    }
    return (
      parameter > 0 ? total(below, length, less) : .max, total(at, length, parameter),
      total(above, length, parameter + 1)
    )
  }

  func cost(_ length: Int, _ parameter: Int) -> Int {
    var sum = Bits.zero
    for begin in stride(from: 0, to: length, by: Self.lanes) {
      sum &+= Self.cost(Self.bits(zigzags + begin), Self.bits(widths + begin), parameter)
    }
    return total(sum, length, parameter)
  }

  /// Computes the bits of both codes, since a select is cheaper than an unpredictable branch.
  @inline(__always)
  private static func cost(_ zigzag: Bits, _ width: Bits, _ parameter: Int) -> Bits {
    let shift = UInt64(truncatingIfNeeded: parameter)
    let ones = zigzag &>> Bits(repeating: shift)
    let rice = ones &+ Bits(repeating: shift &+ 1)
    let escaped = width &+ Bits(repeating: UInt64(escapeBits))
    // Halves are compared, since the highest bit of a difference is its sign.
    let half = Lanes(truncatingIfNeeded: ones &>> 1) &- Lanes(repeating: halfOfEscapeOnes)
    let isRice = Bits(truncatingIfNeeded: half &>> 63)
    return escaped ^ (escaped ^ rice) & isRice
  }

  private static let escapeBits = PackedColumn.escapeOnes + PackedColumn.escapeWidthBits
  private static let halfOfEscapeOnes = Int64(PackedColumn.escapeOnes / 2)

  /// Returns the bits without those of the zeros that fill the last lanes.
  @inline(__always)
  private func total(_ sum: Bits, _ length: Int, _ parameter: Int) -> Int {
    Int(truncatingIfNeeded: sum.wrappedSum()) &- Self.behind(length) &* (parameter &+ 1)
  }

  // MARK: Writing

  func write(_ length: Int, _ parameter: Int, into bits: inout BitWriter) {
    let shift = UInt64(truncatingIfNeeded: parameter)
    let mask: UInt64 = 1 &<< shift &- 1
    // The local copy stays in registers until the last residual is written.
    var local = bits
    var i = 0
    while i &+ 1 < length {
      let (one, two) = (zigzags[i], zigzags[i &+ 1])
      let (ones, nextOnes) = (one &>> shift, two &>> shift)
      let most = UInt64(PackedColumn.escapeOnes)
      // Two residuals, each of at most 11 + 1 + 15 bits, take one store.
      guard ones < most, nextOnes < most else {
        writeOne(i, parameter, into: &local)
        i &+= 1
        continue
      }
      let low = (one & mask) &<< (ones &+ 1) | (1 &<< ones &- 1)
      let high = (two & mask) &<< (nextOnes &+ 1) | (1 &<< nextOnes &- 1)
      let bits = ones &+ 1 &+ shift
      local.put(
        high &<< bits | low, Int(truncatingIfNeeded: bits &+ nextOnes &+ 1 &+ shift))
      i &+= 2
    }
    if i < length { writeOne(i, parameter, into: &local) }
    bits = local
  }

  private func writeOne(_ place: Int, _ parameter: Int, into bits: inout BitWriter) {
    let shift = UInt64(parameter)
    let residual = zigzags[place]
    let ones = residual >> shift
    if ones < PackedColumn.escapeOnes {
      let low = residual & (1 << shift - 1)
      bits.put(low << (ones + 1) | (1 << ones - 1), Int(ones) + 1 + parameter)
    } else {
      // An escaped residual is not 0, so `width` is at least 1.
      let width = Int(widths[place])
      bits.put(
        UInt64(width - 1) << UInt64(PackedColumn.escapeOnes)
          | (1 << UInt64(PackedColumn.escapeOnes) - 1),
        PackedColumn.escapeOnes + PackedColumn.escapeWidthBits)
      bits.putWide(residual, width)
    }
  }
}
