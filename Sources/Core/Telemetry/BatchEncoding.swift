/// How phones encode the fixes of a batch, byte by byte in `proto/PROTOCOL.md`.
package enum BatchEncoding: String, CaseIterable, Sendable {
  /// One bit stream of packed columns: the smallest.
  case packed
  /// Differences through zstd, with or without a dictionary: readable with `protoc` and `zstd`.
  case columns
  /// One message a fix, uncompressed, as in most backends.
  case rows
  case rowsGzip = "rows-gzip"
  case rowsZstd = "rows-zstd"
}
