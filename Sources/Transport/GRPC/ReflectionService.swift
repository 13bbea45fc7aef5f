internal import Wire

/// `grpc.reflection.v1.ServerReflection` and its older twin `v1alpha`: what a server serves, for
/// tools that have no .proto file.
package final class ReflectionService: GRPCService {
  private let services: [String]
  private var files: [(name: String, symbols: Set<String>, bytes: [UInt8])] = []

  /// - Parameters:
  ///   - descriptors: a serialized `FileDescriptorSet`.
  ///   - services: the names that are listed.
  package init(descriptors: [UInt8], services: [String]) {
    self.services = services
    for file in ProtobufFields.bytes(of: 1, in: descriptors) {
      files.append((ProtobufFields.text(of: 1, in: file), Self.symbols(of: file), file))
    }
  }

  /// The names of messages, enums, services and methods that a file defines.
  private static func symbols(of file: [UInt8]) -> Set<String> {
    let package = ProtobufFields.text(of: 2, in: file)
    var names: Set<String> = []
    // Of a FileDescriptorProto: 4 messages, 5 enums, 6 services, whose methods are their field 2.
    for field in [4, 5, 6] {
      for entry in ProtobufFields.bytes(of: field, in: file) {
        let name = "\(package).\(ProtobufFields.text(of: 1, in: entry))"
        names.insert(name)
        guard field == 6 else { continue }
        for method in ProtobufFields.bytes(of: 2, in: entry) {
          names.insert("\(name).\(ProtobufFields.text(of: 1, in: method))")
        }
      }
    }
    return names
  }

  /// Is true for the one method of either version.
  package func serves(_ path: String) -> Bool {
    path == "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
      || path == "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
  }

  /// Answers each request of the stream as it comes.
  package func begin(_ call: GRPCServiceCall) {
    call.onMessage = { [unowned self, unowned call] in call.send(answer(to: $0)) }
    call.onHalfClose = { [unowned call] in call.finish(CallStatus(.ok)) }
  }

  private func answer(to request: [UInt8]) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.add(1, ProtobufFields.text(of: 1, in: request))
    writer.add(2, request)
    // The numbers of ServerReflectionRequest's oneof.
    let asked = ProtobufFields.values(in: request) { number, value in
      (3...7).contains(number) ? (number, value.text) : nil
    }
    guard let (field, text) = asked.first, let name = text else {
      return Self.error(.invalidArgument, "nothing is asked for", &writer)
    }
    switch field {
    case 3: return file(&writer, name) { $0.name == name }
    case 4: return file(&writer, name) { $0.symbols.contains(name) }
    case 7:
      var list = ProtobufWriter()
      for service in services {
        var entry = ProtobufWriter()
        entry.add(1, service)
        list.add(1, entry.message)
      }
      writer.add(6, list.message)
      return writer.message
    default: return Self.error(.notFound, "there are no extensions", &writer)
    }
  }

  private func file(
    _ writer: inout ProtobufWriter, _ name: String,
    where isMeant: ((name: String, symbols: Set<String>, bytes: [UInt8])) -> Bool
  ) -> [UInt8] {
    guard let file = files.first(where: isMeant) else {
      return Self.error(.notFound, "'\(name)' is not known", &writer)
    }
    var answer = ProtobufWriter()
    answer.add(1, file.bytes)
    writer.add(4, answer.message)
    return writer.message
  }

  private static func error(
    _ code: StatusCode, _ text: String, _ writer: inout ProtobufWriter
  ) -> [UInt8] {
    var answer = ProtobufWriter()
    answer.add(1, Int(code.rawValue))
    answer.add(2, text)
    writer.add(7, answer.message)
    return writer.message
  }
}
