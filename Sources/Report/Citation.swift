internal import Figures

extension Facts {
  /// The value as the reader sees it, with its key; nil when the record has none.
  func cite(_ key: String, _ form: Form) -> HTML? {
    guard let text = text(key, form) else { return nil }
    return "<span class=\"\(form == .text ? "said" : "number")\" data-key=\"\(key)\" "
      + "data-form=\"\(form.rawValue)\">\(text)</span>"
  }
}

/// The figures of a file that stands beside `run.json`, for the first screen.
struct OtherFacts {
  let facts: Facts
  /// Names the file.
  let file: String

  /// The value as the reader sees it, with its key and file; nil when the record has none.
  func cite(_ key: String, _ form: Facts.Form) -> HTML? {
    guard let text = facts.text(key, form) else { return nil }
    return "<span class=\"number\" data-key=\"\(key)\" data-form=\"\(form.rawValue)\" "
      + "data-file=\"\(file)\">\(text)</span>"
  }
}

extension Sentence {
  /// Its words, and its figures with their keys.
  func html(_ facts: Facts) -> HTML {
    pieces.map { piece -> HTML in
      switch piece {
      case .words(let words): .text(words)
      case .figure(let key, let form, let text): facts.cite(key, form) ?? .text(text)
      }
    }.joined()
  }
}
