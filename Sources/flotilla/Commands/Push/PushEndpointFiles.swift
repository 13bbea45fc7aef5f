internal import Commands
internal import Core
internal import Foundation
internal import Push
internal import Scenarios
internal import Transport

enum PushEndpointFiles {
  /// Parses `any`, or keys in the form `TEAM:KEYID:FILE[:sandbox|production]`, separated by commas.
  /// A key given as a file alone is valid for any team and key ID.
  static func keys(_ text: String, of option: String = "--auth") throws -> ProviderKeys {
    if text == "any" { return .any }
    return .known(
      try text.split(separator: ",").map { part in
        let words = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        if words.count == 1, words != [""] { return try key("", "", .both, words[0]) }
        let scope = words.count == 4 ? ProviderKeys.Key.Scope(rawValue: words[3]) : .both
        guard words.count == 3 || words.count == 4, !words.contains(""), let scope else {
          throw UsageError.badValue(
            option: option, value: String(part),
            wanted: "any, or TEAM:KEYID:FILE, such as TEAM123456:KEY1234567:AuthKey.p8")
        }
        return try key(words[0], words[1], scope, words[2])
      })
  }

  private static func key(
    _ team: String, _ id: String, _ scope: ProviderKeys.Key.Scope, _ file: String
  ) throws(TLSSetupError) -> ProviderKeys.Key {
    .init(team: team, id: id, scope: scope, checker: try P256Key(file: file))
  }

  struct Security {
    /// The TLS server; nil for connections without TLS.
    var server: TLSServer?
    /// The CA for senders, if the certificate was generated.
    var authority: String?
  }

  /// Returns the given certificate, or a new one. Writes no file for senders.
  static func security(
    _ options: PushEndpointOptions, at host: String, _ folder: URL
  ) throws -> Security {
    if options.keys.isInTheClear {
      guard options.tlsCertificate == nil, options.tlsKey == nil, options.keys.authorityOut == nil
      else {
        throw CommandError(
          exit: .usage, message: "--clear uses no certificate; remove --clear or the TLS options.")
      }
      return Security()
    }
    guard (options.tlsCertificate == nil) == (options.tlsKey == nil) else {
      throw UsageError.missingArgument(
        "--tls-cert FILE and --tls-key FILE", of: "flotilla push-endpoint")
    }
    let files = try files(options, at: host, folder)
    let server = try TLSServer(files, protocols: [.h2])
    let authority = FileManager.default.contents(atPath: folder.path + "/ca.pem")
    // swift-format-ignore: PEM is ASCII.
    return Security(
      server: server, authority: authority.map { String(decoding: $0, as: UTF8.self) })
  }

  private static func files(
    _ options: PushEndpointOptions, at host: String, _ folder: URL
  ) throws(TLSSetupError) -> TLSServerFiles {
    if let certificate = options.tlsCertificate, let key = options.tlsKey {
      return TLSServerFiles(certificate: certificate, key: key)
    }
    var subject = SelfMadeCertificate.Subject("push-endpoint")
    // If a sender's host cannot be configured, /etc/hosts can redirect these names.
    subject.hosts += [
      "api.push.apple.com", "api.sandbox.push.apple.com", "fcm.googleapis.com",
    ]
    if !subject.hosts.contains(host) { subject.hosts.append(host) }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .cannotWrite(path: folder.path, reason: FileErrorText.reason(error))
    }
    return try SelfMadeCertificate.write(subject, to: folder.path)
  }

  struct Handout: Sendable {
    var path: String
    var text: String
    var readers = FileOutput.Readers.all

    /// Returns nil if the file was not requested.
    init?(_ path: String?, _ text: String?, readers: FileOutput.Readers = .all) {
      guard let path, let text else { return nil }
      (self.path, self.text, self.readers) = (path, text, readers)
    }
  }

  /// Writes the senders' files. Before the endpoint listens, the files may be another endpoint's.
  static func write(_ handouts: [Handout?]) throws(FileOutput.WriteError) {
    for case let handout? in handouts {
      try FileOutput.write(handout.text, to: handout.path, for: handout.readers)
    }
  }

  static func tokens(_ endpoint: ProviderEndpoint) -> String {
    var text = "phone,token\n"
    for number in 0..<UInt32(endpoint.devices.count) {
      guard let token = endpoint.token(of: PhoneID(rawValue: number)) else { continue }
      text += "\(number),\(token)\n"
    }
    return text
  }
}
