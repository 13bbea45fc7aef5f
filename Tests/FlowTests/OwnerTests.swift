import Foundation
import LiveSupport
import Testing

@Suite("A port and a store have one owner", .timeLimit(.minutes(2)))
struct OwnerTests {
  let folder: TemporaryFolder
  private var store: String { folder["live.sqlite"].path }

  init() throws { folder = try TemporaryFolder() }

  /// A collector started by a shell line, on a free port and the store.
  private func collect(_ prefix: String = "exec") throws -> RunningProcess {
    try RunningProcess(
      URL(fileURLWithPath: "/bin/bash"),
      [
        "-c",
        "\(prefix) '\(Program.url.path)' collect --listen 127.0.0.1:0 --ui plain --store-path "
          + "'\(store)'",
      ])
  }

  @Test("a second collector gets an error for the port and the store; the first continues")
  func inUse() async throws {
    let first = try await OwnCollector(["--store-path", store])
    try await Program.run(
      ["collect", "--listen", first.address, "--store-path", folder["second.sqlite"].path]
    ).expectOneLine(73, first.address, "another program uses the port")
    try await collect().end().expectOneLine(73, store, "has this store open")
    try await Program.run(["verify", store]).expectOneLine(73, "has this store open")
    try await Program.run(["export", store]).expectOneLine(73, "has this store open")
    try await first.stop(SIGINT)
  }

  /// Permissions do not bind root, so the collector is started as nobody where the test is root;
  /// elsewhere the file's own permissions are enough.
  @Test("a read-only store gives one line, and stays unchanged")
  func readOnly() async throws {
    let first = try collect()
    try await first.says("listening on")
    first.signal(SIGKILL)
    _ = try await first.end()
    let before = try Data(contentsOf: folder["live.sqlite"])
    try await Shell.run("chmod 555 '\(folder.url.path)' && chmod 444 '\(store)'")
    let asNobody = getuid() == 0 ? "setpriv --reuid 65534 --clear-groups" : ""
    let reaches = try await Shell.output(
      "\(asNobody) test -x '\(Program.url.path)' && echo yes || echo no")
    // The program cannot start in a private home folder.
    if reaches == "yes" {
      let ended = try await collect("exec \(asNobody)").end()
      ended.expectOneLine(73, "live.sqlite", "cannot be written")
    }
    #expect(try Data(contentsOf: folder["live.sqlite"]) == before)
    try await Shell.run("chmod 755 '\(folder.url.path)'")
  }
}
