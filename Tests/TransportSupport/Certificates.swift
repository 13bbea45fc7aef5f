import Foundation

@testable import Transport

/// A folder with a CA and its certificates, which is deleted with the test.
final class Certificates {
  let folder: String
  let files: TLSServerFiles

  init(
    _ change: (inout SelfMadeCertificate.Subject) -> Void = { _ in },
    kind: SelfMadeCertificate.KeyKind = .p256
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder.path
    var subject = SelfMadeCertificate.Subject("collector")
    change(&subject)
    files = try SelfMadeCertificate.write(subject, kind: kind, to: folder.path)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var authority: String { "\(folder)/ca.pem" }

  /// A server with this certificate.
  ///
  /// - Parameter protocols: accepted by ALPN.
  func server(
    _ protocols: [ApplicationProtocol] = [.h2],
    _ change: (inout TLSServerFiles) -> Void = { _ in }
  ) throws -> TLSServer {
    var files = files
    change(&files)
    return try TLSServer(files, protocols: protocols)
  }

  /// A client that trusts this CA.
  ///
  /// - Parameter protocols: offered by ALPN.
  func client(
    _ protocols: [ApplicationProtocol] = [],
    _ change: (inout TLSClientFiles) -> Void = { _ in }
  ) throws -> TLSClient {
    var files = TLSClientFiles(authorities: authority)
    change(&files)
    return try TLSClient(files, protocols: protocols)
  }

  /// A file of ticket keys, each filled with a byte.
  func ticketKeys(_ fillings: UInt8...) throws -> String {
    let path = "\(folder)/tickets"
    let bytes = fillings.flatMap { [UInt8](repeating: $0, count: TicketKeys.keyBytes) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
}
