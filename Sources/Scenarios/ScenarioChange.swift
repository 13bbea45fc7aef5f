/// One change to a scenario that the command line asks for: `path=value`.
package struct ScenarioChange: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// Such as `fleet.phones=20000`.
  package let text: String
  /// The option that said it and its value, such as `--phones 20000`; nil: `--set`.
  package let option: String?

  /// Makes a change from `path=value`; `option` is the command-line option that stands for it, nil:
  /// `--set`.
  package init(_ text: String, option: String? = nil) {
    self.text = text
    self.option = option
  }

  /// Makes a change that `--set` asks for from a literal `path=value`.
  package init(stringLiteral text: String) { self.init(text) }

  /// Where its mistakes are said to be.
  var origin: Origin { option.map(Origin.option) ?? .setting(text) }
}
