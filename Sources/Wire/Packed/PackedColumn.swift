/// How a block of a column is foretold; the value is what stands in the stream.
enum PackedMode: UInt64, CaseIterable {
  /// Exactly: the one before and the slope. Nothing follows.
  case exact
  /// From the one before and the slope.
  case first
  /// From the one before and the step that led to it.
  case second
  /// From a mean of those before, the newest with a quarter, and the slope: for what jitters around
  /// a line.
  case smoothed

  static let bits = 2
}

/// What sets one column apart from another.
enum PackedKind {
  /// Its blocks name their slope.
  case sloped
  case plain
  /// Differences are taken the short way round: 359 is next to 0.
  case circle

  static let fullCircle: Int64 = 360
}

/// The residuals of a column: what is left of its values beside what the ones before foretell,
/// Rice-coded in blocks that have each the mode and the parameter that fit them best.
///
/// PROTOCOL.md, section 9, is the description to the bit.
enum PackedColumn {
  /// Values whose residuals share a mode and a parameter. On recorded days 32 and 128 came out the
  /// same within 1 %.
  static let blockLength = 64
  /// A residual with this many ones is written out: what it costs is then known.
  static let escapeOnes = 12
  static let escapeWidthBits = 6
  static let parameterBits = 4
  /// Of the width that stands before a number of any size.
  static let numberWidthBits = 5
  /// A mean has this many binary places, and takes a quarter of what was not foretold.
  static let meanPlaces: Int64 = 4
  static let meanGain: Int64 = 2

  /// The longest that a value can become, and what stands before a block.
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

  /// The short way round a circle, -180 ... 179.
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

// MARK: - Writing

/// Scratch of an encoder, for one block at a time.
final class PackedColumnWriter {
  /// Zigzag residuals, a row for each of `first`, `second` and `smoothed`.
  private let rows: UnsafeMutablePointer<UInt64>

  init() { rows = .allocate(capacity: 3 * PackedColumn.blockLength) }

  deinit { rows.deallocate() }

  /// What a block would cost.
  private struct Plan {
    var mode: PackedMode
    var row: UnsafeMutablePointer<UInt64>
    var slope: Int64 = 0
    var parameter = 0
    var bits = Int.max
  }

  /// Writes all values but the first, which its reader has from elsewhere.
  func write(
    _ values: UnsafePointer<Int64>, count: Int, _ kind: PackedKind, into bits: inout BitWriter
  ) {
    var begin = 1
    while begin < count {
      let length = min(PackedColumn.blockLength, count - begin)
      // The step before the first value is none.
      let before = begin > 1 ? values[begin - 1] &- values[begin - 2] : 0
      writeBlock(values + begin, length, before: before, kind, into: &bits)
      begin += length
    }
  }

  /// - Parameter values: preceded by the value before them.
  private func writeBlock(
    _ values: UnsafePointer<Int64>, _ length: Int, before: Int64, _ kind: PackedKind,
    into bits: inout BitWriter
  ) {
    let isSloped = kind == .sloped
    var best = first(values, length, kind, slope: isSloped ? commonStep(values, length) : 0)
    if best.mode != .exact {
      var step = before
      if isSloped { step = writable(values[0] &- values[-1]) }
      let second = second(values, length, kind, before: step, slope: isSloped ? step : 0)
      if second.bits < best.bits { best = second }
      let smoothed = smoothed(
        values, length, kind, slope: isSloped ? meanStep(values, length) : 0)
      if smoothed.bits < best.bits { best = smoothed }
    }
    bits.put(best.mode.rawValue, PackedMode.bits)
    if isSloped {
      let slope = PackedColumn.zigzag(best.slope)
      PackedColumn.putNumber(slope, into: &bits)
    }
    guard best.mode != .exact else { return }
    bits.put(UInt64(best.parameter), PackedColumn.parameterBits)
    PackedColumn.putResiduals(best.row, length, best.parameter, into: &bits)
  }

  // MARK: The ways to foretell

  private func first(
    _ values: UnsafePointer<Int64>, _ length: Int, _ kind: PackedKind, slope: Int64
  ) -> Plan {
    var plan = Plan(mode: .first, row: rows, slope: slope)
    var any: UInt64 = 0
    for i in 0..<length {
      var residual = values[i] &- values[i - 1] &- slope
      if kind == .circle { residual = PackedColumn.shortWay(residual) }
      let bits = PackedColumn.zigzag(residual)
      plan.row[i] = bits
      any |= bits
    }
    guard any != 0 else { return Plan(mode: .exact, row: rows, slope: slope, bits: 0) }
    price(&plan, length)
    return plan
  }

  private func second(
    _ values: UnsafePointer<Int64>, _ length: Int, _ kind: PackedKind, before: Int64, slope: Int64
  ) -> Plan {
    var plan = Plan(mode: .second, row: rows + PackedColumn.blockLength, slope: slope)
    var step = before
    for i in 0..<length {
      let now = values[i] &- values[i - 1]
      var residual = now &- step
      if kind == .circle { residual = PackedColumn.shortWay(residual) }
      step = now
      plan.row[i] = PackedColumn.zigzag(residual)
    }
    price(&plan, length)
    return plan
  }

  private func smoothed(
    _ values: UnsafePointer<Int64>, _ length: Int, _ kind: PackedKind, slope: Int64
  ) -> Plan {
    var plan = Plan(mode: .smoothed, row: rows + 2 * PackedColumn.blockLength, slope: slope)
    var mean = PackedMean(values[-1])
    for i in 0..<length {
      let foretold = mean.step(slope)
      var residual = values[i] &- foretold
      if kind == .circle { residual = PackedColumn.shortWay(residual) }
      mean.correct(residual)
      plan.row[i] = PackedColumn.zigzag(residual)
    }
    price(&plan, length)
    return plan
  }

  // MARK: Slopes

  /// The step that more than half of the steps are, if one is.
  private func commonStep(_ values: UnsafePointer<Int64>, _ length: Int) -> Int64 {
    var candidate: Int64 = 0
    var lead = 0
    for i in 0..<length {
      let step = values[i] &- values[i - 1]
      if lead == 0 {
        candidate = step
        lead = 1
      } else {
        lead += step == candidate ? 1 : -1
      }
    }
    return writable(candidate)
  }

  private func meanStep(_ values: UnsafePointer<Int64>, _ length: Int) -> Int64 {
    let (sum, isTooLong) = values[length - 1].subtractingReportingOverflow(values[-1])
    return isTooLong ? 0 : writable(sum / Int64(length))
  }

  /// A slope has at most 31 bits; one that has more is left to the residuals.
  private func writable(_ slope: Int64) -> Int64 {
    PackedColumn.zigzag(slope) < 1 << 31 ? slope : 0
  }

  // MARK: The parameter

  /// Finds the Rice parameter of a row: it begins with the mean width and goes downhill.
  private func price(_ plan: inout Plan, _ length: Int) {
    var widths = 0
    for i in 0..<length { widths &+= 64 &- plan.row[i].leadingZeroBitCount }
    let most = 1 << PackedColumn.parameterBits - 1
    plan.parameter = min(max(widths / length - 1, 0), most)
    plan.bits = Self.cost(plan.row, length, plan.parameter)
    for direction in [1, -1] {
      var next = plan.parameter + direction
      while (0...most).contains(next) {
        let bits = Self.cost(plan.row, length, next)
        guard bits < plan.bits else { break }
        plan.parameter = next
        plan.bits = bits
        next += direction
      }
    }
  }

  private static func cost(
    _ row: UnsafeMutablePointer<UInt64>, _ length: Int, _ parameter: Int
  ) -> Int {
    let (shift, most) = (UInt64(truncatingIfNeeded: parameter), UInt64(PackedColumn.escapeOnes))
    let escaped = UInt64(PackedColumn.escapeOnes &+ PackedColumn.escapeWidthBits &+ 64)
    var sum: UInt64 = 0
    for i in 0..<length {
      // Both are reckoned: a choice is cheaper than a branch that noise decides.
      let ones = row[i] &>> shift
      let wide = escaped &- UInt64(truncatingIfNeeded: row[i].leadingZeroBitCount)
      sum &+= ones < most ? ones &+ 1 &+ shift : wide
    }
    return Int(sum)
  }
}

/// A mean that moves, in sixteenths.
struct PackedMean {
  private var level: Int64

  @inline(__always)
  init(_ value: Int64) { level = value &<< PackedColumn.meanPlaces }

  /// Moves on by the slope: what is foretold.
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

extension PackedColumn {
  /// A number of up to 31 bits behind its width: 0 has the width 0, and the highest bit is not
  /// written.
  static func putNumber(_ number: UInt64, into bits: inout BitWriter) {
    let width = 64 - number.leadingZeroBitCount
    bits.put(UInt64(width), numberWidthBits)
    guard width > 1 else { return }
    bits.put(number & (1 << UInt64(width - 1) - 1), width - 1)
  }

  @inline(__always)
  fileprivate static func putResiduals(
    _ row: UnsafePointer<UInt64>, _ length: Int, _ parameter: Int, into bits: inout BitWriter
  ) {
    let shift = UInt64(parameter)
    let mask: UInt64 = 1 << shift - 1
    for i in 0..<length {
      let residual = row[i]
      let ones = residual &>> shift
      if ones < escapeOnes {
        let low = (residual & mask) &<< (ones &+ 1) | (1 &<< ones &- 1)
        bits.put(low, Int(truncatingIfNeeded: ones) &+ 1 &+ parameter)
      } else {
        // No residual that escapes is 0.
        let width = 64 - residual.leadingZeroBitCount
        bits.put(
          UInt64(width - 1) << UInt64(escapeOnes) | (1 << UInt64(escapeOnes) - 1),
          escapeOnes + escapeWidthBits)
        bits.putWide(residual, width)
      }
    }
  }
}

// MARK: - Reading

extension PackedColumn {
  /// The number that `putNumber` wrote.
  static func takeNumber(from bits: inout BitReader) -> UInt64 {
    let width = Int(bits.take(numberWidthBits))
    guard width > 1 else { return UInt64(width) }
    return 1 << UInt64(width - 1) | bits.take(width - 1)
  }

  /// Reads `count - 1` values behind the first, which is there already.
  ///
  /// - Returns: false: the stream ended before.
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
        let foretold = mean.step(slope)
        let residual = takeResidual(parameter, from: &bits)
        mean.correct(residual)
        values[i] = kind == .circle ? onCircle(foretold &+ residual) : foretold &+ residual
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
