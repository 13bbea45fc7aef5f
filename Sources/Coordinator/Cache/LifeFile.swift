internal import Fleet
internal import Foundation
internal import Synchronization
internal import Wire

/// The format of a file that holds a fleet's state.
///
///     OFFSET  SIZE   the head
///     0       8      "FLOTLIFE"
///     8       4      the format's version
///     12      4      the length of the head's text
///     16      4      the CRC-32 of that text
///     20      …      a `LifeHead` as JSON
///
///     OFFSET  SIZE   a piece; as many as there are, in no order
///     0       4      its kind: 1 phones, 2 stays, 3 the end, 4 the server, 5 uploads on their way
///     4       4      the number of its first phone; at the end how many pieces there are
///     8       4      how many phones it holds; at the end how many events were lived, lower half
///     12      4      the length of its content; at the end the upper half
///     16      4      the length of its bytes
///     20      4      the CRC-32 of the five numbers above and of the CRC-32 of its bytes
///     24      …      its content, compressed with zstd; at the end nothing
///
/// All numbers are in the machine's order: the file is for the program that wrote it. The end is
/// written last, so that a file without it was not finished. Every byte of the file is checked by
/// one of the sums, or compared with what it must be.
enum LifeFile {
  static let magic = Array("FLOTLIFE".utf8)
  static let version: UInt32 = 1
  static let headBytes = 20
  static let pieceHeadBytes = 24
  /// Bounds the head's text, which may hold a scenario: a longer one is damage.
  static let headTextMax = 4 << 20
  /// Bounds a piece: 8,192 phones with full outboxes come to far less.
  static let contentMax = 1 << 30

  enum PieceKind: UInt32 {
    case phones = 1
    case stays = 2
    case end = 3
    case server = 4
    case traffic = 5

    /// Whether files of a kind have such pieces.
    func belongs(to life: LifeKey.Kind) -> Bool {
      switch self {
      case .phones, .end: true
      case .stays: life == .warmStart
      case .server, .traffic: life == .checkpoint
      }
    }
  }

  /// Is what stands before the bytes of a piece.
  struct PieceHead {
    var kind: UInt32
    var first: UInt32
    var count: UInt32
    var contentBytes: UInt32
    var bytes: UInt32

    /// Returns the CRC-32 of the numbers and of the CRC-32 of the bytes that follow them.
    func checked(_ content: UnsafeRawBufferPointer) -> UInt32 {
      var parts = StateWriter()
      for number in [kind, first, count, contentBytes, bytes] { parts.append(number) }
      parts.append(Checksum.crc32(content))
      return parts.bytes.withUnsafeBytes { Checksum.crc32($0) }
    }
  }
}

/// Says, as JSON at the beginning of a file, of which fleet the state is.
struct LifeHead: Codable, Equatable {
  var key: LifeKey
  /// Is the scenario with all its defaults, as YAML; nil in a cache, which is asked with one.
  var scenario: String?
}

/// Is thrown when a file of a fleet's state cannot be used.
package enum LifeFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file is not there or cannot be read.
  case unreadable(String)
  /// The file is of another program, scenario or part of a fleet, or of another user.
  case foreign(String)
  /// The file is cut short or changed.
  case damaged(String)
  /// The file cannot be written.
  case unwritable(String)

  /// Says what is wrong, as a clause.
  package var description: String {
    switch self {
    case .unreadable(let why): "cannot be read (\(why))"
    case .foreign(let why): "is not of this fleet (\(why))"
    case .damaged(let why): "is damaged (\(why))"
    case .unwritable(let why): "cannot be written (\(why))"
    }
  }
}
