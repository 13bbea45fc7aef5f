import Foundation
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

/// A server of http_servers.py, which is right or wrong by path, and a client for it.
final class HTTPServers {
  private let child: PythonChild
  let root: String

  /// - Parameters:
  ///   - certificates: the server's; nil: it is in the clear.
  ///   - clients: the CAs of clients' certificates, required if set.
  init(_ certificates: Certificates? = nil, clients: String? = nil) throws {
    var arguments: [String] = []
    if let certificates {
      arguments = ["--cert", certificates.files.certificate, "--key", certificates.files.key]
    }
    if let clients { arguments += ["--client-ca", clients] }
    child = try PythonChild("http_servers.py", arguments)
    root = "\(certificates == nil ? "http" : "https")://127.0.0.1:\(try child.port())"
  }

  deinit { _ = child.end() }

  func post(_ path: String, _ body: String = "{}", headers: [String] = []) -> HTTPRequest {
    HTTPRequest(method: "POST", url: root + path, headers: headers, body: Array(body.utf8))
  }

  /// Sends requests together and returns their ends.
  func call(
    _ requests: [HTTPRequest], of phones: [UInt32] = [],
    _ change: (inout HTTPSettings) -> Void = { _ in }
  ) -> [HTTPExchange] {
    var settings = HTTPSettings()
    change(&settings)
    let caller = HTTPCaller(settings)
    defer { caller.close() }
    return caller.call(requests, of: phones)
  }
}
