internal import CFlotillaProto
package import Core

/// Requests a page of the stored batches, from the given (phone, epoch) on.
package struct HoldingsRequest: RowMessage, Equatable {
  package var phone: PhoneID
  package var epoch: UInt32
  /// The limit of phones; the collector takes 1 to 20,000.
  package var limit: UInt32
  /// Whether to read the store again instead of using the collector's knowledge.
  package var stored: Bool

  package init(phone: PhoneID, epoch: UInt32, limit: UInt32 = 20_000, stored: Bool = false) {
    self.phone = phone
    self.epoch = epoch
    self.limit = limit
    self.stored = stored
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__HoldingsRequest>(
    flotilla__v1__holdings_request__init,
    HoldingsRequest(phone: PhoneID(rawValue: 0), epoch: 0, limit: 0),
    [
      .phone(\.phone, \.phone),
      .same(\.epoch, \.epoch),
      .same(\.limit, \.limit),
      .flag(\.stored, \.stored),
    ])
}

/// A page of the collector's holdings, ascending by (phone, epoch).
package struct HoldingsReply: RowMessage, Equatable {
  /// The stored sequence numbers of one installation: `first ... contiguous` and, beyond a gap,
  /// `extra`. A long run beyond a gap has a separate row.
  package struct Row: Hashable, Sendable {
    package var phone: PhoneID
    package var epoch: UInt32
    package var first: UInt32
    /// The last of the sequence numbers that are stored from `first` on without a gap.
    package var contiguous: UInt32
    package var extra: [UInt32]

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
  package var rows: [Row]
  package var more: Bool
  /// The reading of the store that found these rows; nil if the rows are the collector's knowledge.
  package var store: StoreReading?

  package init(rows: [Row], more: Bool, store: StoreReading? = nil) {
    self.rows = rows
    self.more = more
    self.store = store
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__HoldingsReply>(
    flotilla__v1__holdings_reply__init, HoldingsReply(rows: [], more: false),
    [
      .numbers(\.rows, \.phone, count: \.n_phone, \.phone.rawValue) {
        Row(phone: PhoneID(rawValue: $0), epoch: 0, first: 0, contiguous: 0)
      },
      .column("epoch", \.rows, \.epoch, count: \.n_epoch, \.epoch) { $1.epoch = $0 },
      .column("first", \.rows, \.first, count: \.n_first, \.first) { $1.first = $0 },
      .column("contiguous", \.rows, \.contiguous, count: \.n_contiguous, \.contiguous) {
        $1.contiguous = $0
      },
      extra,
      .flag(\.more, \.more),
      store,
    ])

  nonisolated(unsafe) private static let extra = WireField<Self, Flotilla__V1__HoldingsReply>(
    write: { (reply, message, arena) throws(WireError) in
      var places: [UInt32] = []
      var sequences: [UInt32] = []
      for (index, row) in reply.rows.enumerated() {
        places.append(contentsOf: repeatElement(UInt32(index), count: row.extra.count))
        sequences.append(contentsOf: row.extra)
      }
      message.pointee.n_extra_row = places.count
      message.pointee.extra_row = try arena.copy(places)
      message.pointee.n_extra_sequence = sequences.count
      message.pointee.extra_sequence = try arena.copy(sequences)
    },
    read: { (message, reply) throws(WireError) in
      guard message.n_extra_sequence == message.n_extra_row else {
        throw .columnLength(
          column: "extra_sequence", entries: message.n_extra_sequence,
          expected: message.n_extra_row)
      }
      for i in 0..<message.n_extra_row {
        guard Int(message.extra_row[i]) < reply.rows.count else {
          throw .valueOutOfRange(column: "extra_row", value: Int64(message.extra_row[i]))
        }
        reply.rows[Int(message.extra_row[i])].extra.append(message.extra_sequence[i])
      }
    })

  /// A store reading's fields are in the same message as the rows; `stored` marks their presence.
  nonisolated(unsafe) private static let store = WireField<Self, Flotilla__V1__HoldingsReply>(
    write: { (reply, message, arena) throws(WireError) in
      guard let store = reply.store else { return }
      message.pointee.stored = 1
      for row in StoreReading.rows { try row.write(store, message, arena) }
    },
    read: { (message, reply) throws(WireError) in
      guard message.stored != 0 else { return }
      var store = StoreReading()
      for row in StoreReading.rows { try row.read(message, &store) }
      reply.store = store
    })
}

/// A collector's progress in reading its store, and its findings.
package struct StoreReading: Equatable, Sendable {
  /// Whether the reading is in progress, so that there is no result yet.
  package var isUnderWay = false
  package var read: UInt64 = 0
  package var committed: UInt64 = 0
  package var fixes: UInt64 = 0
  /// The sum of the hashes of intact batches, modulo 2^64.
  package var hashSum: UInt64 = 0
  package var dropped: UInt64 = 0
  package var faults: [String] = []
  package var faultCount: UInt64 = 0

  package static let faultsMax = 20

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

extension StoreReading {
  nonisolated(unsafe) fileprivate static let rows: [WireField<Self, Flotilla__V1__HoldingsReply>] =
    [
      .flag(\.isUnderWay, \.reading), .same(\.read, \.batches_read),
      .same(\.committed, \.batches_committed), .same(\.fixes, \.fixes),
      .same(\.hashSum, \.hash_sum), .same(\.dropped, \.batches_dropped),
      .same(\.faultCount, \.fault_count),
      .init(
        write: { (store, message, arena) throws(WireError) in
          message.pointee.n_faults = store.faults.count
          message.pointee.faults = try arena.messages(store.faults) { (fault) throws(WireError) in
            try arena.string(fault)
          }
        },
        read: { message, store in
          store.faults = (0..<message.n_faults).map { string(message.faults[$0]) }
        }),
    ]
}
