internal import Figures

extension Facts {
  /// Returns a value's text, marked with its key; nil if the record has no such value.
  func cite(_ key: String, _ form: Form, of file: String? = nil) -> HTML? {
    guard let text = text(key, form) else { return nil }
    let source: HTML = file.map { " data-file=\"\($0)\"" } ?? ""
    return "<span class=\"\(form == .text ? "said" : "number")\" data-key=\"\(key)\" "
      + "data-form=\"\(form.rawValue)\"\(source)>\(text)</span>"
  }
}

struct OtherFacts {
  let facts: Facts
  let file: String

  func cite(_ key: String, _ form: Facts.Form) -> HTML? { facts.cite(key, form, of: file) }
}

extension Sentence {
  func html(_ facts: Facts) -> HTML {
    pieces.map { piece -> HTML in
      switch piece {
      case .words(let words): .text(words)
      case .figure(let key, let form, let text): facts.cite(key, form) ?? .text(text)
      }
    }.joined()
  }
}
