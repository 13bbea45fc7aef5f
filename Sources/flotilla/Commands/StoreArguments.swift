internal import Collector
internal import Scenarios

/// A collector's store on the command line: how the options of `collect` name it.
extension StoreAddress {
  /// - Parameter path: nil: a new file in the working directory's `runs`.
  init(_ kind: CollectorSettings.Store, path: String?) {
    switch kind {
    case .none: self = .none
    case .sqlite: self = .sqlite(path: path ?? "runs/collector.sqlite")
    }
  }

  /// What tells another process of it.
  var arguments: [String] {
    switch self {
    case .none: ["--store", CollectorSettings.Store.none.rawValue]
    case .sqlite(let path, _):
      ["--store", CollectorSettings.Store.sqlite.rawValue, "--store-path", path]
    }
  }
}
