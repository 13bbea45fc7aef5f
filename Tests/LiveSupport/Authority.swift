internal import Foundation

/// A CA made with openssl, and the certificates that it signs.
package struct Authority {
  package let folder: TemporaryFolder

  package init() async throws {
    folder = try TemporaryFolder()
    try await run(
      "req -x509 \(Self.key) -subj '/CN=test ca' -keyout ca.key -out ca.pem -days 30")
  }

  private static let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

  package func run(_ words: String) async throws {
    try await Shell.run("cd '\(folder.url.path)' && openssl \(words)")
  }

  package func path(_ name: String) -> String { folder[name].path }

  /// Writes NAME.pem and NAME.key.
  package func sign(_ name: String, hosts: String = "IP:127.0.0.1", days: Int = 30) async throws {
    try Data("subjectAltName=\(hosts)".utf8).write(to: folder["names"])
    try await run("req \(Self.key) -subj '/CN=\(name)' -keyout \(name).key -out \(name).csr")
    try await run(
      "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -days \(days) -extfile names "
        + "-out \(name).pem")
  }

  /// Options of a collector that presents a certificate.
  package func serving(_ name: String) -> [String] {
    ["--tls-cert", path("\(name).pem"), "--tls-key", path("\(name).key")]
  }

  /// Options of a client that trusts it.
  package func trusting() -> [String] { ["--tls", "--ca", path("ca.pem")] }

  /// Options of a load that trusts it.
  package func trusted() -> [String] { ["--set", "tls.ca=\(path("ca.pem"))"] }
}
