internal import CFlotillaProto
internal import Core

/// The columns of a `BatchPayload` as differences. Time and position are second differences, so
/// steady motion yields zeros and ones. Arithmetic wraps, so every value survives the round trip.
final class BatchColumns {
  private let time: UnsafeMutablePointer<Int64>
  private let narrow: UnsafeMutablePointer<Int32>
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    time = .allocate(capacity: capacity)
    narrow = .allocate(capacity: capacity * 5)
  }

  deinit {
    time.deallocate()
    narrow.deallocate()
  }

  private var latitude: UnsafeMutablePointer<Int32> { narrow }
  private var longitude: UnsafeMutablePointer<Int32> { narrow + capacity }
  private var accuracy: UnsafeMutablePointer<Int32> { narrow + 2 * capacity }
  private var speed: UnsafeMutablePointer<Int32> { narrow + 3 * capacity }
  private var course: UnsafeMutablePointer<Int32> { narrow + 4 * capacity }

  func fill(from fixes: UnsafeBufferPointer<Fix>) {
    precondition(fixes.count <= capacity, "\(fixes.count) fixes for \(capacity) places")
    var (lastTime, stepTime): (Int64, Int64) = (0, 0)
    var (lastLatitude, stepLatitude): (Int32, Int32) = (0, 0)
    var (lastLongitude, stepLongitude): (Int32, Int32) = (0, 0)
    var (lastAccuracy, lastSpeed, lastCourse): (Int32, Int32, Int32) = (0, 0, 0)
    for (i, fix) in fixes.enumerated() {
      time[i] = Self.second(fix.time.centiseconds, &lastTime, &stepTime, isFirst: i == 0)
      latitude[i] = Self.second(
        fix.coordinate.latitudeE6, &lastLatitude, &stepLatitude, isFirst: i == 0)
      longitude[i] = Self.second(
        fix.coordinate.longitudeE6, &lastLongitude, &stepLongitude, isFirst: i == 0)
      accuracy[i] = Self.first(Int32(fix.accuracyMeters), &lastAccuracy)
      speed[i] = Self.first(Int32(fix.speedDecimetersPerSecond), &lastSpeed)
      course[i] = Self.first(Int32(fix.courseDegrees), &lastCourse)
    }
  }

  private static func first(_ value: Int32, _ last: inout Int32) -> Int32 {
    defer { last = value }
    return value &- last
  }

  private static func second<Number: FixedWidthInteger>(
    _ value: Number, _ last: inout Number, _ step: inout Number, isFirst: Bool
  ) -> Number {
    let difference = value &- last
    last = value
    if isFirst { return value }
    defer { step = difference }
    return difference &- step
  }

  func pack(count: Int, into buffer: inout ByteBuffer) {
    var payload = Flotilla__V1__BatchPayload()
    flotilla__v1__batch_payload__init(&payload)
    payload.n_time_cs = count
    payload.time_cs = time
    payload.n_latitude_e6 = count
    payload.latitude_e6 = latitude
    payload.n_longitude_e6 = count
    payload.longitude_e6 = longitude
    payload.n_accuracy_meters = count
    payload.accuracy_meters = accuracy
    payload.n_speed_dms = count
    payload.speed_dms = speed
    payload.n_course_degrees = count
    payload.course_degrees = course
    let size = flotilla__v1__batch_payload__get_packed_size(&payload)
    let place = buffer.reserve(size).baseAddress?.assumingMemoryBound(to: UInt8.self)
    buffer.commit(flotilla__v1__batch_payload__pack(&payload, place))
  }

  /// Undoes the differences of a parsed payload into `fixes`, which has room for `count`.
  static func read(
    _ payload: Flotilla__V1__BatchPayload, count: Int, into fixes: UnsafeMutablePointer<Fix>
  ) throws(WireError) {
    try check(payload.n_time_cs, "time_cs", count)
    try check(payload.n_latitude_e6, "latitude_e6", count)
    try check(payload.n_longitude_e6, "longitude_e6", count)
    try check(payload.n_accuracy_meters, "accuracy_meters", count)
    try check(payload.n_speed_dms, "speed_dms", count)
    try check(payload.n_course_degrees, "course_degrees", count)
    var (time, stepTime): (Int64, Int64) = (0, 0)
    var (latitude, stepLatitude): (Int32, Int32) = (0, 0)
    var (longitude, stepLongitude): (Int32, Int32) = (0, 0)
    var (accuracy, speed, course): (Int32, Int32, Int32) = (0, 0, 0)
    for i in 0..<count {
      add(payload.time_cs[i], &time, &stepTime, isFirst: i == 0)
      add(payload.latitude_e6[i], &latitude, &stepLatitude, isFirst: i == 0)
      add(payload.longitude_e6[i], &longitude, &stepLongitude, isFirst: i == 0)
      accuracy &+= payload.accuracy_meters[i]
      speed &+= payload.speed_dms[i]
      course &+= payload.course_degrees[i]
      (fixes + i).initialize(
        to: Fix(
          coordinate: Coordinate(latitudeE6: latitude, longitudeE6: longitude),
          time: FixTime(centiseconds: time), accuracyMeters: try fit(accuracy, "accuracy_meters"),
          speedDecimetersPerSecond: try fit(speed, "speed_dms"),
          courseDegrees: try fit(course, "course_degrees")))
    }
  }

  private static func add<Number: FixedWidthInteger>(
    _ entry: Number, _ value: inout Number, _ step: inout Number, isFirst: Bool
  ) {
    if isFirst {
      value = entry
    } else {
      step &+= entry
      value &+= step
    }
  }

  private static func check(_ entries: Int, _ name: String, _ expected: Int) throws(WireError) {
    guard entries == expected else {
      throw .columnLength(column: name, entries: entries, expected: expected)
    }
  }

  private static func fit<Number: FixedWidthInteger>(
    _ value: Int32, _ name: String
  ) throws(WireError) -> Number {
    guard let number = Number(exactly: value) else {
      throw .valueOutOfRange(column: name, value: Int64(value))
    }
    return number
  }
}
