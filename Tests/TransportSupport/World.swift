import Core
import Synchronization
import Testing
import Wire

@testable import Transport

/// A world that advances only when a test says so: one loop for both sides, a manual clock,
/// connections in memory.
final class World {
  let clock = ManualClock()
  let network: MemoryNetwork
  let loop: EventLoop
  /// Handlers and similar objects, kept as long as the connections.
  private var kept: [AnyObject] = []

  init(latency: WallDuration = .zero) {
    network = MemoryNetwork(latency: latency)
    loop = EventLoop(name: "world", clock: .manual(clock), network: .memory(network))
  }

  var now: WallInstant { clock.now }

  func keep(_ object: AnyObject) { kept.append(object) }

  /// Runs all work of this instant.
  func settle() { loop.runReady() }

  func advance(by duration: WallDuration) { loop.advance(by: duration) }

  /// Advances time until a condition holds; false: not within the limit.
  func run(
    within limit: WallDuration = .seconds(600), until isTrue: () -> Bool
  ) -> Bool {
    let end = now + limit
    settle()
    while !isTrue() {
      guard let next = loop.alarm?.next, next <= end else { return false }
      advance(by: max(.microseconds(1), next - now))
    }
    return true
  }

  /// Closes every connection, while all handlers exist.
  fileprivate func end() {
    loop.stop()
    loop.run()
    kept = []
  }

  /// A unary call and its answer.
  func call(
    _ client: RPCClient, _ method: CollectorMethod, _ message: [UInt8] = [],
    deadline: WallDuration = .seconds(60)
  ) throws(RPCClient.CallError) -> [UInt8] {
    let reply = Box(Mutex<RPCClient.Reply?>(nil))
    client.call(method, message, deadline: deadline) { result in
      reply.value.withLock { $0 = result }
    }
    _ = run { reply.value.withLock { $0 != nil } }
    guard let result = reply.value.withLock({ $0 }) else {
      throw RPCClient.CallError(status: CallStatus(.internal, "no result"), method: method)
    }
    return try result.get()
  }
}

/// Runs a test in a new world.
func inWorld<Value>(
  latency: WallDuration = .zero, _ body: (World) throws -> Value
) rethrows -> Value {
  let world = World(latency: latency)
  defer { world.end() }
  return try body(world)
}
