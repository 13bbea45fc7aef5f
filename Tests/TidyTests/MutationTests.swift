import Foundation
import TestSupport
import Testing

/// A change in `Tests/Mutations/rules.txt` that removes a rule's code; `.ci/mutate` builds it.
struct Mutation: CustomStringConvertible, Sendable {
  let rule: String
  var file = ""
  /// The replaced lines, including line ends.
  var old = ""
  var description: String { rule }

  static let all: [Mutation] = {
    var found: [Mutation] = []
    let text = (try? SourceTree.text("Tests/Mutations/rules.txt")) ?? ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("rule ") {
        found.append(Mutation(rule: String(line.dropFirst(5).prefix { $0 != ":" })))
      } else if found.isEmpty {
        continue
      } else if line.hasPrefix("file ") {
        found[found.count - 1].file = String(line.dropFirst(5))
      } else if line.hasPrefix("-") {
        found[found.count - 1].old += line.dropFirst() + "\n"
      }
    }
    return found
  }()
}

@Suite("Mutated rules", .quick)
struct MutationTests {
  @Test("at least ten rules of the catalogue have a mutation, each one only")
  func list() {
    let rules = Mutation.all.map(\.rule)
    #expect(rules.count >= 10 && Set(rules).count == rules.count)
    #expect(Set(rules).isSubset(of: RuleCatalogueTests.rules))
  }

  @Test("the lines of a mutation occur once in its file", arguments: Mutation.all)
  func lines(_ mutation: Mutation) throws {
    let text = try SourceTree.text(mutation.file)
    #expect(!mutation.old.isEmpty)
    #expect(text.components(separatedBy: mutation.old).count == 2, "\(mutation.file)")
  }
}
