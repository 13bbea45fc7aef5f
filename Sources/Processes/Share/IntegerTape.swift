internal import Figures

/// Writes whole numbers one behind the other, or reads them in the same order: a type that passes
/// its fields names them once, for both ways.
///
/// A number takes seven bits a byte, from the lowest on, its sign in the lowest bit; so the small
/// ones, which are most, take one byte or two.
package struct IntegerTape {
  /// Holds what was written, or what is read.
  package private(set) var bytes: [UInt8]
  /// Is false once what is read has ended too early, or held something that cannot be.
  private(set) var isSound = true
  private let isReading: Bool
  private var place = 0

  /// Makes an empty tape to write on.
  package init() { (bytes, isReading) = ([], false) }

  /// Makes a tape that reads what another has written.
  package init(reading bytes: [UInt8]) { (self.bytes, isReading) = (bytes, true) }

  /// Is true once all was read, and nothing was wrong.
  package var isRead: Bool { isSound && place == bytes.count }

  // MARK: Numbers

  /// Passes a whole number of 64 bits.
  package mutating func pass(_ number: inout Int64) {
    guard isReading else { return write(UInt64(bitPattern: number << 1 ^ number >> 63)) }
    let folded = read()
    number = Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
  }

  /// Passes a whole number.
  package mutating func pass(_ number: inout Int) {
    var wide = Int64(number)
    pass(&wide)
    number = Int(wide)
  }

  /// Passes a whole number without a sign.
  package mutating func pass(_ number: inout UInt64) {
    var wide = Int64(bitPattern: number)
    pass(&wide)
    number = UInt64(bitPattern: wide)
  }

  /// Passes the bits of a number.
  package mutating func pass(_ number: inout Double) {
    var bits = number.bitPattern
    pass(&bits)
    number = Double(bitPattern: bits)
  }

  /// Passes a value that may be missing.
  ///
  /// - Parameters:
  ///   - start: what a value that is there is read into.
  ///   - body: passes it.
  package mutating func pass<Value>(
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

  /// Passes a list, and before it how long it is.
  ///
  /// - Parameters:
  ///   - start: what each value is read into.
  ///   - most: how many there may be; a tape that says more is not sound.
  ///   - body: passes one of them.
  package mutating func pass<Value>(
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

  /// Passes a text of 256 bytes at most.
  package mutating func pass(_ text: inout String) {
    var codes = text.utf8.map { Int64($0) }
    pass(&codes, of: 0, most: 256) { $0.pass(&$1) }
    text = String(decoding: codes.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }

  /// Passes the figures of a sheet that are not 0, and the counts by name.
  mutating func pass(_ sheet: inout Sheet) {
    let all = Count.allCases
    var places = all.indices.filter { sheet[all[$0]] != 0 }
    pass(&places, of: 0, most: all.count) { $0.pass(&$1) }
    for place in places where isSound {
      guard all.indices.contains(place) else { return isSound = false }
      pass(&sheet[all[place]])
    }
    for kind in Sheet.Named.allCases {
      var names = sheet[kind].keys.sorted()
      pass(&names, of: "", most: 4_096) { $0.pass(&$1) }
      for name in names where isSound { pass(&sheet[kind][name, default: 0]) }
    }
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
}
