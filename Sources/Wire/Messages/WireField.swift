internal import CProtobufC
internal import Core

/// The description of one field, by which a value is written to a generated message and read.
struct WireField<Value, Message> {
  let write: (Value, UnsafeMutablePointer<Message>, Arena) throws(WireError) -> Void
  let read: (Message, inout Value) throws(WireError) -> Void
}

struct WireForm<Value, Message> {
  let initialize: (UnsafeMutablePointer<Message>?) -> Void
  let empty: Value
  let rows: [WireField<Value, Message>]

  init(
    _ initialize: @escaping (UnsafeMutablePointer<Message>?) -> Void, _ empty: Value,
    _ rows: [WireField<Value, Message>]
  ) {
    (self.initialize, self.empty, self.rows) = (initialize, empty, rows)
  }

  func message(
    _ value: Value, in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<Message> {
    let message = try arena.make(initialize)
    for row in rows { try row.write(value, message, arena) }
    return message
  }

  func value(_ message: Message) throws(WireError) -> Value {
    var value = empty
    for row in rows { try row.read(message, &value) }
    return value
  }
}

/// A message of collector.proto that is described by rows.
protocol RowMessage: WireMessage {
  associatedtype Message
  static var form: WireForm<Self, Message> { get }
}

extension RowMessage {
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(try Self.form.message(self, in: arena))
  }

  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    arena.reset()
    // A message begins with protobuf-c's descriptor.
    let empty = UnsafeMutableRawPointer(try arena.make(form.initialize))
      .assumingMemoryBound(to: ProtobufCMessage.self)
    let message = protobuf_c_message_unpack(
      empty.pointee.descriptor, arena.allocator, bytes.count,
      bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    guard let message else { throw .malformedMessage("\(Self.self)") }
    return try form.value(UnsafeRawPointer(message).assumingMemoryBound(to: Message.self).pointee)
  }
}

extension WireField {
  typealias Own<Field> = WritableKeyPath<Value, Field>
  typealias Wire<Field> = WritableKeyPath<Message, Field>

  // MARK: Single values

  static func same<Field>(_ own: Own<Field>, _ wire: Wire<Field>) -> Self {
    value(own, wire, { $0 }, { $0 })
  }

  static func flag(_ own: Own<Bool>, _ wire: Wire<protobuf_c_boolean>) -> Self {
    value(own, wire, { $0 ? 1 : 0 }, { $0 != 0 })
  }

  static func phone(_ own: Own<PhoneID>, _ wire: Wire<UInt32>) -> Self {
    value(own, wire, \.rawValue, PhoneID.init(rawValue:))
  }

  static func value<Field, Raw>(
    _ own: Own<Field>, _ wire: Wire<Raw>, _ write: @escaping (Field) -> Raw,
    _ read: @escaping (Raw) throws(WireError) -> Field
  ) -> Self {
    Self(
      write: { value, message, _ in message.pointee[keyPath: wire] = write(value[keyPath: own]) },
      read: { (message, value) throws(WireError) in
        value[keyPath: own] = try read(message[keyPath: wire])
      })
  }

  /// Describes an optional value; zero on the wire means nil.
  static func maybe<Field, Raw: BinaryInteger>(
    _ own: Own<Field?>, _ wire: Wire<Raw>, _ write: @escaping (Field) -> Raw,
    _ read: @escaping (Raw) throws(WireError) -> Field
  ) -> Self {
    value(own, wire, { $0.map(write) ?? 0 }) { (raw) throws(WireError) in
      raw == 0 ? nil : try read(raw)
    }
  }

  /// - Parameter name: the field's name in errors for the peer.
  static func number<Field>(
    _ name: String, _ own: Own<Field>, _ wire: Wire<Double>, in range: ClosedRange<Double>,
    _ write: @escaping (Field) -> Double, _ read: @escaping (Double) -> Field
  ) -> Self {
    value(own, wire, write) { (raw) throws(WireError) in
      read(try WireBounds.number(name, raw, in: range))
    }
  }

  static func number(
    _ name: String, _ own: Own<Double>, _ wire: Wire<Double>, in range: ClosedRange<Double>
  ) -> Self {
    number(name, own, wire, in: range, { $0 }, { $0 })
  }

  static func count(_ name: String, _ own: Own<UInt64>, _ wire: Wire<UInt64>) -> Self {
    value(own, wire, { $0 }) { (raw) throws(WireError) in try WireBounds.count(name, raw) }
  }

  static func time<Timeline>(
    _ name: String, _ own: Own<TimeSpan<Timeline>>, _ wire: Wire<Int64>, from least: Int64 = 0
  ) -> Self {
    value(own, wire, \.microseconds) { (raw) throws(WireError) in
      try WireBounds.span(name, raw, from: least)
    }
  }

  static func instant<Timeline>(
    _ name: String, _ own: Own<TimePoint<Timeline>>, _ wire: Wire<Int64>
  ) -> Self {
    value(own, wire, \.microseconds) { (raw) throws(WireError) in
      try WireBounds.instant(name, raw)
    }
  }

  // MARK: Texts

  static func text(
    _ own: Own<String>, _ wire: Wire<UnsafeMutablePointer<CChar>?>
  ) -> Self {
    Self(
      write: { (value, message, arena) throws(WireError) in
        message.pointee[keyPath: wire] = try arena.string(value[keyPath: own])
      },
      read: { message, value in value[keyPath: own] = string(message[keyPath: wire]) })
  }

  static func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ own: Own<Word>, _ wire: Wire<UnsafeMutablePointer<CChar>?>
  ) -> Self where Word.RawValue == String {
    Self(
      write: { (value, message, arena) throws(WireError) in
        message.pointee[keyPath: wire] = try arena.string(value[keyPath: own].rawValue)
      },
      read: { (message, value) throws(WireError) in
        let found = string(message[keyPath: wire])
        guard let word = Word(rawValue: found) else {
          throw .unknownWord(field: name, found, known: Word.allCases.map(\.rawValue))
        }
        value[keyPath: own] = word
      })
  }

  // MARK: Messages within the message

  /// Describes a nested message; reading leaves the field unchanged if the message is absent.
  static func part<Part, PartMessage>(
    _ own: Own<Part>, _ wire: Wire<UnsafeMutablePointer<PartMessage>?>,
    _ form: WireForm<Part, PartMessage>
  ) -> Self {
    Self(
      write: { (value, message, arena) throws(WireError) in
        message.pointee[keyPath: wire] = try form.message(value[keyPath: own], in: arena)
      },
      read: { (message, value) throws(WireError) in
        guard let part = message[keyPath: wire] else { return }
        value[keyPath: own] = try form.value(part.pointee)
      })
  }

  static func maybe<Part, PartMessage>(
    _ own: Own<Part?>, _ wire: Wire<UnsafeMutablePointer<PartMessage>?>,
    _ form: WireForm<Part, PartMessage>
  ) -> Self {
    Self(
      write: { (value, message, arena) throws(WireError) in
        guard let part = value[keyPath: own] else { return }
        message.pointee[keyPath: wire] = try form.message(part, in: arena)
      },
      read: { (message, value) throws(WireError) in
        guard let part = message[keyPath: wire] else { return }
        value[keyPath: own] = try form.value(part.pointee)
      })
  }

  static func list<Part, PartMessage>(
    _ own: Own<[Part]>,
    _ wire: Wire<UnsafeMutablePointer<UnsafeMutablePointer<PartMessage>?>?>, count: Wire<Int>,
    _ form: WireForm<Part, PartMessage>
  ) -> Self {
    Self(
      write: { (value, message, arena) throws(WireError) in
        let parts = value[keyPath: own]
        message.pointee[keyPath: count] = parts.count
        message.pointee[keyPath: wire] = try arena.messages(parts) { (part) throws(WireError) in
          try form.message(part, in: arena)
        }
      },
      read: { (message, value) throws(WireError) in
        value[keyPath: own] = try values(
          message[keyPath: wire], message[keyPath: count], form.value)
      })
  }

  // MARK: Columns

  static func numbers<Field, Raw: BitwiseCopyable>(
    _ own: Own<[Field]>, _ wire: Wire<UnsafeMutablePointer<Raw>?>, count: Wire<Int>,
    _ write: @escaping (Field) -> Raw,
    _ read: @escaping (Raw) throws(WireError) -> Field?
  ) -> Self {
    Self(
      write: { (value, message, arena) throws(WireError) in
        let numbers = value[keyPath: own]
        message.pointee[keyPath: count] = numbers.count
        message.pointee[keyPath: wire] = try arena.copy(numbers.map(write))
      },
      read: { (message, value) throws(WireError) in
        var fields: [Field] = []
        for raw in entries(message[keyPath: wire], message[keyPath: count]) {
          if let field = try read(raw) { fields.append(field) }
        }
        value[keyPath: own] = fields
      })
  }

  static func times(
    _ name: String, _ own: Own<[SimDuration]>, _ wire: Wire<UnsafeMutablePointer<Int64>?>,
    count: Wire<Int>
  ) -> Self {
    numbers(own, wire, count: count, \.microseconds) { (raw) throws(WireError) in
      try WireBounds.span(name, raw)
    }
  }

  /// - Parameter name: the column's name in the error if its length is not the number of rows.
  static func column<Row, Raw: BitwiseCopyable>(
    _ name: String, _ own: Own<[Row]>, _ wire: Wire<UnsafeMutablePointer<Raw>?>,
    count: Wire<Int>, _ write: @escaping (Row) -> Raw,
    _ read: @escaping (Raw, inout Row) throws(WireError) -> Void
  ) -> Self {
    Self(
      write: { (value, message, arena) throws(WireError) in
        let rows = value[keyPath: own]
        message.pointee[keyPath: count] = rows.count
        message.pointee[keyPath: wire] = try arena.copy(rows.map(write))
      },
      read: { (message, value) throws(WireError) in
        var rows = value[keyPath: own]
        value[keyPath: own] = []
        let entries = message[keyPath: count]
        guard entries == rows.count else {
          throw .columnLength(column: name, entries: entries, expected: rows.count)
        }
        for place in rows.indices { try read(message[keyPath: wire]![place], &rows[place]) }
        value[keyPath: own] = rows
      })
  }
}
