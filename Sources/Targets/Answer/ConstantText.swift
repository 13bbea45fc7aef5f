internal import Scenarios

/// Checks texts without values, in which `{count}` must be `{{count}}`, and `$count` `$$count`.
enum ConstantText {
  static func placeholder(in text: String) -> String? {
    if let found = braces(in: text).first(where: { !$0.isDoubled }) { return "{\(found.name)}" }
    if text.hasPrefix("$"), !text.hasPrefix("$$"), text.dropFirst().first?.isLetter == true {
      return text
    }
    return TargetNames.nameWithoutBraces(in: text, of: ValueSource.builtIn.map(\.name))
      .map { "$\($0)" }
  }

  /// - Parameter advice: what to write instead; nil to advise the escaped text.
  static func check(
    _ text: String, at origin: Origin, _ reading: inout Reading, advice: String? = nil
  ) {
    guard let found = placeholder(in: text) else { return }
    let meant = found.hasPrefix("$") ? "$\(found)" : "{\(found)}"
    reading.diagnose(
      origin,
      "'\(found)' is not a value here and would be taken literally; write "
        + (advice ?? "a constant, with \(meant) for the text \(found)") + ".")
  }

  /// Replaces doubled braces around a name by single ones.
  static func plain(_ text: String) -> String {
    var plain = text
    for found in braces(in: text).reversed() where found.isDoubled {
      plain.replaceSubrange(found.range, with: "{\(found.name)}")
    }
    return plain
  }

  private struct Braces {
    let name: Substring
    let isDoubled: Bool
    let range: Range<String.Index>
  }

  private static func braces(in text: String) -> [Braces] {
    text.indices.compactMap { open in
      guard text[open] == "{" else { return nil }
      let first = text.index(after: open)
      let name = text[first...].prefix { $0.isLetter || $0.isNumber || "-_.:".contains($0) }
      guard name.first?.isLetter == true, name.endIndex < text.endIndex,
        text[name.endIndex] == "}"
      else { return nil }
      let end = text.index(after: name.endIndex)
      let isDoubled =
        open > text.startIndex && text[text.index(before: open)] == "{" && end < text.endIndex
        && text[end] == "}"
      guard isDoubled else { return Braces(name: name, isDoubled: false, range: open..<end) }
      return Braces(
        name: name, isDoubled: true,
        range: text.index(before: open)..<text.index(after: end))
    }
  }
}
