package import Core

/// The server's state of one phone, for the scheduler too. A row takes 56 bytes and the phone's
/// calendar entry 4 bytes, so a million phones take 60 MB.
package struct LastSeen: Equatable, Sendable, BitwiseCopyable {
  /// The arrival of the last distinct batch, or of the first registration before any batch.
  package var reportedAt = SimInstant.distantPast
  package var newestFix = Self.neverSeen
  package var coordinate = Coordinate(latitudeE6: 0, longitudeE6: 0)
  /// The instant up to which the phone's age is in the freshness integral.
  var countedUntil = SimInstant.distantPast
  /// The newest run of stored batch numbers. `StoredBatches` has the phone's other batches.
  var run = GrowingRun()
  var chosenSweep: UInt32 = 0
  var unreachable = UnreachableTally()
  package var authorization = Authorization.notDetermined
  private var marks = Marks()
  var unanswered: UInt8 = 0
  var answerShare: UInt8 = 0
  /// The most that a batch's newest timestamp was ahead of the batch's arrival, in hundredths of a
  /// second. Negative if every timestamp was in the past, and `noStamp` without a batch.
  private(set) var stampOffset = Self.noStamp

  static let noStamp = Int32.min

  /// Updates `stampOffset` (CK2). A delay only lowers a batch's offset, so the greatest is kept.
  mutating func noteStamp(_ newest: FixTime, at now: SimInstant) {
    let ahead = newest.centiseconds &- FixTime(now).centiseconds
    stampOffset = max(stampOffset, Int32(clamping: max(ahead, Int64(Self.noStamp) + 1)))
  }

  /// The value of `newestFix` without a fix, older than every real timestamp.
  package static let neverSeen = FixTime(centiseconds: .min)

  package init() {}

  package var isKnown: Bool { reportedAt != .distantPast || !run.isEmpty }
  /// The newest installation with a stored batch, or 0 without a stored batch.
  package var epoch: UInt32 { run.epoch }
  package var hasFix: Bool { newestFix != Self.neverSeen }
  package var isReachable: Bool { authorization == .always && tokenValid }

  struct Marks: OptionSet, BitwiseCopyable {
    var rawValue: UInt8
    static let tokenValid = Marks(rawValue: 1)
    static let isScheduled = Marks(rawValue: 2)
    static let isWaiting = Marks(rawValue: 4)
    static let isOpen = Marks(rawValue: 8)
    static let wasWithheld = Marks(rawValue: 16)
    /// Whether the provider refused the last push temporarily, so that the next push comes soon.
    static let wasRefused = Marks(rawValue: 32)
    static let wasUnreachable = Marks(rawValue: 64)
    static let isCounted = Marks(rawValue: 128)
  }

  subscript(mark: Marks) -> Bool {
    get { marks.contains(mark) }
    set { if newValue { marks.insert(mark) } else { marks.remove(mark) } }
  }

  package var tokenValid: Bool {
    get { self[.tokenValid] }
    set { self[.tokenValid] = newValue }
  }
}

package struct SequenceRun: Equatable, Sendable, BitwiseCopyable {
  package var epoch: UInt32 = 0
  package var low: UInt32 = 1
  /// The last number of the run, or a number less than `low` if the run is empty.
  package var high: UInt32 = 0

  package init() {}
  package init(epoch: UInt32, low: UInt32, high: UInt32) {
    self.epoch = epoch
    self.low = low
    self.high = high
  }

  package var isEmpty: Bool { high < low }
  package var order: UInt64 { UInt64(epoch) << 32 | UInt64(high) }
  /// Returns whether the run has the number, whatever the epoch.
  package func contains(_ sequence: UInt32) -> Bool { low <= sequence && sequence <= high }
}

/// The end of a phone's newest run, whose start is 1 unless `StoredBatches` has another start.
struct GrowingRun: Equatable, Sendable, BitwiseCopyable {
  var epoch: UInt32 = 0
  var high: UInt32 = 0

  var isEmpty: Bool { high == 0 }
  var order: UInt64 { UInt64(epoch) << 32 | UInt64(high) }
}

package struct UnreachableTally: Equatable, Sendable, BitwiseCopyable {
  /// The number of occasions at least W before the end of the measured time.
  package internal(set) var eligible: UInt16 = 0
  /// The number of `eligible` occasions after which a good fix arrived within W without a push.
  package internal(set) var answered: UInt16 = 0
}
