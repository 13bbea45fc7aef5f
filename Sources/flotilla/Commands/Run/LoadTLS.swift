internal import Commands
internal import Core
internal import Foundation
internal import Run
internal import Scenarios
internal import Transport

enum LoadTLS {
  struct Secrets {
    let authority: String
    let files: TLSServerFiles
    let ticketKeys: String

    var arguments: [String] {
      [
        "--tls-cert", files.certificate, "--tls-key", files.key, "--ticket-keys", ticketKeys,
      ]
    }

    /// Keeps the certificates, and removes the secrets.
    func remove() {
      for path in [files.key, ticketKeys] { try? FileManager.default.removeItem(atPath: path) }
    }
  }

  /// Creates a CA, a certificate and ticket keys for a collector started with TLS; else nil.
  static func ownSecrets(
    _ options: LoadOptions, _ plan: RunPlan, _ folder: RunFolder?
  ) throws -> Secrets? {
    guard plan.scenario.run.tls != nil, options.collector == nil, let folder else { return nil }
    let place = folder.path("tls")
    do {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      let files = try SelfMadeCertificate.write(.init("collector"), to: place)
      let ticketKeys = "\(place)/ticket-keys"
      try SelfMadeCertificate.writeTicketKey(to: ticketKeys)
      return Secrets(authority: "\(place)/ca.pem", files: files, ticketKeys: ticketKeys)
    } catch let error as TLSSetupError {
      throw CommandError(exit: .cannotListenOrWrite, message: error.description)
    } catch {
      throw CommandError(
        exit: .cannotListenOrWrite,
        message: "\(place): cannot be created (\(FileErrorText.reason(error))).")
    }
  }
}
