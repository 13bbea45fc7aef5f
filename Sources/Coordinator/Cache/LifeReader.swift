internal import Fleet
internal import Foundation
internal import Wire

/// Reads a file of a fleet's state, and believes no byte of it that its sums do not vouch for. Any
/// thread may read pieces; the file may be replaced or removed meanwhile.
final class LifeReader: FleetStateSource {
  private struct Place {
    var head: LifeFile.PieceHead
    var sum: UInt32
    var offset: Int
  }

  private let descriptor: Int32
  private let places: [Place]
  private let others: [Place]
  let head: LifeHead
  let pieces: [Range<Int>]
  let events: Int
  /// Is the length of the file in bytes.
  let length: Int
  /// Is when the file was written or used last, in seconds since 1970.
  let usedAt: Double

  /// Opens a file and reads what it says of itself; its pieces are read later.
  init(_ path: String) throws(LifeFileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
    do throws(LifeFileError) {
      var facts = stat()
      guard fstat(descriptor, &facts) == 0 else {
        throw .unreadable(String(cString: strerror(errno)))
      }
      guard facts.st_mode & S_IFMT == S_IFREG else { throw .foreign("it is no file") }
      guard facts.st_uid == geteuid() else { throw .foreign("it belongs to another user") }
      length = Int(facts.st_size)
      usedAt = Double(facts.st_mtim.tv_sec) + Double(facts.st_mtim.tv_nsec) / 1e9
      var end: Int
      (head, end) = try Self.head(descriptor, length)
      let all = try Self.places(descriptor, from: end, length, of: head.key.kind)
      places = all.filter { $0.head.kind == LifeFile.PieceKind.phones.rawValue }
      others = all.filter { $0.head.kind != LifeFile.PieceKind.phones.rawValue }
      pieces = places.map { Int($0.head.first)..<Int($0.head.first) + Int($0.head.count) }
      guard let last = all.last else { throw .damaged("it has no end") }
      events = Int(
        Int64(bitPattern: UInt64(last.head.contentBytes) << 32 | UInt64(last.head.count)))
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  // MARK: What it says of itself

  /// Whether a file begins as these files do.
  static func isLife(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: LifeFile.magic.count)).map { Array($0) } == LifeFile.magic
  }

  private static func head(
    _ descriptor: Int32, _ length: Int
  ) throws(LifeFileError) -> (LifeHead, end: Int) {
    let bytes = try read(descriptor, at: 0, LifeFile.headBytes, length)
    guard Array(bytes[0..<8]) == LifeFile.magic else {
      throw .foreign("it does not begin with FLOTLIFE")
    }
    let numbers = numbers(bytes[8...])
    guard numbers[0] == LifeFile.version else {
      throw .foreign("its format is \(numbers[0]), and this program's is \(LifeFile.version)")
    }
    guard numbers[1] <= LifeFile.headTextMax else { throw .damaged("its head is too long") }
    let text = try read(descriptor, at: LifeFile.headBytes, Int(numbers[1]), length)
    guard text.withUnsafeBytes({ Checksum.crc32($0) }) == numbers[2],
      let head = try? JSONDecoder().decode(LifeHead.self, from: Data(text))
    else { throw .damaged("its head does not match its sum") }
    return (head, LifeFile.headBytes + text.count)
  }

  private static func places(
    _ descriptor: Int32, from start: Int, _ length: Int, of life: LifeKey.Kind
  ) throws(LifeFileError) -> [Place] {
    var all: [Place] = []
    var offset = start
    while true {
      let numbers = numbers(
        try read(descriptor, at: offset, LifeFile.pieceHeadBytes, length)[...])
      let head = LifeFile.PieceHead(
        kind: numbers[0], first: numbers[1], count: numbers[2], contentBytes: numbers[3],
        bytes: numbers[4])
      offset += LifeFile.pieceHeadBytes
      guard let kind = LifeFile.PieceKind(rawValue: head.kind), kind.belongs(to: life) else {
        throw .damaged("a piece is of no kind that there is")
      }
      guard Int(head.bytes) <= length - offset else { throw .damaged("it is cut short") }
      all.append(Place(head: head, sum: numbers[5], offset: offset))
      offset += Int(head.bytes)
      guard kind == .end else { continue }
      guard head.checked(UnsafeRawBufferPointer(start: nil, count: 0)) == numbers[5],
        Int(head.first) == all.count - 1, offset == length
      else { throw .damaged("its end does not match what is before it") }
      return all
    }
  }

  private static func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
    bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map {
        bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
      }
    }
  }

  private static func read(
    _ descriptor: Int32, at offset: Int, _ count: Int, _ length: Int
  ) throws(LifeFileError) -> [UInt8] {
    guard count <= length - offset else { throw .damaged("it is cut short") }
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
        ? .damaged("it is cut short") : .unreadable(String(cString: strerror(problem)))
    }
    return bytes
  }

  // MARK: Its pieces

  func bytes(ofPiece number: Int) throws(FleetStateError) -> [UInt8] {
    do throws(LifeFileError) { return try content(places[number]) } catch {
      throw .unreadable(error.description)
    }
  }

  /// Returns the contents of all pieces of stays.
  func stays() throws(LifeFileError) -> [[UInt8]] { try contents(.stays) }

  /// Returns the contents of all pieces of a kind that is no phones', in the order of the file.
  func contents(_ kind: LifeFile.PieceKind) throws(LifeFileError) -> [[UInt8]] {
    var all: [[UInt8]] = []
    for place in others where place.head.kind == kind.rawValue { all.append(try content(place)) }
    return all
  }

  private func content(_ place: Place) throws(LifeFileError) -> [UInt8] {
    let bytes = try Self.read(descriptor, at: place.offset, Int(place.head.bytes), length)
    guard bytes.withUnsafeBytes({ place.head.checked($0) }) == place.sum else {
      throw .damaged("a piece does not match its sum")
    }
    let size = Int(place.head.contentBytes)
    if size == bytes.count { return bytes }
    guard size <= LifeFile.contentMax else { throw .damaged("a piece is too long") }
    let compressor = MessageCompressor()
    do throws(WireError) {
      let content = try bytes.span.bytes.withUnsafeBytes { bytes throws(WireError) in
        let content = try compressor.decompress(bytes, .zstd, limit: size)
        return Array(content)
      }
      guard content.count == size else { throw .decompressionFailed(reason: "of another length") }
      return content
    } catch {
      throw .damaged("a piece cannot be decompressed: \(error)")
    }
  }
}
