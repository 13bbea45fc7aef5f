internal import Foundation
package import Scenarios

package struct TargetReader: Sendable {
  /// Folders that may have a subfolder `targets`; the first folder with the named file wins.
  package let folders: [String]

  package init(folders: [String]) { self.folders = folders }

  package var names: [String] {
    let files = folders.flatMap { folder in
      (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/targets")) ?? []
    }
    return Set(files.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.map { $0.dropLast(5) })
      .map(String.init).sorted()
  }

  /// - Parameter name: a name such as `owntracks`, or the path of a file.
  package func load(_ name: String, url: String? = nil) throws(ScenarioError) -> Target {
    let path = try path(of: name)
    var diagnostics: [Diagnostic] = []
    let node = try Reading.tree(of: path, &diagnostics)
    return try Self.read(node, path: path, url: url, diagnostics)
  }

  /// - Parameter path: the path that messages name, and in whose folder relative paths start.
  /// - Throws: one error with all mistakes.
  package static func read(
    text: String, from path: String, url: String? = nil
  ) throws(ScenarioError) -> Target {
    var diagnostics: [Diagnostic] = []
    let node = try Reading.tree(text: text, from: path, &diagnostics)
    return try read(node, path: path, url: url, diagnostics)
  }

  private static func read(
    _ node: YAMLNode?, path: String, url: String?, _ earlier: [Diagnostic]
  ) throws(ScenarioError) -> Target {
    guard var node else {
      throw ScenarioError([Diagnostic(origin: .whole(path), text: "is empty; write a target.")])
    }
    var reading = Reading()
    if let url { node.set("url", url, at: .option("--target-url \(TargetAddress.masked(url))")) }
    let read = TargetSchema.target.read(node, into: Target(), &reading)
    if let read { TargetCheck.checkNames(read, from: node, &reading) }
    let diagnostics = earlier + reading.diagnostics
    guard diagnostics.isEmpty, var target = read else { throw ScenarioError(diagnostics) }
    target.path = path
    target.folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let stem = path.split(separator: "/").last.map(String.init) ?? path
    if stem.hasSuffix(".yaml"), stem.dropLast(5) != target.name,
      let name = node.value(of: "name")
    {
      throw ScenarioError([
        Diagnostic(
          origin: name.origin, text: "the name is '\(target.name)' but the file is '\(stem)'.")
      ])
    }
    return target
  }

  package static var jsonSchema: String {
    TargetSchema.target.form.jsonSchema(title: "Flotilla target")
  }

  package static var keys: [KeyEntry] {
    ScenarioLibrary.keys(
      of: TargetSchema.target.form,
      standard: TargetSchema.target.show(Target(), .standard(phones: 1)))
  }

  private func path(of name: String) throws(ScenarioError) -> String {
    if name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml") { return name }
    let candidates = folders.map { "\($0)/targets/\(name).yaml" }
    if let found = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      return found
    }
    let known = names.isEmpty ? "" : " Known: \(names.joined(separator: ", "))."
    let places = folders.map { "\($0)/targets" }.joined(separator: " or ")
    throw ScenarioError([
      Diagnostic(
        origin: .whole(name),
        text: "no target has this name in \(places).\(Spelling.hint(for: name, in: names))\(known)")
    ])
  }
}

extension YAMLNode {
  fileprivate mutating func set(_ key: String, _ text: String, at origin: Origin) {
    guard case .map(var entries) = content else { return }
    let value = YAMLNode(origin: origin, content: .scalar(text))
    if let index = entries.firstIndex(where: { $0.key == key }) {
      entries[index].value = value
    } else {
      entries.append(.init(key: key, keyOrigin: origin, value: value))
    }
    content = .map(entries)
  }
}
