/// How the values of a block are predicted. Raw values appear in the stream.
enum PackedMode: UInt64, CaseIterable {
  /// Every value is the previous value plus the slope. No residuals follow.
  case exact
  /// The previous value plus the slope.
  case first
  /// The previous value plus the previous step.
  case second
  /// A moving mean plus the slope, for jitter around a line; the newest value weighs a quarter.
  case smoothed

  static let bits = 2
}

enum PackedKind {
  /// The blocks of the column contain their slope.
  case sloped
  case plain
  /// Differences go the short way round: 359 is next to 0.
  case circle

  static let fullCircle: Int64 = 360
}

/// A column's residuals after prediction, Rice-coded in blocks, each with the best mode and
/// parameter. PROTOCOL.md, section 9, describes the format to the bit.
enum PackedColumn {
  /// The number of values that share a mode and parameter. On recorded days, lengths of 32 and 128
  /// gave the same result within 1 %.
  static let blockLength = 64
  /// A residual with this many ones or more is written in full, which bounds its size.
  static let escapeOnes = 12
  static let escapeWidthBits = 6
  static let parameterBits = 4
  /// The bits of the width that precedes a number of any size.
  static let numberWidthBits = 5
  /// A moving mean has `meanPlaces` binary places, and adds 2^-`meanGain` of each value's residual.
  static let meanPlaces: Int64 = 4
  static let meanGain: Int64 = 2

  /// The longest encoding of a value, and of a block's header.
  static let valueBitsMax = escapeOnes + escapeWidthBits + 64
  static let blockBitsMax = PackedMode.bits + numberWidthBits + 31 + parameterBits

  @inline(__always)
  static func zigzag(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: value &<< 1 ^ value &>> 63)
  }

  @inline(__always)
  static func unzigzag(_ bits: UInt64) -> Int64 {
    Int64(bitPattern: bits &>> 1) ^ -Int64(bitPattern: bits & 1)
  }

  /// Returns the shorter way round the circle, -180 ... 179.
  @inline(__always)
  static func shortWay(_ difference: Int64) -> Int64 {
    let turned = (difference &+ 180) % PackedKind.fullCircle
    return (turned < 0 ? turned + PackedKind.fullCircle : turned) - 180
  }

  @inline(__always)
  static func onCircle(_ value: Int64) -> Int64 {
    let turned = value % PackedKind.fullCircle
    return turned < 0 ? turned + PackedKind.fullCircle : turned
  }
}

/// A moving mean, in sixteenths.
struct PackedMean {
  private var level: Int64

  @inline(__always)
  init(_ value: Int64) { level = value &<< PackedColumn.meanPlaces }

  /// Advances the mean by the slope, and returns it as the prediction.
  @inline(__always)
  mutating func step(_ slope: Int64) -> Int64 {
    level &+= slope &<< PackedColumn.meanPlaces
    return level &>> PackedColumn.meanPlaces
  }

  @inline(__always)
  mutating func correct(_ residual: Int64) {
    level &+= residual &<< (PackedColumn.meanPlaces - PackedColumn.meanGain)
  }
}

// MARK: - Reading

extension PackedColumn {
  static func takeNumber(from bits: inout BitReader) -> UInt64 {
    let width = Int(bits.take(numberWidthBits))
    guard width > 1 else { return UInt64(width) }
    return 1 << UInt64(width - 1) | bits.take(width - 1)
  }

  /// Reads `count - 1` values after the first; returns false if the stream ended early.
  static func read(
    _ values: UnsafeMutablePointer<Int64>, count: Int, _ kind: PackedKind,
    from bits: inout BitReader
  ) -> Bool {
    var begin = 1
    while begin < count {
      let length = min(blockLength, count - begin)
      let before = begin > 1 ? values[begin - 1] &- values[begin - 2] : 0
      guard readBlock(values + begin, length, before: before, kind, from: &bits) else {
        return false
      }
      begin += length
    }
    return bits.isWithin
  }

  private static func readBlock(
    _ values: UnsafeMutablePointer<Int64>, _ length: Int, before: Int64, _ kind: PackedKind,
    from bits: inout BitReader
  ) -> Bool {
    guard bits.isWithin, let mode = PackedMode(rawValue: bits.take(PackedMode.bits)) else {
      return false
    }
    var slope: Int64 = 0
    if kind == .sloped {
      slope = unzigzag(takeNumber(from: &bits))
      guard bits.isWithin else { return false }
    }
    let parameter = mode == .exact ? 0 : Int(bits.take(parameterBits))
    switch mode {
    case .exact:
      for i in 0..<length { values[i] = values[i - 1] &+ slope }
    case .first:
      for i in 0..<length {
        guard bits.isWithin else { return false }
        let value = values[i - 1] &+ slope &+ takeResidual(parameter, from: &bits)
        values[i] = kind == .circle ? onCircle(value) : value
      }
    case .second:
      var step = kind == .sloped ? slope : before
      for i in 0..<length {
        guard bits.isWithin else { return false }
        let value = values[i - 1] &+ step &+ takeResidual(parameter, from: &bits)
        values[i] = kind == .circle ? onCircle(value) : value
        step = values[i] &- values[i - 1]
      }
    case .smoothed:
      var mean = PackedMean(values[-1])
      for i in 0..<length {
        guard bits.isWithin else { return false }
        let predicted = mean.step(slope)
        let residual = takeResidual(parameter, from: &bits)
        mean.correct(residual)
        values[i] = kind == .circle ? onCircle(predicted &+ residual) : predicted &+ residual
      }
    }
    return true
  }

  @inline(__always)
  private static func takeResidual(_ parameter: Int, from bits: inout BitReader) -> Int64 {
    let word = bits.word
    let ones = (~word).trailingZeroBitCount
    if ones < escapeOnes {
      let shift = UInt64(truncatingIfNeeded: parameter)
      let low = word &>> UInt64(truncatingIfNeeded: ones &+ 1) & (1 &<< shift &- 1)
      bits.skip(ones &+ 1 &+ parameter)
      return unzigzag(UInt64(truncatingIfNeeded: ones) &<< shift | low)
    }
    bits.skip(escapeOnes)
    let width = Int(truncatingIfNeeded: bits.take(escapeWidthBits)) + 1
    return unzigzag(bits.takeWide(width))
  }
}
