internal import Core
internal import Transport

/// Follows other collectors on the same store. A phone's events may arrive out of order, but the
/// newest fix, the last report and the sums do not depend on the order. For the loop's thread only.
final class OtherCollectors {
  private let follower: any StoreFollower
  private let loop: EventLoop
  private let runs: RunHost
  private let log: CollectorLog
  private let found: LoopInbox<StoreUpdate>
  private var waiting: [(isReading: Bool, done: (StoreError?) -> Void)] = []
  private var isStopped = false
  var whenAdopted: () -> Void = {}
  var maySweep: () -> Bool = { false }
  private(set) var isSweeper = false
  var whenLooked: (StoreError?) -> Void = { _ in }
  private lazy var timer = LoopTimer(on: loop) { [unowned self] in look() }

  /// The time between polls. A dead sweeper is replaced within this time plus the five seconds in
  /// which the database detects the loss.
  private static let period = WallDuration.seconds(1)

  init(_ follower: any StoreFollower, _ loop: EventLoop, _ runs: RunHost, _ log: CollectorLog) {
    self.follower = follower
    self.loop = loop
    self.runs = runs
    self.log = log
    found = LoopInbox(on: loop)
    found.whenFilled { [weak self] in self?.take($0) }
  }

  func start() { look() }

  func stop() {
    isStopped = true
    timer.disarm()
  }

  private func look() {
    // A database that has not answered yet is not asked again.
    if waiting.isEmpty { catchUp(reads: false) { _ in } }
    timer.arm(at: loop.now + Self.period)
  }

  /// Calls `done` on the loop's thread once all earlier commits of others are known, or with an
  /// error. If this collector does not sweep, `reads` decides whether others' commits are read.
  func catchUp(reads: Bool = true, _ done: @escaping (StoreError?) -> Void) {
    guard !isStopped else { return done(nil) }
    waiting.append((reads, done))
    let found = found
    follower.look(reads: reads && runs.run != nil, maySweep: maySweep()) { found.put($0) }
  }

  private func take(_ update: StoreUpdate) {
    whenLooked(update.problem)
    if let stored = update.run, !isStopped, runs.adopt(stored) { whenAdopted() }
    if let run = runs.run {
      for bytes in update.logs {
        bytes.withUnsafeBytes { bytes in _ = GroupLog.read(bytes) { _ = run.take($0) } }
      }
    }
    if update.isSweeper != isSweeper {
      log(.info, update.isSweeper ? "sweeper.begin" : "sweeper.end")
    }
    isSweeper = update.isSweeper
    // Answers come in the order of the requests.
    if !waiting.isEmpty { waiting.removeFirst().done(update.problem) }
  }
}
