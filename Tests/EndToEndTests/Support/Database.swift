import Collector
import Foundation

/// A database for a test's collectors. `@unchecked Sendable`: nothing is asked of the cluster once
/// it serves.
final class Database: @unchecked Sendable {
  let url: String
  private let cluster: PostgresCluster
  private let folder: TemporaryFolder

  private init(_ cluster: PostgresCluster, _ folder: TemporaryFolder) {
    self.cluster = cluster
    self.folder = folder
    url = cluster.url()
  }

  /// On a thread of its own, since it takes a second.
  static func start() async throws -> Database {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let folder = try TemporaryFolder()
            let cluster = try PostgresCluster(folder: folder["pg"].path)
            try cluster.start()
            return Database(cluster, folder)
          })
      }
    }
  }
}
