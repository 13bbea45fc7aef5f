internal import Core
internal import Transport

/// The graceful shutdown. After `drainDelay`, the collector stops accepting, sends GOAWAY, answers
/// open calls (uploads after their commit), checkpoints and closes the store, and closes the admin
/// port. A kill half-way loses no acknowledged batch. For the loop's thread only.
final class Shutdown {
  private let loop: EventLoop
  private let rpc: RPCServer
  private let commits: Commits
  private let configuration: CollectorConfiguration
  private let began: WallInstant
  private let whenAnswered: () -> Void
  private lazy var timer = LoopTimer(on: loop) { [unowned self] in stopAccepting() }
  private var log: CollectorLog { configuration.log }

  /// - Parameter whenAnswered: called when all calls have been answered.
  init(
    _ why: String, _ rpc: RPCServer, _ commits: Commits, _ configuration: CollectorConfiguration,
    whenAnswered: @escaping () -> Void
  ) {
    loop = rpc.loop
    self.rpc = rpc
    self.commits = commits
    self.configuration = configuration
    self.whenAnswered = whenAnswered
    began = loop.now
    log(
      .info, "drain.begin",
      [
        "why": .text(why), "connections": .whole(rpc.counters[.connections]),
        "calls": .whole(rpc.counters[.streams]),
        "uploads_waiting": .whole(commits.uploadsWaiting),
        "delay_ms": .whole(Int(configuration.drainDelay.microseconds / 1_000)),
      ])
    // The delay lets a load balancer that probes /readyz redirect phones before they are refused.
    timer.arm(at: began + configuration.drainDelay)
  }

  private func stopAccepting() {
    log(
      .info, "drain.goaway",
      [
        "connections": .whole(rpc.counters[.connections]), "calls": .whole(rpc.counters[.streams]),
        "limit_ms": .whole(Int(configuration.drainLimit.microseconds / 1_000)),
      ])
    let cancelledBefore = rpc.counters[.cancelled]
    let answered = LoopSignal(on: loop)
    answered.whenRaised { [unowned self] in
      log(
        .info, "drain.calls",
        [
          "cut": .whole(Int(rpc.counters[.cancelled] - cancelledBefore)),
          "uploads_waiting": .whole(commits.uploadsWaiting), "took_ms": .whole(milliseconds),
        ])
      whenAnswered()
    }
    rpc.drain(within: configuration.drainLimit) { answered.raise() }
  }

  var milliseconds: Int { Int((loop.now - began).microseconds / 1_000) }
}
