package import Collector
internal import Core
internal import Foundation

/// The store of trials; each trial starts with an empty store.
package struct TrialStore {
  private enum Place {
    case file(String)
    case database(PostgresAddress, PostgresCluster?)
  }

  private let place: Place

  package static func file(_ path: String) -> TrialStore { TrialStore(place: .file(path)) }

  /// Returns a store in a database, whose data may be removed. CPU time is known only of `server`.
  package static func database(
    _ address: PostgresAddress, server: PostgresCluster?
  ) -> TrialStore { TrialStore(place: .database(address, server)) }

  /// Whether a process other than the collector writes the batches to disk.
  var isDatabase: Bool {
    switch place {
    case .file: false
    case .database: true
    }
  }

  var arguments: [String] {
    switch place {
    case .file(let path): ["--store", "sqlite", "--store-path", path]
    case .database(let address, _):
      ["--store", address.url, "--store-connections", "\(address.connections)"]
    }
  }

  var words: String {
    switch place {
    case .file: "sqlite, synchronous=FULL"
    case .database(_, nil): "a PostgreSQL database, CPU time unknown"
    case .database: "a PostgreSQL server on the collector’s core"
    }
  }

  package func empty() throws(StoreError) {
    switch place {
    case .file(let path): StoreFiles(path).remove()
    case .database(let address, _): try address.removeStore()
    }
  }

  func pin(to core: Int) {
    guard case .database(_, let server?) = place else { return }
    for process in server.processIDs { CorePin.pin(process, to: core) }
  }

  /// The database's CPU time so far; nil for a file, or if the server is not observed.
  var cpuMicroseconds: Int64? {
    guard case .database(_, let server?) = place else { return nil }
    return server.metrics?.cpuMicroseconds
  }

  /// Returns the size of the stored data; 0 if unknown.
  func bytes() -> Int {
    switch place {
    case .file(let path):
      let attributes = try? FileManager.default.attributesOfItem(atPath: StoreFiles(path).path)
      return attributes?[.size] as? Int ?? 0
    case .database(let address, _):
      return (try? address.storedBytes()).map(Int.init) ?? 0
    }
  }
}
