internal import Core
internal import Wire

final class TextSink {
  private static let pieceBytes = 64 << 10
  private var bytes: [UInt8] = []
  private let sink: (UnsafeRawBufferPointer) -> Bool
  private(set) var isOpen = true

  init(_ sink: @escaping (UnsafeRawBufferPointer) -> Bool) {
    self.sink = sink
    bytes.reserveCapacity(Self.pieceBytes + 4_096)
  }

  func flush() {
    if isOpen, !bytes.isEmpty { isOpen = bytes.withUnsafeBytes(sink) }
    bytes.removeAll(keepingCapacity: true)
  }

  @discardableResult
  func add(_ text: StaticString) -> TextSink {
    bytes.append(contentsOf: text.bytes)
    if bytes.count >= Self.pieceBytes { flush() }
    return self
  }

  @discardableResult
  func add(_ number: some FixedWidthInteger) -> TextSink { add(Int64(number), digits: 1) }

  @discardableResult
  private func add(_ number: Int64, digits least: Int) -> TextSink {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0 || bytes.count - start < least
    bytes[start...].reverse()
    return self
  }

  /// Writes `number` / 10^`places` as an exact decimal.
  @discardableResult
  func add(_ number: Int64, places: Int) -> TextSink {
    var unit: Int64 = 1
    for _ in 0..<places { unit *= 10 }
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    let magnitude = Int64(number.magnitude)
    add(magnitude / unit, digits: 1)
    bytes.append(UInt8(ascii: "."))
    return add(magnitude % unit, digits: places)
  }

  /// Writes a time as ISO 8601 in UTC to a hundredth of a second, as `2026-03-02T07:31:05.12Z`.
  @discardableResult
  func add(_ time: FixTime) -> TextSink {
    // A payload that was altered together with its hash may have a time beyond all limits.
    let reach = FixTime(.distantPast).centiseconds...FixTime(.distantFuture).centiseconds
    let time = FixTime(
      centiseconds: min(max(time.centiseconds, reach.lowerBound), reach.upperBound))
    let day = Self.floorDivide(time.centiseconds, 8_640_000)
    let inDay = time.centiseconds - day * 8_640_000
    let (year, month, date) = CivilText.civil(day)
    add(year, digits: 4).add("-").add(month, digits: 2).add("-").add(date, digits: 2).add("T")
    add(inDay / 360_000, digits: 2).add(":").add(inDay / 6_000 % 60, digits: 2).add(":")
    return add(inDay / 100 % 60, digits: 2).add(".").add(inDay % 100, digits: 2).add("Z")
  }

  private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
    a >= 0 ? a / b : -((-a + b - 1) / b)
  }
}

extension TextSink {
  @discardableResult
  func addLatitude(_ fix: Fix) -> TextSink { add(Int64(fix.coordinate.latitudeE6), places: 6) }

  @discardableResult
  func addLongitude(_ fix: Fix) -> TextSink { add(Int64(fix.coordinate.longitudeE6), places: 6) }

  /// Writes the speed in metres per second, or `absent`.
  @discardableResult
  func addSpeed(_ fix: Fix, absent: StaticString) -> TextSink {
    fix.speedDecimetersPerSecond < 0
      ? add(absent) : add(Int64(fix.speedDecimetersPerSecond), places: 1)
  }

  /// Writes the course in degrees clockwise from north, or `absent`.
  @discardableResult
  func addCourse(_ fix: Fix, absent: StaticString) -> TextSink {
    fix.courseDegrees < 0 ? add(absent) : add(fix.courseDegrees)
  }
}
