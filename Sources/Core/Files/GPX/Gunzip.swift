internal import CZlib

/// Unpacks gzip (RFC 1952) in pieces, any number of members, as `gzip -d` does. Output is bounded
/// by `bytesMax`, since a few kilobytes may unpack to gigabytes.
package final class Gunzip {
  static let magic: [UInt8] = [0x1F, 0x8B]

  private let refill: (Int) throws(GPXError) -> [UInt8]
  private let bytesMax: Int
  private let stream: UnsafeMutablePointer<z_stream>
  private var packed: [UInt8]
  private var cursor = 0
  private var unpackedCount = 0
  private var isBetweenMembers = false
  private var isOver = false

  /// The largest window, plus 16 for gzip's header and checksum (zlib.h, inflateInit2).
  private static let windowBits: Int32 = 15 + 16

  /// Returns a function like `packed` that unpacks the bytes if they are gzip.
  /// - Parameter packed: returns at most the next `count` bytes; none at the end.
  package static func unpacking(
    bytesMax: Int, _ packed: @escaping (Int) throws(GPXError) -> [UInt8]
  ) throws(GPXError) -> (Int) throws(GPXError) -> [UInt8] {
    var head: [UInt8] = []
    // A pipe may give a single byte.
    while head.count < magic.count {
      let more = try packed(ByteSource.chunkSize)
      if more.isEmpty { break }
      head += more
    }
    if head.starts(with: magic) {
      let gunzip = try Gunzip(head, bytesMax: bytesMax, refill: packed)
      return { (count) throws(GPXError) in try gunzip.next(count) }
    }
    return { (count) throws(GPXError) in
      guard !head.isEmpty else { return try packed(count) }
      defer { head = Array(head.dropFirst(count)) }
      return Array(head.prefix(count))
    }
  }

  /// - Parameter refill: returns at most the next `count` bytes; none at the end.
  init(
    _ head: [UInt8], bytesMax: Int, refill: @escaping (Int) throws(GPXError) -> [UInt8]
  ) throws(GPXError) {
    packed = head
    self.bytesMax = bytesMax
    self.refill = refill
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, Self.windowBits, zlibVersion(), size) == Z_OK else {
      throw .unreadable("there is no memory to unpack it")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Returns at most `count` bytes, or none at the end; throws for damaged or too much data.
  func next(_ count: Int) throws(GPXError) -> [UInt8] {
    var unpacked = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count, try hasMore() {
      let given = try inflate(into: &unpacked, from: filled)
      filled += given
      unpackedCount += given
      guard unpackedCount <= bytesMax else {
        throw .tooLarge("unpacks to more than \(bytesMax) bytes")
      }
    }
    unpacked.removeLast(count - filled)
    return unpacked
  }

  private func hasMore() throws(GPXError) -> Bool {
    while !isOver {
      if cursor == packed.count {
        packed = try refill(ByteSource.chunkSize)
        cursor = 0
        guard !packed.isEmpty else {
          guard isBetweenMembers else { throw .damaged("its gzip data end too early") }
          isOver = true
          return false
        }
      }
      guard isBetweenMembers else { return true }
      // On tapes and in some archives, zeros follow the data.
      if packed[cursor] == 0 {
        cursor += 1
        continue
      }
      guard packed[cursor] == Self.magic[0] else {
        throw .damaged("trailing data after its gzip data")
      }
      inflateReset(stream)
      isBetweenMembers = false
    }
    return false
  }

  private func inflate(into unpacked: inout [UInt8], from place: Int) throws(GPXError) -> Int {
    let space = unpacked.count - place
    let status = packed.withUnsafeBufferPointer { source in
      unpacked.withUnsafeMutableBufferPointer { target in
        // zlib only reads its input, although its header takes a mutable pointer.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress! + cursor)
        stream.pointee.avail_in = UInt32(source.count - cursor)
        stream.pointee.next_out = target.baseAddress! + place
        stream.pointee.avail_out = UInt32(space)
        return CZlib.inflate(stream, Z_NO_FLUSH)
      }
    }
    switch status {
    // Z_BUF_ERROR: all input is used, and zlib needs more.
    case Z_OK, Z_STREAM_END, Z_BUF_ERROR: break
    case Z_MEM_ERROR: throw .unreadable("there is no memory to unpack it")
    case _:
      let reason = stream.pointee.msg.map { String(cString: $0) } ?? "no reason is given"
      throw .damaged("its gzip data are wrong (\(reason))")
    }
    cursor = packed.count - Int(stream.pointee.avail_in)
    isBetweenMembers = status == Z_STREAM_END
    return space - Int(stream.pointee.avail_out)
  }
}
