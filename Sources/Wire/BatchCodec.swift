package import Telemetry

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
  /// A `BatchRows`, compressed where that pays.
  case rows(RowCompression)

  /// What phones send. On 20-fix batches with the noise of receivers packed payloads are 0.6 of
  /// plain columns and 0.7 of columns with a trained dictionary, and take less time than either
  /// does with zstd.
  package static let shipped = Self.packed

  /// The codec of a scenario's word.
  ///
  /// - Parameter dictionary: what columns are compressed with; nobody else has a use for one.
  package init(_ encoding: BatchEncoding, dictionary: PayloadDictionary? = nil) {
    self =
      switch encoding {
      case .packed: .packed
      case .columns:
        .columns(level: Self.dictionaryLevel, literals: true, dictionary: dictionary)
      case .rows: .rows(.none)
      case .rowsGzip: .rows(.gzip)
      case .rowsZstd: .rows(.zstd)
      }
  }

  /// What a decoder of its payloads has to know: what does not shrink travels as it stands.
  package var encodings: [Encoding] {
    switch self {
    case .packed: [.packed]
    case .columns: [.identity, .zstd]
    case .rows(.none): [.rows]
    case .rows(.gzip): [.rows, .rowsGzip]
    case .rows(.zstd): [.rows, .rowsZstd]
    }
  }

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
    case .packed, .rows: nil
    case .columns(_, _, let dictionary): dictionary
    }
  }
}
