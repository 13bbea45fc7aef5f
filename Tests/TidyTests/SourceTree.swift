internal import Foundation

/// The files of the repository, for the house rules.
enum SourceTree {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  struct File: CustomStringConvertible, Sendable {
    /// The path from the root, such as `Sources/Wire/Frame.swift`.
    let path: String
    let lines: [Substring]

    var description: String { path }

    /// The folder below `Sources` or `Tests`.
    var room: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
    var isTest: Bool { path.hasPrefix("Tests/") }
  }

  /// Every Swift file under `Sources` and `Tests`.
  static let swiftFiles: [File] = ["Sources", "Tests"].flatMap(swiftFiles(under:))

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: root.appendingPathComponent(folder).path
    ).sorted()
  }

  private static func swiftFiles(under folder: String) -> [File] {
    let base = root.appendingPathComponent(folder).path
    let paths = (FileManager.default.enumerator(atPath: base)?.allObjects ?? []) as? [String] ?? []
    return paths.filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
      guard let text = try? text("\(folder)/\(path)") else { return nil }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      return File(path: "\(folder)/\(path)", lines: lines)
    }
  }
}
