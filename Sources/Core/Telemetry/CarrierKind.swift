package enum CarrierKind: String, CaseIterable, Sendable {
  /// Flotilla's own frames (PROTOCOL.md).
  case flotilla
  /// gRPC on HTTP/2: by prior knowledge without TLS, by ALPN with TLS.
  case grpc
}
