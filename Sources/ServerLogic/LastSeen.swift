package import SimulationCore
package import Telemetry

/// What the server knows of one phone, the scheduler's part with it: 56 bytes, and four more for
/// its entry in the calendar, so that a million phones are 60 MB.
package struct LastSeen: Equatable, Sendable, BitwiseCopyable {
  /// When the last distinct batch (or the registration) arrived: the phone is silent since then.
  package var reportedAt = SimInstant.distantPast
  /// Timestamp of the newest fix held; `neverSeen` if there is none.
  package var newestFix = Self.neverSeen
  /// Where the newest fix was.
  package var coordinate = Coordinate(latitudeE6: 0, longitudeE6: 0)
  /// From here on the age of this phone is not yet in the integral.
  var countedUntil = SimInstant.distantPast
  /// The run of sequence numbers that grows; what else is held lies in `StoredBatches`.
  var run = GrowingRun()
  /// The number of the sweep that chose this phone last; 0: none did.
  var chosenSweep: UInt32 = 0
  /// Occasions of the measured time on which the phone could not be pushed.
  var unreachable = UnreachableTally()
  /// Is the location permission that the last registration reported.
  package var authorization = Authorization.notDetermined
  private var marks = Marks()
  /// Unanswered pushes since the last report.
  var unanswered: UInt8 = 0
  /// What it answers, as `WakePace` reads it.
  var answerShare: UInt8 = 0
  /// Is the most that the newest stamp of a batch was ahead of its receipt, in hundredths of a
  /// second; negative where every batch was older. `noStamp` without a batch.
  private(set) var stampOffset = Self.noStamp

  static let noStamp = Int32.min

  /// Notes how far the newest stamp of a batch was ahead of its receipt (CK2).
  ///
  /// The delay of a batch only lowers it, so that the greatest is nearest to the phone's clock.
  mutating func noteStamp(_ newest: FixTime, at now: SimInstant) {
    let ahead = newest.centiseconds &- FixTime(now).centiseconds
    stampOffset = max(stampOffset, Int32(clamping: max(ahead, Int64(Self.noStamp) + 1)))
  }

  /// Is the timestamp that stands for no fix; it is older than every real one.
  package static let neverSeen = FixTime(centiseconds: .min)

  /// Makes the row of a phone that never registered or reported.
  package init() {}

  /// Whether the phone ever registered, reported or was restored.
  package var isKnown: Bool { reportedAt != .distantPast || !run.isEmpty }
  /// Is the newest installation of which a batch is held; 0 if none is.
  package var epoch: UInt32 { run.epoch }
  /// Is true where the server holds a fix of the phone.
  package var hasFix: Bool { newestFix != Self.neverSeen }
  /// Always permission and a valid token, as the last registration said.
  package var isReachable: Bool { authorization == .always && tokenValid }

  private struct Marks: OptionSet, BitwiseCopyable {
    var rawValue: UInt8
    static let tokenValid = Marks(rawValue: 1)
    static let isScheduled = Marks(rawValue: 2)
    static let isWaiting = Marks(rawValue: 4)
    static let isOpen = Marks(rawValue: 8)
    static let wasWithheld = Marks(rawValue: 16)
    static let wasRefused = Marks(rawValue: 32)
    static let wasUnreachable = Marks(rawValue: 64)
    static let isCounted = Marks(rawValue: 128)
  }

  private subscript(mark: Marks) -> Bool {
    get { marks.contains(mark) }
    set { if newValue { marks.insert(mark) } else { marks.remove(mark) } }
  }

  /// Is true where the last registration reported a valid push token.
  package var tokenValid: Bool {
    get { self[.tokenValid] }
    set { self[.tokenValid] = newValue }
  }
  /// Whether the phone has its one entry in the calendar.
  var isScheduled: Bool {
    get { self[.isScheduled] }
    set { self[.isScheduled] = newValue }
  }
  /// Whether the phone is due and waits for the rate.
  var isWaiting: Bool {
    get { self[.isWaiting] }
    set { self[.isWaiting] = newValue }
  }
  /// Whether the last occasion still waits for its answer.
  var isOpen: Bool {
    get { self[.isOpen] }
    set { self[.isOpen] = newValue }
  }
  /// Whether the last occasion was a control.
  var wasWithheld: Bool {
    get { self[.wasWithheld] }
    set { self[.wasWithheld] = newValue }
  }
  /// Whether the provider refused the last push for now: the phone is asked again soon.
  var wasRefused: Bool {
    get { self[.wasRefused] }
    set { self[.wasRefused] = newValue }
  }
  /// Whether the last occasion was one on which the phone could not be pushed.
  var wasUnreachable: Bool {
    get { self[.wasUnreachable] }
    set { self[.wasUnreachable] = newValue }
  }
  /// Whether that one is in `unreachable`.
  var isCounted: Bool {
    get { self[.isCounted] }
    set { self[.isCounted] = newValue }
  }
}

/// A run of sequence numbers of one installation that are all held.
package struct SequenceRun: Equatable, Sendable, BitwiseCopyable {
  /// Is the installation that the numbers count in.
  package var epoch: UInt32 = 0
  /// Is the first sequence number of the run.
  package var low: UInt32 = 1
  /// Is the last sequence number of the run; less than `low` where the run is empty.
  package var high: UInt32 = 0

  /// Makes an empty run.
  package init() {}
  /// Makes the run of the numbers `low ... high` of one installation.
  package init(epoch: UInt32, low: UInt32, high: UInt32) {
    self.epoch = epoch
    self.low = low
    self.high = high
  }

  /// Is true where the run holds no number.
  package var isEmpty: Bool { high < low }
  /// Is the place of the run's last batch among those of its phone, as `BatchID.order` has it.
  package var order: UInt64 { UInt64(epoch) << 32 | UInt64(high) }
  /// Is true where the number is in the run; the epoch is not compared.
  package func contains(_ sequence: UInt32) -> Bool { low <= sequence && sequence <= high }
}

/// The end of a phone's newest run. It nearly always begins at 1; `StoredBatches` knows where it
/// begins else.
struct GrowingRun: Equatable, Sendable, BitwiseCopyable {
  var epoch: UInt32 = 0
  /// 0: empty, since no batch has that number.
  var high: UInt32 = 0

  var isEmpty: Bool { high == 0 }
  /// Is the place of its last batch among those of the phone, as `BatchID.order` has it.
  var order: UInt64 { UInt64(epoch) << 32 | UInt64(high) }
}

/// Occasions on which a silent phone would have been pushed, had it been reachable.
package struct UnreachableTally: Equatable, Sendable, BitwiseCopyable {
  /// At least W before the end of the measured time. 65,535 are more than a month's.
  package internal(set) var eligible: UInt16 = 0
  /// Of these, the ones that a good fix followed within W, by itself.
  package internal(set) var answered: UInt16 = 0

  /// Makes a tally at zero.
  package init() {}
}
