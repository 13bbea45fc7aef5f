package struct HTTPRequest: Sendable, Equatable {
  package var method: String
  package var url: String
  package var headers: [String]
  package var body: [UInt8]
  /// Whether to request compression, unless a header line does. Compressed answers are always
  /// decompressed. The size limit applies before and after decompression.
  package var acceptsCompressed = false
  /// The size limit of the answer's header and of its body, or nil for the limit of the settings.
  package var answerBytesMax: Int?
  package var identity: HTTPIdentity?
  /// Whether to open a connection, with TLS if any, but send nothing. The answer has status 0.
  package var connectsOnly = false
  package var resumes = false

  package init(method: String, url: String, headers: [String] = [], body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

extension HTTPRequest {
  package var fault: String? {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard scheme == "http" || scheme == "https" else {
      return "\(url.debugDescription) must begin with http:// or https://"
    }
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      return "\(url.debugDescription) contains a space or a control character"
    }
    guard !method.isEmpty, method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      return "\(method.debugDescription) is not a method: use capital letters"
    }
    let wrong = headers.first { line in
      !line.contains(":") || line.utf8.contains { $0 < 0x20 && $0 != 0x09 }
    }
    return wrong.map {
      "\($0.debugDescription) is not a header line such as 'Content-Type: application/json'"
    }
  }
}

/// A client certificate and its key, both as PEM.
package struct HTTPIdentity: Sendable, Equatable {
  /// The certificate, followed by its chain to the CA.
  package var certificate: [UInt8]
  package var key: [UInt8]
}

package struct HTTPAnswer: Sendable, Equatable {
  /// The status code. Redirects are not followed.
  package var status: Int
  /// The HTTP version times ten: 10, 11 or 20.
  package var version: Int
  /// The header lines of the answer without the status line, and the trailer, verbatim.
  package var head: [UInt8]
  /// The body, after decompression.
  package var body: [UInt8]
  /// Whether the body is incomplete, since it is too long or in a coding unknown to libcurl.
  package var isCut = false

  package init(status: Int, version: Int = 11, head: [UInt8] = [], body: [UInt8] = []) {
    self.status = status
    self.version = version
    self.head = head
    self.body = body
  }

  package var headers: [(name: String, value: String)] {
    head.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      return (Self.text(line[..<colon]), Self.text(line[(colon + 1)...]))
    }
  }

  /// Returns the value of the first header line with this case-insensitive name, or nil.
  package func header(_ name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name.lowercased() == name }?.value
  }

  var hasUnknownCoding: Bool {
    let known = ["identity", "gzip", "x-gzip", "deflate", "br", "zstd"]
    let codings = (header("content-encoding") ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }
    return codings.contains { !known.contains($0.lowercased()) }
  }

  /// Returns trimmed text, with invalid UTF-8 repaired, for comparison and display.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    let front = bytes.drop(while: isBlank)
    let count = front.reversed().drop(while: isBlank).count
    // swift-format-ignore
    return String(decoding: front.prefix(count), as: UTF8.self)
  }
}

package typealias HTTPExchange = Exchange<HTTPAnswer, HTTPError>
