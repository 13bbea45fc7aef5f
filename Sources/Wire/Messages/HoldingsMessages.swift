internal import CFlotillaProto
package import Telemetry

/// Asks for a page of what is stored, from the first (phone, epoch) not below this one.
package struct HoldingsRequest: WireMessage, Equatable {
  /// The first phone of the page.
  package var phone: PhoneID
  /// The first epoch of that phone's rows on the page.
  package var epoch: UInt32
  /// The greatest number of phones on the page; the collector takes 1 to 20,000.
  package var limit: UInt32
  /// Asks what the store is found to hold when it is read, in the place of what the collector
  /// knows.
  package var stored: Bool

  /// Creates a request for the page that begins at a phone and epoch.
  package init(phone: PhoneID, epoch: UInt32, limit: UInt32 = 20_000, stored: Bool = false) {
    self.phone = phone
    self.epoch = epoch
    self.limit = limit
    self.stored = stored
  }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__holdings_request__init)
    message.pointee.phone = phone.rawValue
    message.pointee.epoch = epoch
    message.pointee.limit = limit
    message.pointee.stored = stored ? 1 : 0
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(
      bytes, "HoldingsRequest", flotilla__v1__holdings_request__unpack
    ).pointee
    return Self(
      phone: PhoneID(rawValue: message.phone), epoch: message.epoch, limit: message.limit,
      stored: message.stored != 0)
  }
}

/// A page of what the collector holds, ascending by (phone, epoch).
package struct HoldingsReply: WireMessage, Equatable {
  /// What is stored of one installation: `first ... contiguous` and, beyond a gap, `extra`. A long
  /// run beyond a gap has a row of its own.
  package struct Row: Hashable, Sendable {
    /// Names the phone.
    package var phone: PhoneID
    /// Names the installation.
    package var epoch: UInt32
    /// The lowest sequence that is stored.
    package var first: UInt32
    /// The highest sequence up to which all from `first` on are stored.
    package var contiguous: UInt32
    /// Lists the sequences stored beyond the first gap, ascending.
    package var extra: [UInt32]

    /// Creates a row from its parts.
    package init(
      phone: PhoneID, epoch: UInt32, first: UInt32, contiguous: UInt32, extra: [UInt32] = []
    ) {
      self.phone = phone
      self.epoch = epoch
      self.first = first
      self.contiguous = contiguous
      self.extra = extra
    }
  }
  /// Holds the rows of the page, by phone and installation.
  package var rows: [Row]
  /// Whether further phones follow this page.
  package var more: Bool
  /// The findings of the reading of the store whose rows these are; nil: they are what the
  /// collector knows.
  package var store: StoreReading?

  /// Creates a page of `rows`.
  package init(rows: [Row], more: Bool, store: StoreReading? = nil) {
    self.rows = rows
    self.more = more
    self.store = store
  }

  /// Builds the C message in `arena`, one column a field; throws `messageTooLarge` where it does
  /// not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__holdings_reply__init)
    message.pointee.n_phone = rows.count
    message.pointee.phone = try arena.copy(rows.map(\.phone.rawValue))
    message.pointee.n_epoch = rows.count
    message.pointee.epoch = try arena.copy(rows.map(\.epoch))
    message.pointee.n_first = rows.count
    message.pointee.first = try arena.copy(rows.map(\.first))
    message.pointee.n_contiguous = rows.count
    message.pointee.contiguous = try arena.copy(rows.map(\.contiguous))
    var places: [UInt32] = []
    var sequences: [UInt32] = []
    for (index, row) in rows.enumerated() {
      places.append(contentsOf: repeatElement(UInt32(index), count: row.extra.count))
      sequences.append(contentsOf: row.extra)
    }
    message.pointee.n_extra_row = places.count
    message.pointee.extra_row = try arena.copy(places)
    message.pointee.n_extra_sequence = sequences.count
    message.pointee.extra_sequence = try arena.copy(sequences)
    message.pointee.more = more ? 1 : 0
    guard let store else { return UnsafeMutableRawPointer(message) }
    message.pointee.stored = 1
    message.pointee.reading = store.isUnderWay ? 1 : 0
    message.pointee.batches_read = store.read
    message.pointee.batches_committed = store.committed
    message.pointee.fixes = store.fixes
    message.pointee.hash_sum = store.hashSum
    message.pointee.batches_dropped = store.dropped
    message.pointee.fault_count = store.faultCount
    message.pointee.n_faults = store.faults.count
    message.pointee.faults = try arena.messages(store.faults) { (fault) throws(WireError) in
      try arena.string(fault)
    }
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `columnLength` where columns differ in length and `valueOutOfRange`
  /// for an extra sequence of no row.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let m = try arena.unpack(bytes, "HoldingsReply", flotilla__v1__holdings_reply__unpack).pointee
    for (name, count, expected) in [
      ("epoch", m.n_epoch, m.n_phone), ("first", m.n_first, m.n_phone),
      ("contiguous", m.n_contiguous, m.n_phone),
      ("extra_sequence", m.n_extra_sequence, m.n_extra_row),
    ] where count != expected {
      throw .columnLength(column: name, entries: count, expected: expected)
    }
    var rows = (0..<m.n_phone).map { i in
      Row(
        phone: PhoneID(rawValue: m.phone[i]), epoch: m.epoch[i], first: m.first[i],
        contiguous: m.contiguous[i])
    }
    for i in 0..<m.n_extra_row {
      guard Int(m.extra_row[i]) < rows.count else {
        throw .valueOutOfRange(column: "extra_row", value: Int64(m.extra_row[i]))
      }
      rows[Int(m.extra_row[i])].extra.append(m.extra_sequence[i])
    }
    guard m.stored != 0 else { return Self(rows: rows, more: m.more != 0) }
    let store = StoreReading(
      isUnderWay: m.reading != 0, read: m.batches_read, committed: m.batches_committed,
      fixes: m.fixes, hashSum: m.hash_sum, dropped: m.batches_dropped,
      faults: (0..<m.n_faults).map { text(m.faults[$0]) }, faultCount: m.fault_count)
    return Self(rows: rows, more: m.more != 0, store: store)
  }
}

/// The extent to which a collector has read its store, and its findings.
package struct StoreReading: Equatable, Sendable {
  /// Whether the store is being read: nothing is known of it yet.
  package var isUnderWay = false
  /// Counts the batches that were read.
  package var read: UInt64 = 0
  /// Counts the batches that were committed and are to be there.
  package var committed: UInt64 = 0
  /// Counts the fixes in the batches that are intact.
  package var fixes: UInt64 = 0
  /// The sum modulo 2^64 of the hashes of the batches that are intact.
  package var hashSum: UInt64 = 0
  /// Counts the batches that retention took.
  package var dropped: UInt64 = 0
  /// Lists what is wrong with the store, `faultsMax` sentences at most.
  package var faults: [String] = []
  /// Counts all that is wrong with it.
  package var faultCount: UInt64 = 0

  /// Bounds the sentences of one answer.
  package static let faultsMax = 20

  /// Creates the state of a reading.
  package init(
    isUnderWay: Bool = false, read: UInt64 = 0, committed: UInt64 = 0, fixes: UInt64 = 0,
    hashSum: UInt64 = 0, dropped: UInt64 = 0, faults: [String] = [], faultCount: UInt64 = 0
  ) {
    self.isUnderWay = isUnderWay
    self.read = read
    self.committed = committed
    self.fixes = fixes
    self.hashSum = hashSum
    self.dropped = dropped
    self.faults = faults
    self.faultCount = faultCount
  }
}
