/// Reads what a `RecordWriter` wrote, and never beyond its end.
package struct StateReader: Sendable {
  private let bytes: [UInt8]
  private var place = 0

  /// Reads from the first byte on.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes that are not read yet.
  var left: Int { bytes.count - place }

  /// Whether all is read.
  package var isAtEnd: Bool { place == bytes.count }

  /// Returns the next number.
  package mutating func next<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) throws(FleetStateError) -> Number {
    let size = MemoryLayout<Number>.size
    guard bytes.count - place >= size else { throw .cutShort }
    defer { place += size }
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Number.self))
    }
  }

  /// Copies the next bytes to a place that has room for them.
  package mutating func copy(
    _ count: Int, to target: UnsafeMutableRawPointer
  ) throws(FleetStateError) {
    guard count >= 0, bytes.count - place >= count else { throw .cutShort }
    bytes.withUnsafeBytes { source in
      if let base = source.baseAddress {
        target.copyMemory(from: base + place, byteCount: count)
      }
    }
    place += count
  }
}

/// Why a state is not that of a fleet.
package enum FleetStateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A piece of the state ends before its last phone does.
  case cutShort
  /// A piece of the state has more bytes than its phones.
  case tooLong
  /// A value lies outside its range.
  case impossible(String)
  /// The pieces of the state are not of all phones, each once.
  case notAllPhones(found: Int, wanted: Int)
  /// A piece of the state could not be read.
  case unreadable(String)

  /// What is wrong, as a clause.
  package var description: String {
    switch self {
    case .cutShort: "it ends within a phone"
    case .tooLong: "bytes follow its last phone"
    case .impossible(let what): "it holds \(what)"
    case .notAllPhones(let found, let wanted): "it holds \(found) of \(wanted) phones"
    case .unreadable(let why): why
    }
  }
}
