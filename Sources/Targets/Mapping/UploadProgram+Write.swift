// Writes a message as JSON, form, query or plain text; allocates only when the output grows.

internal import Core
internal import Scenarios

extension UploadProgram {
  package func write(json context: UploadContext, into out: inout [UInt8]) {
    var at = 0
    var fix: Int?
    var needsComma = false
    var base64At = 0
    while at < steps.count {
      let step = steps[at]
      switch step.kind {
      case .value:
        let mark = out.count
        begin(step, comma: needsComma, &out)
        if write(json: values[Int(step.value)], context, fix, &out) {
          needsComma = true
        } else {
          out.removeLast(out.count - mark)
        }
      case .text: _ = write(text: values[Int(step.value)], context, fix, .none, &out)
      case .base64Start:
        begin(step, comma: needsComma, &out)
        out.append(0x22)
        base64At = out.count
        needsComma = false
      case .base64End:
        out.encodeBase64(from: base64At)
        out.append(0x22)
        needsComma = true
      case .objectStart, .listStart:
        begin(step, comma: needsComma, &out)
        out.append(step.kind == .objectStart ? 0x7B : 0x5B)
        needsComma = false
      case .objectEnd, .listEnd:
        out.append(step.kind == .objectEnd ? 0x7D : 0x5D)
        needsComma = true
      case .eachStart:
        begin(step, comma: needsComma, &out)
        out.append(0x5B)
        needsComma = false
        if context.fixes.isEmpty {
          at = Int(step.match)
          out.append(0x5D)
          needsComma = true
        } else {
          fix = 0
        }
      case .eachEnd:
        if let last = fix, last + 1 < context.fixes.count {
          fix = last + 1
          at = Int(step.match)
        } else {
          fix = nil
          out.append(0x5D)
          needsComma = true
        }
      }
      at += 1
    }
  }

  private func begin(_ step: Step, comma: Bool, _ out: inout [UInt8]) {
    if comma { out.append(0x2C) }
    if step.key >= 0 { append(keys[Int(step.key)].json, to: &out) }
  }

  /// Appends the parameters of a form or a query, `a=1&b=2`, without omitted parameters.
  package func write(
    parameters context: UploadContext, _ escape: TextEscape, into out: inout [UInt8]
  ) {
    var isFirst = true
    for step in steps {
      guard step.kind == .value, step.key >= 0 else { continue }
      let mark = out.count
      if !isFirst { out.append(0x26) }
      out.append(text: keys[Int(step.key)].name, escape)
      out.append(0x3D)
      if write(text: values[Int(step.value)], context, nil, escape, &out) {
        isFirst = false
      } else {
        out.removeLast(out.count - mark)
      }
    }
  }

  /// Appends a program that is one text; `escape` applies to values, not to literal text.
  package func write(
    text context: UploadContext, _ escape: TextEscape = .none, into out: inout [UInt8]
  ) {
    for step in steps where step.kind == .value {
      let value = values[Int(step.value)]
      _ = write(text: value, context, nil, escape, &out, isQuoted: true, literals: TextEscape.none)
    }
  }

  /// Appends a value as JSON. Returns false if its key is omitted; the caller then truncates `out`.
  private func write(
    json value: Value, _ context: UploadContext, _ fix: Int?, _ out: inout [UInt8]
  ) -> Bool {
    if value.isConstant {
      append(pieces[Int(value.firstPiece)].json, to: &out)
      return true
    }
    guard value.isWhole else {
      out.append(0x22)
      let isKnown = write(text: value, context, fix, .json, &out, isQuoted: true)
      out.append(0x22)
      return isKnown
    }
    let piece = pieces[Int(value.firstPiece)]
    let reading = context.read(piece.source, piece.unit, fix: fix)
    switch reading {
    case .unknown: return write(unknown: value, &out)
    case .number(let number):
      if value.omit == .zero, piece.isZero(number) { return false }
      guard value.type == .text || value.words >= 0 else {
        write(number, piece, &out)
        return true
      }
    case .flag(let flag):
      if value.omit == .zero, !flag { return false }
      switch value.words >= 0 ? .text : value.type {
      case .own:
        out.append(contentsOf: flag ? Self.trueText : Self.falseText)
        return true
      case .number:
        out.append(flag ? 0x31 : 0x30)
        return true
      case .text: break
      }
    case .instant, .text: break
    }
    let isQuoted = value.words < 0 || value.type != .number
    if isQuoted { out.append(0x22) }
    let start = out.count
    write(reading, piece, context, fix, .json, value.words, &out)
    if value.omit == .zero, out.count == start { return false }
    if isQuoted { out.append(0x22) }
    return true
  }

  private func write(unknown value: Value, _ out: inout [UInt8]) -> Bool {
    if value.omit != .never { return false }
    if value.fallback >= 0 {
      append(pieces[Int(value.fallback)].json, to: &out)
    } else {
      out.append(contentsOf: Self.nullText)
    }
    return true
  }

  /// Appends a value as text; returns false if the value is omitted.
  /// - Parameter isQuoted: whether an unknown value without a fallback is an empty text.
  /// - Parameter literals: the escape of the message's literal texts; nil for `escape`.
  package func write(
    text value: Value, _ context: UploadContext, _ fix: Int?, _ escape: TextEscape,
    _ out: inout [UInt8], isQuoted: Bool = false, literals: TextEscape? = nil
  ) -> Bool {
    let start = out.count
    for index in Int(value.firstPiece)..<Int(value.firstPiece + value.pieceCount) {
      let piece = pieces[index]
      if piece.source == .literal {
        append(piece.text, piece.isNamed ? escape : literals ?? escape, to: &out)
        continue
      }
      let reading = context.read(piece.source, piece.unit, fix: fix)
      switch reading {
      case .unknown:
        if value.omit != .never { return false }
        if value.fallback >= 0 {
          append(pieces[Int(value.fallback)].text, escape, to: &out)
        } else if value.isWhole, !isQuoted {
          return false
        }
      case .number(let number):
        if value.omit == .zero, value.isWhole, piece.isZero(number) { return false }
        write(reading, piece, context, fix, escape, value.words, &out)
      case .flag(let flag):
        if value.omit == .zero, value.isWhole, !flag { return false }
        if value.type == .number, value.words < 0 {
          out.append(flag ? 0x31 : 0x30)
        } else {
          write(reading, piece, context, fix, escape, value.words, &out)
        }
      case .instant, .text: write(reading, piece, context, fix, escape, value.words, &out)
      }
    }
    return value.omit != .zero || out.count > start
  }

  /// Appends a piece's value, or the translation of the value if `words` has one.
  private func write(
    _ reading: SourceReading, _ piece: Piece, _ context: UploadContext, _ fix: Int?,
    _ escape: TextEscape, _ words: Int32, _ out: inout [UInt8]
  ) {
    guard words >= 0 else { return write(reading, piece, context, fix, escape, &out) }
    let start = out.count
    write(reading, piece, context, fix, .none, &out)
    for entry in self.words[Int(words)] where out[start...].elementsEqual(entry.name.utf8) {
      out.removeLast(out.count - start)
      out.append(text: entry.value, escape)
      return
    }
    out.removeLast(out.count - start)
    write(reading, piece, context, fix, escape, &out)
  }

  private func write(
    _ reading: SourceReading, _ piece: Piece, _ context: UploadContext, _ fix: Int?,
    _ escape: TextEscape, _ out: inout [UInt8]
  ) {
    switch reading {
    case .unknown: break
    case .number(let number): write(number, piece, &out)
    case .flag(let flag): out.append(contentsOf: flag ? Self.trueText : Self.falseText)
    case .instant(let instant):
      let start = out.count
      out.append(iso: instant, milliseconds: piece.unit != .isoSeconds)
      // A colon is literal in JSON and headers, and `%3A` in a form or a query.
      if escape == .percent || escape == .form { Self.escapeColons(from: start, &out) }
    case .text: context.append(text: piece.source, fix: fix, escape, into: &out)
    }
  }

  private func write(_ number: FixedPoint, _ piece: Piece, _ out: inout [UInt8]) {
    if piece.width > 0 {
      out.append(decimal: number.rounded(to: 0).units, width: Int(piece.width))
    } else {
      out.append(number: number, decimals: piece.writtenDecimals)
    }
  }

  private static func escapeColons(from start: Int, _ out: inout [UInt8]) {
    var place = start
    while place < out.count {
      if out[place] == 0x3A {
        out[place] = 0x25
        out.insert(0x41, at: place + 1)
        out.insert(0x33, at: place + 1)
      }
      place += 1
    }
  }

  private static let trueText = Array("true".utf8)
  private static let falseText = Array("false".utf8)
  private static let nullText = Array("null".utf8)
}

extension UploadContext {
  package func append(
    text source: ValueSource, fix: Int?, _ escape: TextEscape, into out: inout [UInt8]
  ) {
    switch source {
    case .uuid: out.append(uuid: uuid(fix: fix))
    case .traceparent:
      let (high, low) = uuid(fix: nil)
      out.append(text: "00-", .none)
      out.append(hex: high)
      out.append(hex: low)
      out.append(0x2D)
      out.append(hex: Draw.mix(low ^ UInt64(bitPattern: now)) | 1)
      out.append(text: "-01", .none)
    case .batch:
      out.append(decimal: Int64(phone.rawValue))
      out.append(0x2D)
      out.append(decimal: Int64(epoch))
      out.append(0x2D)
      out.append(decimal: Int64(sequence))
    case .motion: out.append(text: device.motion, escape)
    case .trigger: out.append(text: event?.kind.trigger ?? device.trigger, escape)
    case .event(.kind): out.append(text: event.map { "\($0.kind)" } ?? "", escape)
    case .event(.region): out.append(text: event?.region ?? "", escape)
    case .event(.permission): out.append(text: event?.permission ?? "", escape)
    case .policy: out.append(text: device.policy, escape)
    case .os: out.append(text: device.os, escape)
    case .pushToken: out.append(text: device.pushToken, escape)
    case .pushService: out.append(text: device.pushService, escape)
    case .cursor: out.append(text: page?.cursor ?? "", escape)
    case .column(let index): out.append(text: columns[Int(index)], escape)
    case .kept(let index): out.append(text: kept[Int(index)], escape)
    case .literal, .phone, .epoch, .sequence, .count, .index, .number, .now, .from, .to, .offset,
      .page,
      .latitude, .longitude, .accuracy, .altitude, .speed, .course, .time, .battery, .charging,
      .event(.dwell), .event(.noticed), .event(.happened):
      break
    }
  }
}
