package import Core
internal import Dispatch
internal import Phone
internal import Synchronization

/// Keeps the server's inputs for phones until their shard's next tick. Any thread may deliver.
package final class FleetMailbox: Sendable {
  private final class Box: Sendable {
    let inputs = Mutex<[(PhoneID, ServerInput)]>([])
  }
  fileprivate let fleet: PhoneFleet
  private let boxes: [Box]
  private let watch: (@Sendable ([(phone: PhoneID, input: ServerInput)]) -> Void)?

  /// - Parameter watch: receives all delivered inputs, on the delivering thread.
  package init(
    _ fleet: PhoneFleet, watch: (@Sendable ([(phone: PhoneID, input: ServerInput)]) -> Void)? = nil
  ) {
    self.fleet = fleet
    self.watch = watch
    boxes = fleet.owners.map { _ in Box() }
  }

  package func deliver(_ inputs: [(phone: PhoneID, input: ServerInput)]) {
    watch?(inputs)
    for (phone, input) in inputs {
      guard let shard = fleet.shard(of: phone) else { continue }
      boxes[shard].inputs.withLock { $0.append((phone, input)) }
    }
  }

  fileprivate func takeAll(ofShard number: Int) -> [(PhoneID, ServerInput)] {
    boxes[number].inputs.withLock { inputs in
      let all = inputs
      inputs.removeAll()
      return all
    }
  }
}

/// A fleet that follows the wall clock: each tick is one Dispatch task per shard. The pacer runs
/// slightly ahead of the clock. A tick begins by consuming and logging the server's inputs.
package final class LiveFleet: Sendable {
  package let fleet: PhoneFleet
  private let uplink: any Uplink
  private let mailbox: FleetMailbox
  private let lanes: [Lane]
  /// The log of consumed inputs; nil to keep them in memory.
  private let writer: InputWriter?

  private final class Lane: Sendable {
    struct Content: Sendable {
      var isTicking = false
      var log: [ConsumedInput] = []
      var horizon = SimInstant.distantPast
    }
    let content = Mutex(Content())
  }

  /// - Parameter inputs: writes consumed inputs; nil to keep them in memory.
  package init(mailbox: FleetMailbox, uplink: any Uplink, inputs: InputWriter? = nil) {
    writer = inputs
    fleet = mailbox.fleet
    self.mailbox = mailbox
    self.uplink = uplink
    lanes = fleet.owners.map { _ in Lane() }
    for (lane, owner) in zip(lanes, fleet.owners) {
      lane.content.withLock { $0.horizon = owner.shard.horizon }
    }
  }

  /// Advances every shard to `limit`, without waiting. A shard that is still busy with an earlier
  /// tick catches up at the next tick.
  package func tick(before limit: SimInstant) {
    for n in lanes.indices {
      let isFree = lanes[n].content.withLock { content in
        if content.isTicking { return false }
        content.isTicking = true
        return true
      }
      if isFree { fleet.owners[n].queue.async { self.run(n, before: limit) } }
    }
  }

  package var horizon: SimInstant {
    lanes.map { $0.content.withLock { $0.horizon } }.min() ?? .distantFuture
  }

  /// Returns the provider's answers to pushes since the last call; waits for each shard's queue.
  package func takePushStatuses() -> [(id: UInt64, status: Int)] {
    var all: [(id: UInt64, status: Int)] = []
    for owner in fleet.owners {
      all += owner.queue.sync { owner.shard.takePushStatuses() }
    }
    return all
  }

  /// Returns the tokens found invalid since the last call, each with the instant from which the
  /// provider answers 410. Waits for each shard's queue.
  package func takeTokenEndings(at now: SimInstant) -> [(phone: PhoneID, from: SimInstant)] {
    fleet.owners.flatMap { owner in owner.queue.sync { owner.shard.takeTokenEndings(at: now) } }
  }

  /// Waits for running ticks, and then runs `body` on each shard's queue in turn.
  package func inTurn(_ body: (inout Shard) -> Void) {
    for owner in fleet.owners { owner.queue.sync { body(&owner.shard) } }
  }

  /// Waits for a running tick of a phone's shard, and then runs `body` on the shard's queue.
  ///
  /// - Precondition: The phone is one of this fleet.
  package func onShard<Result>(of phone: Int, _ body: (borrowing Shard) -> Result) -> Result {
    let owner = fleet.owners[(phone - fleet.phones.lowerBound) / fleet.shardSize]
    return owner.queue.sync { body(owner.shard) }
  }

  package func stop(at end: SimInstant) {
    for n in lanes.indices {
      fleet.owners[n].queue.sync {
        self.run(n, before: end)
        fleet.owners[n].shard.startDraining()
        // The phones have not perceived these answers yet, although the answers have arrived.
        fleet.owners[n].shard.deliverKnownAnswers()
      }
    }
  }

  package func drainTick() {
    for n in lanes.indices {
      fleet.owners[n].queue.sync { self.run(n, before: fleet.owners[n].shard.horizon) }
    }
  }

  package func takeLog() -> [ConsumedInput] {
    lanes.flatMap { lane in lane.content.withLock { $0.log } }
  }

  private func run(_ n: Int, before limit: SimInstant) {
    // Dispatch shares its threads, so each tick raises its thread's priority again, in 0.2 µs.
    ThreadUrgency.raise()
    let owner = fleet.owners[n]
    let inputs = mailbox.takeAll(ofShard: n)
    var consumed: [ConsumedInput] = []
    consumed.reserveCapacity(inputs.count)
    for (phone, input) in inputs {
      consumed.append(owner.shard.consume(input, phone: phone))
    }
    owner.shard.advance(before: limit)
    if !owner.shard.orders.isEmpty {
      uplink.submit(owner.shard.orders, fixes: owner.shard.orderFixes, shard: n)
    }
    if !owner.shard.eventOrders.isEmpty { uplink.submit(owner.shard.eventOrders) }
    if !owner.shard.orders.isEmpty || !owner.shard.eventOrders.isEmpty {
      owner.shard.clearOrders()
    }
    let horizon = owner.shard.horizon
    let isLogged = !owner.shard.effects.isDraining
    if isLogged { writer?.append(consumed) }
    lanes[n].content.withLock { content in
      if isLogged, writer == nil { content.log += consumed }
      content.isTicking = false
      content.horizon = horizon
    }
  }
}
