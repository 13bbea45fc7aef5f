internal import Foundation

/// A request to a live page, as far as it matters.
struct PageRequest: Equatable, Sendable {
  var method = "GET"
  var path = "/"
  var host: String?
  /// `?token=`.
  var token: String?
  var cookie: String?
  /// `?n=`.
  var number: String?
  /// `Last-Event-ID`.
  var lastEvent: String?
}

enum PageAnswer: Equatable, Sendable {
  case page
  case events(after: String?)
  case phone(Int)
  /// The page again, without the token in its address; a cookie has it.
  case redirect(cookie: String)
  case refused(code: UInt32, why: String)
}

/// Which requests are answered. None changes anything.
///
/// Without a token the server is reachable from this machine only, and the browser of this machine
/// may be led here by a stranger's name that resolves to 127.0.0.1 (DNS rebinding): so `Host` has to
/// be an address, `localhost`, or the name that the user gave. With a token, which a stranger's page
/// does not know, any name will do.
struct PageRules: Sendable {
  private let host: String
  private let needsToken: Bool
  /// nil also for a token that nothing matches.
  private let token: (text: String, secret: BearerToken)?
  /// Cookies are not kept apart by port.
  let cookieName: String

  /// - Parameter token: nil for none; else as `run.webToken`.
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

  /// Takes a time that depends only on the length of the given text.
  private func matches(_ given: String) -> Bool {
    guard let token else { return false }
    return Array("Bearer \(given)".utf8).withUnsafeBytes(token.secret.matches)
  }

  /// The port does not matter: a tunnel may have another.
  private func isTrusted(_ header: String?) -> Bool {
    guard let header else { return false }
    // An IPv6 address; no name has a bracket.
    if header.hasPrefix("[") { return true }
    let name = header.prefix { $0 != ":" }.lowercased()
    var address = in_addr()
    return name == "localhost" || name == host.lowercased()
      || inet_pton(AF_INET, name, &address) == 1
  }
}
