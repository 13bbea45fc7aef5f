internal import Foundation
internal import Testing

/// A running push endpoint, and what a sender needs to push to it.
package final class PushEndpoint {
  package let folder: TemporaryFolder
  package let process: RunningProcess
  package let url: String

  package static let topic = "org.example.tracker"

  /// - Parameter listen: the address; port 0 is chosen by the system.
  package init(
    _ arguments: [String], in folder: TemporaryFolder? = nil, listen: String = "127.0.0.1:0",
    isInTheClear: Bool = false
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    process = try Program.start(
      [
        "push-endpoint", "--listen", listen, "--topic", Self.topic, "--tokens-out",
        folder["tokens.csv"].path, "--report", folder["report.json"].path,
      ] + (isInTheClear ? ["--clear"] : ["--ca-out", folder["ca.pem"].path]) + arguments)
    try await process.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
    url = String(try #require(process.text.firstMatch(of: #/listening on (.*:\d+)\n/#)).1)
  }

  package var tokens: [String] {
    get throws {
      try String(contentsOf: folder["tokens.csv"], encoding: .utf8).split(separator: "\n")
        .dropFirst().compactMap { $0.split(separator: ",").last.map(String.init) }
    }
  }

  /// A provider token with an invalid signature.
  package static var token: String {
    func part(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
    }
    let now = time(nil)
    let signature = Data(count: 64).base64EncodedString().replacingOccurrences(of: "=", with: "")
    return part(#"{"alg":"ES256","kid":"KEY0000001"}"#) + "."
      + part(#"{"iss":"TEAM000001","iat":\#(now)}"#) + "." + signature
  }

  /// The key that the test's sender signs with.
  package static func key(_ folder: TemporaryFolder, _ name: String) async throws -> String {
    let path = folder[name].path
    let made = try await Program.runTool(
      "openssl",
      [
        "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path,
      ])
    #expect(made.code == 0, "\(made.errorOutput)")
    return path
  }

  package struct Report: Decodable {
    package var requests: Int
    package var accepted: Int
    package var withheld: Int
    package var refused: [String: Int]
    package var connections: Int
  }

  /// Ends it, and returns its report.
  package func report(ending signal: Int32? = SIGTERM) async throws -> Report {
    if let signal { process.signal(signal) }
    let ended = try await process.end()
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    return try JSONDecoder().decode(Report.self, from: Data(contentsOf: folder["report.json"]))
  }
}
