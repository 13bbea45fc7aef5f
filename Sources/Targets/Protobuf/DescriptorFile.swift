internal import Wire

/// One file of a `FileDescriptorSet`, as far as it determines the encoding.
struct DescriptorFile {
  struct Message {
    var name = ""
    var fields: [Field] = []
    var messages: [Message] = []
    var enumerations: [Enumeration] = []
    var oneofs: [String] = []
    var isMapEntry = false
    var features = FeatureChanges()
  }

  struct Field {
    var name = ""
    var jsonName = ""
    var number: UInt64 = 0
    var label: UInt64 = 1
    var type: UInt64 = 0
    var typeName = ""
    var oneof: UInt64?
    var isPacked: Bool?
    var isOptional3 = false
    var features = FeatureChanges()
  }

  struct Enumeration {
    var name = ""
    var values: [MessageSchema.EnumerationValue] = []
  }

  struct Service {
    var name = ""
    var methods: [Method] = []
  }

  struct Method {
    var name = ""
    var input = ""
    var output = ""
    var streamsIn = false
    var streamsOut = false
  }

  /// The features of an edition that change how fields are encoded; nil for the default.
  struct FeatureChanges {
    var presence: UInt64?
    var repeatedEncoding: UInt64?
    var messageEncoding: UInt64?
  }

  var name = ""
  var package = ""
  var imports: [String] = []
  var messages: [Message] = []
  var enumerations: [Enumeration] = []
  var services: [Service] = []
  var syntax = ""
  var features = FeatureChanges()
}

struct DescriptorReader {
  private var things = 0

  /// The maximum number of messages, fields, values and methods; Google's APIs have 200,000.
  static let thingsMax = 500_000
  static let bytesMax = 32 << 20
  static let levelsMax = 32

  static func files(_ bytes: UnsafeRawBufferPointer) throws(ProtobufError) -> [DescriptorFile] {
    guard bytes.count <= bytesMax else { throw .tooLarge(what: "bytes", limit: bytesMax) }
    var reader = DescriptorReader()
    var files: [DescriptorFile] = []
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      guard number == 1, case .bytes(let file) = value else { continue }
      files.append(try reader.file(file))
    }
    return files
  }

  private mutating func count() throws(ProtobufError) {
    things += 1
    guard things <= Self.thingsMax else {
      throw .tooLarge(what: "messages, fields and values", limit: Self.thingsMax)
    }
  }

  private mutating func file(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> DescriptorFile {
    try count()
    var file = DescriptorFile()
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      switch (number, value) {
      case (1, .bytes): file.name = value.text ?? ""
      case (2, .bytes): file.package = value.text ?? ""
      case (3, .bytes):
        try count()
        file.imports.append(value.text ?? "")
      case (4, .bytes(let part)): file.messages.append(try message(part, level: 1))
      case (5, .bytes(let part)): file.enumerations.append(try enumeration(part))
      case (6, .bytes(let part)): file.services.append(try service(part))
      case (8, .bytes(let part)): file.features = try options(part, featuresField: 50).features
      case (12, .bytes): file.syntax = value.text ?? ""
      case _: break
      }
    }
    return file
  }

  private mutating func message(
    _ bytes: UnsafeRawBufferPointer, level: Int
  ) throws(ProtobufError) -> DescriptorFile.Message {
    guard level <= Self.levelsMax else {
      throw .tooLarge(what: "messages in one another", limit: Self.levelsMax)
    }
    try count()
    var message = DescriptorFile.Message()
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      switch (number, value) {
      case (1, .bytes): message.name = value.text ?? ""
      case (2, .bytes(let part)): message.fields.append(try field(part))
      case (3, .bytes(let part)):
        message.messages.append(try self.message(part, level: level + 1))
      case (4, .bytes(let part)): message.enumerations.append(try enumeration(part))
      case (7, .bytes(let part)):
        let options = try options(part, featuresField: 12)
        message.isMapEntry = options.seventh
        message.features = options.features
      case (8, .bytes(let part)): message.oneofs.append(try name(of: part))
      case _: break
      }
    }
    return message
  }

  private mutating func field(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> DescriptorFile.Field {
    try count()
    var field = DescriptorFile.Field()
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      switch (number, value) {
      case (1, .bytes): field.name = value.text ?? ""
      case (3, .varint(let number)): field.number = number
      case (4, .varint(let label)): field.label = label
      case (5, .varint(let type)): field.type = type
      case (6, .bytes): field.typeName = value.text ?? ""
      case (8, .bytes(let part)):
        let options = try options(part, featuresField: 21)
        field.isPacked = options.second
        field.features = options.features
      case (9, .varint(let index)): field.oneof = index
      case (10, .bytes): field.jsonName = value.text ?? ""
      case (17, .varint): field.isOptional3 = value.isTrue
      case _: break
      }
    }
    return field
  }

  /// Returns the features of a file, message or field, and the options with numbers 2 and 7.
  private func options(
    _ bytes: UnsafeRawBufferPointer, featuresField: Int
  ) throws(ProtobufError) -> (
    features: DescriptorFile.FeatureChanges, second: Bool?, seventh: Bool
  ) {
    var features = DescriptorFile.FeatureChanges()
    var second: Bool?
    var seventh = false
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      switch (number, value) {
      case (2, .varint): second = value.isTrue
      case (7, .varint): seventh = value.isTrue
      case (featuresField, .bytes(let part)): features = try changes(part)
      case _: break
      }
    }
    return (features, second, seventh)
  }

  private func changes(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> DescriptorFile.FeatureChanges {
    var changes = DescriptorFile.FeatureChanges()
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      switch number {
      case 1: changes.presence = value.number
      case 3: changes.repeatedEncoding = value.number
      case 5: changes.messageEncoding = value.number
      case _: break
      }
    }
    return changes
  }

  private mutating func enumeration(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> DescriptorFile.Enumeration {
    try count()
    var enumeration = DescriptorFile.Enumeration()
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      switch (number, value) {
      case (1, .bytes): enumeration.name = value.text ?? ""
      case (2, .bytes(let part)):
        try count()
        enumeration.values.append(try self.value(part))
      case _: break
      }
    }
    return enumeration
  }

  private func value(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> MessageSchema.EnumerationValue {
    var (name, number) = ("", Int32(0))
    var fields = FieldReader(bytes)
    while let (place, value) = try fields.next() {
      switch (place, value) {
      case (1, .bytes): name = value.text ?? ""
      case (2, .varint(let bits)): number = Int32(truncatingIfNeeded: bits)
      case _: break
      }
    }
    return .init(name: name, number: number)
  }

  private mutating func service(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> DescriptorFile.Service {
    try count()
    var service = DescriptorFile.Service()
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      switch (number, value) {
      case (1, .bytes): service.name = value.text ?? ""
      case (2, .bytes(let part)):
        try count()
        service.methods.append(try method(part))
      case _: break
      }
    }
    return service
  }

  private func method(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> DescriptorFile.Method {
    var method = DescriptorFile.Method()
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() {
      switch (number, value) {
      case (1, .bytes): method.name = value.text ?? ""
      case (2, .bytes): method.input = value.text ?? ""
      case (3, .bytes): method.output = value.text ?? ""
      case (5, .varint): method.streamsIn = value.isTrue
      case (6, .varint): method.streamsOut = value.isTrue
      case _: break
      }
    }
    return method
  }

  private func name(of bytes: UnsafeRawBufferPointer) throws(ProtobufError) -> String {
    var name = ""
    var fields = FieldReader(bytes)
    while let (number, value) = try fields.next() { if number == 1 { name = value.text ?? "" } }
    return name
  }
}
