package import Core

package enum BatchCodec: Equatable, Sendable {
  /// One bit stream, not compressed further.
  case packed
  /// A `BatchPayload`, compressed by zstd if that shrinks it. `level` is 0 (never) to 19;
  /// `literals` also codes literals, at twice the time. The collector needs the same `dictionary`.
  case columns(level: Int32, literals: Bool = false, dictionary: PayloadDictionary? = nil)
  /// A `BatchRows`, compressed if that shrinks it.
  case rows(RowCompression)

  /// The codec of phones. For 20 fixes with receiver noise, packed payloads have 0.6 of the bytes
  /// of plain columns and 0.7 of columns with a dictionary, and take less time than zstd.
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

  /// The encodings that a decoder needs, since payloads that do not shrink are sent plain.
  package var encodings: [Encoding] {
    switch self {
    case .packed: [.packed]
    case .columns: [.identity, .zstd]
    case .rows(.none): [.rows]
    case .rows(.gzip): [.rows, .rowsGzip]
    case .rows(.zstd): [.rows, .rowsZstd]
    }
  }

  /// Returns columns with a trained dictionary. The dictionary supplies the codes of literals,
  /// which otherwise take twice the time and shrink payloads by a tenth.
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
