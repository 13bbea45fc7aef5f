import Core
import TestSupport
import Testing

@testable import Wire

/// Residuals are computed and costed by eights; here they are one at a time.
@Suite("Residuals of a packed block", .quick)
struct PackedResidualsTests {
  /// Some small ones, and at times one of any width, the widest too.
  private func residuals(_ length: Int, _ draw: inout Draw) -> [Int64] {
    let usual = Int(draw.uniform() * 14)
    return (0..<length).map { _ in
      let width = draw.uniform() < 0.1 ? Int(draw.uniform() * 65) : usual
      let bits = UInt64(draw.uniform() * 4_294_967_296) &* 0x9e37_79b9_7f4a_7c15
      return Int64(bitPattern: width == 0 ? 0 : bits >> UInt64(64 - width))
    }
  }

  private func withTaken(
    _ values: [Int64], isCircle: Bool = false, _ body: (PackedResiduals) -> Void
  ) {
    // Earlier content must not count, nor bytes after the last one.
    let scratch = UnsafeMutablePointer<SIMD8<UInt64>>.allocate(
      capacity: PackedResiduals.wordsMax / 8)
    scratch.initialize(repeating: .init(repeating: .max), count: PackedResiduals.wordsMax / 8)
    defer { scratch.deallocate() }
    var taken = PackedResiduals(
      UnsafeMutableRawPointer(scratch).assumingMemoryBound(to: UInt64.self))
    taken.take(values.count, isCircle: isCircle) { begin in
      var lanes = SIMD8<Int64>(repeating: -77)
      for lane in 0..<min(8, values.count - begin) { lanes[lane] = values[begin + lane] }
      return lanes
    }
    body(taken)
  }

  /// PROTOCOL.md, section 9: ones, a zero and the low bits; or twelve ones, a width and the number.
  private func cost(_ values: [Int64], _ parameter: Int) -> Int {
    values.map { value in
      let zigzag = PackedColumn.zigzag(value)
      let ones = zigzag >> UInt64(parameter)
      return ones < 12 ? Int(ones) + 1 + parameter : 12 + 6 + 64 - zigzag.leadingZeroBitCount
    }.reduce(0, +)
  }

  @Test("each parameter costs the sum of its residuals, and that many bits are written")
  func costs() {
    var draw = Draw(seed: 11, phone: 1, Purpose(rawValue: 9_000))
    for length in Array(1...PackedColumn.blockLength) + Array(1...PackedColumn.blockLength) {
      let values = residuals(length, &draw)
      withTaken(values) { taken in
        let widths = values.map { 64 - PackedColumn.zigzag($0).leadingZeroBitCount }
        #expect(taken.widthsSum == widths.reduce(0, +))
        for parameter in 0..<16 {
          let around = taken.costs(length, around: parameter)
          #expect(around.below == (parameter > 0 ? cost(values, parameter - 1) : .max))
          #expect(around.at == cost(values, parameter))
          #expect(around.above == cost(values, parameter + 1))
          #expect(taken.cost(length, parameter) == around.at)
          var bytes = [UInt8](repeating: 0, count: 64 * 12)
          let written = bytes.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { start in
              var bits = BitWriter(start)
              taken.write(length, parameter, into: &bits)
              return bits.finish()
            }
          }
          #expect(written == (around.at + 7) / 8)
        }
      }
    }
  }

  @Test("on a circle every second difference is the short way")
  func circle() {
    for difference in -718...718 as ClosedRange<Int64> {
      withTaken([difference], isCircle: true) { taken in
        let short = PackedColumn.zigzag(PackedColumn.shortWay(difference))
        #expect(taken.widthsSum == 64 - short.leadingZeroBitCount)
        #expect(taken.cost(1, 8) == cost([PackedColumn.shortWay(difference)], 8))
      }
    }
  }
}
