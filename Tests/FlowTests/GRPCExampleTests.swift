import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("The page 'Call the collector from your language'", .timeLimit(.minutes(2)))
struct GRPCExampleTests {
  /// The code blocks of a language on the page.
  private func blocks(_ language: String) throws -> [String] {
    let page = try String(
      contentsOf: Program.root.appendingPathComponent(
        "Sources/flotilla/flotilla.docc/OtherLanguages.md"), encoding: .utf8)
    return page.components(separatedBy: "```\(language)\n").dropFirst()
      .map { String($0.prefix(upTo: $0.range(of: "```")?.lowerBound ?? $0.endIndex)) }
  }

  /// The first is a client in the clear, the second replaces its channel.
  private func example(isSecured: Bool) throws -> String {
    let blocks = try blocks("python")
    try #require(blocks.count == 2)
    let channel = "channel = grpc.insecure_channel(sys.argv[1])\n"
    try #require(blocks[0].contains(channel))
    return isSecured ? blocks[0].replacing(channel, with: blocks[1]) : blocks[0]
  }

  @Test(
    "its example is a working client, without and with TLS, and prints the page's output",
    .needs(.grpcio), .needs(.protoc), .needs(.openssl), arguments: [false, true])
  func example(isSecured: Bool) async throws {
    let folder = try TemporaryFolder()
    let authority = try await Authority()
    try await authority.sign("collector")
    // The output of `protoc --python_out`, as for the other scripts.
    let scripts = Program.root.appendingPathComponent("Tests/LiveTests/Python").path
    let prelude = "import sys; sys.path.insert(0, '\(scripts)'); import messages\n"
    let example: String = try example(isSecured: isSecured)
    try Data((prelude + example).utf8).write(to: folder["example.py"])
    let collector = try RunningProcess(
      Program.url,
      ["collect", "--listen", "127.0.0.1:0", "--store", "none", "--ui", "plain"]
        + (isSecured ? authority.serving("collector") : []))
    try await collector.says("its port") { $0.contains(#/listening on .*:\d+\n/#) }
    let port = try #require(collector.text.firstMatch(of: #/listening on .*:(\d+)\n/#)).1
    let client = try RunningProcess(
      PythonScript.python,
      [folder["example.py"].path, "127.0.0.1:\(port)", authority.path("ca.pem")])
    let ended = try await client.end()
    collector.signal(SIGTERM)
    _ = try await collector.end()
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let expected = try blocks("text").first
    #expect(ended.text == expected)
  }
}
