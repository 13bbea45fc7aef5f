/// How phones encode the fixes of a batch. `proto/PROTOCOL.md` specifies every byte.
package enum BatchEncoding: String, CaseIterable, Sendable {
  /// One bit stream of packed columns: the smallest.
  case packed
  /// Columns of differences, in zstd with or without a dictionary: readable by `protoc` and `zstd`.
  case columns
  /// One message per fix, uncompressed, as in most backends.
  case rows
  case rowsGzip = "rows-gzip"
  case rowsZstd = "rows-zstd"
}
