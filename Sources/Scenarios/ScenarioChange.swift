/// A change to a scenario from the command line: `path=value`.
package struct ScenarioChange: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The change as written, such as `fleet.phones=20000`.
  package let text: String
  /// The option and its value, such as `--phones 20000`; nil for a change by `--set`.
  package let option: String?

  package init(_ text: String, option: String? = nil) {
    self.text = text
    self.option = option
  }

  package init(stringLiteral text: String) { self.init(text) }

  var origin: Origin { option.map(Origin.option) ?? .setting(text) }
}
