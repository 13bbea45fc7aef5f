import Foundation
import LiveSupport
import TestSupport
import Testing

/// `make deb` and `make image`, with the program that was built last.
@Suite("Packages", .live, .serialized, .needs(.optimisedProgram), .timeLimit(.minutes(10)))
struct PackageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func shell(_ line: String) async throws -> Ended {
    let words = ["-c", "cd '\(folder.url.path)' && \(line)"]
    return try await RunningProcess(URL(fileURLWithPath: "/bin/sh"), words).end()
  }

  private func expectPackaged(_ kind: String) async throws {
    let script = Program.root.appendingPathComponent(".ci/package")
    let packaged = try await RunningProcess(script, [kind]).end()
    #expect(packaged.code == 0, "\(packaged.text)\(packaged.errorOutput)")
  }

  @Test(
    "lintian finds nothing in the package, and its program needs no toolchain",
    .needs(.lintian), .needs(.chrpath), .needs(.shlibdeps), .needs(.systemd), .needs(.man))
  func debian() async throws {
    try await expectPackaged("deb")
    let packages = Program.root.appendingPathComponent(".build").path
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: packages).first {
        $0.hasPrefix("flotilla_") && $0.hasSuffix(".deb")
      })
    let checked = try await shell("lintian --fail-on error,warning '\(packages)/\(file)'")
    #expect(checked.code == 0 && checked.text.isEmpty, "\(checked.text)\(checked.errorOutput)")
    let unpacked = try await shell("dpkg-deb -x '\(packages)/\(file)' .")
    #expect(unpacked.code == 0, "\(unpacked.errorOutput)")
    // From a folder without scenarios: these are the package's.
    let run = try await shell(
      "usr/bin/flotilla simulate city --phones 20 --duration 30min --set warmStart=0s --out run")
    run.expectRun([0, 99])
    let libraries = try await shell("ldd usr/lib/flotilla/flotilla usr/lib/flotilla/*.so")
    #expect(libraries.text.contains("\(folder.url.path)/usr/lib/flotilla/libswiftCore.so"))
    #expect(!libraries.text.contains("not found"))
    #expect(!libraries.text.contains("/swift/linux/"), "\(libraries.text)")
    let manual = try await shell("man -l usr/share/man/man1/flotilla.1.gz")
    #expect(manual.text.contains("FLOTILLA_DRY_RUN=1"))
    for path in [
      "bash-completion/completions/flotilla", "zsh/vendor-completions/_flotilla",
      "fish/vendor_completions.d/flotilla.fish",
    ] {
      let completions = try String(contentsOf: folder["usr/share/\(path)"], encoding: .utf8)
      #expect(completions.contains("time-limit"), "\(path)")
    }
    try await expectServiceIsSafe()
  }

  private func expectServiceIsSafe() async throws {
    let name = "flotilla-collect.service"
    let unit = try String(contentsOf: folder["lib/systemd/system/\(name)"], encoding: .utf8)
    #expect(unit.contains("\nExecStart=/usr/bin/flotilla collect\n"))
    try unit.replacing("=/usr/bin/", with: "=\(folder.url.path)/usr/bin/")
      .write(to: folder[name], atomically: true, encoding: .utf8)
    let verified = try await shell("systemd-analyze verify --man=no ./\(name)")
    #expect(verified.code == 0 && verified.errorOutput.isEmpty, "\(verified.errorOutput)")
    let rated = try await shell("systemd-analyze security --offline=yes --threshold=20 ./\(name)")
    #expect(rated.code == 0, "\(rated.text)")
    // Its options are valid, in the environment that systemd makes of these lines.
    let settings = try String(contentsOf: folder["etc/default/flotilla-collect"], encoding: .utf8)
    let variables = settings.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(variables.count == 2)
    let line = variables.map { $0.replacing(#/:\d+$/#, with: ":0") }.joined(separator: " ")
    let collect = try await shell(
      "timeout -s TERM 3 env \(line) FLOTILLA_UI=none FLOTILLA_STORE_PATH=store.sqlite "
        + "usr/bin/flotilla collect")
    #expect(collect.errorOutput.contains("127.0.0.1:"), "\(collect.errorOutput)")
    #expect(collect.code == 124, "\(collect.text)\(collect.errorOutput)")
  }

  @Test(
    "the image runs a load as its own user, without a shell", .needs(.buildah), .needs(.chrpath))
  func image() async throws {
    try await expectPackaged("image")
    let file = Program.root.appendingPathComponent(".build/flotilla-image.tar")
    let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    #expect(size > 0 && size <= 120 << 20, "\(size)")
    let tool =
      "buildah --storage-driver vfs --root '\(folder["storage"].path)' "
      + "--runroot '\(folder["run"].path)'"
    let version = try await Program.run(["--version"])
    let name = version.text.split(whereSeparator: \.isWhitespace).joined(separator: ":")
    let made = try await shell(
      "\(tool) pull -q 'docker-archive:\(file.path)' >/dev/null "
        + "&& \(tool) from --pull-never 'localhost/\(name)'")
    #expect(made.code == 0, "\(made.errorOutput)")
    let container = made.text.split(separator: "\n").last.map(String.init) ?? ""
    let facts = try await shell(
      "\(tool) inspect --format '{{.Docker.Config.User}} {{.Docker.Config.Entrypoint}} "
        + "{{.Docker.Config.Healthcheck.Test}}' \(container)")
    #expect(
      facts.text == "65532:65532 [flotilla] [CMD flotilla watch 127.0.0.1:7070 --once]",
      "\(facts.text)\(facts.errorOutput)")
    let inside = "\(tool) run --isolation chroot \(container) --"
    let run = try await shell(
      "\(inside) flotilla load city --phones 50 --duration 6min --speed 240 --set warmStart=10min "
        + "--quiet --out /work/run")
    // Its exit code, whatever the verdict on this machine.
    #expect(run.text.contains("\nreport   /work/run/report.html"), "\(run.text)\(run.errorOutput)")
    let noShell = try await shell("\(inside) sh -c true")
    #expect(noShell.code != 0)
  }
}
