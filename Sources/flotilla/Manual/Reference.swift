internal import Commands
internal import Scenarios
internal import Targets

/// A generated page of the documentation: from the options of the command line, and from the shapes
/// of files.
enum Reference: String, CaseIterable {
  case commands
  case scenarioKeys = "scenario-keys"
  case policyKeys = "policy-keys"
  case profileKeys = "profile-keys"
  case targetKeys = "target-keys"

  var markdown: String {
    switch self {
    case .commands: CommandReference.markdown(Flotilla.root)
    case .scenarioKeys:
      KeyReference.markdown(
        title: "Keys of a scenario",
        abstract:
          "Every key of a scenario file, what may be written, and what holds where nothing is.",
        kinds: [.scenario])
    case .policyKeys:
      KeyReference.markdown(
        title: "Keys of a policy",
        abstract:
          "Every key of a tracker policy, what may be written, and what holds where nothing is.",
        kinds: [.policy])
    case .profileKeys:
      KeyReference.markdown(
        title: "Keys of profiles",
        abstract:
          "Every constant of the phone model, with its plausible range, confidence and source.",
        kinds: [.os, .significantChange, .energy, .sensors, .people])
    case .targetKeys: KeyReference.targets
    }
  }
}

enum CommandReference {
  static func markdown(_ root: Command) -> String {
    let commands = root.all(path: root.name).dropFirst()
    let exits = root.sections.filter { $0.title == "Exit codes" }.flatMap(\.rows)
    let parts =
      [
        """
        # Commands

        Every command of the program with its options and examples, as `--help` prints them.

        ## Overview

        `flotilla manual commands --format markdown` writes this page.
        """
      ] + commands.map { section($0.path, $0.command) } + [
        "## Exit codes", Markdown.table(["exit code", "meaning"], exits.map { [$0.0, $0.1] }),
      ]
    return parts.joined(separator: "\n\n")
  }

  private static func section(_ path: String, _ command: Command) -> String {
    var parts = ["## \(path)", command.summary]
    if command.subcommands.isEmpty {
      parts.append(Markdown.code(["\(path) \(command.usage)"]))
    }
    let rows = command.sections.filter { $0.title != "Exit codes" }.flatMap(\.rows)
    parts.append(
      Markdown.table(
        [command.subcommands.isEmpty ? "argument or option" : "command or option", "meaning"],
        rows.map { ["`\(Markdown.trimmed($0.0))`", $0.1] }))
    if !command.examples.isEmpty { parts.append(Markdown.code(command.examples)) }
    return parts.joined(separator: "\n\n")
  }
}

enum KeyReference {
  static func markdown(
    title: String, abstract: String, kinds: [ScenarioLibrary.SchemaKind]
  ) -> String {
    let name = title.lowercased().hasSuffix("profiles") ? "profile" : kinds[0].rawValue
    var parts = [
      """
      # \(title)

      \(abstract)

      ## Overview

      `flotilla manual \(name)-keys --format markdown` writes this page. A key that has a range is a
      figure of the model: the range is what is plausible, the word after it says how sure the
      figure is, and its source follows.
      """
    ]
    for kind in kinds {
      if kinds.count > 1 { parts.append("## \(kind.rawValue)") }
      parts += tables(ScenarioLibrary.keys(of: kind), isDeep: kinds.count > 1)
    }
    return parts.joined(separator: "\n\n")
  }

  static var targets: String {
    let head = """
      # Keys of a target

      Every key of a target's file, what may be written, and what holds where nothing is.

      ## Overview

      `flotilla manual target-keys --format markdown` writes this page.
      """
    return ([head] + tables(TargetReader.keys, isDeep: false)).joined(separator: "\n\n")
  }

  /// Keys without subkeys come first in one table, then each map under its name.
  private static func tables(_ entries: [KeyEntry], isDeep: Bool) -> [String] {
    let heads = entries.filter { !$0.path.contains(".") && !$0.path.contains("[") }
    let maps = heads.filter { head in entries.contains { isInside($0, head) } }
    let plain = heads.filter { head in !maps.contains(head) }
    var parts = plain.isEmpty ? [] : [table(plain)]
    for head in maps {
      parts.append("\(isDeep ? "###" : "##") \(head.path)")
      parts.append(head.doc)
      parts.append(table(entries.filter { isInside($0, head) }))
    }
    return parts
  }

  private static func isInside(_ entry: KeyEntry, _ head: KeyEntry) -> Bool {
    entry.path.hasPrefix("\(head.path).") || entry.path.hasPrefix("\(head.path)[")
  }

  private static func code(_ value: String) -> String { value.isEmpty ? "" : "`\(value)`" }

  private static func table(_ entries: [KeyEntry]) -> String {
    let hasEvidence = entries.contains { $0.evidence != nil }
    let header = ["key", "meaning", "write", "default"] + (hasEvidence ? ["plausible"] : [])
    let rows = entries.map { entry in
      let standard = entry.isRequired ? "required" : entry.standard.map(code) ?? ""
      return ["`\(entry.path)`", entry.doc, entry.allowed, standard]
        + (hasEvidence ? [entry.evidence ?? ""] : [])
    }
    return Markdown.table(header, rows)
  }
}

enum Markdown {
  static func code(_ lines: [String]) -> String {
    "```\n" + lines.joined(separator: "\n") + "\n```"
  }

  static func table(_ header: [String], _ rows: [[String]]) -> String {
    let rule = "|" + String(repeating: "---|", count: header.count)
    return ([line(header), rule] + rows.map(line)).joined(separator: "\n")
  }

  private static func line(_ cells: [String]) -> String {
    "| "
      + cells.map { cell in
        // A cell is one line; help may have several.
        cell.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing(
          "|", with: "\\|")
      }.joined(separator: " | ") + " |"
  }

  static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
