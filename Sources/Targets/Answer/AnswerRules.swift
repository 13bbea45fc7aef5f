package import Core
internal import Scenarios

package struct Answer: Equatable, Sendable {
  package enum Outcome: Equatable, Sendable {
    case stored, duplicate
    /// The app retries after this wait; nil to wait as the target's `RetryRule` says.
    case retry(after: WallDuration?)
    case refused(reason: String)
    /// The server stored this number of fixes, without saying which. The app drops the rest.
    case partly(taken: Int, reason: String)
    /// No rule matches, or the matching rule finds no valid number of stored fixes.
    case failed
  }

  /// The index of the rule that matched; nil for none.
  package var rule: Int?
  package var outcome: Outcome
  /// Whether the server denied authorization (HTTP 401, gRPC UNAUTHENTICATED, MQTT 0x87).
  package var isUnauthorized = false

  package init(rule: Int?, outcome: Outcome, isUnauthorized: Bool = false) {
    self.rule = rule
    self.outcome = outcome
    self.isUnauthorized = isUnauthorized
  }
}

package struct AnswerRules: Sendable {
  /// The maximum number of bytes read of a body; longer bodies are cut.
  package static let bodyBytesMax = 256 << 10

  package let rules: [AnswerRule]
  package let paths: [FieldPath]
  private let conditionCount: Int
  private let unauthorized: Int
  private let needsJSON: Bool
  /// The indices in `paths` of each rule's conditions.
  private let places: [[Int]]
  /// The index in `paths` of each rule's field `taken`; nil for a rule without one.
  private let takenPlaces: [Int?]

  package init(_ rules: [AnswerRule], keep: [FieldPath] = [], carrier: Target.Carrier) {
    self.rules = rules.map(\.compared)
    var paths: [FieldPath] = []
    func place(_ path: FieldPath) -> Int {
      if let known = paths.firstIndex(of: path) { return known }
      paths.append(path)
      return paths.count - 1
    }
    places = rules.map { rule in rule.fields.map { place($0.path) } }
    takenPlaces = rules.map { $0.taken.map(place) }
    conditionCount = paths.count
    self.paths = paths + keep
    unauthorized =
      switch carrier {
      case .http: 401
      case .grpc: 16
      // The reason code "Not authorized" (MQTT 5, section 3.4.2.1).
      case .mqtt: 0x87
      // A message has no status.
      case .websocket: -1
      }
    needsJSON = rules.contains { $0.body == .json }
  }

  /// - Parameter header: the value of a header by its name in lower case.
  /// - Parameter now: the time in microseconds since 1970, for answers without a date; else nil.
  package func judge(
    status: Int, header: (String) -> String?, body: UnsafeRawBufferPointer, isCut: Bool = false,
    count: Int = 0, now: Int64? = nil
  ) -> (answer: Answer, kept: [String?]) {
    let bodyBytes = isCut ? max(1, body.count) : body.count
    let text = UnsafeRawBufferPointer(rebasing: body.prefix(Self.bodyBytesMax))
    guard !paths.isEmpty || needsJSON, !text.isEmpty else {
      return judge(
        status: status, header: header, bodyBytes: bodyBytes, isJSON: false, fields: noFields,
        count: count, now: now)
    }
    let fields = JSONFields(text, paths: paths, stopsEarly: !needsJSON)
    return judge(
      status: status, header: header, bodyBytes: bodyBytes, isJSON: fields.isJSON,
      fields: fields.values, count: count, now: now)
  }

  /// The values at `paths` of an answer without fields.
  package var noFields: [String?] { [String?](repeating: nil, count: paths.count) }

  /// - Parameter header: the value of a header, or of metadata, by its name in lower case.
  /// - Parameter fields: the texts of the fields at `paths`; nil for a missing field.
  package func judge(
    status: Int, header: (String) -> String?, bodyBytes: Int, isJSON: Bool, fields: [String?],
    count: Int = 0, now: Int64? = nil
  ) -> (answer: Answer, kept: [String?]) {
    let kept = Array(fields[conditionCount...])
    let isUnauthorized = status == unauthorized
    for (index, rule) in rules.enumerated() {
      guard rule.status.isEmpty || rule.status.contains(where: { $0.contains(status) }),
        matches(rule.body, bodyBytes, isJSON),
        rule.headers.allSatisfy({ Self.equal($0.value, header($0.name.lowercased())) }),
        zip(rule.fields, places[index]).allSatisfy({ Self.equal($0.wanted(of: count), fields[$1]) })
      else { continue }
      let taken = takenPlaces[index].flatMap { fields[$0] }
      let outcome = outcome(
        of: rule, status: status, header: header, taken: taken, count: count, now: now)
      return (Answer(rule: index, outcome: outcome, isUnauthorized: isUnauthorized), kept)
    }
    return (Answer(rule: nil, outcome: .failed, isUnauthorized: isUnauthorized), kept)
  }

  private func matches(_ body: AnswerRule.Body, _ bytes: Int, _ isJSON: Bool) -> Bool {
    switch body {
    case .any: true
    case .empty: bytes == 0
    case .filled: bytes > 0
    case .json: isJSON
    }
  }

  /// Returns whether two texts, or the numbers they hold, are equal; a wanted `*` equals any text.
  private static func equal(_ wanted: String, _ found: String?) -> Bool {
    guard let found else { return false }
    if wanted == "*" || wanted == found { return true }
    guard JSONLiteral.isOne(wanted), JSONLiteral.isOne(found), let a = Double(wanted),
      let b = Double(found)
    else { return false }
    return a == b
  }

  private func outcome(
    of rule: AnswerRule, status: Int, header: (String) -> String?, taken: String?, count: Int,
    now: Int64?
  ) -> Answer.Outcome {
    switch rule.meaning {
    case .stored: .stored
    case .duplicate: .duplicate
    case .retry: .retry(after: delay(of: rule, header, now))
    case .refused: .refused(reason: rule.reason.isEmpty ? "status \(status)" : rule.reason)
    case .partly: Self.partly(taken, of: count, rule.reason)
    }
  }

  /// Returns the outcome for a number of stored fixes; `failed` if `text` is no valid number.
  private static func partly(_ text: String?, of count: Int, _ reason: String) -> Answer.Outcome {
    guard let text, JSONLiteral.isOne(text), let taken = Double(text), taken >= 0,
      taken == taken.rounded()
    else { return .failed }
    if taken >= Double(count) { return .stored }
    return .partly(taken: Int(taken), reason: reason.isEmpty ? "not accepted" : reason)
  }

  /// Returns the wait that the rule, `grpc-retry-pushback-ms` (gRFC A6) or `Retry-After` states.
  private func delay(
    of rule: AnswerRule, _ header: (String) -> String?, _ now: Int64?
  ) -> WallDuration? {
    switch rule.delay {
    case .own: return nil
    case .after(let wait): return wait
    case .header:
      let pushback = header("grpc-retry-pushback-ms")
      if let wait = pushback.flatMap({ RetryAfter.wait(decimal: $0, unit: 1_000) }) { return wait }
      return header("retry-after").flatMap {
        RetryAfter.wait($0, date: header("date"), now: now)
      }
    }
  }
}

extension AnswerRule {
  /// The rule with unescaped texts for comparison.
  fileprivate var compared: AnswerRule {
    var rule = self
    rule.headers = headers.map { entry in
      let text = ConstantText.plain(entry.value)
      return TableEntry(
        name: entry.name, origin: entry.origin,
        value: text.hasPrefix("$$") ? String(text.dropFirst()) : text)
    }
    for index in fields.indices {
      rule.fields[index].value = ConstantText.plain(fields[index].value)
    }
    return rule
  }
}

extension FieldCondition {
  static let count = "$count"

  fileprivate func wanted(of count: Int) -> String {
    if value == Self.count { return "\(count)" }
    return value.hasPrefix("$$") ? String(value.dropFirst()) : value
  }
}
