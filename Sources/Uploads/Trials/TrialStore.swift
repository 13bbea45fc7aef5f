package import Collector
internal import Figures
internal import Foundation

/// What keeps the batches of trials; each of them begins with it empty.
package struct TrialStore {
  private enum Place {
    case file(String)
    case database(PostgresAddress, PostgresCluster?)
  }

  private let place: Place

  /// Keeps them in an SQLite file, which may be replaced.
  package static func file(_ path: String) -> TrialStore { TrialStore(place: .file(path)) }

  /// Keeps them in a database, whose store may be removed.
  ///
  /// - Parameter server: the database's own, on this machine, which shares the collector's core;
  ///   nil: nothing can be seen of it.
  package static func database(
    _ address: PostgresAddress, server: PostgresCluster?
  ) -> TrialStore { TrialStore(place: .database(address, server)) }

  /// Is true where the collector does not write the batches itself.
  var isDatabase: Bool {
    switch place {
    case .file: false
    case .database: true
    }
  }

  /// What tells a collector of it.
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
    case .database(_, nil): "a PostgreSQL database, whose processor time is not seen"
    case .database: "a PostgreSQL server on the collector’s core"
    }
  }

  /// Removes what a trial left.
  package func empty() throws(StoreError) {
    switch place {
    case .file(let path): StoreFiles(path).remove()
    case .database(let address, _): try address.removeStore()
    }
  }

  /// Puts the server, if it can be seen, on the collector's core; its processes begin where their
  /// parent is.
  func pin(to core: Int) {
    guard case .database(_, let server?) = place else { return }
    for process in server.processIDs { CorePin.pin(process, to: core) }
  }

  /// Is the processor time of the database so far, in microseconds; nil where it is not seen.
  var cpuMicroseconds: Int64? {
    guard case .database(_, let server?) = place else { return nil }
    return server.metrics?.cpuMicroseconds
  }

  /// Returns the bytes that it takes; 0 where nobody knows.
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
