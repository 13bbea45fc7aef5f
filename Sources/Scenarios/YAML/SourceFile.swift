internal import Core

struct SourceFile {
  /// The size limit. Shipped scenarios have less than 4 kB, so a larger file is no scenario.
  static let bytesMax = 1 << 20

  let name: String
  let text: String

  /// Reads a regular file of at most `bytesMax` bytes of UTF-8.
  static func read(_ path: String) throws(ScenarioError) -> SourceFile {
    do throws(InputFileError) {
      let file = try InputFile(path, bytesMax: bytesMax, isRegular: true)
      return SourceFile(name: path, text: try file.text())
    } catch {
      throw ScenarioError([Diagnostic(origin: .whole(path), text: Self.text(error))])
    }
  }

  private static func text(_ error: InputFileError) -> String {
    switch error {
    case .notRegular: "is not a regular file; name a YAML file."
    case .tooLarge(let bytes?, let most): "has \(bytes) bytes; a scenario has at most \(most)."
    case .tooLarge(nil, _), .cannotOpen, .cannotRead, .notText: error.text
    }
  }
}
