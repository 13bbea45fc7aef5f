/// The kinds of record in the file of a fleet's state, a `RecordFile`. The header, a `LifeHead` as
/// JSON, comes first. Pieces follow in any order, then the end, with the numbers of pieces and of
/// simulated events. A file without an end is incomplete.
///
/// A piece has the number of its first phone, the number of its phones, the length of its content
/// and the content, compressed with zstd if that makes it smaller.
enum LifePart: UInt8 {
  case phones = 1
  case stays = 2
  case end = 3
  case server = 4
  case traffic = 5
  case head = 6

  func belongs(to life: LifeKey.Kind) -> Bool {
    switch self {
    case .phones, .end: true
    case .stays: life == .warmStart
    case .server, .traffic: life == .checkpoint
    case .head: false
    }
  }

  static let numbersBytes = 12
  /// The maximum length of the header in bytes, scenario included.
  static let headMax = 4 << 20
  /// The maximum length of a piece in bytes. 8,192 phones with full outboxes need far less.
  static let contentMax = 1 << 30
}

struct LifeHead: Codable, Equatable {
  var key: LifeKey
  /// The scenario with all its defaults, as YAML; nil in a cached warm start.
  var scenario: String?
}

package enum LifeFileError: Error, Equatable, Sendable, CustomStringConvertible {
  case unreadable(String)
  /// The file belongs to another program, scenario, part of a fleet or user.
  case foreign(String)
  case damaged(String)
  case unwritable(String)

  package var description: String {
    switch self {
    case .unreadable(let why): "cannot be read (\(why))"
    case .foreign(let why): "belongs to another fleet (\(why))"
    case .damaged(let why): "is damaged (\(why))"
    case .unwritable(let why): "cannot be written (\(why))"
    }
  }
}
