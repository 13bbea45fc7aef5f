internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Figures with their evidence", .quick)
struct EvidenceTests {
  @Test("the program's own profiles name every key, so that no figure is left at zero")
  func whole() {
    let phone = Shipped.part(of: Shipped.part(of: Shipped.world, "fleet"), "phone")
    for (form, tree) in [
      (ProfileSchema.ios.form, Shipped.os),
      (AndroidRules.shape.form, Shipped.part(of: Shipped.android, "android")),
      (ProfileSchema.significantChange.form, Shipped.significantChange),
      (ProfileSchema.energy.form, Shipped.energy), (ProfileSchema.sensors.form, Shipped.sensors),
      (PeopleSchema.people.form, Shipped.people), (CohortSchema.mix.form, phone),
      (PushSchema.push.form, Shipped.part(of: Shipped.world, "push")),
      (ServerSchema.network.form, Shipped.part(of: Shipped.world, "network")),
    ] {
      #expect(Self.missing(form, in: tree) == [])
    }
  }

  private static func missing(_ form: Form, in tree: YAMLNode) -> [String] {
    guard case .map(let keys) = form else { return [] }
    return keys.flatMap { key -> [String] in
      guard let value = tree.value(of: key.name) else { return [key.name] }
      return missing(key.form, in: value).map { "\(key.name).\($0)" }
    }
  }

  @Test("a profile may write a figure with its range and its source")
  func written() throws {
    let plain = try read(smallest, settings: ["push.phone.runTime=27s"])
    let text = "push.phone={ runTime: { value: 27s, low: 25s, high: 30s, read: Apple } }"
    #expect(try read(smallest, settings: [text]) == plain)
  }

  @Test(
    "a mistake in a figure's evidence is reported",
    arguments: [
      ("{ value: 27s, lwo: 25s }", "unknown key 'lwo'; write value, low, high, read"),
      ("{ value: 27s, low: 25 }", "'25' has no unit"),
      ("{ value: 27s, high: never }", "write a duration from"),
      ("{ low: 25s, high: 30s }", "there is a map; write a duration"),
      ("{ value: { value: 27s } }", "there is a map; write a duration"),
    ])
  func refused(value: String, part: String) {
    let found = diagnostics(in: smallest, settings: ["push.phone={ runTime: \(value) }"])
    #expect(found.count == 1 && found[0].contains(part), "\(found)")
  }

  @Test(
    "a value is plausible between the ends of its range, and a word always",
    arguments: [
      ("20s", true), ("2min", false), ("1s", false), ("90%", true), ("none", true), ("drip", true),
    ])
  func plausible(value: String, isPlausible: Bool) {
    let (low, high) =
      switch value {
      case "90%": ("0.5", "95%")
      case "none": ("none", "1min")
      case "drip": ("windows", "drip")
      case _: ("5s", "1min")
      }
    let evidence = Evidence(confidence: .assumed, low: low, high: high, source: "no source")
    #expect(evidence.holds(value) == isPlausible)
  }
}
