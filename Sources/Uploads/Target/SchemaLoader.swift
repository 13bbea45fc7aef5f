internal import Foundation
internal import Scenarios
package import Targets
package import Transport
internal import Wire

/// Loads a target's schema from a .proto file (`protoc`), a descriptor set, or the server itself.
package final class SchemaLoader {
  private let target: Target
  private let protoc: String?

  package init(_ target: Target, protoc: String? = ProgramPath.find("protoc")) {
    self.target = target
    self.protoc = protoc
  }

  /// - Parameter ask: returns a client that requests the schema if the server must supply it.
  package func load(
    asking ask: () -> ReflectionClient
  ) throws(TargetError) -> MessageSchema {
    if let schema = try loadFile() { return schema }
    let found: [[UInt8]]
    do throws(ReflectionClient.ReflectionError) {
      var client = ask()
      found = try client.files(defining: services)
    } catch {
      throw TargetError("\(target.url): \(error).")
    }
    return try schema([UInt8](descriptorSetOf: found), "server reflection")
  }

  package func loadFile() throws(TargetError) -> MessageSchema? {
    guard let source = target.schema else {
      throw TargetError(
        "\(target.path): gRPC needs the message types; write schema: "
          + "{ proto: FILE }, { descriptorSet: FILE } or { reflection: yes }.")
    }
    let files = TargetFiles(of: target)
    if !source.proto.isEmpty {
      let path = files.path(source.proto)
      return try schema(try compiled(path, imports: source.imports.map(files.path)), path)
    }
    guard !source.descriptorSet.isEmpty else { return nil }
    let path = files.path(source.descriptorSet)
    return try schema(try bytes(of: path), path)
  }

  /// Returns the messages of a target whose schema is in files; nil if it needs no schema, or if
  /// only the server has it.
  package func loadCalls(_ names: TargetNames) throws(TargetError) -> MessageCalls? {
    guard target.needsSchema, let schema = try loadFile() else { return nil }
    return try calls(names, schema)
  }

  func calls(
    _ names: TargetNames, _ schema: MessageSchema
  ) throws(TargetError) -> MessageCalls {
    do throws(ScenarioError) { return try MessageCalls(target, names, schema: schema) } catch {
      throw TargetError(error.description)
    }
  }

  private var services: [String] {
    let names = target.requests.compactMap { request in
      request.call.split(separator: "/").first.map(String.init)
    }
    return Set(names).sorted()
  }

  private func schema(_ bytes: [UInt8], _ name: String) throws(TargetError) -> MessageSchema {
    do throws(ProtobufError) {
      return try MessageSchema(descriptorSet: bytes)
    } catch {
      throw TargetError("\(name): \(error).")
    }
  }

  private func bytes(of path: String) throws(TargetError) -> [UInt8] {
    do {
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw TargetError("\(path): cannot be read.")
    }
  }

  private func compiled(
    _ path: String, imports: [String]
  ) throws(TargetError) -> [UInt8] {
    guard let protoc else {
      throw TargetError(
        "\(path): protoc is not installed; install protobuf-compiler, or make a "
          + "descriptor set elsewhere ('protoc --include_imports -o FILE.pb \(path)') and write "
          + "schema: { descriptorSet: FILE.pb }.")
    }
    guard FileManager.default.fileExists(atPath: path) else {
      throw TargetError("\(path): there is no such file.")
    }
    let source = URL(fileURLWithPath: path)
    let set = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).pb")
    defer { try? FileManager.default.removeItem(at: set) }
    let folders = [source.deletingLastPathComponent().path] + imports
    let failure = run(
      protoc,
      folders.map { "-I\($0)" } + [
        "--include_imports", "--descriptor_set_out=\(set.path)", source.path,
      ])
    if let failure { throw TargetError("protoc: \(failure)") }
    return try bytes(of: set.path)
  }

  private func run(_ program: String, _ arguments: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    do { try process.run() } catch { return "\(program) cannot be started." }
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus != 0 else { return nil }
    // swift-format-ignore: what is no UTF-8 is shown repaired.
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
