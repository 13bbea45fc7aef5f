internal import CDeflate
internal import Foundation

/// The kinds of record files, which the program writes incrementally for its own use. A file is
/// valid up to its last whole record, even if the program is killed.
///
/// OFFSET  SIZE   the file
/// 0       8      its kind, with the version of its form
/// 8       …      records
///
/// OFFSET  SIZE   a record
/// 0       4      the length of its content
/// 4       4      the CRC-32 of its kind and its content
/// 8       1      its kind
/// 9       …      its content
///
/// Numbers are little-endian.
package enum RecordFile: String {
  case journal = "FLOTJRN2"
  case inputs = "FLOTINP2"
  case life = "FLOTLIF2"

  package static let headBytes = 8

  package func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: rawValue.utf8) }
}

package struct RecordHead: Sendable {
  package static let bytes = 9

  package let size: Int
  package let kind: UInt8
  private let sum: UInt32

  package init(_ bytes: UnsafeRawBufferPointer) {
    size = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
    sum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    kind = bytes[8]
  }

  package func vouches(for content: UnsafeRawBufferPointer) -> Bool {
    Self.sum(kind, content) == sum
  }

  fileprivate static func sum(_ kind: UInt8, _ content: UnsafeRawBufferPointer) -> UInt32 {
    let first = withUnsafeBytes(of: kind) { libdeflate_crc32(0, $0.baseAddress, 1) }
    return content.isEmpty ? first : libdeflate_crc32(first, content.baseAddress, content.count)
  }
}

package struct RecordWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package init(_ file: RecordFile) { bytes = Array(file.rawValue.utf8) }

  package mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes without their count.
  package mutating func append(_ raw: UnsafeRawBufferPointer) { bytes.append(contentsOf: raw) }

  package mutating func append(_ raw: [UInt8]) { bytes += raw }

  package mutating func record(_ kind: UInt8, _ content: (inout Self) -> Void) {
    let start = bytes.count
    append(UInt64(0))
    append(kind)
    content(&self)
    let size = bytes.count - start - RecordHead.bytes
    bytes.withUnsafeMutableBytes { bytes in
      let content = UnsafeRawBufferPointer(rebasing: bytes[(start + RecordHead.bytes)...])
      let sum = RecordHead.sum(kind, content)
      bytes.storeBytes(of: UInt32(size).littleEndian, toByteOffset: start, as: UInt32.self)
      bytes.storeBytes(of: sum.littleEndian, toByteOffset: start + 4, as: UInt32.self)
    }
  }

  /// Writes and empties the buffer; returns the system's error message, or nil on success.
  package mutating func flush(to descriptor: Int32) -> String? {
    defer { removeAll() }
    return bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = write(descriptor, bytes.baseAddress! + done, bytes.count - done)
        if count > 0 {
          done += count
        } else if errno != EINTR {
          return String(cString: strerror(errno))
        }
      }
      return nil
    }
  }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

package enum RecordError: Error, Equatable, Sendable, CustomStringConvertible {
  case foreign
  /// A record other than the last is corrupt.
  case damaged(offset: Int)
  case tooLong(bytes: Int, offset: Int)

  package var description: String {
    switch self {
    case .foreign: "it is not a file of this version"
    case .damaged(let offset): "the record at byte \(offset) has a wrong checksum"
    case .tooLong(let bytes, let offset): "a record of \(bytes) bytes at byte \(offset)"
    }
  }
}

package struct RecordReader {
  private let bytes: [UInt8]
  package private(set) var offset = RecordFile.headBytes
  package var isAtEnd: Bool { offset == bytes.count }

  package init(_ bytes: [UInt8], _ file: RecordFile) throws(RecordError) {
    guard file.begins(bytes) else { throw .foreign }
    self.bytes = bytes
  }

  package mutating func next(most: Int) throws(RecordError) -> Record? {
    let first = offset + RecordHead.bytes
    guard first <= bytes.count else { return nil }
    let head = bytes.withUnsafeBytes { RecordHead(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    guard head.size <= most else { throw .tooLong(bytes: head.size, offset: offset) }
    let content = first..<first + head.size
    guard content.upperBound <= bytes.count else { return nil }
    let isWhole = bytes.withUnsafeBytes {
      head.vouches(for: UnsafeRawBufferPointer(rebasing: $0[content]))
    }
    guard isWhole || content.upperBound == bytes.count else { throw .damaged(offset: offset) }
    guard isWhole else { return nil }
    offset = content.upperBound
    return Record(kind: head.kind, content: bytes[content])
  }
}

package struct Record {
  package let kind: UInt8
  package private(set) var content: ArraySlice<UInt8>

  /// Returns the next number. If the content ends before it, returns 0 and sets `isShort`.
  package mutating func next<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) -> Number {
    let size = MemoryLayout<Number>.size
    guard content.count >= size else {
      isShort = true
      return 0
    }
    defer { content = content.dropFirst(size) }
    return Number(littleEndian: content.withUnsafeBytes { $0.loadUnaligned(as: Number.self) })
  }

  package mutating func rest() -> [UInt8] {
    defer { content = [] }
    return Array(content)
  }

  /// Whether the content ended before a requested number.
  package private(set) var isShort = false
  package var isRead: Bool { content.isEmpty && !isShort }
}
