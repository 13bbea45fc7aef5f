enum ClaimSchema {
  static var claims: Shape<[RegisteredClaim]> {
    .list(of: claim.shape(defaults: .blank), count: 1...1_000)
  }

  static var claim: ObjectShape<RegisteredClaim> {
    ObjectShape(fields: identity + observation + measurement) { claim, origin, reading in
      let (value, band) = (claim.observation.value, claim.band)
      if !band.contains(value) {
        reading.diagnose(
          reading.origin(ofRuleBetween: "value", "band") ?? origin,
          "the value \(Quantity.number(value)) is outside the band; write the source's figure.")
      }
      if (claim.observation.of == .bound) != (band.low == nil || band.high == nil) {
        reading.diagnose(
          reading.origin(ofRuleBetween: "of", "band") ?? origin,
          "a bound has a band with one end, and only a bound has; write none for the other end.")
      }
    }
  }

  private static var identity: [Field<RegisteredClaim>] {
    [
      Field("id", \.id, .name, required: true, "Permanent id."),
      Field("area", \.area, .word(RegisteredClaim.Area.self), required: true, "Part of the model."),
      Field("kind", \.kind, .word(RegisteredClaim.Kind.self), required: true, "Permitted use."),
      Field(
        "weight", \.weight, .word(RegisteredClaim.Weight.self), required: true,
        "A: measured with a method, B: a log or a vendor's statistic, C: one user's word."),
      Field("claim", \.claim, text, required: true, "The claim, in our words."),
      Field("source", \.source, source, required: true, "Source of the claim."),
      Field(
        "registered", \.registered, commit, required: true,
        "The commit on which it was registered, before any run."),
    ]
  }

  private static var observation: [Field<RegisteredClaim>] {
    [
      Field(
        "value", \.observation.value, number, required: true,
        "The source's figure, in the unit of the band."),
      Field(
        "error", \.observation.error, error, required: true,
        "One standard deviation of that figure."),
      Field("of", \.observation.of, observed, required: true, "What the figure is one draw of."),
      Field(
        "group", \.observation.group, .name, required: true,
        "The quantity; claims about one share it."),
    ]
  }

  private static var measurement: [Field<RegisteredClaim>] {
    [
      Field("measure", \.measure, text, required: true, "What is simulated and measured."),
      Field("band", \.band, band, required: true, "Range of the measured value."),
      Field("unit", \.unit, .sentence, required: true, "Unit of the band; empty for a share."),
      Field("why", \.why, text, required: true, "Reason for the ends of the band."),
      Field("note", \.note, .sentence, "Notes."),
      Field(
        "corrected", \.correction, correction,
        "What was registered, if it was wrong about its source, and the reason."),
    ]
  }

  private static var correction: Shape<RegisteredClaim.Correction?> {
    let blank = RegisteredClaim.Correction(date: "", band: nil, measure: nil, why: "")
    let object = ObjectShape<RegisteredClaim.Correction>(fields: [
      Field("date", \.date, text, required: true, "The day of the correction."),
      Field(
        "band", \.band, band.mapped({ $0 }, { $0 ?? Band(nil, nil) }), "The band until then."),
      Field("measure", \.measure, text.mapped({ $0 }, { $0 ?? "" }), "The measure until then."),
      Field("why", \.why, text, required: true, "What was wrong; never that the claim fell short."),
    ])
    return object.shape(defaults: blank).mapped({ $0 }, { $0 ?? blank })
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

  private static var number: Shape<Double> { .number(-1e9...1e9) }

  private static var error: Shape<ObservationError> {
    .scalar(
      "a factor of at least 1 such as x1.25, or ±3 in the unit of the band",
      parse: { (text, _) throws(ValueError) in
        let number = Double(text.dropFirst()) ?? -1
        switch text.first {
        case "x" where (1...1e6).contains(number): return .factor(number)
        case "±" where (0...1e9).contains(number): return .absolute(number)
        case _: throw ValueError("'\(text)' is not an error")
        }
      },
      show: { error, _ in error.description })
  }

  private static var observed: Shape<ObservedOf> {
    let words = ObservedOf.words
    return .scalar(
      "one of \(words.map(\.0).joined(separator: ", ")), or such as extreme of 100",
      parse: { (text, _) throws(ValueError) in
        if let word = words.first(where: { $0.0 == text }) { return word.1 }
        guard text.hasPrefix("extreme of "), let count = Int(text.dropFirst(11)), count > 1
        else { throw ValueError("'\(text)' is unknown") }
        return .extreme(of: count)
      },
      show: { of, _ in of.description })
  }

  /// The shape of a band, which is a list of two ends; one of the ends may be open.
  private static var band: Shape<Band> {
    let ends = Shape<[Double?]>.list(of: .optional(number), count: 2...2)
    return Shape(
      allowed: ends.allowed, form: ends.form,
      read: { node, reading in
        guard let read = ends.read(node, &reading) else { return nil }
        guard read[0] ?? -.infinity < read[1] ?? .infinity, read != [nil, nil] else {
          reading.diagnose(
            node.origin, "the band does not end above its beginning; write [low, high].")
          return nil
        }
        return Band(read[0], read[1])
      },
      show: { band, scenario in ends.show([band.low, band.high], scenario) })
  }
}
