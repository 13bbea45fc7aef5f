internal import Dispatch
package import Measure
internal import Phone
package import PushService
package import Scenarios
internal import ServerLogic
internal import SimulationCore
package import Telemetry

/// A shard and the serial queue that owns it while a run is live.
///
/// `@unchecked Sendable`: (1) in virtual time a shard is touched by one iteration of
/// `concurrentPerform` at a time, and by the driver between two of them; (2) live, only tasks on
/// `queue` touch it; (3) a run changes from the one to the other while nobody runs.
final class ShardOwner: @unchecked Sendable {
  let queue: DispatchQueue
  var shard: Shard

  init(
    context: FleetContext, phones: Range<Int>, start: SimInstant, number: Int, traces: [PhoneTrace]
  ) {
    queue = DispatchQueue(label: "flotilla.shard.\(number)", qos: .userInitiated)
    shard = Shard(context: context, phones: phones, start: start, tracing: traces)
  }
}

/// All phones of a run, in shards.
///
/// The split changes nothing but speed: phones meet only at the server, in (instant, phone) order.
package final class PhoneFleet: Sendable {
  package let context: FleetContext
  let owners: [ShardOwner]
  let shardSize: Int

  /// The phones are born at `start - warmStart`.
  ///
  /// - Parameter traces: write down the lives of their phones.
  package init(_ scenario: Scenario, threads: Int, tracing traces: [PhoneTrace] = []) {
    let context = FleetContext(scenario)
    self.context = context
    let phones = scenario.fleet.phones
    let size = max(1, (phones + threads - 1) / max(1, threads))
    shardSize = size
    let birth = scenario.start - scenario.warmStart
    let ranges = stride(from: 0, to: phones, by: size).map { $0..<min($0 + size, phones) }
    let made = OwnerList(count: ranges.count)
    DispatchQueue.concurrentPerform(iterations: ranges.count) { n in
      made.set(
        n,
        ShardOwner(context: context, phones: ranges[n], start: birth, number: n, traces: traces))
    }
    owners = made.all
  }

  package var shardCount: Int { owners.count }
  package func shard(of phone: PhoneID) -> Int { Int(phone.rawValue) / shardSize }

  /// Runs `body` on every shard at once, and returns when all are done.
  package func forEachShard(_ body: @Sendable (Int, inout Shard) -> Void) {
    DispatchQueue.concurrentPerform(iterations: owners.count) { n in
      body(n, &owners[n].shard)
    }
  }

  /// Runs `body` on one shard after the other, in the order of their phones.
  package func inOrder(_ body: (inout Shard) -> Void) {
    for owner in owners { body(&owner.shard) }
  }

  // MARK: Sums over all shards

  package func figures() -> FleetFigures {
    var sum = owners[0].shard.figures
    for owner in owners.dropFirst() { sum.merge(owner.shard.figures) }
    return sum
  }

  /// When, why and where phones were silent.
  package func silence() -> SilenceHistory {
    var sum = owners[0].shard.silence
    for owner in owners.dropFirst() { sum.merge(owner.shard.silence) }
    return sum
  }

  /// What the phones did, to be set beside another run.
  package func trail() -> RunTrail {
    var trail = RunTrail(uploadsByMinute: [], behaviour: [])
    trail.behaviour.reserveCapacity(context.scenario.fleet.phones)
    inOrder { shard in
      trail.behaviour += shard.behaviours
      if trail.uploadsByMinute.isEmpty {
        trail.uploadsByMinute = shard.uploadsByMinute
      } else {
        for (minute, count) in shard.uploadsByMinute.enumerated() {
          trail.uploadsByMinute[minute] += count
        }
      }
    }
    return trail
  }

  package func census() -> FleetCensus {
    var sum = FleetCensus()
    inOrder { sum.merge($0.census()) }
    return sum
  }

  package func digest() -> Digest {
    var sum = Digest()
    inOrder {
      let part = $0.digest()
      sum.world &+= part.world
      sum.behaviour &+= part.behaviour
    }
    return sum
  }

  /// Every push's ending so far, by (requested at, phone).
  package func pushEndings() -> [PushEnding] {
    var all: [PushEnding] = []
    inOrder { all += $0.endingsWithForesight }
    return all.sorted { ($0.requestedAt, $0.phone) < ($1.requestedAt, $1.phone) }
  }
}

/// Lets the shards of a fleet be built side by side. `@unchecked Sendable`: each iteration writes
/// its own place, and `all` is read when every iteration is over.
private final class OwnerList: @unchecked Sendable {
  private let places: UnsafeMutableBufferPointer<ShardOwner?>

  init(count: Int) {
    places = .allocate(capacity: count)
    places.initialize(repeating: nil)
  }

  deinit {
    places.deinitialize()
    places.deallocate()
  }

  func set(_ n: Int, _ owner: ShardOwner) { places[n] = owner }
  var all: [ShardOwner] { places.compactMap { $0 } }
}
