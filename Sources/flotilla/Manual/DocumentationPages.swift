internal import Commands
internal import Foundation
internal import Scenarios

/// The pages of the documentation, from a checkout or from `make install`.
struct DocumentationPages {
  struct Page {
    /// The name on the command line, such as `first-run` for `FirstRun.md`.
    let name: String
    let file: URL

    var text: String {
      get throws {
        do { return try String(contentsOf: file, encoding: .utf8) } catch {
          throw CommandError(exit: .badInput, message: "\(file.path): cannot be read.")
        }
      }
    }
  }

  /// All pages, sorted by name.
  let pages: [Page]

  /// Finds the pages in the folders above the program, nearest first.
  init(of program: String) {
    var folder = URL(fileURLWithPath: program).resolvingSymlinksInPath()
    var files: [URL] = []
    while files.isEmpty, folder.path != "/" {
      folder.deleteLastPathComponent()
      files =
        Self.catalogues(in: folder)
        + Self.files(in: folder.appendingPathComponent("share/flotilla/doc"))
    }
    // The first page of a catalogue only lists the other pages.
    pages = files.filter { file in
      !((try? String(contentsOf: file, encoding: .utf8))?.hasPrefix("# ``") ?? true)
    }.map { Page(name: Self.name($0.deletingPathExtension().lastPathComponent), file: $0) }
      .sorted { $0.name < $1.name }
  }

  /// - Throws: an error with the most similar name, if no page has the name.
  func page(_ name: String) throws -> Page {
    if let page = pages.first(where: { $0.name == name }) { return page }
    if pages.isEmpty {
      throw CommandError(
        exit: .badInput,
        message: "no documentation found in the folders above the program; run 'make install'.")
    }
    let hint = Spelling.hint(for: name, in: pages.map(\.name))
    throw CommandError(
      exit: .usage,
      message: "no page '\(name)'.\(hint) Try flotilla manual --list.")
  }

  /// Returns a title such as `FirstRun` as `first-run`.
  static func name(_ title: some StringProtocol) -> String {
    title.reduce(into: "") { name, letter in
      if letter.isUppercase, !name.isEmpty { name += "-" }
      name += letter.lowercased()
    }
  }

  private static func catalogues(in root: URL) -> [URL] {
    let sources = root.appendingPathComponent("Sources")
    let rooms = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
    return rooms.flatMap { files(in: sources.appendingPathComponent("\($0)/\($0).docc")) }
  }

  private static func files(in folder: URL) -> [URL] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.hasSuffix(".md") }.map { folder.appendingPathComponent($0) }
  }
}
