@testable import Core
import TestSupport
import Testing

@Suite("Columns of numbers as processes send them", .quick)
struct PackedColumnsTests {
  private static func written(_ column: [Int64]) -> [UInt8] {
    var (column, columns) = (column, PackedColumns())
    columns.pass(&column)
    return columns.bytes
  }

  /// Columns of all widths, dense and with few numbers, of lengths around that of a block.
  private static let columns: [[Int64]] = {
    var draw = Draw(seed: 7, phone: 0, .benchLatencies)
    var list: [[Int64]] = [[.min, .max, -1, 0, 1, 127, 128, -128, -129, 32_767, 32_768, -32_769]]
    for length in [0, 1, 63, 64, 65, 200] {
      for bits in [0, 1, 7, 8, 9, 31, 32, 47, 63] {
        for every in [1, 5, 40] {
          list.append(
            (0..<length).map { place in
              let number = Int64(bitPattern: draw.next()) >> Int64(63 - bits)
              return place % every == 0 ? number : 0
            })
        }
      }
    }
    return list
  }()

  @Test("a column reads back as written, whatever its length and numbers")
  func asItWas() {
    for column in Self.columns {
      var read = [Int64](repeating: 0, count: column.count)
      var columns = PackedColumns(adding: Self.written(column))
      columns.pass(&read)
      #expect(columns.isRead && read == column)
    }
  }

  @Test("columns add number by number")
  func sums() {
    for column in Self.columns {
      var sum = column.indices.map { Int64($0) &* 1_000_003 }
      var columns = PackedColumns(adding: Self.written(column))
      columns.pass(&sum)
      #expect(sum == column.indices.map { Int64($0) &* 1_000_003 &+ column[$0] })
    }
  }

  @Test("a check changes nothing, and ends at the right byte")
  func checked() {
    for column in Self.columns {
      let bytes = Self.written(column)
      var read = [Int64](repeating: 5, count: column.count)
      for (text, isWhole) in [
        (bytes, true), (bytes + [0], false), (bytes.dropLast(), bytes.isEmpty),
      ] {
        var columns = PackedColumns(checking: text)
        columns.pass(&read)
        #expect(columns.isRead == isWhole)
      }
      #expect(read == [Int64](repeating: 5, count: column.count))
    }
  }

  @Test("an impossible block is refused", arguments: [[9], [0x10], [0x11, 64, 1], [0x0F]])
  func damaged(_ block: [UInt8]) {
    var column = [Int64](repeating: 0, count: 64)
    var columns = PackedColumns(checking: block + [UInt8](repeating: 0, count: 600))
    columns.pass(&column)
    #expect(!columns.isSound)
  }

  private static func histogram(_ number: Int) -> Histogram {
    var draw = Draw(seed: UInt64(number), phone: 0, .benchLatencies)
    var histogram = Histogram()
    for _ in 0..<number * 700 {
      histogram.record(Int64(draw.logNormal(median: 900, sigma: 3)))
    }
    if number % 2 == 1 { histogram.recordCensored(atLeast: 4_000_000 * Int64(number)) }
    return histogram
  }

  private static func bytes(_ histogram: Histogram) -> [UInt8] {
    var (histogram, columns) = (histogram, PackedColumns())
    histogram.pass(&columns)
    return columns.bytes
  }

  @Test("packed histograms add to the same sum as unpacked ones, bin by bin")
  func histograms() {
    var (sum, expected) = (Histogram(), Histogram())
    for number in 0..<9 {
      let histogram = Self.histogram(number)
      expected.merge(histogram)
      var columns = PackedColumns(adding: Self.bytes(histogram))
      sum.pass(&columns)
      #expect(columns.isRead && sum == expected && sum.sparse == expected.sparse)
    }
    #expect(sum.total > 20_000)
  }

  @Test("packed age integrals add to the same sum as unpacked ones")
  func ages() {
    var (sum, expected) = (Self.ages(0), Self.ages(0))
    for number in 1..<6 {
      var (ages, columns) = (Self.ages(number), PackedColumns())
      ages.pass(&columns)
      expected.merge(ages)
      columns = PackedColumns(adding: columns.bytes)
      sum.pass(&columns)
      #expect(columns.isRead && sum == expected)
    }
    var (other, columns) = (AgeIntegral(thresholds: [.hours(1)]), PackedColumns())
    other.pass(&columns)
    columns = PackedColumns(adding: columns.bytes)
    sum.pass(&columns)
    #expect(!columns.isSound && sum == expected)
  }

  private static func ages(_ number: Int) -> AgeIntegral {
    var draw = Draw(seed: UInt64(number), phone: 1, .benchLatencies)
    var ages = AgeIntegral(thresholds: [.minutes(30)])
    for _ in 0..<number * 300 {
      let from = SimDuration.seconds(Int64(draw.logNormal(median: 600, sigma: 2)) - 5)
      ages.add(from: from, to: from + .seconds(Int64(draw.logNormal(median: 900, sigma: 2))))
    }
    ages.addNever(.minutes(Int64(number)))
    return ages
  }
}
