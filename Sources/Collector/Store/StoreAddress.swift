/// Which store: its kind, and where it is. The one place that knows all kinds.
package enum StoreAddress: Equatable, Sendable {
  /// Acks at once and holds nothing: to measure the rest.
  case none
  /// - Parameter pagesMax: of 4 KiB; a store that has so many behaves as a full disk. nil: it grows
  ///   as far as the disk goes.
  case sqlite(path: String, pagesMax: Int? = nil)

  /// A store as a user names it: the path of its file.
  package init(named name: String) { self = .sqlite(path: name) }

  /// What messages call it.
  package var name: String {
    switch self {
    case .none: "none"
    case .sqlite(let path, _): path
    }
  }

  /// The files that it grows in, where it does so on this machine.
  package var files: StoreFiles? {
    switch self {
    case .none: nil
    case .sqlite(let path, _): StoreFiles(path)
    }
  }

  /// How a screen describes it.
  package var words: String {
    switch self {
    case .none: "keeps nothing"
    case .sqlite: "SQLite"
    }
  }

  /// Opens it for a collector, which first goes on with what it holds and then commits to it; makes
  /// it where there is none.
  package func open() throws(StoreError) -> any StoreSource & CommitTarget {
    switch self {
    case .none: NoStore()
    case .sqlite(let path, let pagesMax): try SQLiteStore(path: path, pagesMax: pagesMax)
    }
  }

  /// Opens it to be proved or exported. Nothing of it changes, and no collector can open it
  /// meanwhile.
  package func read() throws(StoreError) -> any StoreSource {
    switch self {
    case .none: NoStore()
    case .sqlite(let path, _): try SQLiteReader(path: path)
    }
  }
}
