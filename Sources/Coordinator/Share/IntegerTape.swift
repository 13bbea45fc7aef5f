internal import Measure
internal import SimulationCore

/// Writes whole numbers one behind the other, or reads them in the same order: a type that passes
/// its fields names them once, for both ways.
///
/// A number takes seven bits a byte, from the lowest on, its sign in the lowest bit; so the small
/// ones, which are most, take one byte or two.
struct IntegerTape {
  /// Holds what was written, or what is read.
  private(set) var bytes: [UInt8]
  /// Is false once what is read has ended too early, or held something that cannot be.
  private(set) var isSound = true
  private let isReading: Bool
  private var place = 0

  /// Makes an empty tape to write on.
  init() { (bytes, isReading) = ([], false) }

  /// Makes a tape that reads what another has written.
  init(reading bytes: [UInt8]) { (self.bytes, isReading) = (bytes, true) }

  /// Is true once all was read, and nothing was wrong.
  var isRead: Bool { isSound && place == bytes.count }

  // MARK: Numbers

  mutating func pass(_ number: inout Int64) {
    guard isReading else { return write(UInt64(bitPattern: number << 1 ^ number >> 63)) }
    let folded = read()
    number = Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
  }

  mutating func pass(_ number: inout Int) {
    var wide = Int64(number)
    pass(&wide)
    number = Int(wide)
  }

  mutating func pass(_ number: inout UInt64) {
    var wide = Int64(bitPattern: number)
    pass(&wide)
    number = UInt64(bitPattern: wide)
  }

  mutating func pass(_ number: inout Double) {
    var bits = number.bitPattern
    pass(&bits)
    number = Double(bitPattern: bits)
  }

  mutating func pass(_ duration: inout SimDuration) {
    var microseconds = duration.microseconds
    pass(&microseconds)
    duration = .microseconds(microseconds)
  }

  /// - Parameters:
  ///   - start: what a value that is there is read into.
  ///   - body: passes it.
  mutating func pass<Value>(
    _ value: inout Value?, from start: Value, _ body: (inout Self, inout Value) -> Void
  ) {
    var isThere = value == nil ? 0 : 1
    pass(&isThere)
    guard isThere != 0 else {
      value = nil
      return
    }
    var content = value ?? start
    body(&self, &content)
    value = content
  }

  /// - Parameter most: how many there may be; a tape that says more is not sound.
  mutating func pass<Value>(
    _ list: inout [Value], of start: Value, most: Int, _ body: (inout Self, inout Value) -> Void
  ) {
    var count = list.count
    pass(&count)
    guard (0...most).contains(count) else {
      isSound = false
      return
    }
    if isReading { list = Array(repeating: start, count: count) }
    for place in 0..<count where isSound { body(&self, &list[place]) }
  }

  mutating func pass(_ text: inout String) {
    var codes = text.utf8.map { Int64($0) }
    pass(&codes, of: 0, most: 256) { $0.pass(&$1) }
    text = String(decoding: codes.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }

  private mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func read() -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard place < bytes.count else { break }
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return number }
    }
    isSound = false
    return 0
  }

  // MARK: What was counted

  mutating func pass(_ histogram: inout Histogram) {
    var isEmpty = histogram.isEmpty ? 1 : 0
    pass(&isEmpty)
    guard isEmpty == 0 else {
      if isReading { histogram = Histogram() }
      return
    }
    var sparse =
      isReading
      ? Histogram.Sparse(
        slots: [], sum: 0, min: nil, max: nil, saturated: 0, censored: 0, censoredFrom: nil)
      : histogram.sparse
    var last = 0
    pass(&sparse.slots, of: .init(index: 0, count: 0), most: Histogram.slots) { tape, slot in
      tape.pass(&slot.index, from: &last)
      tape.pass(&slot.count)
    }
    pass(&sparse.sum)
    pass(&sparse.min, from: 0) { $0.pass(&$1) }
    pass(&sparse.max, from: 0) { $0.pass(&$1) }
    pass(&sparse.saturated)
    pass(&sparse.censored)
    pass(&sparse.censoredFrom, from: 0) { $0.pass(&$1) }
    guard isReading else { return }
    guard isSound, let read = Histogram(sparse) else {
      isSound = false
      return
    }
    histogram = read
  }

  mutating func pass(_ ages: inout AgeIntegral) {
    var sparse =
      isReading
      ? AgeIntegral.Sparse(thresholds: [], timeWithin: [], aged: 0, never: 0, buckets: [])
      : ages.sparse
    pass(&sparse.thresholds, of: 0, most: Self.thresholdsMax) { $0.pass(&$1) }
    pass(&sparse.timeWithin, of: 0, most: Self.thresholdsMax) { $0.pass(&$1) }
    pass(&sparse.aged)
    pass(&sparse.never)
    var last = 0
    pass(&sparse.buckets, of: .init(index: 0, step: 0, partial: 0), most: Histogram.slots) {
      tape, bucket in
      tape.pass(&bucket.index, from: &last)
      tape.pass(&bucket.step)
      tape.pass(&bucket.partial)
    }
    guard isReading else { return }
    guard isSound, let read = AgeIntegral(sparse) else {
      isSound = false
      return
    }
    ages = read
  }

  private static let thresholdsMax = 16

  /// Passes an index as its distance from the one before.
  private mutating func pass(_ index: inout Int, from last: inout Int) {
    var step = index - last
    pass(&step)
    index = last &+ step
    last = index
  }
}
