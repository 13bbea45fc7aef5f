internal import Collector
internal import Commands
internal import Scenarios

extension StoreAddress {
  /// - Parameter path: The path of a file; nil for a new file in the working directory's `runs`.
  /// - Parameter url: The URL of a database; nil for libpq's default.
  init(_ kind: CollectorSettings.Store, path: String?, url: String? = nil) {
    switch kind {
    case .none: self = .none
    case .sqlite: self = .sqlite(path: path ?? "runs/collector.sqlite")
    case .postgresql: self = StoreAddress(named: url ?? "postgresql://")
    }
  }

  var arguments: [String] {
    switch self {
    case .none: ["--store", CollectorSettings.Store.none.rawValue]
    case .sqlite(let path, _):
      ["--store", CollectorSettings.Store.sqlite.rawValue, "--store-path", path]
    case .postgreSQL(let address):
      ["--store", address.url, "--store-connections", "\(address.connections)"]
    }
  }
}

enum StoreChoice: Equatable {
  case kind(CollectorSettings.Store)
  case database(String)

  static let files: [CollectorSettings.Store] = [.none, .sqlite]

  init?(_ text: String) {
    if let kind = Self.files.first(where: { $0.rawValue == text }) {
      self = .kind(kind)
    } else if PostgresAddress(text) != nil {
      self = .database(text)
    } else {
      return nil
    }
  }

  /// - Parameter path: The path of a file; nil for a new file in the working directory's `runs`.
  func address(path: String?, connections: Int) -> StoreAddress {
    switch self {
    case .kind(let kind): StoreAddress(kind, path: path)
    case .database(let url):
      PostgresAddress(url, connections: connections).map { .postgreSQL($0) }
        ?? StoreAddress(named: url)
    }
  }
}

extension Option {
  /// `--store none|sqlite|postgresql://…`.
  static func store(_ path: WritableKeyPath<Options, StoreChoice>, _ help: String) -> Option {
    let words = StoreChoice.files.map(\.rawValue) + ["postgresql://…"]
    return Option(
      "--store", words.joined(separator: "|"), help,
      wanted: "one of \(words.joined(separator: ", "))", { StoreChoice($0) },
      set: { $1[keyPath: path] = $0 })
  }
}
