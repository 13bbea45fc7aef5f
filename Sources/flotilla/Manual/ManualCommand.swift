internal import Commands
internal import Foundation
internal import Report

struct ManualOptions {
  var page: String?
  var isList = false
  var format = Format.text

  enum Format: String, CaseIterable {
    case text, markdown
  }
}

enum ManualCommand {
  static var command: Command {
    Command(
      "manual", "Print the man page, or a page of the documentation.",
      positionals: [
        Positional(
          name: "PAGE",
          help: "Page, such as first-run; default: the man page, for man(1).",
          isOptional: true
        ) { $1.page = $0 }
      ],
      options: [
        .flag("--list", \ManualOptions.isList, "List the pages."),
        .word(
          "--format", \ManualOptions.format,
          "Output format; markdown prints the source of a page, and regenerates references."),
      ],
      examples: [
        "flotilla manual | man -l -", "flotilla manual --list", "flotilla manual first-run",
        "flotilla manual rules | less",
        "flotilla manual commands --format markdown",
      ],
      start: ManualOptions(), body: run)
  }

  private static func run(_ options: ManualOptions, _ console: Console) throws -> ExitCode {
    if options.isList {
      list(console)
      return .pass
    }
    guard let name = options.page else {
      console.page(ManualPage.page(Flotilla.root, version: ProgramVersion.text))
      return .pass
    }
    switch options.format {
    case .markdown:
      if let reference = Reference(rawValue: name) {
        console.page(reference.markdown)
      } else {
        console.page(withoutLastBreak(try pages(console).page(name).text))
      }
    case .text:
      let text = try pages(console).page(name).text
      console.page(PageText(text, width: width(console)).text)
    }
    return .pass
  }

  private static func pages(_ console: Console) -> DocumentationPages {
    DocumentationPages(of: console.surroundings.program)
  }

  private static func width(_ console: Console) -> Int {
    console.surroundings.terminalSize().map { min(100, max(40, $0.columns)) } ?? 80
  }

  private static func list(_ console: Console) {
    let pages = pages(console).pages
    let width = pages.map(\.name.count).max() ?? 0
    for page in pages {
      let lines = (try? page.text)?.split(separator: "\n") ?? []
      let padding = String(repeating: " ", count: width - page.name.count)
      console.line("\(page.name)\(padding)  \(lines.dropFirst().first ?? "")")
    }
  }

  private static func withoutLastBreak(_ text: String) -> String {
    text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
