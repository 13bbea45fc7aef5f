/// Words of a private vocabulary, and the field's words in their place.
struct BannedWord: Sendable {
  let word: String
  let instead: String

  private init(_ word: String, _ instead: String) { (self.word, self.instead) = (word, instead) }

  /// May stand nowhere: not in a name, a comment, a text or a page.
  static let everywhere = [
    BannedWord("foretell", "predict"), BannedWord("foretells", "predicts"),
    BannedWord("foretold", "predicted"), BannedWord("reckon", "compute"),
    BannedWord("reckons", "computes"), BannedWord("reckoned", "computed, estimated"),
    BannedWord("reckoning", "reconciliation"), BannedWord("foresee", "counterfactual"),
    BannedWord("foreseen", "counterfactual"), BannedWord("foreseeing", "counterfactual"),
    BannedWord("complaint", "message, error"), BannedWord("complaints", "messages, error output"),
    BannedWord("complain", "diagnose, report"), BannedWord("aftermath", "deferred"),
    BannedWord("shelf", "buffer"), BannedWord("doorbell", "signal"),
    BannedWord("watchman", "rate-limited logger"), BannedWord("patrol", "audit tick"),
    BannedWord("newborn", "initial"), BannedWord("ripe", "matured, due"),
    BannedWord("glance", "view"), BannedWord("deed", "action"), BannedWord("deeds", "actions"),
    BannedWord("stranger", "unauthenticated client, unknown peer"),
    BannedWord("strangers", "unauthenticated clients, unknown peers"),
    BannedWord("whoever", "the caller, the owner, an observer"),
  ]

  /// May stand in a sentence of plain English, but be no part of a name.
  static let inNames = [
    BannedWord("trouble", "error, problem"), BannedWord("desk", "the role's name"),
    BannedWord("site", "handle"), BannedWord("calm", "baseline"),
    BannedWord("news", "update, notification"), BannedWord("tell", "notify"),
    BannedWord("told", "delivered, reported"), BannedWord("hear", "receive"),
    BannedWord("hears", "receives"), BannedWord("heard", "received"),
    BannedWord("unheard", "pending"), BannedWord("trail", "trace"),
    BannedWord("standings", "snapshots"), BannedWord("twins", "references"),
    BannedWord("mistake", "diagnostic"),
  ]

  /// Names that keep such a word, since they are keys of a scenario.
  static let keys: Set<Substring> = ["arrivalTold", "departureTold"]
}

/// Where words stand in a line of Swift.
enum Words {
  /// The parts of all names in `text`: `firstCallTime` has three.
  static func components(of text: some StringProtocol) -> [String] {
    names(in: text).flatMap(parts)
  }

  static func names(in text: some StringProtocol) -> [Substring] {
    Substring(text).split { !$0.isLetter }
  }

  static func parts(_ name: Substring) -> [String] {
    var parts: [String] = []
    var isAfterLower = false
    for letter in name {
      if parts.isEmpty || letter.isUppercase && isAfterLower {
        parts.append("")
      }
      parts[parts.count - 1] += letter.lowercased()
      isAfterLower = letter.isLowercase
    }
    return parts
  }

  /// A line without its texts and its comment.
  static func code(_ line: Substring) -> String {
    var code = ""
    var isInText = false
    var last: Character = " "
    for letter in line {
      if letter == "\"", last != "\\" { isInText.toggle() }
      if !isInText, letter == "/", last == "/" { return code }
      if !isInText { code.append(letter) }
      last = letter
    }
    return code
  }
}
