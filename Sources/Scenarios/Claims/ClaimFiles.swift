internal import Foundation

extension ScenarioLibrary {
  /// The folder `claims` of the first scenario folder that has one; nil if no folder has one.
  package var claimsFolder: String? {
    folders.map { "\($0)/claims" }.first { path in
      var isFolder = ObjCBool(false)
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        && isFolder.boolValue
    }
  }

  /// Reads every registered claim, in the order of file names. Throws one error with all mistakes.
  package func claims() throws(ScenarioError) -> [RegisteredClaim] {
    guard let folder = claimsFolder else { return [] }
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.sorted()
    var reading = Reading(library: FileLibrary(folders: folders))
    var claims: [RegisteredClaim] = []
    for name in names { claims += try reading.claims(at: "\(folder)/\(name)", besides: claims) }
    guard reading.diagnostics.isEmpty else { throw ScenarioError(reading.diagnostics) }
    return claims
  }
}

extension Reading {
  fileprivate mutating func claims(
    at path: String, besides others: [RegisteredClaim]
  ) throws(ScenarioError) -> [RegisteredClaim] {
    guard let node = try Self.tree(of: path, &diagnostics) else {
      note(.whole(path), "is empty; write a list of claims.")
      return []
    }
    return claims(node, besides: others)
  }

  mutating func claims(
    _ node: YAMLNode, besides others: [RegisteredClaim] = []
  ) -> [RegisteredClaim] {
    guard let read = ClaimSchema.claims.read(node, &self), case .list(let nodes) = node.content
    else { return [] }
    var known = Set(others.map(\.id))
    for (claim, node) in zip(read, nodes) where !known.insert(claim.id).inserted {
      note(node.origin, "two claims have the id '\(claim.id)'; rename one.")
    }
    return read
  }
}
