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
      let second = second(
        values, length, kind, before: step, slope: isSloped ? step : 0, below: best.bits)
      if second.bits < best.bits { best = second }
      let smoothed = smoothed(
        values, length, kind, slope: isSloped ? meanStep(values, length) : 0, below: best.bits)
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

  // MARK: The ways to predict

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
    _ values: UnsafePointer<Int64>, _ length: Int, _ kind: PackedKind, before: Int64,
    slope: Int64, below bound: Int
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
    price(&plan, length, below: bound)
    return plan
  }

  private func smoothed(
    _ values: UnsafePointer<Int64>, _ length: Int, _ kind: PackedKind, slope: Int64,
    below bound: Int
  ) -> Plan {
    var plan = Plan(mode: .smoothed, row: rows + 2 * PackedColumn.blockLength, slope: slope)
    var mean = PackedMean(values[-1])
    for i in 0..<length {
      let predicted = mean.step(slope)
      var residual = values[i] &- predicted
      if kind == .circle { residual = PackedColumn.shortWay(residual) }
      mean.correct(residual)
      plan.row[i] = PackedColumn.zigzag(residual)
    }
    price(&plan, length, below: bound)
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
  ///
  /// - Parameter bound: a plan that cannot become cheaper is left at `Int.max` bits.
  private func price(_ plan: inout Plan, _ length: Int, below bound: Int = .max) {
    var widths = 0
    for i in 0..<length { widths &+= 64 &- plan.row[i].leadingZeroBitCount }
    // A residual of w bits takes w + 1 whatever the parameter, a zero takes 1.
    guard widths + length < bound else { return }
    let most = 1 << PackedColumn.parameterBits - 1
    plan.parameter = min(max(widths / length - 1, 0), most)
    let (below, at, above) = Self.costs(plan.row, length, around: plan.parameter)
    plan.bits = at
    if above < at, plan.parameter < most {
      descend(&plan, length, direction: 1, to: above, most)
    } else if below < at {
      descend(&plan, length, direction: -1, to: below, most)
    }
  }

  /// - Parameter bits: what the next parameter costs, which is less.
  private func descend(
    _ plan: inout Plan, _ length: Int, direction: Int, to bits: Int, _ most: Int
  ) {
    var bits = bits
    while bits < plan.bits {
      plan.parameter += direction
      plan.bits = bits
      let next = plan.parameter + direction
      guard next >= 0, next <= most else { return }
      bits = Self.cost(plan.row, length, next)
    }
  }

  /// What the parameter below, this one and the one above would cost; there is none below 0.
  private static func costs(
    _ row: UnsafeMutablePointer<UInt64>, _ length: Int, around parameter: Int
  ) -> (below: Int, at: Int, above: Int) {
    let (shift, most) = (UInt64(truncatingIfNeeded: parameter), UInt64(PackedColumn.escapeOnes))
    let escaped = UInt64(PackedColumn.escapeOnes &+ PackedColumn.escapeWidthBits &+ 64)
    var (below, at, above): (UInt64, UInt64, UInt64) = (0, 0, 0)
    let less = shift > 0 ? shift &- 1 : 0
    for i in 0..<length {
      // Both are estimated: a choice is cheaper than a branch that noise decides.
      let wide = escaped &- UInt64(truncatingIfNeeded: row[i].leadingZeroBitCount)
      let ones = (row[i] &>> less, row[i] &>> shift, row[i] &>> (shift &+ 1))
      below &+= ones.0 < most ? ones.0 &+ 1 &+ less : wide
      at &+= ones.1 < most ? ones.1 &+ 1 &+ shift : wide
      above &+= ones.2 < most ? ones.2 &+ 2 &+ shift : wide
    }
    return (parameter > 0 ? Int(below) : .max, Int(at), Int(above))
  }

  private static func cost(
    _ row: UnsafeMutablePointer<UInt64>, _ length: Int, _ parameter: Int
  ) -> Int {
    let (shift, most) = (UInt64(truncatingIfNeeded: parameter), UInt64(PackedColumn.escapeOnes))
    let escaped = UInt64(PackedColumn.escapeOnes &+ PackedColumn.escapeWidthBits &+ 64)
    var sum: UInt64 = 0
    for i in 0..<length {
      // Both are estimated: a choice is cheaper than a branch that noise decides.
      let ones = row[i] &>> shift
      let wide = escaped &- UInt64(truncatingIfNeeded: row[i].leadingZeroBitCount)
      sum &+= ones < most ? ones &+ 1 &+ shift : wide
    }
    return Int(sum)
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
