internal import Foundation

/// The built program, run as its users run it.
struct Program {
  struct Outcome {
    let exit: Int32
    let output: String
    let errors: String
  }

  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Beside the test bundle, where the same build puts it.
  static let path = URL(fileURLWithPath: CommandLine.arguments[0])
    .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("flotilla").path

  /// Runs `flotilla` with these words in the repository's folder and waits for its end.
  static func run(_ words: String...) throws -> Outcome { try start(path, words) }

  /// Runs a line of shell in which `$FLOTILLA` is the program.
  static func shell(_ line: String) throws -> Outcome { try start("/bin/sh", ["-c", line]) }

  private static func start(_ executable: String, _ words: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = words
    process.currentDirectoryURL = root
    var environment = ProcessInfo.processInfo.environment
    environment["FLOTILLA"] = path
    process.environment = environment
    // Files instead of pipes: a pipe that nobody empties would stop the program.
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appendingPathComponent("out")
    let errors = folder.appendingPathComponent("err")
    for file in [output, errors] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Outcome(
      exit: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }
}
