internal import Scenarios
package import SimulationCore

/// What an answer was taken for.
package struct Answer: Equatable, Sendable {
  /// What the server said by it.
  package enum Outcome: Equatable, Sendable {
    case stored, duplicate
    /// The app shall come again; nil: when its own rule says.
    case retry(after: WallDuration?)
    case refused(reason: String)
    /// The server has so many of the fixes, and says not which; the others are thrown away.
    case partly(taken: Int, reason: String)
    /// No rule matches.
    case failed
  }

  /// Is the rule that matched, from 0; nil: none did.
  package var rule: Int?
  /// Is what the server said by it.
  package var outcome: Outcome
  /// Is true if the server does not know who asks (401, or UNAUTHENTICATED of gRPC).
  package var isUnauthorized = false

  /// Makes an answer.
  package init(rule: Int?, outcome: Outcome, isUnauthorized: Bool = false) {
    self.rule = rule
    self.outcome = outcome
    self.isUnauthorized = isUnauthorized
  }
}

/// A target's answer rules, ready to judge answers of any carrier.
package struct AnswerRules: Sendable {
  /// Bodies are read up to this length; what lies beyond can meet no condition.
  package static let bodyBytesMax = 256 << 10

  /// Holds the rules in order.
  package let rules: [AnswerRule]
  /// Holds the paths that have to be read: those of conditions, then those of what is kept.
  package let paths: [FieldPath]
  /// Counts the paths of conditions.
  private let conditionCount: Int
  private let unauthorized: Int
  private let needsJSON: Bool
  /// For each rule the places of its conditions in `paths`.
  private let places: [[Int]]
  /// For each rule the place in `paths` of the number of fixes that were taken.
  private let takenPlaces: [Int?]

  /// Makes rules.
  ///
  /// - Parameters:
  ///   - keep: what is read of the answer besides, such as that to a registration.
  ///   - carrier: says which status means that the app is not authorized.
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
      // Not authorized (MQTT 5, section 3.4.2.1).
      case .mqtt: 0x87
      }
    needsJSON = rules.contains { $0.body == .json }
  }

  /// Judges an answer whose body is JSON, if anything.
  ///
  /// - Parameters:
  ///   - header: the value of a header by its name in lower case.
  ///   - isCut: whether the body is longer than what there is of it.
  ///   - count: the fixes of the request.
  ///   - now: the wall clock, in microseconds since 1970, from which a date in the answer counts
  ///     where the answer does not say when it was made; nil: not known.
  /// - Returns: what it means, and the texts of what is kept.
  package func judge(
    status: Int, header: (String) -> String?, body: UnsafeRawBufferPointer, isCut: Bool = false,
    count: Int = 0, now: Int64? = nil
  ) -> (answer: Answer, kept: [String?]) {
    let bodyBytes = isCut ? max(1, body.count) : body.count
    let text = UnsafeRawBufferPointer(rebasing: body.prefix(Self.bodyBytesMax))
    guard !paths.isEmpty || needsJSON, !text.isEmpty else {
      let values = [String?](repeating: nil, count: paths.count)
      return judge(
        status: status, header: header, bodyBytes: bodyBytes, isJSON: false, fields: values,
        count: count, now: now)
    }
    let fields = JSONFields(text, paths: paths, stopsEarly: !needsJSON)
    return judge(
      status: status, header: header, bodyBytes: bodyBytes, isJSON: fields.isJSON,
      fields: fields.values, count: count, now: now)
  }

  /// Judges an answer whose fields were read already.
  ///
  /// - Parameters:
  ///   - header: the value of a header, or of metadata, by its name in lower case.
  ///   - fields: the texts of `paths`; nil where there is none.
  ///   - count: the fixes of the request.
  ///   - now: as above.
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

  /// The same text, or the same number in another way; `*`: whatever there is.
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

  /// An answer that does not say how many were taken says nothing.
  private static func partly(_ text: String?, of count: Int, _ reason: String) -> Answer.Outcome {
    guard let text, JSONLiteral.isOne(text), let taken = Double(text), taken >= 0,
      taken == taken.rounded()
    else { return .failed }
    if taken >= Double(count) { return .stored }
    return .partly(taken: Int(taken), reason: reason.isEmpty ? "not accepted" : reason)
  }

  /// Milliseconds of `grpc-retry-pushback-ms` (gRFC A6), or `Retry-After`.
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
  /// The rule with the texts that an answer is compared with, in place of those that are written.
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
  /// The value that stands for the number of a request's fixes.
  static let count = "$count"

  fileprivate func wanted(of count: Int) -> String {
    if value == Self.count { return "\(count)" }
    return value.hasPrefix("$$") ? String(value.dropFirst()) : value
  }
}
