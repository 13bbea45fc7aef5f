internal import SimulationCore

/// The bytes of a batch on the wire, reckoned without encoding it.
///
/// Columns as `proto/PROTOCOL.md` has them: time and place as second differences, the rest as
/// first ones, each a zigzag varint. That part is exact; compression is a share.
package struct BatchSize: Sendable, BitwiseCopyable {
  private var columns = 0
  private var count = 0
  private var last = Fix(
    coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0), time: FixTime(centiseconds: 0),
    accuracyMeters: 0, speedDecimetersPerSecond: 0, courseDegrees: 0)
  private var steps: (time: Int64, latitude: Int64, longitude: Int64) = (0, 0, 0)

  /// Six columns of a tag and a length each, then the request's own fields and its message prefix.
  private static let columnHeaders = 6 * 2
  private static let envelope = 22
  /// zstd finds something in payloads beyond this, and takes a share of what lies above it.
  private static let compressedFrom = 300
  private static let compressedShare = 0.15

  package init() {}

  package mutating func add(_ fix: Fix) {
    let time = fix.time.centiseconds &- last.time.centiseconds
    let latitude = Int64(fix.coordinate.latitudeE6) - Int64(last.coordinate.latitudeE6)
    let longitude = Int64(fix.coordinate.longitudeE6) - Int64(last.coordinate.longitudeE6)
    columns +=
      Self.varint(time &- steps.time) + Self.varint(latitude - steps.latitude)
      + Self.varint(longitude - steps.longitude)
      + Self.varint(Int64(fix.accuracyMeters) - Int64(last.accuracyMeters))
      + Self.varint(Int64(fix.speedDecimetersPerSecond) - Int64(last.speedDecimetersPerSecond))
      + Self.varint(Int64(fix.courseDegrees) - Int64(last.courseDegrees))
    // The first row holds values and leaves no step behind.
    steps = count == 0 ? (0, 0, 0) : (time, latitude, longitude)
    last = fix
    count += 1
  }

  /// Of the columns before compression.
  package var plainBytes: Int { columns + Self.columnHeaders }

  /// Of the whole request.
  package var bytes: Int {
    let beyond = max(0, plainBytes - Self.compressedFrom)
    return plainBytes - Int(Double(beyond) * Self.compressedShare) + Self.envelope
  }

  private static func varint(_ value: Int64) -> Int {
    let zigzag = UInt64(bitPattern: value << 1 ^ value >> 63)
    return max(1, (70 - zigzag.leadingZeroBitCount) / 7)
  }
}
