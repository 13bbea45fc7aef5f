package import Foundation

/// A tool other than Flotilla that a test compares with: a program of this machine, or an
/// environment that `make deps-test` makes.
///
/// A test that needs one declares the trait `.needs(…)`. If it is missing the test is skipped with
/// a
/// message; in CI it fails, since a test that never runs proves nothing.
package struct Oracle: Sendable, CustomStringConvertible {
  package let name: String
  /// How to install it, such as "make deps-test installs it".
  package let advice: String
  private let find: @Sendable () -> String?

  package init(name: String, advice: String, find: @escaping @Sendable () -> String?) {
    self.name = name
    self.advice = advice
    self.find = find
  }

  package var description: String { name }

  /// Its path; nil: it is missing.
  package var path: String? { find() }
  package var isThere: Bool { path != nil }

  /// The message of a test that is skipped or fails without it.
  package var absence: String { "\(name) is missing: \(advice)" }

  /// A program, searched first in the folder of packages, then along `PATH`.
  package static func tool(_ name: String, advice: String? = nil) -> Oracle {
    Oracle(name: name, advice: advice ?? "make deps-test installs it") {
      Machine.program(name)
    }
  }

  package static let buildah = Oracle(
    name: "buildah as root", advice: "make deps-test installs it; it runs as root"
  ) { getuid() == 0 ? Machine.program("buildah") : nil }
  package static let chromium = tool("chromium")
  package static let chrpath = tool("chrpath")
  package static let curl = tool("curl")
  package static let compiler = tool("cc", advice: "install a C compiler")
  package static let fish = tool("fish")
  package static let git = tool("git")
  package static let gzip = tool("gzip")
  package static let h2load = tool("h2load")
  package static let haproxy = tool("haproxy")
  package static let lintian = tool("lintian")
  package static let man = tool("man", advice: "install man-db")
  package static let mosquitto = tool("mosquitto")
  package static let mosquittoClients = tool("mosquitto_sub")
  package static let mpirun = tool("mpirun")
  package static let nginx = tool("nginx")
  package static let openssl = tool("openssl")
  package static let prometheus = tool("prometheus")
  package static let promtool = tool("promtool")
  package static let protoc = tool("protoc")
  package static let python = tool("python3")
  package static let strace = tool("strace")
  package static let systemd = tool("systemd-analyze")
  package static let shlibdeps = tool("dpkg-shlibdeps")
  package static let shellcheck = tool("shellcheck")
  package static let sqlite = tool("sqlite3")
  package static let tidy = tool("tidy")
  package static let tmux = tool("tmux")
  package static let zsh = tool("zsh")
  package static let zstd = tool("zstd")

  /// A PostgreSQL that can be started here. As root its programs run as another user, whose shell
  /// writes to /dev/null.
  package static let postgreSQL = Oracle(
    name: "PostgreSQL, with a /dev/null that every user may write",
    advice: "make deps-test installs the server; the mode of /dev/null is 666"
  ) {
    var status = stat()
    let isOpen = stat("/dev/null", &status) == 0 && status.st_mode & S_IWOTH != 0
    guard isOpen || getuid() != 0 else { return nil }
    // Servers of several versions are installed side by side, outside the path.
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.lazy.compactMap { Machine.executable("\(root)/\($0)/bin/initdb") }.first
      ?? Machine.program("initdb")
  }

  /// A separate file system for a test.
  package static let tmpfs = Oracle(
    name: "a tmpfs of one's own", advice: "only root may mount one, on Linux"
  ) {
    getuid() == 0 && FileManager.default.fileExists(atPath: "/proc/mounts")
      ? Machine.program("mount") : nil
  }

  /// A Python with the tests' packages from PyPI.
  package static let pythonPackages = Oracle(
    name: ".build/python", advice: "make deps-test makes it where PyPI can be reached"
  ) {
    Machine.executable(Machine.root.appendingPathComponent(".build/python/bin/python").path)
  }

  /// gRPC's own library for Python, in the same environment.
  package static let grpcio = package("grpcio", module: "grpc")

  /// A driver of Chromium, for the Python of the system.
  package static let selenium = Oracle(
    name: "selenium of /usr/bin/python3", advice: "make deps-test installs it"
  ) {
    FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/selenium")
      ? Machine.executable("/usr/bin/python3") : nil
  }

  /// gRPC's library for Go, from Debian's sources.
  package static let grpcGo = Oracle(
    name: "Go with google.golang.org/grpc", advice: "make deps-test installs it where apt is"
  ) {
    let library = "/usr/share/gocode/src/google.golang.org/grpc/clientconn.go"
    guard FileManager.default.fileExists(atPath: library) else { return nil }
    return Machine.program("go")
  }

  /// gRPC's library for Java, from Debian's packages, with its needs for TLS.
  package static let grpcJava = Oracle(
    name: "Java with grpc-netty", advice: "make deps-test installs it where apt is"
  ) {
    let libraries = ["grpc-netty", "netty-codec-http2", "perfmark-api", "netty-tcnative"]
    guard
      libraries.allSatisfy({ FileManager.default.fileExists(atPath: "/usr/share/java/\($0).jar") })
    else { return nil }
    return Machine.program("javac")
  }

  /// OpenTelemetry's messages, in the same environment.
  package static let opentelemetry = package("opentelemetry-proto", module: "opentelemetry")

  /// A server of WebSockets, in the same environment.
  package static let websockets = package("websockets", module: "websockets")

  /// A sender of pushes to Apple's provider, in the same environment.
  package static let aioapns = package("aioapns", module: "aioapns")

  /// A sender through Firebase Cloud Messaging, in the same environment.
  package static let firebaseAdmin = package("firebase-admin", module: "firebase_admin")

  /// The schemas of Kubernetes, in the same environment: they are large, only CI installs them.
  package static let kubernetesSchemas = package(
    "kubernetes-validate", module: "kubernetes_validate")

  private static func package(_ name: String, module: String) -> Oracle {
    Oracle(
      name: "\(name) in .build/python",
      advice: "make deps-test installs it where PyPI can be reached"
    ) {
      let environment = Machine.root.appendingPathComponent(".build/python/lib")
      let names = try? FileManager.default.contentsOfDirectory(atPath: environment.path)
      for name in names ?? [] {
        let library = environment.appendingPathComponent("\(name)/site-packages/\(module)").path
        if FileManager.default.fileExists(atPath: library) { return library }
      }
      return nil
    }
  }

  /// An environment of Python with Home Assistant 2024.3.3: 680 MB, so that only CI makes one.
  package static let homeAssistant = Oracle(
    name: "Home Assistant 2024.3.3",
    advice: "export FLOTILLA_HOMEASSISTANT=\"$(.ci/home-assistant)\", 680 MB from PyPI"
  ) {
    guard let folder = ProcessInfo.processInfo.environment["FLOTILLA_HOMEASSISTANT"],
      !folder.isEmpty, Machine.executable("\(folder)/bin/hass") != nil
    else { return nil }
    return Machine.executable("\(folder)/bin/python")
  }

  /// The program as it ships: a debug build allocates what the optimiser keeps on the stack.
  package static let optimisedProgram = Oracle(
    name: ".build/release/flotilla", advice: "make build makes it"
  ) {
    Machine.executable(Machine.root.appendingPathComponent(".build/release/flotilla").path)
  }

  /// The C library whose own names for malloc a counter calls.
  package static let glibc = Oracle(
    name: "the C library of 64-bit Linux on x86", advice: "only there calls of malloc are counted"
  ) {
    let path = "/usr/lib/x86_64-linux-gnu/libc.so.6"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }
}

/// The tests' machine and folders.
package enum Machine {
  /// The repository, relative to this file.
  package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Whether a missing oracle is a failure: `.ci/run` sets `FLOTILLA_CI`, other CI systems set
  /// `CI`.
  package static let isCI = isCI(ProcessInfo.processInfo.environment)

  package static func isCI(_ environment: [String: String]) -> Bool {
    ["FLOTILLA_CI", "CI"].contains { name in
      guard let value = environment[name]?.lowercased() else { return false }
      return !["", "0", "false", "no"].contains(value)
    }
  }

  /// The path of a program; nil: it is not installed.
  package static func program(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders =
      ["/usr/bin", "/bin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"]
      + path.split(separator: ":").map(String.init)
    return folders.lazy.compactMap { executable("\($0)/\(name)") }.first
  }

  static func executable(_ path: String) -> String? {
    FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }
}
