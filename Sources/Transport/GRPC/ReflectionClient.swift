package import Core
internal import Wire

/// Queries a server's services through `grpc.reflection.v1.ServerReflection`, or `v1alpha` if the
/// server does not know `v1`. A query is a stream with one request, and blocks the calling thread.
package struct ReflectionClient {
  package struct ReflectionError: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
  }

  private let client: RPCClient
  private let metadata: [(name: String, value: String)]
  private let deadline: WallDuration
  private var version: String?

  /// The most files of an API, more than Google's own API has.
  private static let filesMax = 1_000
  private static let bytesMax = 32 << 20

  package init(
    _ client: RPCClient, metadata: [(name: String, value: String)] = [],
    deadline: WallDuration = .seconds(10)
  ) {
    self.client = client
    self.metadata = metadata
    self.deadline = deadline
  }

  /// Returns the files that define `symbols`, and all imports, as serialized `FileDescriptorProto`.
  package mutating func files(
    defining symbols: [String]
  ) throws(ReflectionError) -> [[UInt8]] {
    var files: [(name: String, bytes: [UInt8])] = []
    var bytes = 0
    func add(_ found: [[UInt8]]) throws(ReflectionError) {
      for file in found {
        let name = ProtobufFields.text(of: 1, in: file)
        guard !files.contains(where: { $0.name == name }) else { continue }
        bytes += file.count
        guard files.count < Self.filesMax, bytes <= Self.bytesMax else {
          throw ReflectionError(
            description: "the server's API has more than \(Self.filesMax) files or "
              + "\(Self.bytesMax >> 20) MiB")
        }
        files.append((name, file))
      }
    }
    for symbol in symbols { try add(try ask(field: 4, symbol)) }
    // Missing imports are fetched file by file.
    var place = 0
    while place < files.count {
      for wanted in ProtobufFields.texts(of: 3, in: files[place].bytes)
      where !files.contains(where: { $0.name == wanted }) {
        try add(try ask(field: 3, wanted))
      }
      place += 1
    }
    return files.map(\.bytes)
  }

  /// Requests a file by its name (field 3), or the file that defines a symbol (field 4).
  private mutating func ask(
    field: Int, _ name: String
  ) throws(ReflectionError) -> [[UInt8]] {
    var writer = ProtobufWriter()
    writer.add(field, name)
    for version in version.map({ [$0] }) ?? ["v1", "v1alpha"] {
      let answer = client.callBlocking(
        GRPCRequest(
          "/grpc.reflection.\(version).ServerReflection/ServerReflectionInfo", writer.message,
          metadata: metadata), deadline: deadline)
      if answer.status.code == .unimplemented { continue }
      guard answer.status.code == .ok || !answer.messages.isEmpty else {
        throw ReflectionError(
          description: "the server answered a request for '\(name)' with \(answer.status.code)"
            + (answer.status.text.isEmpty ? "" : ": \(answer.status.text)"))
      }
      self.version = version
      return try Self.files(in: answer.messages, name)
    }
    throw ReflectionError(
      description: "the server has no reflection service; give a .proto file or a descriptor set")
  }

  private static func files(
    in messages: [[UInt8]], _ name: String
  ) throws(ReflectionError) -> [[UInt8]] {
    for message in messages {
      if let error = ProtobufFields.bytes(of: 7, in: message).first {
        let text = ProtobufFields.text(of: 2, in: error)
        throw ReflectionError(description: "the server does not know '\(name)': \(text)")
      }
    }
    let files = messages.flatMap { ProtobufFields.bytes(of: 4, in: $0) }
      .flatMap { ProtobufFields.bytes(of: 1, in: $0) }
    guard !files.isEmpty else {
      throw ReflectionError(description: "the server did not answer a request for '\(name)'")
    }
    return files
  }
}
