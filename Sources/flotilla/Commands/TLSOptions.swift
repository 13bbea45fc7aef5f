internal import Commands
internal import Run
internal import Scenarios
internal import Transport

struct TLSOptions: Equatable {
  var isOn = false
  var keys = TLSKeys()

  /// Returns nil for connections in the clear.
  func client(of command: String) throws -> TLSClient? {
    guard isOn else {
      if keys != TLSKeys() { throw UsageError.missingArgument("--tls", of: command) }
      return nil
    }
    guard (keys.certificate == nil) == (keys.key == nil) else {
      throw UsageError.missingArgument(
        "--client-cert FILE and --client-key FILE", of: command)
    }
    return try TLSClientFiles(keys).client()
  }
}

extension TLSClientFiles {
  func client() throws(CommandError) -> TLSClient {
    do throws(TLSSetupError) { return try TLSClient(self) } catch {
      throw CommandError(exit: .badInput, message: error.description)
    }
  }
}

extension Option {
  static func tls(_ path: WritableKeyPath<Options, TLSOptions>) -> [Option] {
    [
      .flag("--tls", path.appending(path: \.isOn), "Connect over TLS."),
      .text(
        "--ca", "FILE", path.appending(path: \.keys.authorities),
        "Trusted CAs (PEM); default: the CAs of the system."),
      .text(
        "--client-cert", "FILE", path.appending(path: \.keys.certificate),
        "Client certificate (PEM), if the collector requires one."),
      .text(
        "--client-key", "FILE", path.appending(path: \.keys.key),
        "Private key of the client certificate (PEM)."),
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
