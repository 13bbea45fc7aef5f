internal import Core

/// The packed payload: one bit stream of the first fix and the residuals of the others. A moving
/// phone's fix takes 4 to 5 bytes (at least 6 in varint columns), a repeated fix less than one.
final class PackedBatch {
  private let values: UnsafeMutablePointer<Int64>
  /// The columns, after one element that the writer reads and ignores.
  private let memory: UnsafeMutablePointer<Int64>
  private let column = PackedColumnWriter()
  private let capacity: Int
  /// The time of the first fix, from which the time column counts.
  private var first: Int64 = 0

  init(capacity: Int) {
    self.capacity = capacity
    let places = 1 + capacity * Row.count + PackedColumnWriter.slack
    memory = .allocate(capacity: places)
    memory.initialize(repeating: 0, count: places)
    values = memory + 1
  }

  deinit { memory.deallocate() }

  /// The columns in stream order. Constants are used since access to a tuple's member is a call.
  private enum Row {
    static let count = 6
    static let time = 0
    static let latitude = 1
    static let longitude = 2
    static let accuracy = 3
    static let speed = 4
    static let course = 5
  }

  /// Which fixes have a speed, or a course. The raw values appear in the stream.
  private enum Presence: UInt64 {
    /// All values are -1.
    case none
    /// All values are present and regular.
    case all
    /// A bitmap marks the present values; the other values are -1.
    case some
    /// The values are arbitrary, and -1 has no special meaning.
    case odd

    static let bits = 2
  }

  /// The format of the first fix and the unit of later times. Raw values appear in the stream.
  private enum Form: UInt64 {
    case hundredths
    /// All times are whole seconds, as from receivers.
    case seconds
    /// All times differ by whole seconds.
    case secondsApart
    /// The first fix is out of the usual range, so that its fields take more bits.
    case wide

    static let bits = 2

    var timeBits: Int {
      switch self {
      // 38 bits of hundredths since 2000 suffice until 2087.
      case .hundredths, .secondsApart: 38
      case .seconds: 32
      case .wide: 64
      }
    }
    var latitudeBits: Int { self == .wide ? 32 : 28 }
    var longitudeBits: Int { self == .wide ? 32 : 29 }
    /// The unit of the first time, in hundredths of a second.
    var firstUnit: Int64 { self == .seconds ? Self.second : 1 }
    /// The unit of the differences to the first time, in hundredths of a second.
    var unit: Int64 { self == .seconds || self == .secondsApart ? Self.second : 1 }
    /// 2000-01-01 in hundredths of a second since 1970; `wide` counts from 1970.
    var epoch: Int64 { self == .wide ? 0 : 94_668_480_000 }

    static let second: Int64 = 100
  }

  private enum Head {
    static let courseBits = 9
  }

  private static let absent: Int64 = -1

  private func row(_ row: Int) -> UnsafeMutablePointer<Int64> { values + row * capacity }

  // MARK: Writing

  static func bytesMax(fixes: Int) -> Int {
    let blocks = (fixes + PackedColumn.blockLength - 1) / PackedColumn.blockLength
    let fix = Row.count * PackedColumn.valueBitsMax + 2
    return (512 + fix * fixes + blocks * Row.count * PackedColumn.blockBitsMax) / 8
      + BitWriter.slackBytes
  }

  func encode(_ fixes: UnsafeBufferPointer<Fix>, into buffer: inout ByteBuffer) {
    precondition(fixes.count <= capacity, "\(fixes.count) fixes for \(capacity) places")
    guard let base = buffer.reserve(Self.bytesMax(fixes: fixes.count)).baseAddress else { return }
    let count = fixes.count
    let (form, presence) = spread(fixes)
    var bits = BitWriter(base)
    putHead(form, into: &bits)
    column.write(row(Row.time), count: count, .sloped, into: &bits)
    column.write(row(Row.latitude), count: count, .plain, into: &bits)
    column.write(row(Row.longitude), count: count, .plain, into: &bits)
    PackedColumn.putNumber(UInt64(row(Row.accuracy)[0]), into: &bits)
    column.write(row(Row.accuracy), count: count, .plain, into: &bits)
    putPartial(row(Row.speed), count, presence.speed, .plain, into: &bits)
    putPartial(row(Row.course), count, presence.course, .circle, into: &bits)
    buffer.commit(bits.finish())
  }

  /// Splits the fixes into columns and detects special forms.
  private func spread(
    _ fixes: UnsafeBufferPointer<Fix>
  ) -> (form: Form, presence: (speed: Presence, course: Presence)) {
    let (time, latitude, longitude) = (row(Row.time), row(Row.latitude), row(Row.longitude))
    let (accuracy, speed, course) = (row(Row.accuracy), row(Row.speed), row(Row.course))
    var (speeds, courses) = (0, 0)
    var (leastSpeed, leastCourse, mostCourse) = (Int64.max, Int64.max, Int64.min)
    for (i, fix) in fixes.enumerated() {
      time[i] = fix.time.centiseconds
      latitude[i] = Int64(fix.coordinate.latitudeE6)
      longitude[i] = Int64(fix.coordinate.longitudeE6)
      accuracy[i] = Int64(fix.accuracyMeters)
      speed[i] = Int64(fix.speedDecimetersPerSecond)
      course[i] = Int64(fix.courseDegrees)
      speeds += speed[i] == Self.absent ? 0 : 1
      courses += course[i] == Self.absent ? 0 : 1
      leastSpeed = min(leastSpeed, speed[i])
      leastCourse = min(leastCourse, course[i])
      mostCourse = max(mostCourse, course[i])
    }
    let isOddCourse = leastCourse < Self.absent || mostCourse >= PackedKind.fullCircle
    return (
      form(count: fixes.count),
      (
        Self.presence(of: speeds, fixes.count, isOdd: leastSpeed < Self.absent),
        Self.presence(of: courses, fixes.count, isOdd: isOddCourse)
      )
    )
  }

  /// Returns the form, and turns the times into differences to the first, in the form's unit.
  private func form(count: Int) -> Form {
    let time = row(Row.time)
    first = time[0]
    let isPlain =
      (0..<1 << Int64(Form.hundredths.timeBits)).contains(first &- Form.hundredths.epoch)
      && Self.fits(row(Row.latitude)[0], Form.hundredths.latitudeBits)
      && Self.fits(row(Row.longitude)[0], Form.hundredths.longitudeBits)
    var rest: Int64 = 0
    for i in 0..<count {
      time[i] = time[i] &- first
      rest |= time[i] % Form.second
    }
    guard isPlain else { return .wide }
    // Differences that wrapped around would not survive a change of unit.
    let areApart = rest == 0 && count > 1 && (0..<count).allSatisfy { Self.fits(time[$0], 48) }
    if areApart { for i in 0..<count { time[i] /= Form.second } }
    let isWhole = first % Form.second == 0 && (areApart || count == 1)
    return isWhole ? .seconds : areApart ? .secondsApart : .hundredths
  }

  private static func presence(of values: Int, _ count: Int, isOdd: Bool) -> Presence {
    if isOdd { return .odd }
    if values == 0 { return .none }
    return values == count ? .all : .some
  }

  private static func fits(_ value: Int64, _ bits: Int) -> Bool {
    let half: Int64 = 1 << Int64(bits - 1)
    return (-half..<half).contains(value)
  }

  private func putHead(_ form: Form, into bits: inout BitWriter) {
    bits.put(form.rawValue, Form.bits)
    let time = (first &- form.epoch) / form.firstUnit
    bits.putWide(UInt64(bitPattern: time), form.timeBits)
    bits.put(Self.low(row(Row.latitude)[0], form.latitudeBits), form.latitudeBits)
    bits.put(Self.low(row(Row.longitude)[0], form.longitudeBits), form.longitudeBits)
  }

  private static func low(_ value: Int64, _ width: Int) -> UInt64 {
    UInt64(bitPattern: value) & (1 << UInt64(width) - 1)
  }

  private func putPartial(
    _ values: UnsafeMutablePointer<Int64>, _ count: Int, _ presence: Presence, _ kind: PackedKind,
    into bits: inout BitWriter
  ) {
    bits.put(presence.rawValue, Presence.bits)
    var present = count
    switch presence {
    case .none: return
    case .odd:
      PackedColumn.putNumber(PackedColumn.zigzag(values[0]), into: &bits)
      return column.write(values, count: count, .plain, into: &bits)
    case .some:
      present = 0
      for i in 0..<count {
        let isPresent = values[i] != Self.absent
        bits.put(isPresent ? 1 : 0, 1)
        values[present] = values[i]
        present += isPresent ? 1 : 0
      }
    case .all: break
    }
    if kind == .circle {
      bits.put(UInt64(values[0]), Head.courseBits)
    } else {
      PackedColumn.putNumber(UInt64(values[0]), into: &bits)
    }
    column.write(values, count: present, kind, into: &bits)
  }

  // MARK: Reading

  /// - Parameter start: the payload's bytes, readable for `BitReader.slackBytes` more.
  /// - Parameter fixes: room for `count`, which is at most the capacity.
  func decode(
    _ start: UnsafeRawPointer, bytes: Int, count: Int, into fixes: UnsafeMutablePointer<Fix>
  ) throws(WireError) {
    var bits = BitReader(start, bytes: bytes)
    // The form is never nil, since two bits name one of four forms.
    let form = Form(rawValue: bits.take(Form.bits)) ?? .wide
    takeHead(form, from: &bits)
    try require(PackedColumn.read(row(Row.time), count: count, .sloped, from: &bits), "time")
    try require(
      PackedColumn.read(row(Row.latitude), count: count, .plain, from: &bits), "latitude")
    try require(
      PackedColumn.read(row(Row.longitude), count: count, .plain, from: &bits), "longitude")
    row(Row.accuracy)[0] = Int64(
      PackedColumn.takeNumber(from: &bits))
    try require(
      PackedColumn.read(row(Row.accuracy), count: count, .plain, from: &bits), "accuracy")
    try require(takePartial(row(Row.speed), count, .plain, from: &bits), "speed")
    try require(takePartial(row(Row.course), count, .circle, from: &bits), "course")
    // The last byte is filled with zeros, and nothing follows.
    let left = bits.left
    guard left < 8, bits.take(left) == 0 else { throw .packedExcess(bits: left) }
    try gather(count, form, into: fixes)
  }

  private func require(_ isWhole: Bool, _ column: String) throws(WireError) {
    guard isWhole else { throw .packedEnds(column: column) }
  }

  private func takeHead(_ form: Form, from bits: inout BitReader) {
    first = Int64(bitPattern: bits.takeWide(form.timeBits)) &* form.firstUnit &+ form.epoch
    row(Row.time)[0] = 0
    row(Row.latitude)[0] = Self.signed(bits.take(form.latitudeBits), form.latitudeBits)
    row(Row.longitude)[0] = Self.signed(bits.take(form.longitudeBits), form.longitudeBits)
  }

  private static func signed(_ bits: UInt64, _ width: Int) -> Int64 {
    let shift = Int64(64 - width)
    return (Int64(bitPattern: bits) << shift) >> shift
  }

  private func takePartial(
    _ values: UnsafeMutablePointer<Int64>, _ count: Int, _ kind: PackedKind,
    from bits: inout BitReader
  ) -> Bool {
    guard bits.isWithin, let presence = Presence(rawValue: bits.take(Presence.bits)) else {
      return false
    }
    switch presence {
    case .none:
      for i in 0..<count { values[i] = Self.absent }
      return bits.isWithin
    case .odd:
      values[0] = PackedColumn.unzigzag(
        PackedColumn.takeNumber(from: &bits))
      return PackedColumn.read(values, count: count, .plain, from: &bits)
    case .all:
      takeFirst(values, kind, from: &bits)
      return PackedColumn.read(values, count: count, kind, from: &bits)
    case .some: return takeSome(values, count, kind, from: &bits)
    }
  }

  private func takeFirst(
    _ values: UnsafeMutablePointer<Int64>, _ kind: PackedKind, from bits: inout BitReader
  ) {
    values[0] = Int64(
      kind == .circle
        ? bits.take(Head.courseBits)
        : PackedColumn.takeNumber(from: &bits))
  }

  private func takeSome(
    _ values: UnsafeMutablePointer<Int64>, _ count: Int, _ kind: PackedKind,
    from bits: inout BitReader
  ) -> Bool {
    var map = bits
    var present = 0
    for begin in stride(from: 0, to: count, by: 32) {
      guard bits.isWithin else { return false }
      present += bits.take(min(32, count - begin)).nonzeroBitCount
    }
    guard bits.isWithin, present > 0 else { return false }
    takeFirst(values, kind, from: &bits)
    guard PackedColumn.read(values, count: present, kind, from: &bits) else { return false }
    // The values move from the end, so that none is overwritten before its move.
    map.skip(count)
    for i in stride(from: count - 1, through: 0, by: -1) {
      map.skip(-1)
      let isPresent = map.word & 1 == 1
      present -= isPresent ? 1 : 0
      values[i] = isPresent ? values[present] : Self.absent
    }
    return true
  }

  private func gather(
    _ count: Int, _ form: Form, into fixes: UnsafeMutablePointer<Fix>
  ) throws(WireError) {
    let (time, latitude, longitude) = (row(Row.time), row(Row.latitude), row(Row.longitude))
    let (accuracy, speed, course) = (row(Row.accuracy), row(Row.speed), row(Row.course))
    for i in 0..<count {
      let fix = Fix(
        coordinate: Coordinate(
          latitudeE6: try Self.fit(latitude[i], "latitude"),
          longitudeE6: try Self.fit(longitude[i], "longitude")),
        time: FixTime(centiseconds: first &+ time[i] &* form.unit),
        accuracyMeters: try Self.fit(accuracy[i], "accuracy"),
        speedDecimetersPerSecond: try Self.fit(speed[i], "speed"),
        courseDegrees: try Self.fit(course[i], "course"))
      (fixes + i).initialize(to: fix)
    }
  }

  @inline(__always)
  private static func fit<Number: FixedWidthInteger>(
    _ value: Int64, _ column: String
  ) throws(WireError) -> Number {
    guard let number = Number(exactly: value) else {
      throw .valueOutOfRange(column: column, value: value)
    }
    return number
  }
}
