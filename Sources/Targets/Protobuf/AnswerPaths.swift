package import Scenarios
package import Wire

package enum AnswerValue: Equatable, Sendable {
  /// The field is absent and has no default.
  case missing
  case whole(Int64)
  /// A whole number above the range of `whole`.
  case large(UInt64)
  case number(Double)
  case flag(Bool)
  case text(String)
  case bytes([UInt8])
  /// A `google.protobuf.Timestamp`, in microseconds since 1970.
  case instant(Int64)

  /// The value as text, for comparison or for later requests; nil if missing.
  package var text: String? {
    switch self {
    case .missing: nil
    case .whole(let number): "\(number)"
    case .large(let number): "\(number)"
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .text(let text): text
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .instant(let instant): Self.iso(instant)
    }
  }

  private static func iso(_ instant: Int64) -> String {
    var text: [UInt8] = []
    text.append(iso: instant, milliseconds: true)
    return String(decoding: text, as: UTF8.self)
  }
}

/// The wanted paths of an answer, compiled once. Reading skips all other fields.
package struct AnswerPaths: Sendable {
  package struct Wanted: Sendable {
    package let path: FieldPath
    package let origin: Origin

    package init(_ path: FieldPath, at origin: Origin) {
      self.path = path
      self.origin = origin
    }
  }

  struct Place {
    let field: MessageSchema.Field
    var index = 0
  }

  private struct Entry: Sendable {
    let field: MessageSchema.Field
    /// The index of the wanted element of a repeated field; 0 for any other field.
    let index: Int
    let number: Int
    /// The indices of the wanted paths that end at this field; empty if every path leads further.
    var slots: [Int] = []
    var inner: [Entry] = []
  }

  private var entries: [Entry] = []
  private let count: Int
  private var entryCount = 0
  private let enumerations: [MessageSchema.Enumeration]

  /// - Throws: all invalid paths, each with its line in the target's file.
  package init(
    _ wanted: [Wanted], of message: Int, in schema: MessageSchema
  ) throws(ScenarioError) {
    count = wanted.count
    enumerations = schema.enumerations
    var diagnostics: [Diagnostic] = []
    for (slot, path) in wanted.enumerated() {
      do throws(PathError) {
        let places = try Self.places(on: path.path, message, schema)
        guard let last = places.last else { throw PathError(text: "'/' names no field.") }
        if case .message(let index) = last.field.type, !schema.isTimestamp(index) {
          throw PathError(
            text: "'\(path.path)' is the message '\(schema.messages[index].name)'; add one of "
              + "\(MessageCompiler.list(schema.messages[index])).")
        }
        Self.add(places[...], slot, to: &entries, &entryCount)
      } catch {
        diagnostics.append(Diagnostic(origin: path.origin, text: error.text))
      }
    }
    if !diagnostics.isEmpty { throw ScenarioError(diagnostics) }
  }

  struct PathError: Error { let text: String }

  static func places(
    on path: FieldPath, _ message: Int, _ schema: MessageSchema
  ) throws(PathError) -> [Place] {
    var places: [Place] = []
    var open: Int? = message
    for word in path.keys {
      if let last = places.last, last.field.isRepeated, let index = Int(word), index >= 0 {
        places[places.count - 1].index = index
        continue
      }
      guard let at = open else {
        let last = places.last.map { "'\($0.field.name)' is a \(schema.word(for: $0.field.type))" }
        throw PathError(text: "\(last ?? ""), which has no fields such as '\(word)'.")
      }
      guard let field = schema.messages[at].field(word) else {
        throw PathError(text: MessageCompiler.unknown(word, in: schema.messages[at]))
      }
      guard field.type != .group else {
        throw PathError(text: "'\(field.name)' is a group, which is not read.")
      }
      places.append(Place(field: field))
      if case .message(let next) = field.type { open = next } else { open = nil }
    }
    return places
  }

  private static func add(
    _ path: ArraySlice<Place>, _ slot: Int, to entries: inout [Entry], _ entryCount: inout Int
  ) {
    guard let place = path.first else { return }
    let found = entries.firstIndex {
      $0.field.number == place.field.number && $0.index == place.index
    }
    let at = found ?? entries.count
    if found == nil {
      entries.append(Entry(field: place.field, index: place.index, number: entryCount))
      entryCount += 1
    }
    if path.count == 1 {
      entries[at].slots.append(slot)
    } else {
      add(path.dropFirst(), slot, to: &entries[at].inner, &entryCount)
    }
  }

  // MARK: Reading

  /// Reads the values in the order of the wanted paths. A repeated field gives the indexed element,
  /// any other field the last value. An absent value is zero where absence means zero.
  package func read(_ bytes: UnsafeRawBufferPointer) throws(ProtobufError) -> [AnswerValue] {
    var values = [AnswerValue](repeating: .missing, count: count)
    setDefaults(entries, &values)
    var seen = [Int](repeating: 0, count: entryCount)
    try read(bytes, entries, &values, &seen)
    return values
  }

  private func setDefaults(_ entries: [Entry], _ values: inout [AnswerValue]) {
    for entry in entries where !entry.field.hasPresence && !entry.field.isRepeated {
      for slot in entry.slots { values[slot] = zero(entry.field.type) }
    }
  }

  private func zero(_ type: MessageSchema.FieldType) -> AnswerValue {
    switch type {
    case .double, .float: .number(0)
    case .bool: .flag(false)
    case .string: .text("")
    case .bytes: .bytes([])
    case .enumeration(let index): name(0, index)
    case .int32, .int64, .uint32, .uint64, .sint32, .sint64, .fixed32, .fixed64, .sfixed32,
      .sfixed64:
      .whole(0)
    case .group, .message: .missing
    }
  }

  private func name(_ number: Int32, _ index: Int) -> AnswerValue {
    let known = enumerations[index].values.first { $0.number == number }
    return known.map { .text($0.name) } ?? .whole(Int64(number))
  }

  private func read(
    _ bytes: UnsafeRawBufferPointer, _ entries: [Entry], _ values: inout [AnswerValue],
    _ seen: inout [Int]
  ) throws(ProtobufError) {
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      for entry in entries where entry.field.number == number {
        try read(value, entry, &values, &seen)
      }
    }
  }

  private func read(
    _ value: FieldReader.Value, _ entry: Entry, _ values: inout [AnswerValue],
    _ seen: inout [Int]
  ) throws(ProtobufError) {
    let type = entry.field.type
    if case .bytes(let packed) = value, entry.field.isRepeated, type.isPackable {
      var reader = FieldReader(packed)
      while !reader.isAtEnd {
        take(self.value(try reader.element(type.wireType), type), entry, &values, &seen)
      }
    } else if case .message = type {
      guard case .bytes(let part) = value else { return }
      defer { seen[entry.number] += 1 }
      if entry.field.isRepeated, seen[entry.number] != entry.index { return }
      if entry.field.isRepeated || seen[entry.number] == 0 { setDefaults(entry.inner, &values) }
      if !entry.slots.isEmpty {
        let instant = try Self.instant(part)
        for slot in entry.slots { values[slot] = instant }
      }
      try read(part, entry.inner, &values, &seen)
    } else {
      take(self.value(value, type), entry, &values, &seen)
    }
  }

  /// Reads a `Timestamp` of seconds (1) and nanoseconds (2); `missing` outside the years 1 to 9999.
  private static func instant(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> AnswerValue {
    var (seconds, nanoseconds) = (Int64(0), Int64(0))
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      switch (number, value) {
      case (1, .varint(let bits)): seconds = Int64(bitPattern: bits)
      case (2, .varint(let bits)): nanoseconds = Int64(bitPattern: bits)
      case _: break
      }
    }
    guard -62_135_596_800..<253_402_300_800 ~= seconds, 0..<1_000_000_000 ~= nanoseconds else {
      return .missing
    }
    return .instant(seconds * 1_000_000 + nanoseconds / 1_000)
  }

  /// - Parameter found: the value; nil if encoded as another type, as after a change of the schema.
  private func take(
    _ found: AnswerValue?, _ entry: Entry, _ values: inout [AnswerValue], _ seen: inout [Int]
  ) {
    guard let found else { return }
    if !entry.field.isRepeated || seen[entry.number] == entry.index {
      for slot in entry.slots { values[slot] = found }
    }
    seen[entry.number] += 1
  }

  private func value(
    _ value: FieldReader.Value, _ type: MessageSchema.FieldType
  ) -> AnswerValue? {
    switch (type, value) {
    case (.int64, .varint(let bits)): .whole(Int64(bitPattern: bits))
    case (.int32, .varint(let bits)): .whole(Int64(Int32(truncatingIfNeeded: bits)))
    case (.uint64, .varint(let bits)), (.fixed64, .fixed64(let bits)):
      bits <= UInt64(Int64.max) ? .whole(Int64(bits)) : .large(bits)
    case (.uint32, .varint(let bits)): .whole(Int64(UInt32(truncatingIfNeeded: bits)))
    case (.sint32, .varint(let bits)), (.sint64, .varint(let bits)):
      .whole(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
    case (.bool, .varint(let bits)): .flag(bits != 0)
    case (.enumeration(let index), .varint(let bits)): name(Int32(truncatingIfNeeded: bits), index)
    case (.sfixed64, .fixed64(let bits)): .whole(Int64(bitPattern: bits))
    case (.double, .fixed64(let bits)): .number(Double(bitPattern: bits))
    case (.fixed32, .fixed32(let bits)): .whole(Int64(bits))
    case (.sfixed32, .fixed32(let bits)): .whole(Int64(Int32(bitPattern: bits)))
    case (.float, .fixed32(let bits)): .number(Double(Float(bitPattern: bits)))
    case (.string, .bytes(let bytes)): .text(String(decoding: bytes, as: UTF8.self))
    case (.bytes, .bytes(let bytes)): .bytes(Array(bytes))
    case (_, _): nil
    }
  }
}
