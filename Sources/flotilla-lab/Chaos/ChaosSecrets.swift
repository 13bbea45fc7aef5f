internal import Foundation
internal import Transport

/// What a round over TLS writes into its folder: a CA, a certificate that it signed for the
/// collector, and the keys of tickets, so that these outlive a collector that is killed.
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

  /// Leaves the certificates, and nothing that is secret.
  func remove() {
    for path in [key, ticketKeys] { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Options of `collect`.
  var serving: [String] {
    ["--tls-cert", certificate, "--tls-key", key, "--ticket-keys", ticketKeys]
  }

  /// Options of `load`.
  var trusting: [String] { ["--tls", "--ca", "\(folder)/ca.pem", "--resume", "50%"] }
}
