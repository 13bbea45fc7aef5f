/// How phones write the fixes of a batch; `proto/PROTOCOL.md` says what each is, byte by byte.
package enum BatchEncoding: String, CaseIterable, Sendable {
  /// One bit stream of packed columns: the smallest.
  case packed
  /// Columns of differences through zstd, with a dictionary where there is one: readable with
  /// `protoc` and `zstd`.
  case columns
  /// One message a fix, as most backends have it, as it stands.
  case rows
  /// The same through gzip.
  case rowsGzip = "rows-gzip"
  /// The same through zstd.
  case rowsZstd = "rows-zstd"
}
