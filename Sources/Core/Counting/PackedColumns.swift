/// Writes columns of integers, or reads another process's columns and adds them. Each block of 64
/// numbers is a zero byte, a list of nonzero numbers, or byte planes from the lowest up. The
/// highest plane has the sign, so adding a plane is a loop without branches.
package struct PackedColumns: Sendable {
  private enum Way {
    case writing
    case adding
    case checking
  }

  package private(set) var bytes: [UInt8]
  /// False once the input ended too early or contained an invalid value.
  package private(set) var isSound = true
  private let way: Way
  package private(set) var place = 0

  private static let blockLength = 64
  /// The maximum of listed numbers in a block; with more, planes are faster to add.
  private static let namedMax = 15

  package init() { (bytes, way) = ([], .writing) }

  /// Creates a reader that adds the numbers it reads to the values passed.
  package init(adding bytes: [UInt8], from place: Int = 0) {
    (self.bytes, self.place, way) = (bytes, place, .adding)
  }

  /// Creates a reader that only validates; passed values stay unchanged.
  package init(checking bytes: [UInt8]) { (self.bytes, way) = (bytes, .checking) }

  package var isRead: Bool { isSound && place == bytes.count }

  package var adds: Bool { way == .adding && isSound }

  // MARK: Numbers

  package mutating func pass(_ number: inout Int64) {
    let term = agree(number)
    if adds { number &+= term }
  }

  package mutating func pass(_ number: inout Int) {
    let term = agree(Int64(number))
    if adds { number &+= Int(term) }
  }

  package mutating func pass(_ duration: inout SimDuration) {
    var microseconds = duration.microseconds
    pass(&microseconds)
    duration = .microseconds(microseconds)
  }

  package mutating func pass(least number: inout Int64) {
    let other = agree(number)
    if adds { number = Swift.min(number, other) }
  }

  package mutating func pass(greatest number: inout Int64) {
    let other = agree(number)
    if adds { number = Swift.max(number, other) }
  }

  /// Writes or reads a number that is not added; returns the number read, or `number` when writing.
  package mutating func agree(_ number: Int64) -> Int64 {
    guard way != .writing else {
      for shift in stride(from: 0, to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: number >> shift))
      }
      return number
    }
    guard isSound, bytes.count - place >= 8 else {
      isSound = false
      return 0
    }
    var read: Int64 = 0
    for i in 0..<8 { read |= Int64(bytes[place + i]) << (8 * i) }
    place += 8
    return read
  }

  package mutating func agree(real number: Double?) -> Double? {
    let bits = agree(Int64(bitPattern: (number ?? .nan).bitPattern))
    let agreed = Double(bitPattern: UInt64(bitPattern: bits))
    return agreed.isNaN ? nil : agreed
  }

  /// Writes or reads a text of at most 256 bytes, which is not added.
  package mutating func agree(_ text: String) -> String {
    guard way != .writing else {
      let own = text.utf8.prefix(Self.textMax)
      _ = agree(Int64(own.count))
      bytes += own
      return text
    }
    let count = agree(0)
    guard isSound, (0...Int64(min(Self.textMax, bytes.count - place))).contains(count) else {
      isSound = false
      return ""
    }
    place += Int(count)
    return String(decoding: bytes[place - Int(count)..<place], as: UTF8.self)
  }

  private static let textMax = 256

  package mutating func refuse() { isSound = false }

  // MARK: Columns

  package mutating func pass(_ column: inout [Int64]) { passBlocks(&column) }

  package mutating func pass(_ column: inout [UInt64]) { passBlocks(&column) }

  private mutating func passBlocks<Number: FixedWidthInteger & BitwiseCopyable>(
    _ column: inout [Number]
  ) {
    guard !checks(columnOf: column.count) else { return }
    var from = 0
    while from < column.count, isSound {
      let count = Swift.min(Self.blockLength, column.count - from)
      if way == .writing {
        write(column.span.extracting(from..<from + count))
      } else {
        guard let block = nextBlock(of: count) else { return }
        var sums = column.mutableSpan
        Self.add(block, bytes.span.extracting(block.content), to: &sums, from..<from + count)
      }
      from += count
    }
  }

  package mutating func checks(columnOf count: Int) -> Bool {
    guard way == .checking else { return false }
    for from in stride(from: 0, to: count, by: Self.blockLength) where isSound {
      _ = nextBlock(of: Swift.min(Self.blockLength, count - from))
    }
    return true
  }

  private mutating func write<Number: FixedWidthInteger & BitwiseCopyable>(
    _ numbers: Span<Number>
  ) {
    var magnitude: UInt64 = 0
    var used = 0
    for i in numbers.indices {
      let wide = Int64(truncatingIfNeeded: numbers[i])
      magnitude |= UInt64(bitPattern: wide ^ (wide >> 63))
      used += wide == 0 ? 0 : 1
    }
    guard used > 0 else { return bytes.append(0) }
    // The width has room for a sign bit beside the largest magnitude.
    let width = (64 - magnitude.leadingZeroBitCount) / 8 + 1
    guard used > Self.namedMax || used * (1 + width) >= numbers.count * width else {
      bytes.append(UInt8(width | used << 4))
      for i in numbers.indices where numbers[i] != 0 {
        bytes.append(UInt8(i))
        for plane in 0..<width { bytes.append(Self.byte(plane, of: numbers[i])) }
      }
      return
    }
    bytes.append(UInt8(width))
    for plane in 0..<width {
      for i in numbers.indices { bytes.append(Self.byte(plane, of: numbers[i])) }
    }
  }

  private static func byte(_ plane: Int, of number: some FixedWidthInteger) -> UInt8 {
    UInt8(truncatingIfNeeded: number >> (8 * plane))
  }

  private struct Block {
    let width: Int
    /// The number of listed entries; 0 if the block has byte planes.
    let named: Int
    let content: Range<Int>
  }

  /// Advances to the next block. Returns nil and becomes unsound if no valid block follows.
  private mutating func nextBlock(of count: Int) -> Block? {
    guard place < bytes.count else {
      isSound = false
      return nil
    }
    let (width, named) = (Int(bytes[place] & 0xF), Int(bytes[place] >> 4))
    let length = named > 0 ? named * (1 + width) : count * width
    let content = place + 1..<place + 1 + length
    guard width <= 8, width > 0 || named == 0, content.upperBound <= bytes.count else {
      isSound = false
      return nil
    }
    for i in 0..<named where Int(bytes[content.lowerBound + i * (1 + width)]) >= count {
      isSound = false
      return nil
    }
    place = content.upperBound
    return Block(width: width, named: named, content: content)
  }

  private static func add<Number: FixedWidthInteger & BitwiseCopyable>(
    _ block: Block, _ content: Span<UInt8>, to sums: inout MutableSpan<Number>,
    _ places: Range<Int>
  ) {
    guard block.named == 0 else {
      return addNamed(block, content, to: &sums, from: places.lowerBound)
    }
    let (first, count) = (places.lowerBound, places.count)
    for plane in 0..<block.width {
      let bytes = content.extracting(plane * count..<(plane + 1) * count)
      let shift = 8 * plane
      if plane == block.width - 1 {
        for i in 0..<count {
          sums[first + i] &+= Number(truncatingIfNeeded: Int8(bitPattern: bytes[i])) &<< shift
        }
      } else {
        for i in 0..<count { sums[first + i] &+= Number(truncatingIfNeeded: bytes[i]) &<< shift }
      }
    }
  }

  private static func addNamed<Number: FixedWidthInteger & BitwiseCopyable>(
    _ block: Block, _ content: Span<UInt8>, to sums: inout MutableSpan<Number>, from first: Int
  ) {
    var at = 0
    for _ in 0..<block.named {
      let i = first + Int(content[at])
      var number = Int64(Int8(bitPattern: content[at + block.width]))
      for plane in stride(from: block.width - 2, through: 0, by: -1) {
        number = number << 8 | Int64(content[at + 1 + plane])
      }
      sums[i] &+= Number(truncatingIfNeeded: number)
      at += 1 + block.width
    }
  }
}
