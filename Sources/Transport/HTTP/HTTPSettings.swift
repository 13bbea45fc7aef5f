package import Core

package struct HTTPSettings: Sendable, Equatable {
  package enum Version: String, Sendable, CaseIterable {
    case http1
    /// HTTP/2 if TLS negotiates it, otherwise HTTP/1.1.
    case negotiated
    /// HTTP/2 from the first byte. In plaintext each request has its own connection, whatever `use`
    /// says, since libcurl 7.88 cannot reuse such a connection.
    case http2
  }

  package var version = Version.http1
  package var use = ConnectionUse.perUpload
  package var trust = ServerTrust()
  /// The time limit for name resolution, TCP and TLS together.
  package var connectTimeout = WallDuration.seconds(10)
  /// The time limit from the start of the request to the last byte of the answer.
  package var timeout = WallDuration.seconds(20)
  /// The limit of the answer's header, and of its decompressed body, each in bytes.
  package var answerBytesMax = 65_536
  /// Whether a body that is too long is truncated. If not, the request fails.
  package var cutsAnswers = false
  /// The endpoint to connect to instead of the URL's host, such as a proxy. nil means the host.
  package var via: Endpoint?
  /// The limit of requests in flight, a quarter of a common limit of 20,000 descriptors.
  package var openMax = 5_000

  package init() {}
}

package struct ServerTrust: Sendable, Equatable {
  package var authorities: String?
  package var verifies = true
  /// Whether TLS 1.3 is required. If not, TLS 1.2 is the minimum.
  package var needsTLS13 = false

  package init() {}
}
