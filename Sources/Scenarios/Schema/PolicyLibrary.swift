internal import Foundation

/// Where policies are looked up by name: the folder beside the scenario, then the install's.
struct PolicyLibrary {
  /// How many policies may stand on each other through `base`.
  static let depthMax = 4

  let folders: [String]
  private(set) var depth = 0

  init(folders: [String]) {
    var unique: [String] = []
    for folder in folders where !unique.contains(folder) { unique.append(folder) }
    self.folders = unique
  }

  /// The same library, one `base` further down.
  var deeper: PolicyLibrary {
    var next = self
    next.depth += 1
    return next
  }

  var names: [String] {
    folders.flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }
    }.sorted()
  }

  func path(of name: String) -> String? {
    // A name is a word, never a path out of the library.
    guard !name.contains("/"), !name.hasPrefix(".") else { return nil }
    return folders.map { "\($0)/\(name).yaml" }.first { FileManager.default.fileExists(atPath: $0) }
  }
}
