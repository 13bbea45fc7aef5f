package import Wire

/// Writes protobuf messages into memory that is reused. Not thread-safe.
package final class MessageWriter {
  private var run = MessageRun()
  private let compressor = MessageCompressor()

  package init() {}

  /// Returns a request's body before compression.
  /// - Parameter call: the types of the request's messages; nil if it has none.
  package func body(
    of program: RequestProgram, _ call: MessageCalls.Call?, _ context: UploadContext
  ) -> [UInt8] {
    var body: [UInt8] = []
    if let message = call?.message {
      write(message, context, into: &body)
    } else {
      program.write(body: context, into: &body)
    }
    return body
  }

  /// Returns a compressed body; nil if it is not smaller.
  package func packed(_ body: [UInt8], _ encoding: RequestForm.Encoding) -> [UInt8]? {
    var output = ByteBuffer(capacity: 0)
    let isPacked = body.withUnsafeBytes {
      compressor.compress($0, encoding.ofMessages, into: &output)
    }
    return isPacked ? Array(output.readable) : nil
  }

  package func write(
    _ program: MessageProgram, _ context: UploadContext, into out: inout [UInt8]
  ) {
    out.append(contentsOf: write(program, context))
  }

  /// Writes a message; the bytes are valid until the next message is written.
  @discardableResult
  package func write(
    _ program: MessageProgram, _ context: UploadContext
  ) -> UnsafeRawBufferPointer {
    run.write(program, context)
    return run.output.readable
  }
}

/// A writer's state, which is a value because exclusivity checks of a class's properties cost three
/// times as much as the writing.
private struct MessageRun: ~Copyable {
  typealias Steps = UnsafeBufferPointer<MessageProgram.Step>

  var output = ByteBuffer(capacity: 4_096)
  var text: [UInt8] = []

  mutating func write(_ program: borrowing MessageProgram, _ context: borrowing UploadContext) {
    output.removeAll()
    program.steps.withUnsafeBufferPointer { steps in
      _ = run(steps, program, context, fix: nil)
    }
  }

  /// Runs the steps; returns whether the value of any step was known.
  private mutating func run(
    _ steps: Steps, _ program: borrowing MessageProgram,
    _ context: borrowing UploadContext, fix: Int?
  ) -> Bool {
    var isKnown = false
    var at = 0
    while at < steps.count {
      let step = steps[at]
      at += 1
      switch step.operation {
      case .number: isKnown = number(step, program, context, fix) || isKnown
      case .literal:
        literal(step, program)
        // The constant key of a map entry does not count, since it means nothing without a value.
        isKnown = isKnown || step.dropping != .unknown
      case .begin:
        let end = at + Int(step.length)
        let inner = Steps(rebasing: steps[at..<end])
        isKnown = begin(step, inner, program, context, fix) || isKnown
        at = end
      case .each:
        let end = at + Int(step.length)
        let inner = Steps(rebasing: steps[at..<end])
        for place in 0..<context.fixes.count {
          isKnown = run(inner, program, context, fix: place) || isKnown
        }
        at = end
      case .timestamp: isKnown = timestamp(step, program, context, fix) || isKnown
      case .duration: isKnown = duration(step, program, context, fix) || isKnown
      case .text: isKnown = text(step, program, context, fix) || isKnown
      case .enumeration: isKnown = enumeration(step, program, context, fix) || isKnown
      }
    }
    return isKnown
  }

  private mutating func begin(
    _ step: MessageProgram.Step, _ inner: Steps,
    _ program: borrowing MessageProgram, _ context: borrowing UploadContext, _ fix: Int?
  ) -> Bool {
    let mark = output.count
    output.append(step.tag)
    let start = output.openLength()
    let isKnown = run(inner, program, context, fix: fix)
    switch step.dropping {
    case .empty where output.count == start, .unknown where !isKnown: output.truncate(to: mark)
    case .never, .empty, .unknown: output.closeLength(from: start)
    }
    return isKnown
  }

  private mutating func literal(_ step: MessageProgram.Step, _ program: borrowing MessageProgram) {
    guard step.count > 0 else { return }
    program.literals.withUnsafeBytes { bytes in
      let end = Int(step.place + step.count)
      output.append(UnsafeRawBufferPointer(rebasing: bytes[Int(step.place)..<end]))
    }
  }

  // MARK: Numbers

  private static func power(_ exponent: UInt8) -> Double {
    switch exponent {
    case 0: 1
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    case _: 1e9
    }
  }

  private mutating func number(
    _ step: MessageProgram.Step, _ program: borrowing MessageProgram,
    _ context: borrowing UploadContext, _ fix: Int?
  ) -> Bool {
    guard var number = reading(step, context, fix) else {
      literal(step, program)
      return step.count > 0
    }
    if step.decimals != 255 { number = number.rounded(to: step.decimals) }
    switch step.encoding {
    case .double, .float:
      // Both numbers are exact up to 2⁵³, so the quotient is the nearest `Double`.
      let value = Double(number.units) / Self.power(number.decimals)
      if step.dropsZero, number.units == 0 { return true }
      if case .double = step.encoding {
        output.append(step.tag, fixed: value.bitPattern)
      } else {
        output.append(step.tag, fixed: Float(value).bitPattern)
      }
    case .varint, .zigzag, .fixed32, .fixed64:
      let whole = number.decimals == 0 ? number.units : number.rounded(to: 0).units
      guard whole >= step.least, whole <= step.most else {
        literal(step, program)
        return step.count > 0
      }
      if step.dropsZero, whole == 0 { return true }
      output.append(step.tag, whole, step.encoding)
    }
    return true
  }

  @inline(__always)
  private func reading(
    _ step: MessageProgram.Step, _ context: borrowing UploadContext, _ fix: Int?
  ) -> FixedPoint? {
    switch context.read(step.source, step.unit, fix: fix) {
    case .number(let number): number
    case .flag(let flag): FixedPoint(flag ? 1 : 0)
    case .instant(let microseconds): FixedPoint(microseconds, decimals: 6)
    case .text: context.text(of: step.source).flatMap { FixedPoint($0) }
    case .unknown: nil
    }
  }

  // MARK: Times

  private mutating func timestamp(
    _ step: MessageProgram.Step, _ program: borrowing MessageProgram,
    _ context: borrowing UploadContext, _ fix: Int?
  ) -> Bool {
    guard case .instant(let microseconds) = context.read(step.source, .timestamp, fix: fix) else {
      literal(step, program)
      return step.count > 0
    }
    let (quotient, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    // Nanoseconds count forwards, even before 1970.
    let seconds = rest < 0 ? quotient - 1 : quotient
    output.append(
      step.tag, seconds: seconds, nanoseconds: (microseconds - seconds * 1_000_000) * 1_000)
    return true
  }

  private mutating func duration(
    _ step: MessageProgram.Step, _ program: borrowing MessageProgram,
    _ context: borrowing UploadContext, _ fix: Int?
  ) -> Bool {
    guard let number = reading(step, context, fix) else {
      literal(step, program)
      return step.count > 0
    }
    let (seconds, rest) = number.units.quotientAndRemainder(
      dividingBy: Int64(Self.power(number.decimals)))
    let nanoseconds = FixedPoint(rest, decimals: number.decimals).rounded(to: 9).units
    output.append(step.tag, seconds: seconds, nanoseconds: nanoseconds)
    return true
  }

  // MARK: Texts

  private mutating func make(
    _ step: MessageProgram.Step, _ program: borrowing MessageProgram,
    _ context: borrowing UploadContext, _ fix: Int?
  ) -> Bool {
    text.removeAll(keepingCapacity: true)
    let maker = program.texts[Int(step.text)]
    return maker.write(text: maker.values[0], context, fix, .none, &text)
  }

  private mutating func text(
    _ step: MessageProgram.Step, _ program: borrowing MessageProgram,
    _ context: borrowing UploadContext, _ fix: Int?
  ) -> Bool {
    guard make(step, program, context, fix) else { return false }
    guard !step.dropsZero || !text.isEmpty else { return true }
    output.append(step.tag, Int64(text.count), .varint)
    text.withUnsafeBytes { output.append($0) }
    return true
  }

  private mutating func enumeration(
    _ step: MessageProgram.Step, _ program: borrowing MessageProgram,
    _ context: borrowing UploadContext, _ fix: Int?
  ) -> Bool {
    guard make(step, program, context, fix) else { return false }
    for entry in program.enumerations[Int(step.enumeration)].entries where entry.text == text {
      if step.dropsZero, entry.number == 0 { return true }
      output.append(step.tag, Int64(entry.number), .varint)
      return true
    }
    literal(step, program)
    return step.count > 0
  }
}

extension RequestForm.Encoding {
  package var ofMessages: MessageEncoding {
    switch self {
    case .identity: .identity
    case .gzip: .gzip
    case .zstd: .zstd
    }
  }
}

extension UploadContext {
  func text(of source: ValueSource) -> String? {
    switch source {
    case .cursor: page?.cursor
    case .column(let index): columns.indices.contains(Int(index)) ? columns[Int(index)] : nil
    case .kept(let index): kept.indices.contains(Int(index)) ? kept[Int(index)] : nil
    case .literal, .phone, .epoch, .sequence, .count, .index, .batch, .uuid, .traceparent,
      .number, .now, .from, .to, .offset, .page, .latitude, .longitude, .accuracy, .altitude,
      .speed, .course, .time, .battery,
      .charging, .motion, .trigger, .policy, .os, .pushToken, .pushService, .event:
      nil
    }
  }
}

extension FixedPoint {
  /// Parses a number such as `-12.5`, with up to nine decimals.
  init?(_ text: String) {
    let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = halves.first, halves.count == 1 || (1...9).contains(halves[1].utf8.count),
      let units = Int64(first + (halves.count == 2 ? halves[1] : "")),
      halves.count == 1 || halves[1].allSatisfy(\.isNumber)
    else { return nil }
    self.init(units, decimals: UInt8(halves.count == 2 ? halves[1].utf8.count : 0))
  }
}
