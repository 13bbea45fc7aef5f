package enum CarrierKind: String, CaseIterable, Sendable {
  /// Flotilla's own frames (PROTOCOL.md).
  case flotilla
  /// gRPC on HTTP/2: by prior knowledge in the clear, by ALPN over TLS.
  case grpc
}
