package import Core
internal import Phone

/// The cost and freshness of one phone, to compare policies phone by phone. A fleet keeps tallies
/// only on request, one per phone in contiguous storage.
package struct PhoneTally: Sendable, BitwiseCopyable {
  package var fixes: Int64 = 0
  package var batches: Int64 = 0
  /// The energy of the phone's tracker in percent of a full battery; set when the tally is read.
  package internal(set) var batteryPercent = 0.0
  package internal(set) var joules = 0.0
  package var pushes: Int64 = 0
  package var total = SimDuration.zero
  package var located = SimDuration.zero
  package var moving = SimDuration.zero
  package var movingFresh = SimDuration.zero
  /// The time in which the collector had no fix.
  package var never = SimDuration.zero
  package var stale = StaleLedger()
  static var wakeCauses: Int { Self().wakeCounts.count }
  private var wakeCounts = InlineArray<7, Int32>(repeating: 0)
  /// The integral of the distance from the true to the newest stored position, in metre-seconds.
  package var errorMeterSeconds = 0.0
  /// The number of distance buckets, as in `ErrorScale`.
  static let errorBuckets = 48
  private var errorSeconds = InlineArray<48, Float>(repeating: 0)

  package init() {}

  package var fresh: SimDuration { total - stale.sum }
  package func wakes(_ cause: WakeCause) -> Int { Int(wakeCounts[cause.slot]) }
  package func errorSeconds(_ bucket: Int) -> Double { Double(errorSeconds[bucket]) }

  mutating func addWake(_ cause: WakeCause) { wakeCounts[cause.slot] += 1 }

  mutating func addError(meters: Double, seconds: Double) {
    errorMeterSeconds += meters * seconds
    errorSeconds[ErrorScale.bucket(meters: meters)] += Float(seconds)
  }
}

/// A shard's sums before an event of one phone; the event's additions belong to that phone.
struct TallyMark: BitwiseCopyable {
  let fixes: Int
  let batches: Int
  let total: SimDuration
  let located: SimDuration
  let moving: SimDuration
  let movingFresh: Int64
  let never: Int64
  let cohort: UInt8
  let stale: StaleLedger

  init(_ metrics: borrowing FleetMetrics, cohort: UInt8) {
    fixes = metrics[.fixesPersisted]
    batches = metrics[.batchesCut]
    total = metrics.freshness.installed.total
    located = metrics.freshness.installed.located
    moving = metrics.freshness.moving.total
    movingFresh = metrics.freshness.moving.ages.timeWithin[0]
    never = metrics.freshness.installed.ages.never
    self.cohort = cohort
    stale = metrics.cohorts[Int(cohort)].stale
  }
}

struct ShardTallies {
  private var tallies: [PhoneTally] = []

  var areKept: Bool { !tallies.isEmpty }
  var bytes: Int { tallies.capacity * MemoryLayout<PhoneTally>.stride }
  subscript(i: Int) -> PhoneTally { tallies[i] }

  mutating func begin(phones count: Int) {
    tallies = [PhoneTally](repeating: PhoneTally(), count: count)
  }

  @inline(__always)
  func mark(_ metrics: borrowing FleetMetrics, cohort: UInt8) -> TallyMark? {
    areKept ? TallyMark(metrics, cohort: cohort) : nil
  }

  @inline(__always)
  mutating func add(_ i: Int, since mark: TallyMark?, _ metrics: borrowing FleetMetrics) {
    if areKept, let mark { addGrowth(i, since: mark, metrics) }
  }

  private mutating func addGrowth(
    _ i: Int, since mark: TallyMark, _ metrics: borrowing FleetMetrics
  ) {
    let now = TallyMark(metrics, cohort: mark.cohort)
    tallies[i].fixes += Int64(now.fixes - mark.fixes)
    tallies[i].batches += Int64(now.batches - mark.batches)
    tallies[i].total += now.total - mark.total
    tallies[i].located += now.located - mark.located
    tallies[i].moving += now.moving - mark.moving
    tallies[i].movingFresh += .microseconds(now.movingFresh - mark.movingFresh)
    tallies[i].never += .microseconds(now.never - mark.never)
    for cause in StaleCause.allCases {
      let grown = now.stale[cause] - mark.stale[cause]
      if grown > .zero { tallies[i].stale.add(grown, cause) }
    }
  }

  mutating func notePush(_ i: Int) {
    if areKept { tallies[i].pushes += 1 }
  }

  mutating func noteWake(
    _ i: Int, _ slot: DueSlot, from before: AppProcess.State, to after: AppProcess.State
  ) {
    guard areKept, let cause = Self.wakeCause(slot) else { return }
    let couldRun = before == .foreground || before == .background
    let canRun = after == .foreground || after == .background
    switch cause {
    case .timer: if couldRun && before == .background { tallies[i].addWake(.timer) }
    case .regionExit, .significantChange, .visit, .push, .refresh, .userSession:
      if !couldRun && canRun { tallies[i].addWake(cause) }
    }
  }

  /// Returns the cause of a wake by the slot's event; nil if such an event wakes no app.
  private static func wakeCause(_ slot: DueSlot) -> WakeCause? {
    switch slot {
    case .regionExit, .place: .regionExit
    // On Android a location in the background stands for it.
    case .significantChange, .background: .significantChange
    case .visit: .visit
    // A check of the battery may release a push that Low Power Mode held back.
    case .push, .pushGate, .battery: .push
    case .refresh: .refresh
    case .session: .userSession
    case .stopTimer, .sendTimer, .restartTimer, .stillTimer: .timer
    case .segment, .offlineEdge, .powerEdge, .airplaneEdge, .swipe, .installation, .stored,
      .uploadOutcome, .standard, .pause, .motion, .consent, .settings, .memory, .process,
      .backgroundExpiry:
      nil
    }
  }

  /// Adds the error of the collector's newest position, which does not change in this period.
  mutating func noteError(
    _ i: Int, of stored: PlanePoint, _ truth: Segment, from: SimInstant, to: SimInstant
  ) {
    truth.forEachDistance(to: stored, from: from, to: to) { meters, seconds in
      tallies[i].addError(meters: meters, seconds: seconds)
    }
  }
}

extension Segment {
  /// Calls `body` once for a stay. For a movement, calls `body` at the middle of each ten seconds
  /// of a grid of scenario time, so that all runs sample at the same instants.
  package func forEachDistance(
    to point: PlanePoint, from: SimInstant, to: SimInstant,
    _ body: (_ meters: Double, _ seconds: Double) -> Void
  ) {
    guard isMoving || trackLength > 0 else {
      return body(position(at: from).distance(to: point), (to - from).seconds)
    }
    let step: Int64 = 10_000_000
    var at = from
    while at < to {
      let border = SimInstant(microseconds: (at.microseconds / step + 1) * step)
      let next = min(to, border)
      let middle = at + SimDuration(microseconds: (next - at).microseconds / 2)
      body(position(at: middle).distance(to: point), (next - at).seconds)
      at = next
    }
  }
}
