/// A cohort's policy: the name of one, or `{ base: hybrid, … }` with what differs.
extension Shape<Int> {
  static var policyReference: Shape {
    let policy = PolicySchema.policy
    return Shape(
      allowed: "a policy's name, or { base: NAME, … } with the keys that differ",
      keys: ["base"] + policy.keys,
      read: { node, reading in
        switch node.content {
        case .scalar(let name): reading.policy(named: name, at: node.origin)
        case .map, .list: reading.inlinePolicy(node)
        }
      },
      show: { index, scenario in .scalar(scenario.policies[index].name) })
  }
}

extension Shape<Policy> {
  /// A policy in full, in a scenario's own `policies`; `base` names where its defaults come from.
  static var policy: Shape {
    let policy = PolicySchema.policy
    return Shape(
      allowed: policy.allowed, keys: ["base"] + policy.keys,
      read: { node, reading in
        guard let read = reading.policy(from: node) else { return nil }
        if node.value(of: "name") == nil {
          reading.complain(node.origin, "the key 'name' is missing: cohorts refer to it.")
        }
        if reading.policies.contains(where: { $0.name == read.name }) {
          reading.complain(node.origin, "a second policy named '\(read.name)'; rename one.")
        }
        reading.policies.append(read)
        return read
      },
      show: { value, scenario in policy.show(value, scenario) })
  }
}

extension Reading {
  /// The index of a policy by its name: one of the scenario's own, else a file.
  fileprivate mutating func policy(named name: String, at origin: Origin) -> Int? {
    if let index = policies.firstIndex(where: { $0.name == name }) { return index }
    guard let policy = policyFile(named: name, at: origin) else { return nil }
    policies.append(policy)
    return policies.count - 1
  }

  /// An override written in a cohort becomes a policy of its own, named after its base with a star.
  fileprivate mutating func inlinePolicy(_ node: YAMLNode) -> Int? {
    guard var policy = policy(from: node) else { return nil }
    if node.value(of: "name") == nil {
      let stem = policy.name + "*"
      var name = stem
      var number = 2
      while let other = policies.first(where: { $0.name == name }) {
        policy.name = name
        if other == policy { break }
        name = "\(stem)\(number)"
        number += 1
      }
      policy.name = name
    }
    if let index = policies.firstIndex(where: { $0.name == policy.name }) {
      if policies[index] != policy {
        complain(node.origin, "a different policy is named '\(policy.name)' already; rename it.")
      }
      return index
    }
    policies.append(policy)
    return policies.count - 1
  }

  /// Reads a policy's keys over those of its base.
  fileprivate mutating func policy(from node: YAMLNode) -> Policy? {
    var base = Policy.standard
    if let reference = node.value(of: "base") {
      guard case .scalar(let name) = reference.content else {
        inside(key: "base") {
          $0.complain(reference.origin, "there is \(reference.kind); write a policy's name.")
        }
        return nil
      }
      if let own = policies.first(where: { $0.name == name }) {
        base = own
      } else if let file = inside(
        key: "base", { $0.policyFile(named: name, at: reference.origin) })
      {
        base = file
      } else {
        return nil
      }
    }
    return PolicySchema.policy.read(node, into: base, &self, besides: ["base"])
  }

  private mutating func policyFile(named name: String, at origin: Origin) -> Policy? {
    guard let path = library.path(of: name) else {
      let known = library.names + policies.map(\.name)
      let hint = Spelling.hint(for: name, in: known)
      complain(
        origin,
        "unknown policy '\(name)'.\(hint) Known: \(Set(known).sorted().joined(separator: ", ")); "
          + "looked in \(library.folders.joined(separator: " and ")).")
      return nil
    }
    // A base may name a base: three are plenty, and a circle ends here.
    guard library.depth < PolicyLibrary.depthMax else {
      complain(origin, "policies stand on each other more than \(PolicyLibrary.depthMax) deep.")
      return nil
    }
    do throws(ScenarioFault) {
      guard let node = try Self.tree(of: path, &mistakes) else {
        note(.whole(path), "is empty; write a policy.")
        return nil
      }
      return fileContent(node, named: name)
    } catch {
      mistakes += error.mistakes
      return nil
    }
  }

  private mutating func fileContent(_ node: YAMLNode, named name: String) -> Policy? {
    var inner = Reading(library: library.deeper)
    let read = inner.policy(from: node)
    // Two cohorts with one broken policy are still one mistake.
    mistakes += inner.mistakes.filter { !mistakes.contains($0) }
    guard var policy = read else { return nil }
    if let written = node.value(of: "name"), policy.name != name {
      note(written.origin, "the name is '\(policy.name)' but the file is '\(name).yaml'.")
    }
    policy.name = name
    return policy
  }

  /// Parses one file; mistakes that leave a tree are noted.
  static func tree(of path: String, _ mistakes: inout [Mistake]) throws(ScenarioFault) -> YAMLNode?
  {
    let file = try SourceFile.read(path)
    var parser = YAMLParser(file.text) { .file(path, line: $0, column: $1) }
    let root = try parser.document()
    mistakes += parser.mistakes
    return root
  }
}
