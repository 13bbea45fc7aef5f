package import Wire

/// The messages, enumerations and methods of somebody's API, as a `FileDescriptorSet` describes
/// them.
package struct MessageSchema: Sendable {
  /// The type of a field.
  package enum FieldType: Hashable, Sendable, BitwiseCopyable {
    case double, float
    case int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64
    case bool, string, bytes
    /// A message within begin and end tags, which is not written.
    case group
    /// A message, by its index in `messages`.
    case message(Int)
    /// An enumeration, by its index in `enumerations`.
    case enumeration(Int)
  }

  /// One field of a message.
  package struct Field: Sendable {
    /// Is the name in the .proto file.
    package let name: String
    /// Is the name in JSON.
    package let jsonName: String
    /// Is the number on the wire, 1 ... 2²⁹ − 1.
    package let number: Int
    /// Is the type of a value; of one element where it is repeated.
    package let type: FieldType
    /// Is true for a field of any number of values, a map among them.
    package let isRepeated: Bool
    /// Is true where the numbers of a repeated field stand in one piece.
    package let isPacked: Bool
    /// Is true for `required` of proto2.
    package let isRequired: Bool
    /// Is true where zero is told from absent, so that zero is written.
    package let hasPresence: Bool
    /// Is the index of its oneof in the message's `oneofs`; nil: it is in none.
    package let oneof: Int?
  }

  /// A message.
  package struct Message: Sendable {
    /// Is the name with its package, without a dot before it.
    package let name: String
    /// Holds the fields in the order of their numbers.
    package let fields: [Field]
    /// Holds the names of its oneofs.
    package let oneofs: [String]
    /// Is true for the entries of a map field: 1 is the key, 2 the value.
    package let isMapEntry: Bool

    /// The field of a name, as the .proto file or JSON has it.
    package func field(_ name: String) -> Field? {
      fields.first { $0.name == name } ?? fields.first { $0.jsonName == name }
    }
  }

  /// One value of an enumeration.
  package struct EnumerationValue: Hashable, Sendable {
    /// Is its name.
    package let name: String
    /// Is its number on the wire.
    package let number: Int32
  }

  /// An enumeration.
  package struct Enumeration: Sendable {
    /// Is the name with its package.
    package let name: String
    /// Holds the values in the order of the file.
    package let values: [EnumerationValue]
  }

  /// A method of a service.
  package struct Method: Sendable {
    /// Is what is called: `/package.Service/Method`.
    package let path: String
    /// Is the index of the request in `messages`.
    package let input: Int
    /// Is the index of the answer in `messages`.
    package let output: Int
    /// Is true where either side sends any number of messages.
    package let isStreaming: Bool
  }

  /// Holds every message of every file.
  package let messages: [Message]
  /// Holds every enumeration of every file.
  package let enumerations: [Enumeration]
  /// Holds every method of every service.
  package let methods: [Method]

  /// Reads a serialized `FileDescriptorSet`.
  ///
  /// - Throws: what is wrong with it: no set, too large, an import or a type missing.
  package init(descriptorSet bytes: [UInt8]) throws(ProtobufError) {
    let files = try bytes.withUnsafeBufferPointer { (bytes) throws(ProtobufError) in
      try DescriptorReader.files(UnsafeRawBufferPointer(bytes))
    }
    var builder = try SchemaBuilder(files)
    self = try builder.schema()
  }

  init(messages: [Message], enumerations: [Enumeration], methods: [Method]) {
    self.messages = messages
    self.enumerations = enumerations
    self.methods = methods
  }

  /// The method of a path such as `/acme.v1.Ingest/Upload`.
  package func method(_ path: String) -> Method? { methods.first { $0.path == path } }

  /// The index of a message of this name.
  package func message(named name: String) -> Int? { messages.firstIndex { $0.name == name } }

  /// Whether a message stands for an instant.
  func isTimestamp(_ index: Int) -> Bool { messages[index].name == "google.protobuf.Timestamp" }

  /// How a type is called in a sentence.
  package func word(for type: FieldType) -> String {
    switch type {
    case .message(let index): messages[index].name
    case .enumeration(let index): enumerations[index].name
    case .double, .float, .int32, .int64, .uint32, .uint64, .sint32, .sint64, .fixed32, .fixed64,
      .sfixed32, .sfixed64, .bool, .string, .bytes, .group:
      "\(type)"
    }
  }
}

extension MessageSchema.FieldType {
  /// Whether many of them may stand in one piece.
  package var isPackable: Bool {
    switch self {
    case .string, .bytes, .group, .message: false
    case .double, .float, .int32, .int64, .uint32, .uint64, .sint32, .sint64, .fixed32, .fixed64,
      .sfixed32, .sfixed64, .bool, .enumeration:
      true
    }
  }

  /// The whole numbers that it holds; nil: it holds no whole numbers alone.
  package var wholeNumbers: ClosedRange<Int64>? {
    switch self {
    case .int32, .sint32, .sfixed32: Int64(Int32.min)...Int64(Int32.max)
    case .uint32, .fixed32: 0...Int64(UInt32.max)
    case .int64, .sint64, .sfixed64: Int64.min...Int64.max
    case .uint64, .fixed64: 0...Int64.max
    case .double, .float, .bool, .string, .bytes, .group, .message, .enumeration: nil
    }
  }
}

extension [UInt8] {
  /// The `FileDescriptorSet` of serialized `FileDescriptorProto`s.
  package init(descriptorSetOf files: [[UInt8]]) {
    self = []
    for file in files {
      append(0x0A)
      var length = UInt64(file.count)
      while length >= 0x80 {
        append(UInt8(truncatingIfNeeded: length) | 0x80)
        length >>= 7
      }
      append(UInt8(length))
      append(contentsOf: file)
    }
  }
}
