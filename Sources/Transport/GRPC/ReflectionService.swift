internal import Wire

/// `grpc.reflection.v1.ServerReflection` and `v1alpha`, for tools without .proto files.
package final class ReflectionService: GRPCService {
  private struct File {
    var name: String
    var symbols = FileSymbols()
    var bytes: [UInt8]
  }
  private let files: [File]

  /// - Parameter descriptors: a serialized `FileDescriptorSet`, whose services are listed.
  package init(descriptors: [UInt8]) {
    files = ProtobufFields.bytes(of: 1, in: descriptors).map { file in
      File(
        name: ProtobufFields.text(of: 1, in: file), symbols: FileSymbols(of: file), bytes: file)
    }
  }

  package func serves(_ path: String) -> Bool {
    path == "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
      || path == "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
  }

  package func begin(_ call: GRPCServiceCall) {
    call.onMessage = { [unowned self, unowned call] in call.send(answer(to: $0)) }
    call.onHalfClose = { [unowned call] in call.finish(CallStatus(.ok)) }
  }

  private func answer(to request: [UInt8]) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.add(1, ProtobufFields.text(of: 1, in: request))
    writer.add(2, request)
    // Fields 3 to 7 are the oneof of ServerReflectionRequest.
    let asked = ProtobufFields.values(in: request) { number, value in
      (3...7).contains(number) ? (number, value.text) : nil
    }
    guard let (field, text) = asked.last, let name = text else {
      return Self.error(.invalidArgument, "the request is empty", &writer)
    }
    switch field {
    case 3: return file(&writer, name) { $0.name == name }
    case 4: return file(&writer, name) { $0.symbols.all.contains(name) }
    case 6: return extensions(&writer, of: name)
    case 7:
      writer.nest(6) { list in
        for service in files.flatMap(\.symbols.services) { list.nest(1) { $0.add(1, service) } }
      }
      return writer.message
    default: return Self.error(.notFound, "there are no extensions", &writer)
    }
  }

  private func file(
    _ writer: inout ProtobufWriter, _ name: String, where isMeant: (File) -> Bool
  ) -> [UInt8] {
    guard let file = files.first(where: isMeant) else {
      return Self.error(.notFound, "'\(name)' is unknown", &writer)
    }
    writer.nest(4) { $0.add(1, file.bytes) }
    return writer.message
  }

  private func extensions(_ writer: inout ProtobufWriter, of name: String) -> [UInt8] {
    guard files.contains(where: { $0.symbols.messages.contains(name) }) else {
      return Self.error(.notFound, "'\(name)' is unknown", &writer)
    }
    writer.nest(5) { $0.add(1, name) }
    return writer.message
  }

  private static func error(
    _ code: StatusCode, _ text: String, _ writer: inout ProtobufWriter
  ) -> [UInt8] {
    writer.nest(7) {
      $0.add(1, code.rawValue)
      $0.add(2, text)
    }
    return writer.message
  }
}

/// The full names of the messages, fields, enums, services and methods that a file defines.
struct FileSymbols {
  private(set) var all: Set<String> = []
  private(set) var messages: Set<String> = []
  private(set) var services: [String] = []

  init() {}

  init(of file: [UInt8]) {
    let package = ProtobufFields.text(of: 2, in: file)
    for entry in ProtobufFields.bytes(of: 4, in: file) { add(message: entry, in: package) }
    for entry in ProtobufFields.bytes(of: 5, in: file) { add(enum: entry, in: package) }
    for entry in ProtobufFields.bytes(of: 6, in: file) {
      let name = add(entry, in: package)
      services.append(name)
      for method in ProtobufFields.bytes(of: 2, in: entry) { add(method, in: name) }
    }
    for entry in ProtobufFields.bytes(of: 7, in: file) { add(entry, in: package) }
  }

  /// Adds a DescriptorProto with fields (2), messages (3), enums (4), extensions (6), oneofs (8).
  private mutating func add(message: [UInt8], in scope: String) {
    let name = add(message, in: scope)
    messages.insert(name)
    for field in [2, 6, 8] {
      for entry in ProtobufFields.bytes(of: field, in: message) { add(entry, in: name) }
    }
    for entry in ProtobufFields.bytes(of: 3, in: message) { add(message: entry, in: name) }
    for entry in ProtobufFields.bytes(of: 4, in: message) { add(enum: entry, in: name) }
  }

  /// Adds an enum. The scope of its values is the scope that encloses the enum.
  private mutating func add(enum entry: [UInt8], in scope: String) {
    add(entry, in: scope)
    for value in ProtobufFields.bytes(of: 2, in: entry) { add(value, in: scope) }
  }

  /// Adds the name of an entry, which is always field 1, and returns the full name.
  @discardableResult
  private mutating func add(_ entry: [UInt8], in scope: String) -> String {
    let own = ProtobufFields.text(of: 1, in: entry)
    let name = scope.isEmpty ? own : "\(scope).\(own)"
    all.insert(name)
    return name
  }
}
