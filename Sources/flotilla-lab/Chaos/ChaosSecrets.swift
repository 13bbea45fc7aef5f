internal import Foundation
internal import Transport

/// The TLS files of a round: a CA, the collector's certificate and the ticket keys, all of which
/// must be the same after a kill of the collector.
struct ChaosSecrets {
  private let folder: String

  init(_ folder: String) { self.folder = folder }

  private var certificate: String { "\(folder)/collector.pem" }
  private var key: String { "\(folder)/collector.key" }
  private var ticketKeys: String { "\(folder)/ticket-keys" }

  func write() throws(TLSSetupError) {
    _ = try SelfMadeCertificate.write(.init("collector"), to: folder)
    try SelfMadeCertificate.writeTicketKey(to: ticketKeys)
  }

  /// Keeps the certificates, and removes the secrets.
  func remove() {
    for path in [key, ticketKeys] { try? FileManager.default.removeItem(atPath: path) }
  }

  var serving: [String] {
    ["--tls-cert", certificate, "--tls-key", key, "--ticket-keys", ticketKeys]
  }

  var trusting: [String] { ["--set", "tls.ca=\(folder)/ca.pem", "--set", "tls.resume=50%"] }
}
