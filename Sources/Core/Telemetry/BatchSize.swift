/// The bytes of a batch on the wire, estimated without encoding. The estimate is the Rice code of
/// the residuals in packed columns (`proto/PROTOCOL.md`), for two predictors and eight parameters.
/// The estimate ignores blocks, so it is a little too large for batches of hundreds of fixes.
package struct BatchSize: Sendable, BitwiseCopyable {
  private var time = ColumnSize(.second)
  private var seconds = ColumnSize(.second)
  private var leftOver: Int64 = 0
  private var start: Int64 = 0
  private var latitude = ColumnSize(.both)
  private var longitude = ColumnSize(.both)
  private var accuracy = ColumnSize(.first)
  private var speed = ColumnSize(.first)
  private var course = ColumnSize(.first)
  private var count = 0

  private static let headBits = 113
  private static let firstBits = 11
  /// The bytes of the request's other fields: tags, usual numbers, the payload's length, the check.
  private static let envelopeBytes = 17

  package init() {}

  package mutating func add(_ fix: Fix) {
    if count == 0 { start = fix.time.centiseconds }
    let (whole, rest) = (fix.time.centiseconds &- start).quotientAndRemainder(dividingBy: 100)
    time.add(fix.time.centiseconds)
    seconds.add(whole)
    leftOver |= rest
    latitude.add(Int64(fix.coordinate.latitudeE6))
    longitude.add(Int64(fix.coordinate.longitudeE6))
    accuracy.add(Int64(fix.accuracyMeters))
    if fix.speedDecimetersPerSecond >= 0 { speed.add(Int64(fix.speedDecimetersPerSecond)) }
    if fix.courseDegrees >= 0 { course.add(Int64(fix.courseDegrees), circle: 360) }
    count += 1
  }

  package var payloadBytes: Int {
    let times = leftOver == 0 ? seconds.slopedBits : time.slopedBits
    let partial = partialBits(speed) + partialBits(course)
    return
      (Self.headBits + times + min(latitude.firsts.bits, latitude.seconds.bits)
      + min(longitude.firsts.bits, longitude.seconds.bits) + accuracy.firsts.bits + partial) / 8
  }

  private func partialBits(_ column: ColumnSize) -> Int {
    guard column.values > 0 else { return 0 }
    return Self.firstBits + column.firsts.bits + (column.values < count ? count : 0)
  }

  package var bytes: Int { payloadBytes + Self.envelopeBytes }

  private static let rowBytes = 42

  /// Returns the estimated bytes in an encoding. Estimates for zstd and gzip (zstd 1.5.4, zlib
  /// 1.2.13) are within 20 % for simulated phones' batches and for walks of up to a thousand fixes.
  package func bytes(as encoding: BatchEncoding) -> Int {
    // A request with rows also has the payload's length before compression.
    let rows = Self.rowBytes * count + Self.envelopeBytes + 2
    return switch encoding {
    case .packed: bytes
    case .columns: bytes + bytes / 16 + 13 + min(count, 40)
    case .rows: rows
    case .rowsGzip: min(rows, 18 * count + 110)
    case .rowsZstd: min(rows, 18 * count + 80)
    }
  }
}

/// A column's residuals: first differences, second differences, or the cheaper of both.
private struct ColumnSize: BitwiseCopyable {
  enum Differences: BitwiseCopyable { case first, second, both }

  private let differences: Differences
  private var last: Int64 = 0
  private var step: Int64 = 0
  private(set) var values = 0
  private(set) var firsts = ResidualSize()
  private(set) var seconds = ResidualSize()

  /// The bits of the slope in a sloped column, if the slope is some seconds.
  private static let slopeBits = 15

  init(_ differences: Differences) { self.differences = differences }

  /// - Parameter circle: a value equivalent to 0, as 360 degrees.
  mutating func add(_ value: Int64, circle: Int64 = .max) {
    var difference = value &- last
    if difference >= circle / 2 { difference -= circle }
    if difference < -(circle / 2) { difference += circle }
    if values > 0 {
      // The first step of a sloped column is its slope.
      let second = difference &- step
      step = difference
      switch differences {
      case .first: firsts.add(difference)
      case .second: seconds.add(second)
      case .both:
        firsts.add(difference)
        seconds.add(second)
      }
    }
    last = value
    values += 1
  }

  /// The bits with a slope: a gap makes one large residual, not two as in second differences.
  var slopedBits: Int { values > 1 ? Self.slopeBits + seconds.bitsOfGaps : 0 }
}

/// The bits of residuals in a Rice code, for eight of its parameters. Comparisons use the sign of a
/// difference, so that the compiler vectorises the loop.
private struct ResidualSize: BitwiseCopyable {
  private typealias Lanes = SIMD8<UInt32>

  private var sums = Lanes.zero
  private var count: UInt32 = 0
  private var any: UInt64 = 0

  /// The property is computed, since a stored one would be a call and not a constant.
  @inline(__always)
  private static var parameters: Lanes { Lanes(0, 1, 2, 3, 5, 7, 9, 12) }
  private static let modeBits: UInt32 = 2
  private static let parameterBits: UInt32 = 5
  /// From this many ones on, a residual is escaped: it costs these ones, its width, and itself.
  private static let escapeOnes: UInt32 = 12
  private static let escapeWidthBits: UInt32 = 6

  @inline(__always)
  mutating func add(_ residual: Int64) {
    let zigzag = UInt64(bitPattern: residual &<< 1 ^ residual &>> 63)
    let width = UInt32(truncatingIfNeeded: 64 &- zigzag.leadingZeroBitCount)
    let magnitude = UInt32(truncatingIfNeeded: min(zigzag, UInt64(Int32.max)))
    let ones = Lanes(repeating: magnitude) &>> Self.parameters
    let rice = ones &+ Self.parameters &+ Lanes(repeating: 1)
    let escaped = Lanes(repeating: Self.escapeOnes &+ Self.escapeWidthBits &+ width)
    let beyond = ones &- Lanes(repeating: Self.escapeOnes)
    let isRice = Lanes(truncatingIfNeeded: SIMD8<Int32>(truncatingIfNeeded: beyond) &>> 31)
    sums &+= escaped ^ (escaped ^ rice) & isRice
    count &+= 1
    any |= zigzag
  }

  var bits: Int { Int(head &+ (any == 0 ? 0 : sums.min())) }

  /// The bits if each gap made one large residual instead of two: half of all above the minimum.
  var bitsOfGaps: Int {
    guard any != 0 else { return Int(head) }
    let least = (Self.parameters &+ Lanes(repeating: 1)) &* Lanes(repeating: count)
    return Int(head &+ (least &+ (sums &- least) &>> Lanes(repeating: 1)).min())
  }

  private var head: UInt32 {
    if count == 0 { return 0 }
    return Self.modeBits &+ (any == 0 ? 0 : Self.parameterBits)
  }
}
