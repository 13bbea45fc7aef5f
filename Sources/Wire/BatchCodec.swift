/// How an encoder writes the payloads of its batches.
package enum BatchCodec: Equatable, Sendable {
  /// One bit stream without a general compressor behind it.
  case packed
  /// A `BatchPayload`, compressed by zstd where that pays.
  ///
  /// - Parameters:
  ///   - level: zstd's, 0 to 19; 0 never compresses.
  ///   - literals: whether zstd shall look for an entropy code of its own as well, at twice the
  ///     time.
  case columns(level: Int32, literals: Bool = false)

  /// What phones send. On 20-fix batches with the noise of receivers packed payloads are 0.6 of
  /// plain columns and 0.7 of columns with a trained dictionary, and take less time than either
  /// does with zstd.
  package static let shipped = Self.packed
}
