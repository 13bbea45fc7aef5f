package import Core
internal import Dispatch
package import Push
package import Scenarios

/// A shard and the serial queue that owns it in a live run. `@unchecked Sendable`: in a live run
/// only tasks on `queue` access the shard; in virtual time only one iteration of
/// `concurrentPerform`, or the driver between iterations. No thread runs at a change of mode.
final class ShardOwner: @unchecked Sendable {
  let queue: DispatchQueue
  var shard: Shard

  init(
    context: FleetContext, phones: Range<Int>, start: SimInstant, number: Int, traces: [PhoneTrace]
  ) {
    queue = Self.queue(number)
    shard = Shard(context: context, phones: phones, start: start, tracing: traces)
  }

  init(context: FleetContext, places: Range<Int>, start: SimInstant, number: Int) {
    queue = Self.queue(number)
    shard = Shard(context: context, places: places, start: start)
  }

  private static func queue(_ number: Int) -> DispatchQueue {
    DispatchQueue(label: "flotilla.shard.\(number)", qos: .userInitiated)
  }
}

/// The phones of a run, or a range of them, in shards.
///
/// Neither range nor shards change what a phone does. Phones interact only through the server, in
/// (instant, phone) order, and all draws for a phone are keyed by its number in the whole fleet.
package final class PhoneFleet: Sendable {
  package let context: FleetContext
  package let phones: Range<Int>
  let owners: [ShardOwner]
  let shardSize: Int

  /// Creates a fleet in which the phones' history begins at `start - warmStart`. A nil `range`
  /// means all phones; a nil `packs` packs phones at rest in a large fleet.
  package convenience init(
    _ scenario: Scenario, phones range: Range<Int>? = nil, threads: Int,
    epoch: UInt32 = FleetContext.firstEpoch, tracing traces: [PhoneTrace] = [],
    packs: Bool? = nil
  ) {
    let birth = scenario.start - scenario.warmStart
    let context = FleetContext(scenario, epoch: epoch, packs: packs)
    self.init(context, range, threads) { context, part, number in
      ShardOwner(context: context, phones: part, start: birth, number: number, traces: traces)
    }
  }

  convenience init(
    _ scenario: Scenario, phones range: Range<Int>, threads: Int, emptyAt instant: SimInstant
  ) {
    self.init(FleetContext(scenario), range, threads) { context, part, number in
      ShardOwner(context: context, places: part, start: instant, number: number)
    }
  }

  private init(
    _ context: FleetContext, _ range: Range<Int>?, _ threads: Int,
    _ owner: @Sendable (FleetContext, Range<Int>, _ number: Int) -> ShardOwner
  ) {
    self.context = context
    let all = 0..<context.scenario.fleet.phones
    let phones = range ?? all
    precondition(
      phones.clamped(to: all) == phones, "phones \(phones) must be some of the fleet's \(all)")
    self.phones = phones
    let size = max(1, (phones.count + threads - 1) / max(1, threads))
    shardSize = size
    let ranges = stride(from: phones.lowerBound, to: phones.upperBound, by: size)
      .map { $0..<min($0 + size, phones.upperBound) }
    owners = Array(ranges.enumerated()).concurrentMap { owner(context, $0.element, $0.offset) }
  }

  /// The number of shards; each has at most `shardSize` phones.
  package var shardCount: Int { owners.count }
  /// Returns the index of a phone's shard; nil if another process simulates the phone.
  package func shard(of phone: PhoneID) -> Int? {
    let number = Int(phone.rawValue)
    return phones.contains(number) ? (number - phones.lowerBound) / shardSize : nil
  }

  package func forEachShard(_ body: @Sendable (Int, inout Shard) -> Void) {
    DispatchQueue.concurrentPerform(iterations: owners.count) { n in
      body(n, &owners[n].shard)
    }
  }

  package func inOrder(_ body: (inout Shard) -> Void) {
    for owner in owners { body(&owner.shard) }
  }

  // MARK: Sums over all shards

  package func metrics() -> FleetMetrics {
    var sum = owners[0].shard.metrics
    for owner in owners.dropFirst() { sum.merge(owner.shard.metrics) }
    return sum
  }

  /// Returns the freshness of the counted time so far; reads every phone.
  package func freshness() -> FreshnessMetrics {
    var sum = owners[0].shard.freshness()
    for owner in owners.dropFirst() { sum.merge(owner.shard.freshness()) }
    return sum
  }

  package func counts() -> Sheet {
    owners.reduce(into: Sheet()) { $0 += $1.shard.metrics.counts }
  }

  package func silence() -> SilenceHistory {
    var sum = owners[0].shard.silence
    for owner in owners.dropFirst() { sum.merge(owner.shard.silence) }
    return sum
  }

  package func uploadsByMinute() -> [UInt32] {
    var sum = owners[0].shard.uploadsByMinute
    for owner in owners.dropFirst() { sum.add(owner.shard.uploadsByMinute) }
    return sum
  }

  package func behaviours() -> [UInt64] {
    var all: [UInt64] = []
    all.reserveCapacity(phones.count)
    inOrder { all += $0.behaviours }
    return all
  }

  package func census() -> Sheet {
    var sum = Sheet()
    inOrder { sum += $0.census() }
    return sum
  }

  package func digest() -> Digest {
    var sum = Digest()
    inOrder { sum.merge($0.digest()) }
    return sum
  }

  package func pushEndings() -> [PushEnding] {
    forEachShard { _, shard in shard.sortPushEndings() }
    var parts: [[PushEnding]] = []
    inOrder { parts.append($0.pushEndings) }
    return PushEnding.merged(parts)
  }

  /// Takes the ended pushes from the shards: nine pushes per phone and day would fill the memory.
  func takePushEndings() -> [PushEnding] {
    var all: [PushEnding] = []
    var count = 0
    inOrder { count += $0.pushEndings.count }
    all.reserveCapacity(count)
    inOrder { shard in
      shard.sortPushEndings()
      all += shard.pushEndings
      shard.pushEndings = []
    }
    return PushEnding.sorted(all)
  }
}
