internal import Foundation
internal import Scenarios
internal import TestSupport
internal import Testing
@testable internal import Targets

/// The schemas of Tests/LiveTests/Python/strange*.proto, as `protoc` describes them, and Google's
/// protobuf for Python as an oracle.
enum Strange {
  static let folder = Machine.root.appendingPathComponent("Tests/LiveTests/Python")

  /// Runs a program to its end. Returns its output.
  static func run(_ program: String, _ arguments: [String], input: String = "") throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    try process.run()
    // Its output may fill the pipe before it has read all input.
    let writer = Thread {
      try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try? stdin.fileHandleForWriting.close()
    }
    writer.start()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program) \(arguments)")
    return output
  }

  /// The descriptor set of a .proto file, in a file that exists during `body`.
  static func withSet<Result>(
    of file: String = "strange.proto", _ body: (String) throws -> Result
  ) throws -> Result {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).pb").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let protoc = try #require(Oracle.protoc.path)
    let source =
      file.contains("/") ? URL(fileURLWithPath: file) : folder.appendingPathComponent(file)
    _ = try run(
      protoc,
      [
        "-I", source.deletingLastPathComponent().path, "--include_imports", "-o", path,
        source.lastPathComponent,
      ])
    return try body(path)
  }

  static func bytes(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The schema of a .proto file.
  static func schema(_ file: String = "strange.proto") throws -> MessageSchema {
    try withSet(of: file) { try MessageSchema(descriptorSet: try bytes(of: $0)) }
  }

  /// Python's description of messages, a line each.
  static func python(_ set: String, _ arguments: [String], _ lines: [String] = []) throws
    -> [String]
  {
    let python = try #require(Oracle.pythonPackages.path)
    let output = try run(
      python, [folder.appendingPathComponent("protobuf_oracle.py").path, set] + arguments,
      input: lines.map { $0 + "\n" }.joined())
    // An empty message is an empty line; the last one ends.
    let text = String(decoding: output, as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Python's reading of messages that were written here.
  struct Decoded {
    /// It would have written exactly the same bytes.
    let isSame: Bool
    let message: [String: Any]
  }

  static func decode(
    _ messages: [[UInt8]], as name: String, of file: String = "strange.proto"
  ) throws -> [Decoded] {
    try withSet(of: file) { set in
      try python(set, ["decode", name], messages.map(hex)).map { line in
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        let object = try #require(value as? [String: Any])
        return Decoded(
          isSame: object["same"] as? Bool ?? false,
          message: object["message"] as? [String: Any] ?? [:])
      }
    }
  }

  /// Messages that Python writes from JSON.
  static func encode(
    _ messages: [String], as name: String, of file: String = "strange.proto"
  ) throws -> [[UInt8]] {
    try withSet(of: file) { set in
      try python(set, ["encode", name], messages).map { bytes(hex: $0) }
    }
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func bytes(hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }
}

/// A target whose upload has this message, with line 8 as its first.
func grpcTarget(
  _ message: String, call: String = "/strange.v1.Ingest/Upload", readback: String = ""
) throws -> Target {
  let indented = message.split(separator: "\n").map { "    \($0)\n" }.joined()
  return try readTarget(
    """
    name: test
    protocol: grpc
    url: grpc://127.0.0.1:1
    identity: { id: "a{phone:07}", long: { csv: x.csv, column: long } }
    upload:
      call: \(call)
      message:
    \(indented)
    answer:
      - { when: { status: OK }, is: stored }
    \(readback)
    """)
}

extension Target {
  var names: TargetNames {
    TargetNames(identity.names, kept: keptNames, secret: { _ in TargetNames.mask })
  }

  /// The upload's message, compiled.
  func program(_ schema: MessageSchema, _ message: String) throws -> MessageProgram {
    try MessageProgram(
      try #require(upload.request.message), as: try #require(schema.message(named: message)),
      of: schema, names)
  }
}

/// The bytes of a message.
func written(_ program: MessageProgram, _ context: UploadContext) -> [UInt8] {
  var out: [UInt8] = []
  MessageWriter().write(program, context, into: &out)
  return out
}
