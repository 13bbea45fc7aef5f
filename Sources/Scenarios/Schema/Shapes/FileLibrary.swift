internal import Foundation

enum FileKind: CaseIterable, Sendable {
  case policy, os, significantChange, energy, people, sensors

  var folder: String {
    switch self {
    case .policy: "policies"
    case .os: "profiles/os"
    case .significantChange: "profiles/significant-change"
    case .energy: "profiles/energy"
    case .people: "people"
    case .sensors: "profiles/sensors"
    }
  }

  var noun: String {
    switch self {
    case .policy: "policy"
    case .os: "OS profile"
    case .significantChange: "significant-change profile"
    case .energy: "energy profile"
    case .people: "people"
    case .sensors: "sensor profile"
    }
  }
}

/// Finds policies and profiles by name: in the scenario's folder, then in the installation's.
struct FileLibrary {
  /// The maximum length of a chain in which each file names the next as its `base`.
  static let depthMax = 4

  let folders: [String]
  let progress: ReadProgress?
  private(set) var depth = 0

  init(folders: [String], progress: ReadProgress? = nil) {
    self.progress = progress
    var unique: [String] = []
    for folder in folders where !unique.contains(folder) { unique.append(folder) }
    self.folders = unique
  }

  /// A copy of the library for reading a file that a `base` names, one level deeper.
  var deeper: FileLibrary {
    var next = self
    next.depth += 1
    return next
  }

  func names(of kind: FileKind) -> [String] {
    Set(
      folders.flatMap { folder in
        let path = "\(folder)/\(kind.folder)"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
          .filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.map { String($0.dropLast(5)) }
      }
    ).sorted()
  }

  func path(of name: String, _ kind: FileKind) -> String? {
    // A name is a word, never a path out of the library.
    guard !name.contains("/"), !name.hasPrefix(".") else { return nil }
    return places(of: kind).map { "\($0)/\(name).yaml" }.first {
      FileManager.default.fileExists(atPath: $0)
    }
  }

  func places(of kind: FileKind) -> [String] { folders.map { "\($0)/\(kind.folder)" } }
}
