package import Core

package enum BatchCodec: Equatable, Sendable {
  /// One bit stream, without a general compressor.
  case packed
  /// A `BatchPayload`, compressed by zstd (`level` 0 to 19; 0: never) if that shrinks it.
  /// `literals`: entropy codes too, at twice the time; the collector needs the same `dictionary`.
  case columns(level: Int32, literals: Bool = false, dictionary: PayloadDictionary? = nil)
  /// A `BatchRows`, compressed if that shrinks it.
  case rows(RowCompression)

  /// The codec of phones. On 20-fix batches with receiver noise packed payloads are 0.6 of plain
  /// columns and 0.7 of columns with a trained dictionary, and faster than either with zstd.
  package static let shipped = Self.packed

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

  /// The encodings that a decoder needs: payloads that do not shrink are sent plain.
  package var encodings: [Encoding] {
    switch self {
    case .packed: [.packed]
    case .columns: [.identity, .zstd]
    case .rows(.none): [.rows]
    case .rows(.gzip): [.rows, .rowsGzip]
    case .rows(.zstd): [.rows, .rowsZstd]
    }
  }

  /// Columns with a trained dictionary, which supplies the entropy codes that otherwise cost twice
  /// the time: with literals the result is a tenth smaller.
  package static func columns(with dictionary: PayloadDictionary) -> Self {
    .columns(level: dictionaryLevel, literals: true, dictionary: dictionary)
  }
  /// The zstd level for training dictionaries, and for compressing with them.
  package static let dictionaryLevel: Int32 = 3

  package var dictionary: PayloadDictionary? {
    switch self {
    case .packed, .rows: nil
    case .columns(_, _, let dictionary): dictionary
    }
  }
}
