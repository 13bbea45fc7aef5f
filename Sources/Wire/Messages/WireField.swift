internal import SimulationCore

/// One field of a value, and the field of the generated message as which it travels.
///
/// The one description of both directions: what is written is what is read.
struct WireField<Value, Message> {
  let write: (Value, UnsafeMutablePointer<Message>, Arena) throws(WireError) -> Void
  let read: (Message, inout Value) throws(WireError) -> Void
}

extension WireField {
  static func scalar<Own, Raw>(
    _ own: WritableKeyPath<Value, Own>, _ wire: WritableKeyPath<Message, Raw>,
    _ write: @escaping (Own) -> Raw, _ read: @escaping (Raw) -> Own
  ) -> Self {
    Self(
      write: { value, message, _ in message.pointee[keyPath: wire] = write(value[keyPath: own]) },
      read: { message, value in value[keyPath: own] = read(message[keyPath: wire]) })
  }

  /// A number within bounds.
  ///
  /// - Parameter name: of the field, as below, for the peer that writes another value.
  static func number<Own>(
    _ name: String, _ own: WritableKeyPath<Value, Own>, _ wire: WritableKeyPath<Message, Double>,
    in range: ClosedRange<Double>, _ write: @escaping (Own) -> Double,
    _ read: @escaping (Double) -> Own
  ) -> Self {
    Self(
      write: { value, message, _ in message.pointee[keyPath: wire] = write(value[keyPath: own]) },
      read: { (message, value) throws(WireError) in
        value[keyPath: own] = read(
          try WireBounds.number(name, message[keyPath: wire], in: range))
      })
  }

  static func number(
    _ name: String, _ own: WritableKeyPath<Value, Double>,
    _ wire: WritableKeyPath<Message, Double>, in range: ClosedRange<Double>
  ) -> Self {
    number(name, own, wire, in: range, { $0 }, { $0 })
  }

  static func time(
    _ name: String, _ own: WritableKeyPath<Value, SimDuration>,
    _ wire: WritableKeyPath<Message, Int64>
  ) -> Self {
    Self(
      write: { value, message, _ in
        message.pointee[keyPath: wire] = value[keyPath: own].microseconds
      },
      read: { (message, value) throws(WireError) in
        value[keyPath: own] = try WireBounds.span(name, message[keyPath: wire])
      })
  }

  static func times(
    _ name: String, _ own: WritableKeyPath<Value, [SimDuration]>,
    _ wire: WritableKeyPath<Message, UnsafeMutablePointer<Int64>?>,
    count: WritableKeyPath<Message, Int>
  ) -> Self {
    Self(
      write: { (value, message, arena) throws(WireError) in
        let times = value[keyPath: own]
        message.pointee[keyPath: count] = times.count
        message.pointee[keyPath: wire] = try arena.copy(times.map(\.microseconds))
      },
      read: { (message, value) throws(WireError) in
        var times: [SimDuration] = []
        for time in column(message[keyPath: wire], message[keyPath: count]) {
          times.append(try WireBounds.span(name, time))
        }
        value[keyPath: own] = times
      })
  }

  /// One of a few words.
  ///
  /// - Parameter name: of the field, for the peer that writes another word.
  static func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ own: WritableKeyPath<Value, Word>,
    _ wire: WritableKeyPath<Message, UnsafeMutablePointer<CChar>?>
  ) -> Self where Word.RawValue == String {
    Self(
      write: { (value, message, arena) throws(WireError) in
        message.pointee[keyPath: wire] = try arena.string(value[keyPath: own].rawValue)
      },
      read: { (message, value) throws(WireError) in
        let found = text(message[keyPath: wire])
        guard let word = Word(rawValue: found) else {
          throw .unknownWord(field: name, found, known: Word.allCases.map(\.rawValue))
        }
        value[keyPath: own] = word
      })
  }

  /// A message within the message; one that is left out leaves the value as it is.
  static func part<Part, PartMessage>(
    _ own: WritableKeyPath<Value, Part>,
    _ wire: WritableKeyPath<Message, UnsafeMutablePointer<PartMessage>?>,
    _ rows: [WireField<Part, PartMessage>],
    _ initialize: @escaping (UnsafeMutablePointer<PartMessage>?) -> Void
  ) -> Self {
    Self(
      write: { (value, message, arena) throws(WireError) in
        let part = try arena.make(initialize)
        for row in rows { try row.write(value[keyPath: own], part, arena) }
        message.pointee[keyPath: wire] = part
      },
      read: { (message, value) throws(WireError) in
        guard let part = message[keyPath: wire]?.pointee else { return }
        for row in rows { try row.read(part, &value[keyPath: own]) }
      })
  }
}
