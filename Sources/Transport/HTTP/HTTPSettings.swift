package import SimulationCore

/// What a client of HTTP is set up with once.
package struct HTTPSettings: Sendable, Equatable {
  /// Names the versions that are offered.
  package enum Version: String, Sendable, CaseIterable {
    /// Is HTTP/1.1 alone.
    case http1
    /// Is HTTP/2 where TLS agrees on it, else HTTP/1.1.
    case negotiated
    /// Is HTTP/2 from the first byte, in the clear too; there each request has a connection of its
    /// own, whatever the settings say, since libcurl 7.88 cannot use one twice.
    case http2
  }

  /// Which versions are offered.
  package var version = Version.http1
  /// How requests share connections.
  package var use = ConnectionUse.perUpload
  /// What TLS has to be like.
  package var trust = ServerTrust()
  /// Bounds name, TCP and TLS together.
  package var connectTimeout = WallDuration.seconds(10)
  /// Bounds a request from its start to the last byte of its answer.
  package var timeout = WallDuration.seconds(20)
  /// Bounds the answer's head, and its body after decompression, each in bytes.
  package var answerBytesMax = 65_536
  /// Whether an answer whose body is longer is taken without the rest of it; false: it is a
  /// failure.
  package var cutsAnswers = false
  /// Takes the connections in the place of the host in the URL, such as a proxy before it; nil: the
  /// host does.
  package var via: Endpoint?
  /// Bounds the requests under way; others wait. A quarter of a common descriptor limit of 20,000.
  package var openMax = 5_000

  package init() {}
}

/// What TLS to a server has to be like.
package struct ServerTrust: Sendable, Equatable {
  /// The file of the CAs to trust; nil: the system's.
  package var authorities: String?
  /// Whether the server's certificate is verified.
  package var verifies = true
  /// Whether no older version of TLS is spoken than 1.3; else none older than 1.2.
  package var needsTLS13 = false

  package init() {}
}
