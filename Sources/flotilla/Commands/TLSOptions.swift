internal import Commands
internal import Scenarios
internal import Transport

struct TLSOptions: Equatable {
  var isOn = false
  /// A PEM file with the CAs of servers; nil for the system's.
  var authorities: String?
  /// PEM files of the client's own certificate and its key.
  var certificate: String?
  var key: String?

  func files(of command: String) throws(UsageError) -> TLSClientFiles? {
    guard isOn else {
      if authorities != nil || certificate != nil || key != nil {
        throw .missingArgument("--tls", of: command)
      }
      return nil
    }
    guard (certificate == nil) == (key == nil) else {
      throw .missingArgument("--client-cert FILE together with --client-key FILE", of: command)
    }
    var files = TLSClientFiles(authorities: authorities)
    files.certificate = certificate
    files.key = key
    return files
  }

  /// Returns nil for connections in the clear.
  func client(of command: String) throws -> TLSClient? {
    guard let files = try files(of: command) else { return nil }
    do throws(TLSSetupError) { return try TLSClient(files) } catch {
      throw CommandError(exit: .badInput, message: error.description)
    }
  }
}

extension Option {
  static func tls(_ path: WritableKeyPath<Options, TLSOptions>) -> [Option] {
    [
      .flag("--tls", path.appending(path: \.isOn), "Connect over TLS."),
      .text(
        "--ca", "FILE", path.appending(path: \.authorities),
        "Trust collectors that one of these CAs signed (PEM); without it, the system's."),
      .text(
        "--client-cert", "FILE", path.appending(path: \.certificate),
        "The certificate to present (PEM), where the collector asks for one."
      ).rare,
      .text(
        "--client-key", "FILE", path.appending(path: \.key),
        "That certificate's private key (PEM)."
      ).rare,
    ]
  }

  static func share(
    _ name: String, _ path: WritableKeyPath<Options, Double>, _ help: String
  ) -> Option {
    Option(
      name, "SHARE", help, wanted: "a share from 0% to 100%",
      { text in
        text.hasSuffix("%")
          ? Double(text.dropLast()).flatMap { (0...100).contains($0) ? $0 / 100 : nil } : nil
      }, set: { $1[keyPath: path] = $0 })
  }
}
