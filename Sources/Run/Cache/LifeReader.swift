internal import Core
internal import Fleet
internal import Foundation
internal import Wire

/// Reads a file of a fleet's state. Any thread may read pieces, even after the file was removed.
final class LifeReader: FleetStateSource {
  private struct Place {
    var head: RecordHead
    var part: LifePart
    var first: Int
    var count: Int
    var contentBytes: Int
    var offset: Int
  }

  private let descriptor: Int32
  private let places: [Place]
  private let others: [Place]
  let head: LifeHead
  let pieces: [Range<Int>]
  let events: Int
  let length: Int
  /// The time of the last write or use, in seconds since 1970.
  let usedAt: Double

  /// Opens a file and reads its header. The contents of the pieces are read later.
  init(_ path: String) throws(LifeFileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
    do throws(LifeFileError) {
      var facts = stat()
      guard fstat(descriptor, &facts) == 0 else {
        throw .unreadable(String(cString: strerror(errno)))
      }
      guard facts.st_mode & S_IFMT == S_IFREG else { throw .foreign("it is not a regular file") }
      guard facts.st_uid == geteuid() else { throw .foreign("it belongs to another user") }
      length = Int(facts.st_size)
      usedAt = Double(facts.st_mtim.tv_sec) + Double(facts.st_mtim.tv_nsec) / 1e9
      (head, places, others, events) = try Self.parts(descriptor, length)
      pieces = places.map { $0.first..<$0.first + $0.count }
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  // MARK: Header

  /// Returns whether a file begins like a state file of any version.
  static func isLife(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 7)).map { Array($0) }
      == Array(RecordFile.life.rawValue.utf8.prefix(7))
  }

  private static func parts(
    _ descriptor: Int32, _ length: Int
  ) throws(LifeFileError) -> (head: LifeHead, phones: [Place], others: [Place], events: Int) {
    guard RecordFile.life.begins(try read(descriptor, at: 0, RecordFile.headBytes, length)) else {
      throw .foreign(
        "it does not begin with \(RecordFile.life.rawValue), as this version's files do")
    }
    var offset = RecordFile.headBytes
    let (first, content) = try content(descriptor, at: &offset, length)
    guard first.kind == LifePart.head.rawValue,
      let head = try? JSONDecoder().decode(LifeHead.self, from: Data(content))
    else { throw .damaged("the checksum of its header does not match") }
    var (phones, others): ([Place], [Place]) = ([], [])
    while true {
      let record = try recordHead(descriptor, at: offset, length)
      guard let part = LifePart(rawValue: record.kind), part.belongs(to: head.key.kind) else {
        throw .damaged("a record has an unknown type")
      }
      if part == .end {
        let (_, content) = try Self.content(descriptor, at: &offset, length)
        var end = StateReader(content)
        guard let pieces = try? end.next(UInt32.self), let events = try? end.next(Int64.self),
          end.isAtEnd, pieces == phones.count + others.count, offset == length
        else { throw .damaged("its end does not match its contents") }
        return (head, phones, others, Int(events))
      }
      guard record.size >= LifePart.numbersBytes else { throw .damaged("a record is too short") }
      offset += RecordHead.bytes
      let numbers = try read(descriptor, at: offset, LifePart.numbersBytes, length)
        .withUnsafeBytes { bytes in
          [0, 4, 8].map { Int(bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)) }
        }
      let place = Place(
        head: record, part: part, first: numbers[0], count: numbers[1], contentBytes: numbers[2],
        offset: offset)
      if part == .phones { phones.append(place) } else { others.append(place) }
      offset += record.size
    }
  }

  private static func recordHead(
    _ descriptor: Int32, at offset: Int, _ length: Int
  ) throws(LifeFileError) -> RecordHead {
    let head = try read(descriptor, at: offset, RecordHead.bytes, length)
      .withUnsafeBytes { RecordHead($0) }
    guard head.size <= length - offset - RecordHead.bytes else { throw .damaged("it is truncated") }
    return head
  }

  private static func content(
    _ descriptor: Int32, at offset: inout Int, _ length: Int
  ) throws(LifeFileError) -> (head: RecordHead, content: [UInt8]) {
    let head = try recordHead(descriptor, at: offset, length)
    guard head.size <= LifePart.headMax else { throw .damaged("its header is too long") }
    let content = try read(descriptor, at: offset + RecordHead.bytes, head.size, length)
    guard content.withUnsafeBytes({ head.vouches(for: $0) }) else {
      throw .damaged("the checksum of its header does not match")
    }
    offset += RecordHead.bytes + head.size
    return (head, content)
  }

  private static func read(
    _ descriptor: Int32, at offset: Int, _ count: Int, _ length: Int
  ) throws(LifeFileError) -> [UInt8] {
    guard count <= length - offset else { throw .damaged("it is truncated") }
    var done = 0
    var problem: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      while done < count {
        let got = pread(descriptor, target.baseAddress! + done, count - done, off_t(offset + done))
        if got < 0, errno == EINTR { continue }
        if got <= 0 {
          problem = got < 0 ? errno : 0
          break
        }
        done += got
      }
      filled = done
    }
    if let problem {
      throw problem == 0
        ? .damaged("it is truncated") : .unreadable(String(cString: strerror(problem)))
    }
    return bytes
  }

  // MARK: Pieces

  func bytes(ofPiece number: Int) throws(FleetStateError) -> [UInt8] {
    do throws(LifeFileError) { return try content(places[number]) } catch {
      throw .unreadable(error.description)
    }
  }

  func stays() throws(LifeFileError) -> [[UInt8]] { try contents(.stays) }

  func contents(_ part: LifePart) throws(LifeFileError) -> [[UInt8]] {
    var all: [[UInt8]] = []
    for place in others where place.part == part { all.append(try content(place)) }
    return all
  }

  private func content(_ place: Place) throws(LifeFileError) -> [UInt8] {
    let record = try Self.read(descriptor, at: place.offset, place.head.size, length)
    guard record.withUnsafeBytes({ place.head.vouches(for: $0) }) else {
      throw .damaged("the checksum of a record does not match")
    }
    let bytes = record[LifePart.numbersBytes...]
    let size = place.contentBytes
    if size == bytes.count { return Array(bytes) }
    guard size <= LifePart.contentMax else { throw .damaged("a record is too long") }
    let compressor = MessageCompressor()
    do throws(WireError) {
      let content = try bytes.span.bytes.withUnsafeBytes { bytes throws(WireError) in
        let content = try compressor.decompress(bytes, .zstd, limit: size)
        return Array(content)
      }
      guard content.count == size else { throw .decompressionFailed(reason: "the length differs") }
      return content
    } catch {
      throw .damaged("a record cannot be decompressed: \(error)")
    }
  }
}
