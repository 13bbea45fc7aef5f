internal import Foundation

/// The parts of a request to a live page that determine its answer.
struct PageRequest: Equatable, Sendable {
  var method = "GET"
  var path = "/"
  var host: String?
  /// The value of `?token=`.
  var token: String?
  var cookie: String?
  /// The value of `?n=`.
  var number: String?
  /// The value of `Last-Event-ID`.
  var lastEvent: String?
}

enum PageAnswer: Equatable, Sendable {
  case page
  case events(after: String?)
  case phone(Int)
  /// A redirect to the page's address without the token, which the cookie holds instead.
  case redirect(cookie: String)
  case refused(code: UInt32, why: String)
}

/// Decides which requests are answered. No request changes anything.
///
/// Without a token the server is reachable only from this machine. Yet a foreign page may reach it
/// through a name that resolves to 127.0.0.1 (DNS rebinding). So `Host` must be an address,
/// `localhost`, or the name that the user gave. With a token any name is accepted, since a foreign
/// page does not know the token.
struct PageRules: Sendable {
  private let host: String
  private let needsToken: Bool
  /// The token, or nil without a valid token. No request matches an invalid token.
  private let token: (text: String, secret: BearerToken)?
  /// The cookie's name, which includes the port, since browsers share cookies between ports.
  let cookieName: String

  /// - Parameter token: the value of `run.webToken`, or nil without a token.
  init(host: String, port: UInt16, token: String?) {
    self.host = host
    needsToken = token != nil
    self.token = token.flatMap { text in BearerToken(text).map { (text, $0) } }
    cookieName = "flotilla-\(port)"
  }

  func answer(_ request: PageRequest) -> PageAnswer {
    guard request.method == "GET" else {
      return .refused(code: 405, why: "\(request.method) is not served here; use GET.")
    }
    if needsToken {
      if request.path == "/", let token, let given = request.token, matches(given) {
        return .redirect(
          cookie: "\(cookieName)=\(token.text); HttpOnly; SameSite=Lax; Path=/")
      }
      guard [request.token, request.cookie].contains(where: { $0.map(matches) ?? false }) else {
        return .refused(
          code: 401, why: "This page requires its token: add ?token=TOKEN to the address.")
      }
    } else if !isTrusted(request.host) {
      return .refused(
        code: 403, why: "This page is not served by that name; use http://127.0.0.1 or localhost.")
    }
    switch request.path {
    case "/": return .page
    case "/events": return .events(after: request.lastEvent)
    case "/phone":
      guard let number = request.number.flatMap({ Int($0) }) else { return Self.noPhone }
      return .phone(number)
    default: return .refused(code: 404, why: "There is no such page; there is /.")
    }
  }

  static let noPhone = PageAnswer.refused(code: 404, why: "This page does not have that phone.")

  /// Compares the token, in a time that depends only on the length of `given`.
  private func matches(_ given: String) -> Bool {
    guard let token else { return false }
    return Array("Bearer \(given)".utf8).withUnsafeBytes(token.secret.matches)
  }

  /// Returns whether `Host` is trusted. The header's port may differ, as through a tunnel.
  private func isTrusted(_ header: String?) -> Bool {
    guard let header else { return false }
    // Only an IPv6 address has a bracket.
    if header.hasPrefix("[") { return true }
    let name = header.prefix { $0 != ":" }.lowercased()
    var address = in_addr()
    return name == "localhost" || name == host.lowercased()
      || inet_pton(AF_INET, name, &address) == 1
  }
}
