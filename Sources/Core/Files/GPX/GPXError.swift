/// Why a file cannot be replayed at all; faults of single points are counted instead.
package enum GPXError: Error, Equatable {
  case unreadable(String)
  /// The file has another known format.
  case foreign(String)
  case damaged(String)
  /// The file is not well-formed XML.
  case broken(String, line: Int, column: Int)
  /// The file has more bytes or points than the limit.
  case tooLarge(String)
  case empty(String)

  package func sentence(_ path: String) -> String {
    switch self {
    case .broken(let what, let line, let column): "\(path):\(line):\(column): \(what)."
    case .damaged(let what): "\(path): \(what)."
    case .unreadable, .foreign, .tooLarge, .empty: "\(path) \(text)"
    }
  }

  /// The end of a sentence that begins with the file's name.
  package var text: String {
    switch self {
    case .unreadable(let reason): "cannot be read: \(reason)."
    case .foreign(let advice): "\(advice)."
    case .damaged(let what): "\(what)."
    case .broken(let what, let line, let column): "line \(line), column \(column): \(what)."
    case .tooLarge(let what): "\(what)."
    case .empty(let what): "\(what)."
    }
  }
}
