internal import Foundation

enum Repository {
  /// Returns the short commit, with `+` for changed files; `unknown` without git or a repository.
  static func commit(of folder: String) -> String {
    guard let commit = git(["rev-parse", "--short=9", "HEAD"], in: folder), !commit.isEmpty else {
      return "unknown"
    }
    let changes = git(["status", "--porcelain", "--untracked-files=no"], in: folder) ?? ""
    return changes.isEmpty ? commit : "\(commit)+"
  }

  /// Returns git's trimmed standard output; nil on failure.
  private static func git(_ arguments: [String], in folder: String) -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return nil
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
