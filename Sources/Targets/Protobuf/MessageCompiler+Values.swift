internal import Scenarios
internal import Wire

extension MessageCompiler {
  private enum Making {
    case constant(String)
    case source(ValueSource, ValueReference)
    case text
  }

  private func making(_ value: MappedValue) -> Making {
    let parts = names.resolved(value.text)
    switch (parts.count, parts.first) {
    case (0, _): return .constant("")
    case (1, .literal(let text, _)?): return .constant(text)
    case (1, .source(let source, let reference)?) where value.text.isWhole:
      return .source(source, reference)
    case _: return .text
    }
  }

  mutating func leaf(_ field: Field, _ value: MappedValue) -> [Step] {
    if let diagnostic = names.diagnostic(of: value.text) {
      diagnostics.append(diagnostic)
      return []
    }
    switch making(value) {
    case .constant(let text):
      guard let bytes = constant(text, field, value.origin, tag: tag(field)) else { return [] }
      // A zero that is left out is still a known value, so the enclosing message remains.
      let isLeftOut = drops(zero: field, value) && isZero(text, field)
      return [literal(isLeftOut ? [] : bytes)]
    case .text:
      switch field.type {
      case .string, .bytes: return [textStep(field, value)]
      case .enumeration: return enumerationStep(field, value, texts: nil)
      case _:
        diagnose(
          value.origin,
          "'\(value.text.written)' is a text, and '\(field.name)' a "
            + "\(schema.word(for: field.type)).")
        return []
      }
    case .source(let source, let reference): return whole(field, value, source, reference)
    }
  }

  private func drops(zero field: Field, _ value: MappedValue) -> Bool {
    value.omit == .zero || !field.hasPresence && !field.isRepeated
  }

  private mutating func whole(
    _ field: Field, _ value: MappedValue, _ source: ValueSource, _ reference: ValueReference
  ) -> [Step] {
    let nature = source.nature(in: reference.unit)
    if field.isRequired, source.mayBeUnknown, value.fallback == nil {
      diagnose(
        value.origin,
        "'\(field.name)' is required, and \(value.text.written) may be unknown; give a default.")
    }
    switch (field.type, nature) {
    case (.string, _), (.bytes, _): return [textStep(field, value)]
    case (.enumeration, .text(let words)): return enumerationStep(field, value, texts: words)
    case (.bool, .flag): return [numberStep(field, value, source, reference)]
    case (.double, .number), (.float, .number), (.double, .own), (.float, .own):
      return [numberStep(field, value, source, reference)]
    case (let type, .number(let decimals, let range)) where type.wholeNumbers != nil:
      check(field, value, reference, decimals, range)
      return [numberStep(field, value, source, reference)]
    case (let type, .own) where type.wholeNumbers != nil:
      return [numberStep(field, value, source, reference)]
    case (let type, .flag) where type.wholeNumbers != nil:
      return [numberStep(field, value, source, reference)]
    case (_, .instant):
      diagnose(
        value.origin,
        "'\(field.name)' is a \(schema.word(for: field.type)), and \(value.text.written) a date; "
          + "write $\(reference.name).s, .ms or .us.")
      return []
    case (_, .number), (_, .flag), (_, .text), (_, .own):
      diagnose(
        value.origin,
        "'\(field.name)' is a \(schema.word(for: field.type)), and \(value.text.written) is "
          + "\(nature.word).")
      return []
    }
  }

  /// Checks a whole-number field: its values must be in range, and a fraction must be rounded.
  private mutating func check(
    _ field: Field, _ value: MappedValue, _ reference: ValueReference, _ decimals: UInt8,
    _ range: ClosedRange<Int64>
  ) {
    guard let fits = field.type.wholeNumbers else { return }
    if decimals > 0, (reference.decimals ?? value.decimals) != 0 {
      let units = reference.source?.units.filter { $0 != .plain } ?? []
      let scaled = units.contains(.e7) ? "write $\(reference.name).e7, or" : "write"
      diagnose(
        value.origin,
        "'\(field.name)' holds whole numbers, and \(value.text.written) has \(decimals) decimals; "
          + "\(scaled) { is: \(value.text.written), decimals: 0 }.")
    }
    guard range.lowerBound < fits.lowerBound || range.upperBound > fits.upperBound else { return }
    diagnose(
      value.origin,
      "\(value.text.written) is \(range.lowerBound) … \(range.upperBound), and '\(field.name)', a "
        + "\(schema.word(for: field.type)), holds \(fits.lowerBound) … \(fits.upperBound).")
  }

  private mutating func numberStep(
    _ field: Field, _ value: MappedValue, _ source: ValueSource, _ reference: ValueReference
  ) -> Step {
    var step = Step(operation: .number, tag: tag(field))
    step.encoding = field.type.encoding
    step.source = source
    step.unit = reference.unit
    step.decimals = reference.decimals ?? value.decimals ?? 255
    step.dropsZero = drops(zero: field, value)
    if let range = field.type.wholeNumbers {
      (step.least, step.most) = (range.lowerBound, range.upperBound)
    }
    setFallback(&step, field, value)
    return step
  }

  private mutating func setFallback(_ step: inout Step, _ field: Field, _ value: MappedValue) {
    guard let text = value.fallback, value.omit == .never,
      let bytes = constant(text, field, value.origin, tag: tag(field))
    else { return }
    let stands = literal(bytes)
    (step.place, step.count) = (stands.place, stands.count)
  }

  // MARK: Texts

  private mutating func text(of value: MappedValue) -> Int32 {
    var asText = value
    asText.type = .text
    texts.append(
      UploadProgram(MappingNode(origin: value.origin, content: .value(asText)), names))
    return Int32(texts.count - 1)
  }

  private mutating func textStep(_ field: Field, _ value: MappedValue) -> Step {
    var step = Step(operation: .text, tag: tag(field))
    step.text = text(of: value)
    step.dropsZero = drops(zero: field, value)
    return step
  }

  private mutating func enumerationStep(
    _ field: Field, _ value: MappedValue, texts: [String]?
  ) -> [Step] {
    guard case .enumeration(let index) = field.type else { return [] }
    let known = schema.enumerations[index]
    for entry in value.words where number(entry.value, of: known) == nil {
      diagnose(entry.origin, Self.unknown(entry.value, in: known))
    }
    for text in texts ?? [] where value.fallback == nil && value.omit == .never {
      guard !value.words.contains(where: { $0.name == text }), number(text, of: known) == nil
      else { continue }
      diagnose(
        value.origin,
        "\(value.text.written) may be '\(text)', which '\(known.name)' does not have; give it a "
          + "value under 'words', or a default.")
    }
    var step = Step(operation: .enumeration, tag: tag(field))
    step.text = text(of: value)
    step.dropsZero = drops(zero: field, value)
    step.enumeration = Int32(enumerations.count)
    enumerations.append(
      .init(entries: known.values.map { (Array($0.name.utf8), $0.number) }))
    setFallback(&step, field, value)
    return [step]
  }

  private func number(_ text: String, of enumeration: MessageSchema.Enumeration) -> Int32? {
    enumeration.values.first { $0.name == text }?.number
  }

  private static func unknown(_ text: String, in enumeration: MessageSchema.Enumeration) -> String {
    let names = enumeration.values.map(\.name)
    let list = names.prefix(12).joined(separator: ", ")
    let more = names.count > 12 ? " and \(names.count - 12) more" : ""
    return "'\(enumeration.name)' has no value '\(text)'; it has \(list)\(more)."
      + Spelling.hint(for: text, in: names)
  }

  // MARK: Times

  mutating func timestamp(_ field: Field, _ value: MappedValue) -> [Step] {
    guard case .source(let source, _) = making(value), source.nature(in: .plain) == .instant else {
      diagnose(
        value.origin,
        "'\(field.name)' is a google.protobuf.Timestamp; write $time or $now. A readback has $from "
          + "and $to, too.")
      return []
    }
    var step = Step(operation: .timestamp, tag: tag(field))
    step.source = source
    return [step]
  }

  mutating func duration(_ field: Field, _ value: MappedValue) -> [Step] {
    guard case .source(let source, let reference) = making(value),
      case .number = source.nature(in: reference.unit)
    else {
      diagnose(
        value.origin,
        "'\(field.name)' is a google.protobuf.Duration; write a number of seconds, such as $count, "
          + "or a map of seconds and nanos.")
      return []
    }
    var step = Step(operation: .duration, tag: tag(field))
    step.source = source
    step.unit = reference.unit
    return [step]
  }

  // MARK: Constants

  /// Returns the bytes of a constant with its tag; nil after a reported mistake.
  mutating func constant(
    _ text: String, _ field: Field, _ origin: Origin, tag: Tag
  ) -> [UInt8]? {
    var output = ByteBuffer(capacity: 64)
    if let fits = field.type.wholeNumbers {
      guard let whole = whole(text, field, fits, origin) else { return nil }
      output.append(tag, whole, field.type.encoding)
      return Array(output.readable)
    }
    switch field.type {
    case .double, .float:
      guard let number = Double(text) else { return wrong(text, field, origin, "a number") }
      if field.type == .double {
        output.append(tag, fixed: number.bitPattern)
      } else {
        output.append(tag, fixed: Float(number).bitPattern)
      }
    case .bool:
      guard text == "true" || text == "false" else {
        return wrong(text, field, origin, "true or false")
      }
      output.append(tag, text == "true" ? 1 : 0, .varint)
    case .enumeration(let index):
      let enumeration = schema.enumerations[index]
      guard let number = number(text, of: enumeration) else {
        diagnose(origin, Self.unknown(text, in: enumeration))
        return nil
      }
      output.append(tag, Int64(number), .varint)
    case .string, .bytes:
      let bytes = Array(text.utf8)
      output.append(tag, Int64(bytes.count), .varint)
      bytes.withUnsafeBytes { output.append($0) }
    case .int32, .int64, .uint32, .uint64, .sint32, .sint64, .fixed32, .fixed64, .sfixed32,
      .sfixed64, .group, .message:
      return wrong(text, field, origin, "a map")
    }
    return Array(output.readable)
  }

  private mutating func whole(
    _ text: String, _ field: Field, _ fits: ClosedRange<Int64>, _ origin: Origin
  ) -> Int64? {
    // Numbers above the range of Int64 keep their 64 bits.
    if field.type == .uint64 || field.type == .fixed64, let number = UInt64(text) {
      return Int64(bitPattern: number)
    }
    guard let number = Int64(text) else {
      _ = wrong(text, field, origin, "a whole number")
      return nil
    }
    guard fits.contains(number) else {
      diagnose(
        origin,
        "\(text) is out of the range of '\(field.name)', a \(schema.word(for: field.type)): "
          + "\(fits.lowerBound) … \(fits.upperBound).")
      return nil
    }
    return number
  }

  private mutating func wrong(
    _ text: String, _ field: Field, _ origin: Origin, _ wanted: String
  ) -> [UInt8]? {
    diagnose(
      origin,
      "'\(field.name)' is a \(schema.word(for: field.type)), and '\(text)' is not \(wanted).")
    return nil
  }

  private func isZero(_ text: String, _ field: Field) -> Bool {
    switch field.type {
    case .string, .bytes: text.isEmpty
    case .bool: text == "false"
    case .enumeration(let index): number(text, of: schema.enumerations[index]) == 0
    case .double, .float, .int32, .int64, .uint32, .uint64, .sint32, .sint64, .fixed32, .fixed64,
      .sfixed32, .sfixed64:
      // Minus zero is written, since only plus zero equals an absent field.
      Double(text) == 0 && !text.hasPrefix("-")
    case .group, .message: false
    }
  }
}
