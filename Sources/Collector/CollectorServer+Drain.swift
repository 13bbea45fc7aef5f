internal import SimulationCore
internal import Transport

/// The good end, step by step: not ready ▶ (`drainDelay`) ▶ stop to accept ▶ GOAWAY ▶ open calls
/// are answered, uploads after their commit ▶ store closed, its log folded in ▶ admin port closed.
///
/// A process that is ended half-way through has lost nothing: what was acknowledged was durable
/// before.
extension CollectorServer {
  /// On the loop's thread.
  func drain(_ why: String) {
    guard phase == .serving || phase == .starting else { return }
    enter(.draining)
    drainBegan = loop.now
    disarmDuties()
    log(
      .info, "drain.begin",
      [
        "why": .text(why), "connections": .whole(rpc.counters.connections),
        "calls": .whole(rpc.counters.streams), "uploads_waiting": .whole(desk.uploadsWaiting),
        "delay_ms": .whole(Int(configuration.drainDelay.microseconds / 1_000)),
      ])
    // Whoever asks /readyz can send its phones elsewhere before their connections are refused.
    drainTimer?.arm(at: loop.now + configuration.drainDelay)
  }

  func closeDoors() {
    log(
      .info, "drain.goaway",
      [
        "connections": .whole(rpc.counters.connections), "calls": .whole(rpc.counters.streams),
        "limit_ms": .whole(Int(configuration.drainLimit.microseconds / 1_000)),
      ])
    let cancelledBefore = rpc.counters.cancelled
    rpc.drain(within: configuration.drainLimit) { [self] in
      log(
        .info, "drain.calls",
        [
          "cut": .whole(Int(rpc.counters.cancelled - cancelledBefore)),
          "uploads_waiting": .whole(desk.uploadsWaiting), "took_ms": .whole(sinceDrain),
        ])
      patrol()
      loop.stop()
    }
  }

  /// After the loop has ended, on the thread of `run`.
  func closeStore() {
    enter(.closing)
    store.close()
    guard store.isDurable else { return }
    log(.info, "store.closed", ["took_ms": .whole(sinceDrain)])
  }

  /// Milliseconds.
  private var sinceDrain: Int { Int((loop.now - (drainBegan ?? loop.now)).microseconds / 1_000) }
}
