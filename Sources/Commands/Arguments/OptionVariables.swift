internal import Foundation

/// The value of an option, from the command line or from the environment.
package struct OptionValue {
  /// The value; `""` for a flag.
  package let text: String
  /// The option or the variable, such as `--phones` or `FLOTILLA_PHONES`.
  let name: String
  /// The value as the user wrote it: `--phones 5000` or `FLOTILLA_PHONES=5000`.
  package let written: String

  init(_ text: String, option: String) {
    (self.text, name, written) = (text, option, "\(option) \(text)")
  }

  init(_ text: String, variable: String) {
    (self.text, name, written) = (text, variable, "\(variable)=\(text)")
  }

  package var isOfVariable: Bool { !name.hasPrefix("-") }
}

extension Option {
  /// The environment variable in place of the option, such as `FLOTILLA_DRY_RUN` for `--dry-run`.
  var variable: String { Command.Argument.variable(of: name) }

  /// Returns the values that the environment gives. An empty variable counts as absent. Each line
  /// of a variable is a value, for options that are repeatable.
  func values(in environment: [String: String]) throws(UsageError) -> [OptionValue] {
    guard key == nil, let text = environment[variable] else { return [] }
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    guard placeholder == nil else { return lines.map { OptionValue($0, variable: variable) } }
    switch lines.first?.lowercased() {
    case nil, "0", "false", "no", "off": return []
    case "1", "true", "yes", "on": return [OptionValue("", variable: variable)]
    case _: throw .badValue(option: variable, value: text, wanted: "1 or 0")
    }
  }
}

extension Command.Argument {
  static func variable(of option: String) -> String {
    "FLOTILLA_" + option.dropFirst(2).uppercased().replacing("-", with: "_")
  }

  package var variable: String { Self.variable(of: name) }
}

extension Command {
  package static let variablesSentence =
    "Each option is also an environment variable, such as FLOTILLA_DRY_RUN=1 for --dry-run; the "
    + "command line wins."

  /// Removes the variables of all options from the environment of this process, so that the
  /// programs that it starts do not take them for their options. Call before threads start.
  package func removeVariables() {
    for place in all(path: name) {
      for argument in place.command.arguments { unsetenv(argument.variable) }
    }
  }
}
