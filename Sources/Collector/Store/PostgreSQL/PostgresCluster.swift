internal import Core
internal import Foundation
internal import Transport

/// A private PostgreSQL server in a folder, reachable through a Unix socket, which ends with this
/// process. PostgreSQL refuses root, so for a root process the server runs as an unprivileged user.
/// One thread may use the cluster at a time.
package final class PostgresCluster {
  package struct ClusterError: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
  }

  private let folder: URL
  private let programs: String
  private let settings: [(String, String)]
  private let preloaded: String?
  private let sockets: URL
  private let log: FileHandle
  private var process: Process?
  private var lifeline: Pipe?

  /// The time limit of a start. A recovery replays 16 MB of log or more, in under half a minute.
  private static let readyWithin = WallDuration.seconds(60)
  /// The candidates for the server's user if this process runs as root.
  private static let users = ["postgres", "nobody"]

  /// Creates a server in `folder`, or a standby of `primary`, which serves once it is promoted.
  package init(
    folder: String, settings: [(String, String)] = [], preloading preloaded: String? = nil,
    standbyOf primary: PostgresCluster? = nil
  ) throws(ClusterError) {
    guard let programs = Self.programs else {
      throw ClusterError(
        description: "PostgreSQL's initdb and postgres are not installed; "
          + "install them, or give a database with 'url'")
    }
    self.programs = programs
    self.folder = URL(fileURLWithPath: folder, isDirectory: true)
    self.settings = settings
    self.preloaded = preloaded
    // A socket path has at most 107 bytes.
    sockets =
      self.folder.path.utf8.count < 80
      ? self.folder
      : FileManager.default.temporaryDirectory.appending(
        path: "flotilla-\(getpid())-\(UUID().uuidString.prefix(8))")
    do {
      for place in [self.folder, sockets] {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        if let user = Self.user, chown(place.path, user.id, user.group) != 0 {
          throw ClusterError(description: "\(place.path): cannot change the owner to \(user.name)")
        }
      }
      let path = self.folder.appending(path: "postgresql.log").path
      if !FileManager.default.fileExists(atPath: path) {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
      }
      guard let log = FileHandle(forWritingAtPath: path) else {
        throw ClusterError(description: "\(path): cannot be written")
      }
      log.seekToEndOfFile()
      self.log = log
    } catch let error as ClusterError {
      throw error
    } catch {
      throw ClusterError(
        description: "\(folder): cannot be created (\(FileErrorText.reason(error)))")
    }
    if !FileManager.default.fileExists(atPath: data.appending(path: "PG_VERSION").path) {
      try create(standbyOf: primary)
    }
  }

  deinit { stop() }

  private var data: URL { folder.appending(path: "data", directoryHint: .isDirectory) }

  package func url(_ database: String = "postgres") -> String {
    "postgresql:///\(database)?host=\(sockets.path)&user=\(Self.owner)"
  }

  private static let owner = "flotilla"

  // MARK: The programs

  /// The folder of `initdb` and `postgres`; nil if they are not installed.
  package static var programs: String? {
    let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let versions = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"].flatMap { root in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
      return names.filter { root.contains("lib") || $0.hasPrefix("postgresql") }
        .sorted { $0.compare($1, options: .numeric) == .orderedDescending }
        .map { "\(root)/\($0)/bin" }
    }
    return (versions + places.map(String.init)).first { place in
      ["initdb", "postgres"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "\(place)/\($0)")
      }
    }
  }

  private struct User {
    let name: String
    let id: uid_t
    let group: gid_t
  }

  private static var user: User? {
    guard getuid() == 0 else { return nil }
    return users.lazy.compactMap { name in
      getpwnam(name).map { User(name: name, id: $0.pointee.pw_uid, group: $0.pointee.pw_gid) }
    }.first
  }

  private func command(_ program: String, _ arguments: [String]) -> [String] {
    let command = ["\(programs)/\(program)"] + arguments
    guard let user = Self.user else { return command }
    return [
      "setpriv", "--reuid", "\(user.id)", "--regid", "\(user.group)", "--clear-groups",
    ] + command
  }

  private func create(standbyOf primary: PostgresCluster?) throws(ClusterError) {
    if let primary {
      return try make(
        "pg_basebackup",
        ["-D", data.path, "-d", primary.url(), "-R", "-X", "stream", "-c", "fast", "--no-sync"])
    }
    try make(
      "initdb",
      [
        "-D", data.path, "-U", Self.owner, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync",
      ])
  }

  private func make(_ program: String, _ arguments: [String]) throws(ClusterError) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command(program, arguments)
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = log
    process.standardError = log
    do { try Self.run(process) } catch {
      throw ClusterError(description: "\(program): \(FileErrorText.reason(error))")
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw closedFolder ?? failure(program) }
  }

  /// The error if a parent folder's mode keeps the server's user out; nil if no folder does.
  private var closedFolder: ClusterError? {
    guard let user = Self.user else { return nil }
    var place = URL(fileURLWithPath: folder.path).standardizedFileURL
    var closed: String?
    while place.path != "/" {
      place.deleteLastPathComponent()
      var status = stat()
      guard stat(place.path, &status) == 0 else { continue }
      let needed =
        switch (status.st_uid == user.id, status.st_gid == user.group) {
        case (true, _): S_IXUSR
        case (false, true): S_IXGRP
        case (false, false): S_IXOTH
        }
      if status.st_mode & needed == 0 { closed = place.path }
    }
    return closed.map { path in
      ClusterError(
        description: "\(path): as root, PostgreSQL runs as user '\(user.name)', who cannot enter "
          + "this folder to reach \(folder.path); "
          + "choose another folder with --out or run.state, or run 'chmod o+x \(path)'")
    }
  }

  /// Starts a process with no signals blocked, as it would inherit this thread's blocked signals.
  private static func run(_ process: Process) throws {
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  private func failure(_ what: String) -> ClusterError {
    let path = folder.appending(path: "postgresql.log").path
    let said = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let reason = said.split(separator: "\n").last.map(String.init) ?? "it printed nothing"
    return ClusterError(description: "\(what) failed: \(reason); see \(path)")
  }

  // MARK: The server

  /// Starts the server and waits until it accepts connections.
  package func start() throws(ClusterError) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let options = [("listen_addresses", ""), ("unix_socket_directories", sockets.path)] + settings
    process.arguments =
      ["-c", Self.keeper, "sh"]
      + command(
        "postgres", ["-D", data.path] + options.flatMap { ["-c", "\($0.0)=\($0.1)"] })
    process.currentDirectoryURL = folder
    if let preloaded {
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["LD_PRELOAD": preloaded], uniquingKeysWith: { $1 })
    }
    let lifeline = Pipe()
    process.standardInput = lifeline
    process.standardOutput = log
    process.standardError = log
    do { try Self.run(process) } catch {
      throw ClusterError(description: "postgres: \(FileErrorText.reason(error))")
    }
    self.process = process
    self.lifeline = lifeline
    // The state is polled, since the server does not notify when it accepts connections.
    let limit = MonotonicClock.now + Self.readyWithin
    let isOver = Waiter.shared.wait(until: limit, every: .milliseconds(50)) {
      !process.isRunning || isReady
    }
    guard isOver, process.isRunning else { throw failure("postgres") }
  }

  /// A shell script that stops the server when this process ends and so closes the script's input.
  private static let keeper = """
    exec 3<&0
    "$@" </dev/null 3<&- &
    server=$!
    (read -r line <&3; kill -INT $server) &
    keeper=$!
    wait $server
    kill $keeper
    """

  package var isReady: Bool {
    guard let address = PostgresAddress(url()) else { return false }
    do throws(StoreError) { _ = try PostgresConnection(address, waitSeconds: 2) } catch {
      return false
    }
    return true
  }

  package func run(_ sql: String, in database: String = "postgres") throws(StoreError) {
    guard let address = PostgresAddress(url(database)) else { return }
    try PostgresConnection(address).run(sql)
  }

  /// The ID in the server's pid file, which remains if the server is killed; nil without the file.
  package var processID: Int32? {
    let text = try? String(contentsOf: data.appending(path: "postmaster.pid"), encoding: .utf8)
    return text?.split(separator: "\n").first.flatMap { Int32($0) }
  }

  /// Kills all of the server's processes, as a loss of power would.
  package func kill() {
    guard let server = processID, let process, process.isRunning else { return }
    // Children that outlive the server would hold memory that a new server needs.
    let children = Self.children(of: server)
    for id in [server] + children { Foundation.kill(id, SIGKILL) }
    process.waitUntilExit()
    // No notification comes when another process's children end.
    Waiter.shared.wait(until: MonotonicClock.now + .seconds(5), every: .milliseconds(10)) {
      !children.contains { Self.isRunning($0) }
    }
  }

  /// Shuts the server down; idempotent.
  package func stop() {
    guard let process else { return }
    try? lifeline?.fileHandleForWriting.close()
    process.waitUntilExit()
    self.process = nil
  }
}
