internal import Core
internal import Figures

/// The top of a page: name, verdict, question, the sentence that answers it, and tiles.
struct PageHead {
  @Boxed var record: RunRecord
  let facts: Facts

  /// - Parameter sentence: What the verdict means; nil if the badge says all.
  func html(_ sentence: String?, _ tiles: [HTML], below: HTML = "") -> HTML {
    let question: HTML? = facts.cite("scenario.question", .text).map {
      "<p class=\"question\">\($0)</p>\n"
    }
    let answer: HTML? = Answer(record, facts).sentence.map {
      "<p class=\"answer\">\($0.html(facts))</p>\n"
    }
    let grid: HTML = tiles.isEmpty ? "" : "<ul class=\"tiles\">\n\(tiles)</ul>\n"
    return """
      <header id="answers">
      <h1>\(facts.cite("scenario.name", .text) ?? "Run") \
      <strong class="badge \(record.verdict.rawValue)">\
      \(record.verdict.rawValue.replacing("-", with: " "))</strong></h1>
      \(question ?? "")\(answer ?? "")\(reasons(sentence))\(grid)\(below)</header>

      """
  }

  private func reasons(_ sentence: String?) -> HTML {
    let reasons: [HTML] = record.reasons.indices.compactMap { i in
      facts.cite("reasons.\(i)", .text).map { "<li>\($0)</li>\n" }
    }
    guard let sentence else {
      return reasons.isEmpty ? "" : "<ul class=\"reasons\">\n\(reasons)</ul>\n"
    }
    let list: HTML = reasons.isEmpty ? "" : "<ul>\n\(reasons)</ul>\n"
    return "<div class=\"verdict \(record.verdict.rawValue)\">\n<p>\(sentence)</p>\n\(list)</div>\n"
  }

  /// - Parameter slo: Its limit, and whether it is met.
  static func tile(
    _ id: String, _ title: String, _ value: HTML, slo: (limit: HTML, isMet: Bool)? = nil,
    interval: HTML? = nil, note: HTML? = nil, curve: HTML? = nil
  ) -> HTML {
    let standing: HTML = slo.map { $0.isMet ? " met" : " failed" } ?? ""
    let level: HTML? = slo.map {
      "<p class=\"slo\">SLO \($0.limit) <b>\($0.isMet ? "met" : "failed")</b></p>\n"
    }
    let range: HTML? = interval.map { "<p class=\"interval\">\($0)</p>\n" }
    let words: HTML? = note.map { "<p class=\"note\">\($0)</p>\n" }
    return """
      <li class="tile\(standing)" id="tile-\(id)">
      <h2>\(title)</h2>
      <p class="value">\(value)</p>
      \(range ?? "")\(level ?? "")\(words ?? "")\(curve ?? "")</li>

      """
  }
}
