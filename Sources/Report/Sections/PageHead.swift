internal import Core
internal import Figures

/// The top of a page: name, verdict, question, answer and tiles.
struct PageHead {
  struct Badge {
    var text: String
    /// Whether the badge is good; nil if it is neither good nor bad.
    var isGood: Bool?
  }

  /// The name on the page; nil for the document's title.
  var name: HTML?
  var badge: Badge?
  var question: HTML?
  var answer: HTML?
  /// The setting of the run: what ran and where.
  var setting: HTML?
  /// What the verdict means; nil if the badge says it all.
  var meaning: HTML?
  var reasons: [HTML] = []
  /// One line about the damage of a record; nil for a whole record.
  var doubts: String?
  var tiles: [Tile] = []

  /// - Parameter meaning: What the verdict means; nil if the badge says it all.
  init(_ record: RunRecord, _ facts: Facts, _ meaning: String?, _ tiles: [Tile]) {
    name = facts.cite("scenario.name", .text) ?? "Run"
    badge = Badge(record.verdict)
    question = facts.cite("scenario.question", .text)
    answer = Answer(record, facts).sentence?.html(facts)
    self.meaning = meaning.map(HTML.text)
    reasons = record.reasons.indices.compactMap { facts.cite("reasons.\($0)", .text) }
    doubts = facts.doubts
    self.tiles = tiles
  }

  /// Creates the head of a study.
  /// - Parameter answer: The sentences of the answer, in which empty ones are left out.
  init(_ facts: Facts, _ badge: Badge?, answer: String..., tiles: [Tile?]) {
    self.badge = badge
    question = facts.cite("scenario.question", .text)
    let sentences = answer.filter { !$0.isEmpty }
    self.answer = sentences.isEmpty ? nil : .text(sentences.joined(separator: " "))
    doubts = facts.doubts
    self.tiles = tiles.compactMap(\.self)
  }

  func html(_ title: String) -> HTML {
    let mark: HTML? = badge.map { " <strong class=\"badge \($0.tone)\">\($0.text)</strong>" }
    let asked: HTML? = question.map { "<p class=\"question\">\($0)</p>\n" }
    let said: HTML? = answer.map { "<p class=\"answer\">\($0)</p>\n" }
    let ran: HTML? = setting.map { "<p class=\"note\">\($0)</p>\n" }
    let doubt: HTML? = doubts.map { "<p class=\"verdict damaged\">\($0)</p>\n" }
    let grid: HTML =
      tiles.isEmpty
      ? "" : "<ul class=\"tiles\" aria-label=\"Figures\">\n\(tiles.map(\.html))</ul>\n"
    return """
      <header id="answers">
      <h1>\(name ?? .text(title))\(mark ?? "")</h1>
      \(asked ?? "")\(said ?? "")\(doubt ?? "")\(why)\(grid)\(ran ?? "")</header>

      """
  }

  private var why: HTML {
    let items: [HTML] = reasons.map { "<li>\($0)</li>\n" }
    guard let meaning else {
      return items.isEmpty ? "" : "<ul class=\"reasons\">\n\(items)</ul>\n"
    }
    let list: HTML = items.isEmpty ? "" : "<ul>\n\(items)</ul>\n"
    return "<div class=\"verdict \(badge?.tone ?? "")\">\n<p>\(meaning)</p>\n\(list)</div>\n"
  }
}

extension PageHead.Badge {
  init(_ verdict: Verdict) {
    text = verdict.rawValue.replacing("-", with: " ")
    isGood = verdict == .pass
  }

  /// Creates the badge of a study from its worst verdict. An SLO may be missed on purpose.
  init?(worstOf verdicts: [Verdict]) {
    guard let worst = verdicts.min() else { return nil }
    self.init(worst)
    if worst == .sloMissed { isGood = nil }
  }

  var tone: String { isGood.map { $0 ? "pass" : "bad" } ?? "open" }
}

/// A headline figure of a page, drawn as a tile.
struct Tile {
  /// The SLO of a tile's figure, or the value with which to compare the figure.
  struct Level {
    var text: HTML
    var word: String
    /// Whether the level is met; nil while that is open.
    var isMet: Bool?
  }

  var id: String
  var title: String
  var value: HTML
  var level: Level?
  var interval: HTML?
  var note: HTML?
  var curve: HTML?

  var html: HTML {
    let standing: HTML = level.map { $0.isMet.map { $0 ? " met" : " failed" } ?? " open" } ?? ""
    let judged: HTML? = level.map { "<p class=\"slo\">\($0.text) <b>\($0.word)</b></p>\n" }
    let range: HTML? = interval.map { "<p class=\"interval\">\($0)</p>\n" }
    let words: HTML? = note.map { "<p class=\"note\">\($0)</p>\n" }
    return """
      <li class="tile\(standing)" id="tile-\(id)">
      <h2>\(title)</h2>
      <p class="value">\(value)</p>
      \(range ?? "")\(judged ?? "")\(words ?? "")\(curve ?? "")</li>

      """
  }
}

extension Tile {
  /// Creates a tile of a ratio in the record, with its interval; nil if the ratio is unknown.
  init?(
    _ id: String, _ title: String, _ facts: Facts, _ key: String, _ unit: FigureUnit,
    level: Level? = nil, note: HTML? = nil, curve: HTML? = nil
  ) {
    guard let value = facts.cite("\(key).value", in: unit) else { return nil }
    self.init(
      id: id, title: title, value: value, level: level, interval: facts.range(key, in: unit),
      note: note, curve: curve)
  }
}

extension Facts {
  /// Returns an interval such as "0.21 – 0.34"; nil if an end is unknown.
  func range(_ key: String, in unit: FigureUnit) -> HTML? {
    cite("\(key).low", in: unit).flatMap { low in
      cite("\(key).high", in: unit).map { "\(low) – \($0)" }
    }
  }

  func cite(_ key: String, in unit: FigureUnit) -> HTML? {
    switch unit {
    case .share: cite(key, .percent)
    case .microseconds: cite(key, .time)
    case .bytes, .bytesPerDay: cite(key, .bytes)
    case .percent, .percentPerDay: cite(key, .quantity).map { "\($0) %" }
    case .meters: cite(key, .quantity).map { "\($0) m" }
    case .minutesPerDay: cite(key, .quantity).map { "\($0) min" }
    case .perDay, .joulesPerDay, .minutesPerPush, .minutesPerJoule, .perSecond, .count, .money:
      cite(key, .quantity)
    }
  }
}
