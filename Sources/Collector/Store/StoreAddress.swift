/// A store's kind and location. Only this type knows all kinds of stores.
package enum StoreAddress: Equatable, Sendable {
  /// Acknowledges at once and stores nothing, for measuring the rest of the system.
  case none
  /// - Parameter pagesMax: the maximum number of pages (16 KiB in a new file), at which the store
  ///   behaves like a full disk; nil for the limit of the disk.
  case sqlite(path: String, pagesMax: Int? = nil)
  case postgreSQL(PostgresAddress)

  package init(named name: String) {
    self = PostgresAddress(name).map { .postgreSQL($0) } ?? .sqlite(path: name)
  }

  package var name: String {
    switch self {
    case .none: "no store"
    case .sqlite(let path, _): path
    case .postgreSQL(let address): address.name
    }
  }

  /// The files that grow with the store; nil if no such file is on this machine.
  package var files: StoreFiles? {
    switch self {
    case .none, .postgreSQL: nil
    case .sqlite(let path, _): StoreFiles(path)
    }
  }

  package var words: String {
    switch self {
    case .none: "no store"
    case .sqlite: "SQLite"
    case .postgreSQL: "PostgreSQL"
    }
  }

  /// Opens or creates the store for a collector, which restores from it and then commits to it.
  package func open() throws(StoreError) -> any StoreSource & CommitTarget {
    switch self {
    case .none: NoStore()
    case .sqlite(let path, let pagesMax): try SQLiteStore(path: path, pagesMax: pagesMax)
    case .postgreSQL(let address): try PostgresStore(address)
    }
  }

  /// Opens the store unchanged for audit or export. Collectors cannot open an SQLite store then.
  package func read() throws(StoreError) -> any StoreSource {
    switch self {
    case .none: NoStore()
    case .sqlite(let path, _): try SQLiteReader(path: path)
    case .postgreSQL(let address): try PostgresReader(address)
    }
  }
}
