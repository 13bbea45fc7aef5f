/// Names a store: its kind and its place. This is the only type that knows all kinds.
package enum StoreAddress: Equatable, Sendable {
  /// Acknowledges at once and keeps nothing, to measure the rest of the system.
  case none
  /// - Parameter pagesMax: the greatest number of pages of 16 KiB, at which the store behaves as a
  ///   full disk; nil for no limit but the disk's.
  case sqlite(path: String, pagesMax: Int? = nil)
  case postgreSQL(PostgresAddress)

  /// Makes the address of a store as a user names it: by the URL of its database, or else by the
  /// path of its file.
  package init(named name: String) {
    self = PostgresAddress(name).map { .postgreSQL($0) } ?? .sqlite(path: name)
  }

  /// Is the store's name in messages.
  package var name: String {
    switch self {
    case .none: "none"
    case .sqlite(let path, _): path
    case .postgreSQL(let address): address.name
    }
  }

  /// Names the files in which it grows; nil where it has none on this machine.
  package var files: StoreFiles? {
    switch self {
    case .none, .postgreSQL: nil
    case .sqlite(let path, _): StoreFiles(path)
    }
  }

  /// Is the store's description on a screen.
  package var words: String {
    switch self {
    case .none: "keeps nothing"
    case .sqlite: "SQLite"
    case .postgreSQL: "PostgreSQL"
    }
  }

  /// Opens the store for a collector, which first restores what it holds and then commits to it;
  /// creates it where there is none.
  package func open() throws(StoreError) -> any StoreSource & CommitTarget {
    switch self {
    case .none: NoStore()
    case .sqlite(let path, let pagesMax): try SQLiteStore(path: path, pagesMax: pagesMax)
    case .postgreSQL(let address): try PostgresStore(address)
    }
  }

  /// Opens the store to audit or export it. Nothing in it changes, and no collector can open it
  /// meanwhile.
  package func read() throws(StoreError) -> any StoreSource {
    switch self {
    case .none: NoStore()
    case .sqlite(let path, _): try SQLiteReader(path: path)
    case .postgreSQL(let address): try PostgresReader(address)
    }
  }
}
