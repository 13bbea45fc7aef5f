internal import CFlotillaProto
internal import Core

/// The `BatchRows` payload: one message per fix, as in most backends.
final class BatchRows {
  private typealias Row = Flotilla__V1__FixRow

  private var rows = UnsafeMutablePointer<Row>.allocate(capacity: 0)
  private var places = UnsafeMutablePointer<UnsafeMutablePointer<Row>?>.allocate(capacity: 0)
  private var capacity = 0

  deinit {
    rows.deallocate()
    places.deallocate()
  }

  /// - Throws: `valueOutOfRange` for a time that milliseconds cannot represent, and for a negative
  ///   speed or course other than -1: negative in a row means unknown.
  func pack(
    _ fixes: UnsafeBufferPointer<Fix>, into buffer: inout ByteBuffer
  ) throws(WireError) {
    grow(to: fixes.count)
    for (i, fix) in fixes.enumerated() { try fill(rows + i, from: fix) }
    var batch = Flotilla__V1__BatchRows()
    flotilla__v1__batch_rows__init(&batch)
    batch.n_fixes = fixes.count
    batch.fixes = places
    let size = flotilla__v1__batch_rows__get_packed_size(&batch)
    let place = buffer.reserve(size).baseAddress?.assumingMemoryBound(to: UInt8.self)
    buffer.commit(flotilla__v1__batch_rows__pack(&batch, place))
  }

  private func grow(to count: Int) {
    guard count > capacity else { return }
    rows.deallocate()
    places.deallocate()
    rows = .allocate(capacity: count)
    places = .allocate(capacity: count)
    capacity = count
    for i in 0..<count {
      flotilla__v1__fix_row__init(rows + i)
      (places + i).initialize(to: rows + i)
    }
  }

  private func fill(_ row: UnsafeMutablePointer<Row>, from fix: Fix) throws(WireError) {
    let (time, isTooLarge) = fix.time.centiseconds.multipliedReportingOverflow(by: 10)
    guard !isTooLarge else {
      throw .valueOutOfRange(column: "time_ms", value: fix.time.centiseconds)
    }
    row.pointee.time_ms = time
    row.pointee.latitude = Double(fix.coordinate.latitudeE6) / 1e6
    row.pointee.longitude = Double(fix.coordinate.longitudeE6) / 1e6
    row.pointee.accuracy = Float(fix.accuracyMeters)
    row.pointee.speed = try Self.known(fix.speedDecimetersPerSecond, "speed") { Float($0) / 10 }
    row.pointee.course = try Self.known(fix.courseDegrees, "course") { Float($0) }
  }

  private static func known(
    _ value: Int16, _ name: String, _ unit: (Int16) -> Float
  ) throws(WireError) -> Float {
    guard value >= -1 else { throw .valueOutOfRange(column: name, value: Int64(value)) }
    return value < 0 ? -1 : unit(value)
  }

  /// Reads a parsed batch into `fixes`, which has room for `count`. Throws `columnLength`,
  /// `rowValue`, or `valueOutOfRange` for a time that cannot be written again.
  static func read(
    _ batch: Flotilla__V1__BatchRows, count: Int, into fixes: UnsafeMutablePointer<Fix>
  ) throws(WireError) {
    guard batch.n_fixes == count else {
      throw .columnLength(column: "fixes", entries: batch.n_fixes, expected: count)
    }
    for i in 0..<count {
      // protobuf-c leaves no null pointer in a counted array.
      guard let row = batch.fixes[i]?.pointee else { throw .malformedMessage("BatchRows") }
      (fixes + i).initialize(
        to: Fix(
          coordinate: Coordinate(
            latitudeE6: try whole(row.latitude, 1e6, "latitude"),
            longitudeE6: try whole(row.longitude, 1e6, "longitude")),
          time: FixTime(centiseconds: try centiseconds(row.time_ms)),
          accuracyMeters: try whole(Double(row.accuracy), 1, "accuracy"),
          speedDecimetersPerSecond: try unlessNegative(row.speed, 10, "speed"),
          courseDegrees: try unlessNegative(row.course, 1, "course")))
    }
  }

  /// Rounds to hundredths. Throws at the ends of the range, which `pack` could not write.
  private static func centiseconds(_ milliseconds: Int64) throws(WireError) -> Int64 {
    let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 10)
    let nearest = whole + (rest >= 5 ? 1 : rest < -5 ? -1 : 0)
    guard !nearest.multipliedReportingOverflow(by: 10).overflow else {
      throw .valueOutOfRange(column: "time_ms", value: milliseconds)
    }
    return nearest
  }

  private static func unlessNegative(
    _ value: Float, _ scale: Double, _ name: String
  ) throws(WireError) -> Int16 {
    value < 0 ? -1 : try whole(Double(value), scale, name)
  }

  private static func whole<Number: FixedWidthInteger>(
    _ value: Double, _ scale: Double, _ name: String
  ) throws(WireError) -> Number {
    // `exactly` also refuses infinity and NaN.
    guard let number = Number(exactly: (value * scale).rounded()) else {
      throw .rowValue(field: name, value: value)
    }
    return number
  }
}
