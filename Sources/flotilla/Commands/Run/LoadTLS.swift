internal import Commands
internal import Coordinator
internal import Figures
internal import Foundation
internal import Transport

/// TLS of a run: against a collector that is there, or with a certificate for the run's own.
enum LoadTLS {
  /// What a run's own collector presents.
  struct Secrets {
    let authority: String
    let files: TLSServerFiles
    let ticketKeys: String

    /// For `collect`.
    var arguments: [String] {
      [
        "--tls-cert", files.certificate, "--tls-key", files.key, "--ticket-keys", ticketKeys,
      ]
    }

    /// Leaves the certificates, and nothing that is secret.
    func remove() {
      for path in [files.key, ticketKeys] { try? FileManager.default.removeItem(atPath: path) }
    }
  }

  /// How the run is secured; nil: not at all. Reads the files, so that what cannot be used is said
  /// before anything is lived.
  static func security(_ options: LoadOptions) throws -> RunSecurity? {
    guard let files = try options.tls.files(of: "flotilla load") else {
      if options.resumedShare > 0 { throw UsageError.missingArgument("--tls", of: "flotilla load") }
      return nil
    }
    _ = try options.tls.client(of: "flotilla load")
    return RunSecurity(files: files, resumedShare: options.resumedShare)
  }

  /// Makes a CA, a certificate and ticket keys in the run's folder; nil: the run has no collector
  /// of its own, or no TLS.
  static func ownSecrets(_ options: LoadOptions, _ folder: RunFolder?) throws -> Secrets? {
    guard options.tls.isOn, options.collector == nil, let folder else { return nil }
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
        message: "\(place): cannot be made (\(FileErrorText.reason(error))).")
    }
  }
}
