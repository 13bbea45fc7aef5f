internal import SimulationCore

/// A job on its way, and where its microseconds went.
///
/// Invariant: the parts sum to `mark − intended`, since every `move` adds to one of them exactly
/// what it advances `mark` by.
struct JobState {
  enum Phase { case scheduled, hold, connect, service, ended }

  private(set) var job: UploadJob
  private(set) var generation: UInt32 = 0
  private(set) var isLive = true
  private(set) var phase = Phase.scheduled
  private(set) var mark: WallInstant
  private var lag = WallDuration.zero
  private var connect = WallDuration.zero
  private var hold = WallDuration.zero
  private var service = WallDuration.zero
  var deadlineAt = WallInstant.distantFuture
  /// Where the slot stands in the queue of deadlines, for this job or for one before; nil: nowhere.
  var deadlineEntry: WallInstant?
  var attempts = 0
  /// The channel it is on, or waits for to open; -1: none.
  var channel = -1
  /// The number of its open call; 0: none.
  var call: UInt32 = 0
  /// What its channel had read when the call was written.
  var readBefore = 0
  /// Whether the open call is the registration.
  var isRegistering = false
  var registration: [UInt8]?
  var reply: (duplicate: Bool, fixes: UInt32)?
  /// Of the newer settings in the reply; 0: none.
  var settingsVersion: UInt32 = 0

  /// Begun and not ended: its deadline runs.
  var isInFlight: Bool { isLive && phase != .scheduled }

  init(_ job: UploadJob) {
    self.job = job
    mark = job.intended
  }

  mutating func begin(_ job: UploadJob) {
    let (generation, deadlineEntry) = (generation, deadlineEntry)
    self = JobState(job)
    self.generation = generation
    self.deadlineEntry = deadlineEntry
  }

  /// Frees what it holds; entries of the heap that name it are stale from now on.
  mutating func end() {
    isLive = false
    generation &+= 1
    job.message = []
    job.registration = nil
    registration = nil
  }

  mutating func move(to next: Phase, at now: WallInstant) {
    // Two clock reads of one turn may be out of order by the time they are used; none is lost.
    let step = now > mark ? now - mark : .zero
    switch phase {
    case .scheduled: lag += step
    case .hold: hold += step
    case .connect: connect += step
    case .service: service += step
    case .ended: break
    }
    mark = mark + step
    phase = next
  }

  func completion(_ outcome: UploadOutcome) -> UploadCompletion {
    UploadCompletion(
      id: job.id, phone: job.phone, outcome: outcome, attempts: attempts, intended: job.intended,
      generatorLag: lag, connect: connect, hold: hold, service: service,
      registration: registration, settingsVersion: settingsVersion)
  }
}

/// A first-in first-out queue of job slots; entries of jobs that have moved on are skipped.
struct JobQueue {
  private var items: [(slot: Int, generation: UInt32)] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }

  mutating func append(_ slot: Int, generation: UInt32) { items.append((slot, generation)) }

  mutating func popFirst() -> (slot: Int, generation: UInt32)? {
    guard head < items.count else { return nil }
    defer {
      head += 1
      if head == items.count {
        items.removeAll(keepingCapacity: true)
        head = 0
      } else if head > 4_096, head * 2 > items.count {
        items.removeFirst(head)
        head = 0
      }
    }
    return items[head]
  }
}
