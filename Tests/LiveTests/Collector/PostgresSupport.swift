import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Collector
@testable import CollectorSupport

/// A server for tests, and a database on it.
final class TestCluster {
  let folder: TemporaryFolder
  let cluster: PostgresCluster
  let database: String

  /// A separate server, which the test may kill.
  ///
  /// - Parameter disk: holds its files; nil: they are in the folder of temporary files.
  init(_ settings: [(String, String)] = [], on disk: SmallDisk? = nil) throws {
    folder = TemporaryFolder()
    cluster = try PostgresCluster(
      folder: disk.map { "\($0.path)/pg" } ?? folder.path("pg"), settings: settings)
    database = "postgres"
    try cluster.start()
  }

  /// A new database on the server that tests share; they may change nothing else on it.
  init(shared: Void) throws {
    let first = try Self.shared.get()
    (folder, cluster) = (first.folder, first.cluster)
    database = "test\(Self.databases.withLock { $0 += 1; return $0 })"
    try Self.making.withLock { _ in try first.cluster.run("CREATE DATABASE \(database)") }
  }

  // It ends with the process.
  nonisolated(unsafe) private static let shared = Result { try TestCluster() }
  private static let databases = Mutex(0)
  /// Two databases are not made from one template at a time.
  private static let making = Mutex(())

  func store(_ database: String? = nil, connections: Int = 2) throws -> StoreAddress {
    let url = cluster.url(database ?? self.database)
    return .postgreSQL(try #require(PostgresAddress(url, connections: connections)))
  }

  func run(_ sql: String, in other: String? = nil) throws {
    try cluster.run(sql, in: other ?? database)
  }

  /// Makes a copy of the database.
  func copy(as other: String) throws {
    try Self.making.withLock { _ in
      try cluster.run("CREATE DATABASE \(other) TEMPLATE \(database)")
    }
  }

  func number(_ sql: String) throws -> Int64 {
    let address = try #require(PostgresAddress(cluster.url(database)))
    return try PostgresConnection(address).query(sql).integer(0, 0)
  }
}

/// A file system of a few megabytes, in memory; needs root.
final class SmallDisk {
  let path: String
  private let folder = TemporaryFolder()
  private var filler: String { "\(path)/filler" }

  init(megabytes: Int) throws {
    path = folder.path("disk")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let code = try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
    try #require(code == 0, "mount")
  }

  deinit { _ = try? Self.run("umount", "--lazy", path) }

  private static func run(_ program: String, _ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Machine.program(program) ?? program)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Fills all free space, also, called again, what was freed since.
  func fill() throws {
    let file = open(filler, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    for size in [1 << 20, 4_096] {
      let bytes = [UInt8](repeating: 7, count: size)
      while write(file, bytes, size) == size {}
    }
  }

  func makeRoom() throws { try FileManager.default.removeItem(atPath: filler) }
}

/// Uploads from several threads until told to stop, and records the acknowledged batches.
final class Uploaders: Sendable {
  private let acknowledgedIDs = Mutex<Set<BatchID>>([])
  private let isStopping = Mutex(false)
  private let refusedCount = Mutex(0)
  private let group = DispatchGroup()

  /// - Parameter resends: every batch is sent to all collectors, one after the other.
  init(_ collectors: [LiveCollector], threads: Int = 8, resends: Bool = false) {
    for thread in 0..<threads {
      let phones = UInt32(thread * 3)..<UInt32(thread * 3 + 3)
      group.enter()
      Thread { [self] in
        var sequence: UInt32 = 0
        while !isStopping.withLock({ $0 }) {
          sequence += 1
          for phone in phones {
            let id = LiveCollector.id(phone, sequence)
            let targets = resends ? collectors : [collectors[thread % collectors.count]]
            for target in targets { upload(id, to: target) }
          }
        }
        group.leave()
      }.start()
    }
  }

  private func upload(_ id: BatchID, to collector: LiveCollector) {
    do {
      try collector.upload(id)
      acknowledgedIDs.withLock { _ = $0.insert(id) }
    } catch {
      refusedCount.withLock { $0 += 1 }
      usleep(20_000)
    }
  }

  var acknowledged: Set<BatchID> { acknowledgedIDs.withLock { $0 } }
  var refused: Int { refusedCount.withLock { $0 } }

  func wait(for count: Int) throws {
    for _ in 0..<6_000 {
      if acknowledged.count >= count { return }
      usleep(10_000)
    }
    try #require(Bool(false), "only \(acknowledged.count) of \(count) were acknowledged")
  }

  func stop() {
    isStopping.withLock { $0 = true }
    group.wait()
  }
}
