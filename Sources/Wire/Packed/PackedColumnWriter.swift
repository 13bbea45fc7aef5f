final class PackedColumnWriter {
  /// The residuals in each mode, at the index of the mode.
  private let residuals: UnsafeMutablePointer<UInt64>

  /// The readable values that a column needs after its last value, since values are read in groups
  /// of eight. One readable value must precede the column.
  static let slack = PackedResiduals.lanes - 1

  init() {
    let words = PackedMode.allCases.count * PackedResiduals.wordsMax
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: words * MemoryLayout<UInt64>.stride,
      alignment: MemoryLayout<PackedResiduals.Bits>.alignment)
    residuals = memory.initializeMemory(as: UInt64.self, repeating: 0, count: words)
  }

  deinit { residuals.deallocate() }

  private struct Plan {
    var mode: PackedMode
    var residuals: PackedResiduals
    var slope: Int64 = 0
    var parameter = 0
    var bits = Int.max
  }

  private func plan(_ mode: PackedMode, slope: Int64) -> Plan {
    let place = Int(mode.rawValue) * PackedResiduals.wordsMax
    return Plan(mode: mode, residuals: PackedResiduals(residuals + place), slope: slope)
  }

  /// Writes all values but the first, which the reader knows.
  func write(
    _ values: UnsafePointer<Int64>, count: Int, _ kind: PackedKind, into bits: inout BitWriter
  ) {
    var begin = 1
    while begin < count {
      let length = min(PackedColumn.blockLength, count - begin)
      // The first value has no step before it.
      let before = begin > 1 ? values[begin - 1] &- values[begin - 2] : 0
      writeBlock(values + begin, length, before: before, kind, into: &bits)
      begin += length
    }
  }

  /// - Parameter values: the block's values; the previous one is in memory before them.
  private func writeBlock(
    _ values: UnsafePointer<Int64>, _ length: Int, before: Int64, _ kind: PackedKind,
    into bits: inout BitWriter
  ) {
    let isSloped = kind == .sloped
    var best = first(values, length, kind, slope: isSloped ? commonStep(values, length) : 0)
    if best.mode != .exact {
      let step = isSloped ? writable(values[0] &- values[-1]) : before
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
    best.residuals.write(length, best.parameter, into: &bits)
  }

  // MARK: Prediction modes

  private func first(
    _ values: UnsafePointer<Int64>, _ length: Int, _ kind: PackedKind, slope: Int64
  ) -> Plan {
    var plan = plan(.first, slope: slope)
    plan.residuals.take(length, isCircle: kind == .circle) {
      PackedResiduals.steps(values + $0) &- PackedResiduals.Lanes(repeating: slope)
    }
    guard plan.residuals.widthsSum != 0 else {
      plan.mode = .exact
      plan.bits = 0
      return plan
    }
    price(&plan, length)
    return plan
  }

  private func second(
    _ values: UnsafePointer<Int64>, _ length: Int, _ kind: PackedKind, before: Int64,
    slope: Int64, below bound: Int
  ) -> Plan {
    var plan = plan(.second, slope: slope)
    plan.residuals.take(length, isCircle: kind == .circle) {
      var last = PackedResiduals.steps(values + $0 - 1)
      if $0 == 0 { last[0] = before }
      return PackedResiduals.steps(values + $0) &- last
    }
    price(&plan, length, below: bound)
    return plan
  }

  private func smoothed(
    _ values: UnsafePointer<Int64>, _ length: Int, _ kind: PackedKind, slope: Int64,
    below bound: Int
  ) -> Plan {
    var plan = plan(.smoothed, slope: slope)
    var mean = PackedMean(values[-1])
    for i in 0..<length {
      let predicted = mean.step(slope)
      var residual = values[i] &- predicted
      if kind == .circle { residual = PackedColumn.shortWay(residual) }
      mean.correct(residual)
      plan.residuals.put(residual, at: i)
    }
    plan.residuals.end(length)
    price(&plan, length, below: bound)
    return plan
  }

  // MARK: Slopes

  /// Returns the step that makes up more than half of the steps; without one, an arbitrary step.
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

  private func writable(_ slope: Int64) -> Int64 {
    PackedColumn.zigzag(slope) < 1 << 31 ? slope : 0
  }

  // MARK: The parameter

  /// Finds the Rice parameter by descent. A plan that cannot go below `bound` keeps `Int.max` bits.
  private func price(_ plan: inout Plan, _ length: Int, below bound: Int = .max) {
    let widths = plan.residuals.widthsSum
    // With any parameter a residual of w bits takes at least w + 1, and a zero at least 1.
    guard widths + length < bound else { return }
    let most = 1 << PackedColumn.parameterBits - 1
    plan.parameter = min(max(widths / length - 1, 0), most)
    let (below, at, above) = plan.residuals.costs(length, around: plan.parameter)
    plan.bits = at
    if above < at, plan.parameter < most {
      descend(&plan, length, direction: 1, to: above, most)
    } else if below < at {
      descend(&plan, length, direction: -1, to: below, most)
    }
  }

  /// - Parameter bits: the bits with the next parameter, fewer than with the plan's parameter.
  private func descend(
    _ plan: inout Plan, _ length: Int, direction: Int, to bits: Int, _ most: Int
  ) {
    var bits = bits
    while bits < plan.bits {
      plan.parameter += direction
      plan.bits = bits
      let next = plan.parameter + direction
      guard next >= 0, next <= most else { return }
      bits = plan.residuals.cost(length, next)
    }
  }
}

extension PackedColumn {
  /// Writes a number of up to 31 bits after its width (0 for 0), without its highest bit.
  static func putNumber(_ number: UInt64, into bits: inout BitWriter) {
    let width = 64 - number.leadingZeroBitCount
    bits.put(UInt64(width), numberWidthBits)
    guard width > 1 else { return }
    bits.put(number & (1 << UInt64(width - 1) - 1), width - 1)
  }
}
