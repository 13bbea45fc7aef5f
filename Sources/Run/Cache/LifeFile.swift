/// The parts of a file of a fleet's state, a `RecordFile`: a head, which is a `LifeHead` as JSON;
/// pieces in any order; and the end, with the number of pieces and of events simulated. A file
/// without an end was not finished. Every byte is checked by a checksum or compared with its only
/// valid value.
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

  func belongs(to life: LifeKey.Kind) -> Bool {
    switch self {
    case .phones, .end: true
    case .stays: life == .warmStart
    case .server, .traffic: life == .checkpoint
    case .head: false
    }
  }

  static let numbersBytes = 12
  /// The limit of the head, with its optional scenario; a longer one is damage.
  static let headMax = 4 << 20
  /// The maximum length of a piece; 8,192 phones with full outboxes need far less.
  static let contentMax = 1 << 30
}

struct LifeHead: Codable, Equatable {
  var key: LifeKey
  /// The scenario with all its defaults, as YAML; nil in a cache, which is queried with one.
  var scenario: String?
}

package enum LifeFileError: Error, Equatable, Sendable, CustomStringConvertible {
  case unreadable(String)
  /// The file is of another program, scenario, part of a fleet or user.
  case foreign(String)
  case damaged(String)
  case unwritable(String)

  package var description: String {
    switch self {
    case .unreadable(let why): "cannot be read (\(why))"
    case .foreign(let why): "is not of this fleet (\(why))"
    case .damaged(let why): "is damaged (\(why))"
    case .unwritable(let why): "cannot be written (\(why))"
    }
  }
}
