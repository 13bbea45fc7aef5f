internal import Wire

struct SchemaBuilder {
  private enum TypeKind { case message, enumeration }

  private struct Features {
    var hasPresence: Bool
    var isRequired = false
    var isPacked: Bool
    var isDelimited = false

    /// Sets the defaults of proto2, proto3 or editions; a file without a syntax is proto2.
    init(syntax: String) {
      hasPresence = syntax != "proto3"
      isPacked = syntax == "proto3" || syntax == "editions"
    }

    mutating func apply(_ changes: DescriptorFile.FeatureChanges) {
      switch changes.presence {
      case 1: (hasPresence, isRequired) = (true, false)
      case 2: (hasPresence, isRequired) = (false, false)
      case 3: (hasPresence, isRequired) = (true, true)
      case _: break
      }
      if let encoding = changes.repeatedEncoding { isPacked = encoding == 1 }
      if let encoding = changes.messageEncoding { isDelimited = encoding == 2 }
    }
  }

  private struct Pending {
    let name: String
    let message: DescriptorFile.Message
    let features: Features
  }

  private let files: [DescriptorFile]
  private var types: [String: (kind: TypeKind, index: Int)] = [:]
  private var pending: [Pending] = []
  private var enumerations: [MessageSchema.Enumeration] = []

  init(_ files: [DescriptorFile]) throws(ProtobufError) {
    self.files = files
    let names = Set(files.map(\.name))
    for file in files {
      for wanted in file.imports where !names.contains(wanted) { throw .missingFile(wanted) }
      var features = Features(syntax: file.syntax)
      features.apply(file.features)
      let scope = file.package.isEmpty ? "" : file.package + "."
      for message in file.messages { try add(message, scope, features) }
      for enumeration in file.enumerations { try add(enumeration, scope) }
    }
  }

  private mutating func add(
    _ message: DescriptorFile.Message, _ scope: String, _ features: Features
  ) throws(ProtobufError) {
    var features = features
    features.apply(message.features)
    let name = scope + message.name
    try define(name, .message, pending.count)
    pending.append(Pending(name: name, message: message, features: features))
    for inner in message.messages { try add(inner, name + ".", features) }
    for inner in message.enumerations { try add(inner, name + ".") }
  }

  private mutating func add(
    _ enumeration: DescriptorFile.Enumeration, _ scope: String
  ) throws(ProtobufError) {
    let name = scope + enumeration.name
    try define(name, .enumeration, enumerations.count)
    enumerations.append(.init(name: name, values: enumeration.values))
  }

  private mutating func define(
    _ name: String, _ kind: TypeKind, _ index: Int
  ) throws(ProtobufError) {
    guard types.updateValue((kind, index), forKey: name) == nil else { throw .twice(name) }
  }

  mutating func schema() throws(ProtobufError) -> MessageSchema {
    var messages: [MessageSchema.Message] = []
    for entry in pending { messages.append(try resolved(entry)) }
    var methods: [MessageSchema.Method] = []
    for file in files {
      for service in file.services {
        let scope = file.package.isEmpty ? "" : file.package + "."
        for method in service.methods {
          let path = "/\(scope)\(service.name)/\(method.name)"
          methods.append(
            .init(
              path: path, input: try message(method.input, for: path),
              output: try message(method.output, for: path),
              isStreaming: method.streamsIn || method.streamsOut))
        }
      }
    }
    return MessageSchema(messages: messages, enumerations: enumerations, methods: methods)
  }

  private func resolved(_ entry: Pending) throws(ProtobufError) -> MessageSchema.Message {
    let oneofs = entry.message.oneofs
    var fields: [MessageSchema.Field] = []
    for field in entry.message.fields {
      let place = "\(entry.name).\(field.name)"
      guard field.number >= 1, field.number <= FieldNumber.max else {
        throw .senseless("'\(place)' has the number \(field.number)")
      }
      if let oneof = field.oneof, oneof >= UInt64(oneofs.count) {
        throw .senseless("'\(place)' is in a oneof that is not there")
      }
      fields.append(try resolved(field, place, entry.features))
    }
    fields.sort { $0.number < $1.number }
    for (one, next) in zip(fields, fields.dropFirst()) where one.number == next.number {
      throw .senseless(
        "'\(one.name)' and '\(next.name)' of '\(entry.name)' have one number, \(one.number)")
    }
    let isMap = entry.message.isMapEntry
    guard !isMap || fields.map(\.number) == [1, 2] else {
      throw .senseless("the map '\(entry.name)' has other fields than a key and a value")
    }
    return .init(name: entry.name, fields: fields, oneofs: oneofs, isMapEntry: isMap)
  }

  private func resolved(
    _ field: DescriptorFile.Field, _ place: String, _ inherited: Features
  ) throws(ProtobufError) -> MessageSchema.Field {
    var features = inherited
    features.apply(field.features)
    let type = try type(of: field, place, features)
    let isRepeated = field.label == 3
    // A proto3 `optional` field has a oneof for old tools only, which is ignored.
    let oneof = field.isOptional3 ? nil : field.oneof.map { Int($0) }
    let isMessage = if case .message = type { true } else { false }
    let isRequired = field.label == 2 || features.isRequired
    return .init(
      name: field.name, jsonName: field.jsonName, number: Int(field.number), type: type,
      isRepeated: isRepeated,
      isPacked: isRepeated && type.isPackable && (field.isPacked ?? features.isPacked),
      isRequired: isRequired && !isRepeated,
      hasPresence: !isRepeated
        && (isMessage || oneof != nil || field.isOptional3 || isRequired || features.hasPresence),
      oneof: oneof)
  }

  private func type(
    of field: DescriptorFile.Field, _ place: String, _ features: Features
  ) throws(ProtobufError) -> MessageSchema.FieldType {
    switch field.type {
    case 1: return .double
    case 2: return .float
    case 3: return .int64
    case 4: return .uint64
    case 5: return .int32
    case 6: return .fixed64
    case 7: return .fixed32
    case 8: return .bool
    case 9: return .string
    case 10: return .group
    case 11:
      let index = try message(field.typeName, for: place)
      // Entries of a map are never groups.
      let isGroup = features.isDelimited && !pending[index].message.isMapEntry
      return isGroup ? .group : .message(index)
    case 12: return .bytes
    case 13: return .uint32
    case 14:
      guard case (.enumeration, let index)? = found(field.typeName) else {
        throw .unknownType(field.typeName, in: place)
      }
      return .enumeration(index)
    case 15: return .sfixed32
    case 16: return .sfixed64
    case 17: return .sint32
    case 18: return .sint64
    case let other: throw .senseless("'\(place)' is of a type that has no name, \(other)")
    }
  }

  private func message(_ name: String, for place: String) throws(ProtobufError) -> Int {
    guard case (.message, let index)? = found(name) else {
      throw .unknownType(name, in: place)
    }
    return index
  }

  /// Finds a type by its name in a descriptor, which is absolute, with a dot before the package.
  private func found(_ name: String) -> (kind: TypeKind, index: Int)? {
    types[name.hasPrefix(".") ? String(name.dropFirst()) : name]
  }
}
