enum ClaimSchema {
  static var claims: Shape<[RegisteredClaim]> {
    .list(of: claim.shape(defaults: .blank), count: 1...1_000)
  }

  static var claim: ObjectShape<RegisteredClaim> {
    ObjectShape(fields: identity + measurement)
  }

  private static var identity: [Field<RegisteredClaim>] {
    [
      Field("id", \.id, .name, required: true, "Permanent id."),
      Field(
        "area", \.area, .word(RegisteredClaim.Area.self), required: true,
        "Part of the model."),
      Field(
        "kind", \.kind, .word(RegisteredClaim.Kind.self), required: true,
        "Permitted use."),
      Field(
        "weight", \.weight, .word(RegisteredClaim.Weight.self), required: true,
        "A: measured with a method, B: a log or a vendor's statistic, C: one user's word."),
      Field("claim", \.claim, text, required: true, "The claim, in our words."),
      Field("source", \.source, source, required: true, "Source of the claim."),
      Field(
        "registered", \.registered, commit, required: true,
        "The commit that registered it, before any run."),
    ]
  }

  private static var measurement: [Field<RegisteredClaim>] {
    [
      Field("measure", \.measure, text, required: true, "What is simulated and measured."),
      Field("band", \.band, band, required: true, "Range of the measured value."),
      Field("unit", \.unit, .sentence, required: true, "Unit of the band; empty for a share."),
      Field("why", \.why, text, required: true, "Reason for the ends of the band."),
      Field("note", \.note, .sentence, "Notes."),
    ]
  }

  private static var source: ObjectShape<RegisteredClaim.Source> {
    ObjectShape(fields: [
      Field("address", \.address, text, required: true, "Address of the text."),
      Field("title", \.title, text, required: true, "Title of the text."),
      Field("year", \.year, .count(0...2_100), required: true, "Year of the text; 0: unknown."),
      Field("device", \.device, .sentence, required: true, "Empty if unknown."),
      Field("os", \.system, .sentence, required: true, "Empty if unknown."),
    ])
  }

  private static var text: Shape<String> {
    .scalar(
      "a sentence of two characters or more",
      parse: { (text, _) throws(ValueError) in
        guard text.count > 1 else { throw ValueError("'\(text)' is too short") }
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
        else { throw ValueError("'\(text)' is not a commit") }
        return text
      },
      show: { value, _ in value })
  }

  /// Requires two ends, so that a claim can fail on both sides.
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
