import Foundation

/// The built program in a line of shell, as its users run it.
enum Shell {
  struct Outcome {
    let exit: Int32
    let output: String
    let errors: String
  }

  /// Runs `flotilla` with these words in the repository's folder and waits for its end.
  static func run(_ words: String...) throws -> Outcome { try start(Program.url.path, words) }

  /// Runs a line of shell in which `$FLOTILLA` is the program.
  static func line(_ line: String) throws -> Outcome { try start("/bin/sh", ["-c", line]) }

  private static func start(_ executable: String, _ words: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = words
    process.currentDirectoryURL = Program.root
    var environment = ProcessInfo.processInfo.environment
    environment["FLOTILLA"] = Program.url.path
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
