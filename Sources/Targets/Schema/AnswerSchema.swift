internal import Core
internal import Scenarios

enum AnswerSchema {
  static var rule: Shape<AnswerRule> {
    let keys = keys
    let shape = keys.shape(defaults: AnswerRule())
    return Shape(
      allowed: shape.allowed, form: shape.form,
      read: { node, reading in
        guard var rule = shape.read(node, &reading) else { return nil }
        rule.origin = node.origin
        return rule
      },
      show: shape.show)
  }

  private static var keys: ObjectShape<AnswerRule> {
    ObjectShape(
      fields: [
        Field("when", \.self, conditions, "Conditions on the answer; all must match."),
        Field(
          "is", \.meaning, .word(AnswerRule.Meaning.self), required: true,
          "Meaning of a matching answer."),
        Field(
          "taken", \.taken, .optional(.fieldPath),
          "For partly: path of the number of fixes that the server took."),
        Field("after", \.delay, .delay, "Time until the app retries."),
        Field("reason", \.reason, .words, "Reason of the refusal, for the ledger."),
      ],
      check: { rule, origin, reading in
        if rule.meaning != .retry, rule.delay != .own {
          reading.diagnose(
            reading.origin(ofRuleBetween: "after") ?? origin,
            "'after' has no effect with 'is: \(rule.meaning.rawValue)'; write is: retry, or "
              + "remove it.")
        }
        if (rule.meaning == .partly) != (rule.taken != nil) {
          reading.diagnose(
            reading.origin(ofRuleBetween: "taken") ?? origin,
            "'is: partly' and 'taken' need each other; write taken: /accepted, or the path "
              + "of the number.")
        }
        if rule.meaning != .refused, rule.meaning != .partly, !rule.reason.isEmpty {
          reading.diagnose(
            reading.origin(ofRuleBetween: "reason") ?? origin,
            "'reason' needs is: refused or is: partly; write one of them, or remove it.")
        }
      })
  }

  private static var conditions: ObjectShape<AnswerRule> {
    ObjectShape(fields: [
      Field(
        "status", \.status, .oneOrMore(of: .status, most: 64),
        "Status of HTTP, name of the gRPC status, or reason code of MQTT; a WebSocket has none."),
      Field(
        "header", \.headers, .table(of: .compared, "headers", most: 8),
        "Required headers; * matches any value."),
      Field(
        "field", \.fields, conditionsOfFields,
        "Required fields of the body; * matches any value."),
      Field("body", \.body, .word(AnswerRule.Body.self), "Required kind of body."),
    ])
  }

  static var conditionsOfFields: Shape<[FieldCondition]> {
    let table = Shape<[TableEntry<String>]>.table(of: .sentence, "fields", most: 8)
    return Shape(
      allowed: table.allowed, form: table.form,
      read: { node, reading in
        guard let entries = table.read(node, &reading) else { return nil }
        return entries.compactMap { entry in
          if entry.value.hasPrefix("$"), !entry.value.hasPrefix("$$") {
            if entry.value == FieldCondition.count { return condition(entry, &reading) }
            reading.diagnose(
              entry.origin,
              "'\(entry.value)' is unknown here; write $count, the fixes of the request, or a "
                + "constant, with $$ for $."
                + Spelling.hint(for: entry.value, in: [FieldCondition.count]))
          } else {
            ConstantText.check(
              entry.value, at: entry.origin, &reading,
              advice: "$count alone, the fixes of the request, or a constant, with $$ for $ and "
                + "{{name}} for {name}")
          }
          return condition(entry, &reading)
        }
      },
      show: { value, _ in
        .map(value.map { ($0.path.description, .scalar($0.value)) })
      })
  }

  private static func condition(
    _ entry: TableEntry<String>, _ reading: inout Reading
  ) -> FieldCondition? {
    let node = YAMLNode(origin: entry.origin, content: .scalar(entry.name))
    return Shape<FieldPath>.fieldPath.read(node, &reading).map {
      FieldCondition(path: $0, value: entry.value)
    }
  }

  static var retry: ObjectShape<RetryRule> {
    ObjectShape(
      fields: [
        Field("on", \.on, .word(RetryRule.Occasion.self), "Trigger of a retry after a failure."),
        Field(
          "first", \.first, .time(.milliseconds(1), .hours(24)), "Wait before the first retry."),
        Field(
          "factor", \.factor, .number(1...100), "Ratio of each further wait to the wait before it."),
        Field("longest", \.longest, .time(.milliseconds(1), .hours(168)), "Maximum wait."),
        Field("jitter", \.jitter, .share, "Maximum random change of a wait."),
        Field(
          "every", \.every, .time(.zero, .hours(24)),
          "Fixed interval at which the app sends; 0s: it sends when it can."),
        Field(
          "attempts", \.attempts, .count(0...1_000_000),
          "Maximum attempts before a request is dropped; 0: no limit."),
        Field(
          "buffer", \.buffer, .count(0...1_000_000),
          "Maximum number of fixes that wait while uploads fail; 0: outbox capacity."),
        Field(
          "onward", \.onward, .word(RetryRule.Onward.self),
          "What the app sends after a success while more fixes wait."),
        Field(
          "deadline", \.deadline, .time(.milliseconds(10), .minutes(10)),
          "Timeout for an answer."),
        Field(
          "on401", \.on401, .word(RetryRule.Unauthorized.self),
          "What the app does when it is not authorized."),
      ],
      check: { rule, origin, reading in
        if rule.longest < rule.first {
          reading.diagnose(
            reading.origin(ofRuleBetween: "longest", "first") ?? origin,
            "'longest' must be at least 'first'.")
        }
        if rule.on == .interval, rule.every == .zero {
          reading.diagnose(
            reading.origin(ofRuleBetween: "on") ?? origin,
            "'on: interval' needs 'every'; write every: 30s.")
        }
      })
  }
}

extension Shape<String> {
  fileprivate static var compared: Shape { constant(advice: nil) }

  fileprivate static var words: Shape { constant(advice: "only the words") }

  private static func constant(advice: String?) -> Shape {
    let sentence = Shape.sentence
    return Shape(
      allowed: sentence.allowed, form: sentence.form,
      read: { node, reading in
        guard let text = sentence.read(node, &reading) else { return nil }
        ConstantText.check(text, at: node.origin, &reading, advice: advice)
        return text
      },
      show: sentence.show)
  }
}

extension Shape<StatusRange> {
  /// A status such as `200`, `2xx`, `200-399` or `UNAVAILABLE`.
  fileprivate static var status: Shape {
    .scalar(
      "a status such as 200, 2xx, 200-399 or UNAVAILABLE",
      parse: { (text, _) throws(ValueError) in try StatusRange(text) },
      show: { value, _ in value.text })
  }
}

extension Shape<AnswerRule.Delay> {
  /// A duration, `own`, `retry-after` or `pushback`.
  fileprivate static var delay: Shape {
    let time = Shape<WallDuration>.time(.zero, .hours(24))
    let words = Shape.word(
      [("own", .own), ("retry-after", .header), ("pushback", .header)],
      name: { $0 == .own ? "own" : "retry-after" })
    let allowed = "own, retry-after (or pushback), as the answer says, or \(time.allowed)"
    return Shape(
      allowed: allowed, form: .either([words.form, time.form]),
      read: { node, reading in
        guard case .scalar(let text) = node.content, text.first?.isNumber == true else {
          return words.read(node, &reading)
        }
        return time.read(node, &reading).map { .after($0) }
      },
      show: { value, scenario in
        if case .after(let wait) = value { return time.show(wait, scenario) }
        return words.show(value, scenario)
      })
  }
}
