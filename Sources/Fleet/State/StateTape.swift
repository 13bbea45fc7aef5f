package struct StateReader: Sendable {
  private let bytes: [UInt8]
  private var place = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  var left: Int { bytes.count - place }

  package var isAtEnd: Bool { place == bytes.count }

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

package enum FleetStateError: Error, Equatable, Sendable, CustomStringConvertible {
  case cutShort
  case tooLong
  case impossible(String)
  /// Some phones are in no piece, or in more than one.
  case notAllPhones(found: Int, wanted: Int)
  case unreadable(String)

  package var description: String {
    switch self {
    case .cutShort: "it ends in the middle of a phone"
    case .tooLong: "bytes follow its last phone"
    case .impossible(let what): "it holds \(what)"
    case .notAllPhones(let found, let wanted): "it holds \(found) of \(wanted) phones"
    case .unreadable(let why): why
    }
  }
}
