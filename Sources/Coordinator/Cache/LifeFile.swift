/// The parts of a file that holds a fleet's state, a `RecordFile`: a head, which is a `LifeHead` as
/// JSON; pieces in no order; and the end, with the number of pieces and of events lived. The end is
/// written last, so that a file without it was not finished. Every byte of the file is checked by
/// one of the sums, or compared with what it must be.
///
/// A piece has the number of its first phone, the number of its phones, the length of its content
/// and the content, compressed with zstd where that shrinks it.
enum LifePart: UInt8 {
  case phones = 1
  case stays = 2
  case end = 3
  case server = 4
  case traffic = 5
  case head = 6

  /// Whether files of a kind have such parts behind their head.
  func belongs(to life: LifeKey.Kind) -> Bool {
    switch self {
    case .phones, .end: true
    case .stays: life == .warmStart
    case .server, .traffic: life == .checkpoint
    case .head: false
    }
  }

  /// The length of the numbers in front of a piece's content.
  static let numbersBytes = 12
  /// Bounds the head, which may hold a scenario: a longer one is damage.
  static let headMax = 4 << 20
  /// The maximum length of a piece; 8,192 phones with full outboxes need far less.
  static let contentMax = 1 << 30
}

struct LifeHead: Codable, Equatable {
  var key: LifeKey
  /// The scenario with all its defaults, as YAML; nil in a cache, which is asked with one.
  var scenario: String?
}

/// Thrown when a file of a fleet's state cannot be used.
package enum LifeFileError: Error, Equatable, Sendable, CustomStringConvertible {
  case unreadable(String)
  /// The file is of another program, scenario, part of a fleet or user.
  case foreign(String)
  case damaged(String)
  case unwritable(String)

  /// What is wrong, as a clause.
  package var description: String {
    switch self {
    case .unreadable(let why): "cannot be read (\(why))"
    case .foreign(let why): "is not of this fleet (\(why))"
    case .damaged(let why): "is damaged (\(why))"
    case .unwritable(let why): "cannot be written (\(why))"
    }
  }
}
