internal import ServerLogic
internal import SimulationCore
internal import Transport

/// Keeps a collector informed of others on the same store: of the run that one of them opened, of
/// what they committed, and of which of them asks for pushes.
///
/// Two events of one phone may be told in another order than they came in; the newest fix, the last
/// report and the sums do not depend on it. Belongs to the loop's thread.
final class OtherCollectors {
  private let follower: any StoreFollower
  private let loop: EventLoop
  private let runs: RunHost
  private let log: CollectorLog
  private let found: LoopInbox<StoreUpdate>
  /// Holds those who wait for a look, oldest first.
  private var waiting: [(isReading: Bool, done: (StoreError?) -> Void)] = []
  private var isStopped = false
  /// Is called when a run was taken that another collector had opened.
  var whenAdopted: () -> Void = {}
  /// Is true where this collector could deliver pushes.
  var maySweep: () -> Bool = { false }
  /// Is true where this collector asks for pushes, and no other does.
  private(set) var isSweeper = false
  /// Is called after each look, with the reason why it found nothing out, or nil.
  var whenLooked: (StoreError?) -> Void = { _ in }
  private lazy var timer = LoopTimer(on: loop) { [unowned self] in look() }

  /// Is the time between two looks. A sweeper that has died is followed by another within this time
  /// and the five seconds after which the database misses it.
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
    // A database that does not answer is not asked twice.
    if waiting.isEmpty { catchUp(reads: false) { _ in } }
    timer.arm(at: loop.now + Self.period)
  }

  /// Calls `done` on the loop's thread once all that others had committed before this call is
  /// known, or with the reason why it cannot be known: the database does not answer.
  ///
  /// - Parameter reads: false where that is wanted of the collector that sweeps only.
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
    // Looks are answered in the order in which they were asked for.
    if !waiting.isEmpty { waiting.removeFirst().done(update.problem) }
  }
}
