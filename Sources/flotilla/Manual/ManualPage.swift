internal import Commands

enum ManualPage {
  static func page(_ root: Command, version: String) -> String {
    let commands = root.all(path: root.name)
    let appendix = root.sections.filter { $0.title != "Commands" }
    return
      ([
        ".TH FLOTILLA 1 \"\" \"flotilla \(version)\" \"User Commands\"", ".SH NAME",
        "flotilla \\- \(escaped(lowercased(root.summary)))", ".SH SYNOPSIS", ".B flotilla",
        ".I COMMAND", "[\\fIOPTIONS\\fR]", ".SH DESCRIPTION", escaped(root.summary),
        escaped(Command.variablesSentence), ".SH COMMANDS",
      ] + commands.dropFirst().map(section) + appendix.map(titled) + [
        ".SH EXAMPLES", ".EX", root.examples.map(escaped).joined(separator: "\n"), ".EE",
      ]).joined(separator: "\n")
  }

  private static func section(_ place: (path: String, command: Command)) -> String {
    let command = place.command
    var lines = [".SS \(escaped("\(place.path) \(command.usage)"))", escaped(command.summary)]
    for part in command.sections where part.title != "Commands" {
      for (left, right) in part.rows {
        lines += [".TP", ".B \(escaped(left.trimmed))", escaped(right)]
      }
    }
    if !command.examples.isEmpty {
      lines += [".PP", "Examples:", ".EX"] + command.examples.map(escaped) + [".EE"]
    }
    return lines.joined(separator: "\n")
  }

  private static func titled(_ part: (title: String, rows: [(String, String)])) -> String {
    ([".SH \(escaped(part.title.uppercased()))"]
      + part.rows.flatMap { [".TP", ".B \(escaped($0.0))", escaped($0.1)] })
      .joined(separator: "\n")
  }

  private static func lowercased(_ sentence: String) -> String {
    let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// Escapes backslashes, hyphens, and lines that would begin a request.
  private static func escaped(_ text: String) -> String {
    let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
      .replacing("…", with: "...").replacing("’", with: "'")
    return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
  }
}

extension String {
  /// The text without spaces at its end.
  var trimmed: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
