import Core
import Foundation
import TestSupport
import Testing

@testable import Scenarios
@testable import Wire

/// A key under `push` that the server needs means the same on both sides of the wire, or `load`
/// would differ from `simulate`.
@Suite("Push terms travel", .quick)
struct PushTermsTests {
  /// Keys of a scenario that do not concern the server: they are not sent.
  static let home: Set<String> = ["request", "provider", "phone"]
  static let library = ScenarioLibrary(folders: [
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("scenarios").path
  ])
  /// One of them is a valid new value of any key.
  static let values = [
    "adaptive", "fixed", "11min", "3h", "37%", "7", "2", "371m", "7/s", "[2min, 3min]",
  ]

  /// Every key of the schema that has a value and is sent.
  static var travelling: [String] {
    let keys = PushSchema.push.keys
    return keys.filter { key in
      !home.contains(String(key.prefix { $0 != "." }))
        && !keys.contains { $0.hasPrefix("\(key).") }
    }
  }

  @Test(
    "a key changed in the scenario is changed at the server", arguments: travelling)
  func arrives(_ key: String) throws {
    let usual = try Self.library.load("city").push
    let changed = try #require(
      Self.values.lazy.compactMap {
        try? Self.library.load("city", settings: ["push.\(key)=\($0)"]).push
      }.first { $0 != usual }, "no value in the list is one of push.\(key): add one")
    #expect(changed.terms != usual.terms, "push.\(key) is not among the server's terms")
    let request = OpenRunRequest(
      runID: "r", hashKey: 1, seed: 1,
      clock: RunClock(
        scenarioStart: SimInstant(microseconds: 0), measureStart: SimInstant(microseconds: 0),
        measureEnd: SimInstant(microseconds: 1), speed: 1, startsIn: .zero),
      phones: 1, push: changed.terms, cohorts: [])
    let codec = MessageCodec(capacity: 1 << 16)
    let arrived = try codec.decode(OpenRunRequest.self, from: codec.encode(request))
    #expect(arrived.push == changed.terms, "push.\(key) needs a row in PushTermsTable")
  }

  @Test("the keys are those of the scenario's schema")
  func keys() {
    #expect(Self.travelling.count == 21, "\(Self.travelling)")
    #expect(Self.home.isSubset(of: PushSchema.push.names))
  }

  @Test("a peer's unknown word is refused by name, with the known words")
  func unknownWord() {
    let error = WireError.unknownWord(
      field: "scheduler", "fast", known: PushTerms.Scheduler.allCases.map(\.rawValue))
    #expect(error.description == "scheduler is 'fast'; 'fixed', 'adaptive' or 'none'")
    #expect(error.status == .invalidArgument)
  }
}
