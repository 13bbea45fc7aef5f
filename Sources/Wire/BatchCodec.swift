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
  ///   - dictionary: what zstd knows beforehand; the collector must have the same.
  case columns(level: Int32, literals: Bool = false, dictionary: PayloadDictionary? = nil)

  /// What phones send. On 20-fix batches with the noise of receivers packed payloads are 0.6 of
  /// plain columns and 0.7 of columns with a trained dictionary, and take less time than either
  /// does with zstd.
  package static let shipped = Self.packed

  /// What a dictionary is trained for and used with. Codes of its own cost twice the time, but the
  /// dictionary brings them along: with literals it is a tenth smaller.
  package static func columns(with dictionary: PayloadDictionary) -> Self {
    .columns(level: dictionaryLevel, literals: true, dictionary: dictionary)
  }
  /// Is the zstd level at which dictionaries are trained and column payloads are compressed with
  /// them.
  package static let dictionaryLevel: Int32 = 3

  /// What a decoder must have.
  package var dictionary: PayloadDictionary? {
    switch self {
    case .packed: nil
    case .columns(_, _, let dictionary): dictionary
    }
  }
}
