/// Why a file cannot be replayed at all; what is wrong with single points is counted instead.
package enum GPXError: Error, Equatable {
  /// It cannot be opened or read.
  case unreadable(String)
  /// Another format than XML.
  case foreign(String)
  /// Compressed, and not whole.
  case damaged(String)
  /// No XML, or XML whose tags do not match.
  case broken(String, line: Int, column: Int)
  /// More bytes or points than are read.
  case tooLarge(String)
  /// Nothing to replay.
  case empty(String)

  /// Returns a sentence that names the file, the error and its place.
  package func sentence(_ path: String) -> String {
    switch self {
    case .broken(let what, let line, let column): "\(path):\(line):\(column): \(what)."
    case .damaged(let what): "\(path): \(what)."
    case .unreadable, .foreign, .tooLarge, .empty: "\(path) \(text)"
    }
  }

  /// Completes the sentence that begins with the file's name.
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
