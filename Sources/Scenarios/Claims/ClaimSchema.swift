enum ClaimSchema {
  static var claims: Shape<[RegisteredClaim]> {
    .list(of: claim.shape(defaults: .blank), count: 1...1_000)
  }

  static var claim: ObjectShape<RegisteredClaim> {
    ObjectShape(fields: identity + measurement)
  }

  private static var identity: [Field<RegisteredClaim>] {
    [
      Field("id", \.id, .name, required: true, "Its name for good."),
      Field(
        "area", \.area, .word(RegisteredClaim.Area.self), required: true,
        "Which part of the model it is about."),
      Field(
        "kind", \.kind, .word(RegisteredClaim.Kind.self), required: true,
        "What it may be used for."),
      Field(
        "weight", \.weight, .word(RegisteredClaim.Weight.self), required: true,
        "A: measured with a method, B: a log or a vendor's statistic, C: one user's word."),
      Field("claim", \.claim, text, required: true, "What is claimed, in our words."),
      Field("source", \.source, source, required: true, "Where it was read."),
      Field(
        "registered", \.registered, commit, required: true,
        "The commit that registered it, before any run."),
    ]
  }

  private static var measurement: [Field<RegisteredClaim>] {
    [
      Field("measure", \.measure, text, required: true, "What is simulated and measured."),
      Field("band", \.band, band, required: true, "Where the measured value must lie."),
      Field("unit", \.unit, .sentence, required: true, "Of the band; empty for a share."),
      Field("why", \.why, text, required: true, "Why the band has these ends."),
      Field("note", \.note, .sentence, "What else there is to know."),
    ]
  }

  private static var source: ObjectShape<RegisteredClaim.Source> {
    ObjectShape(fields: [
      Field("address", \.address, text, required: true, "Of the text."),
      Field("title", \.title, text, required: true, "The text's own."),
      Field("year", \.year, .count(0...2_100), required: true, "Of the text; 0: not told."),
      Field("device", \.device, .sentence, required: true, "Empty where it is not told."),
      Field("os", \.system, .sentence, required: true, "Empty where it is not told."),
    ])
  }

  private static var text: Shape<String> {
    .scalar(
      "a sentence of two characters or more",
      parse: { (text, _) throws(ValueError) in
        guard text.count > 1 else { throw ValueError("'\(text)' says nothing") }
        return text
      },
      show: { value, _ in value })
  }

  private static var commit: Shape<String> {
    .scalar(
      "a commit of 7 to 40 hexadecimal digits",
      parse: { (text, _) throws(ValueError) in
        guard (7...40).contains(text.count),
          text.allSatisfy({ $0.isHexDigit && !$0.isUppercase })
        else { throw ValueError("'\(text)' is no commit") }
        return text
      },
      show: { value, _ in value })
  }

  /// Two ends: a claim that can fail on one side only would be half a claim.
  private static var band: Shape<ClosedRange<Double>> {
    let ends = Shape<[Double]>.list(of: .number(-1e9...1e9), count: 2...2)
    return Shape(
      allowed: ends.allowed, form: ends.form,
      read: { node, reading in
        guard let read = ends.read(node, &reading) else { return nil }
        guard read[0] < read[1] else {
          reading.diagnose(
            node.origin, "the band ends at \(read[1]) and begins at \(read[0]); write [low, high].")
          return nil
        }
        return read[0]...read[1]
      },
      show: { value, scenario in ends.show([value.lowerBound, value.upperBound], scenario) })
  }
}
