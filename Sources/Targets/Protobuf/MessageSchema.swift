package import Wire

/// The messages, enumerations and methods of a `FileDescriptorSet`.
package struct MessageSchema: Sendable {
  package enum FieldType: Hashable, Sendable, BitwiseCopyable {
    case double, float
    case int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64
    case bool, string, bytes
    /// A message between begin and end tags; such fields are never written.
    case group
    /// The index in `messages`.
    case message(Int)
    /// The index in `enumerations`.
    case enumeration(Int)
  }

  package struct Field: Sendable {
    package let name: String
    package let jsonName: String
    /// The number on the wire, 1 ... 2²⁹ − 1.
    package let number: Int
    /// The type of the value, or of one element of a repeated field.
    package let type: FieldType
    /// Whether the field has any number of values; true for maps.
    package let isRepeated: Bool
    /// Whether all numbers of the repeated field are encoded as one value (packed).
    package let isPacked: Bool
    /// Whether the field is `required`, as in proto2.
    package let isRequired: Bool
    /// Whether a zero differs from an absent value, so that zeros are written.
    package let hasPresence: Bool
    /// The index in the message's `oneofs`; nil for none.
    package let oneof: Int?
  }

  package struct Message: Sendable {
    /// The name with its package, without a dot before it.
    package let name: String
    /// The fields in the order of their numbers.
    package let fields: [Field]
    package let oneofs: [String]
    /// Whether the message is an entry of a map field: field 1 is the key, field 2 the value.
    package let isMapEntry: Bool

    /// Returns a field by its name in the .proto file or in JSON; nil if there is none.
    package func field(_ name: String) -> Field? {
      fields.first { $0.name == name } ?? fields.first { $0.jsonName == name }
    }
  }

  package struct EnumerationValue: Hashable, Sendable {
    package let name: String
    /// The number on the wire.
    package let number: Int32
  }

  package struct Enumeration: Sendable {
    package let name: String
    /// The values in the order of the file.
    package let values: [EnumerationValue]
  }

  package struct Method: Sendable {
    package let path: String
    /// The index of the request in `messages`.
    package let input: Int
    /// The index of the answer in `messages`.
    package let output: Int
    /// Whether the client or the server may send several messages.
    package let isStreaming: Bool
  }

  package let messages: [Message]
  package let enumerations: [Enumeration]
  package let methods: [Method]

  /// - Throws: an error for an invalid or too large set, or for a missing import or type.
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

  /// Returns a method by its path, such as `/acme.v1.Ingest/Upload`; nil if there is none.
  package func method(_ path: String) -> Method? { methods.first { $0.path == path } }

  package func message(named name: String) -> Int? { messages.firstIndex { $0.name == name } }

  func isTimestamp(_ index: Int) -> Bool { messages[index].name == "google.protobuf.Timestamp" }

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
  /// Whether a repeated field of this type may be packed into one value.
  package var isPackable: Bool {
    switch self {
    case .string, .bytes, .group, .message: false
    case .double, .float, .int32, .int64, .uint32, .uint64, .sint32, .sint64, .fixed32, .fixed64,
      .sfixed32, .sfixed64, .bool, .enumeration:
      true
    }
  }

  /// The range of values that can be written; nil for types other than whole numbers.
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
  /// Joins serialized `FileDescriptorProto`s to a `FileDescriptorSet`.
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
