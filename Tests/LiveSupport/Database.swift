internal import Collector
internal import Foundation
import Synchronization

/// A database for a test's collectors. `@unchecked Sendable`: the cluster is not queried once it
/// serves.
package final class Database: @unchecked Sendable {
  package let url: String
  private let cluster: PostgresCluster
  private let folder: TemporaryFolder
  /// Foundation detects by a socket that a process has ended; a cluster's server started in the
  /// same instant might inherit it (`Child`).
  private static let turn = Mutex(())

  private init(_ cluster: PostgresCluster, _ folder: TemporaryFolder) {
    self.cluster = cluster
    self.folder = folder
    url = cluster.url()
  }

  /// Runs statements as the owner.
  package func run(_ sql: String) throws { try cluster.run(sql) }

  /// Creates a user with a password.
  package func lock(_ user: String, password: String) async throws {
    try run("CREATE ROLE \(user) LOGIN PASSWORD '\(password)'")
    let rules = folder["pg/data/pg_hba.conf"]
    let text = try String(contentsOf: rules, encoding: .utf8)
    let handle = try FileHandle(forWritingTo: rules)
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data("local all \(user) scram-sha-256\n\(text)".utf8))
    try handle.close()
    try run("SELECT pg_reload_conf()")
  }

  /// The address for another user.
  package func url(of user: String) -> String {
    url.replacing("user=flotilla", with: "user=\(user)")
  }

  /// On a separate thread, since it takes a second.
  package static func start() async throws -> Database {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            try turn.withLock { _ in
              let folder = try TemporaryFolder()
              let cluster = try PostgresCluster(folder: folder["pg"].path)
              try cluster.start()
              return Database(cluster, folder)
            }
          })
      }
    }
  }
}
