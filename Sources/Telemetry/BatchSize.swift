internal import SimulationCore

/// The bytes of a batch on the wire, reckoned without encoding it.
///
/// Columns as `proto/PROTOCOL.md` has them: time and place as second differences, the rest as
/// first ones, each a zigzag varint. That part is exact. Of compression it knows one thing: runs of
/// unchanged values vanish, at the price of zstd's frame.
package struct BatchSize: Sendable, BitwiseCopyable {
  private var columns = 0
  /// Differences of nothing, a byte each.
  private var zeros = 0
  private var count = 0
  private var last = Fix(
    coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0), time: FixTime(centiseconds: 0),
    accuracyMeters: 0, speedDecimetersPerSecond: 0, courseDegrees: 0)
  private var steps: (time: Int64, latitude: Int32, longitude: Int32) = (0, 0, 0)

  /// Six columns of a tag and a length each, then the request's own fields.
  private static let columnHeaders = 6 * 2
  private static let envelope = 13
  /// zstd's frame and the tables of its sequences (measured on walks of 30 to 300 fixes).
  private static let compressedHeaders = 20

  package init() {}

  package mutating func add(_ fix: Fix) {
    let time = fix.time.centiseconds &- last.time.centiseconds
    let latitude = fix.coordinate.latitudeE6 &- last.coordinate.latitudeE6
    let longitude = fix.coordinate.longitudeE6 &- last.coordinate.longitudeE6
    append(time &- steps.time)
    append(Int64(latitude &- steps.latitude))
    append(Int64(longitude &- steps.longitude))
    append(Int64(fix.accuracyMeters) - Int64(last.accuracyMeters))
    append(Int64(fix.speedDecimetersPerSecond) - Int64(last.speedDecimetersPerSecond))
    append(Int64(fix.courseDegrees) - Int64(last.courseDegrees))
    // The first row holds values and leaves no step behind.
    steps = count == 0 ? (0, 0, 0) : (time, latitude, longitude)
    last = fix
    count += 1
  }

  /// Of the columns before compression.
  package var plainBytes: Int { columns + Self.columnHeaders }

  /// Of the whole request.
  package var bytes: Int {
    plainBytes - max(0, zeros - Self.compressedHeaders) + Self.envelope
  }

  /// A zigzag varint.
  private mutating func append(_ difference: Int64) {
    let zigzag = UInt64(bitPattern: difference << 1 ^ difference >> 63)
    columns += max(1, (70 - zigzag.leadingZeroBitCount) / 7)
    if difference == 0 { zeros += 1 }
  }
}
