internal import Core
internal import Phone
internal import ServerLogic
internal import Synchronization

/// The uploads of one shard's phones, until they reach the server in virtual time.
///
/// The inbox is `@unchecked Sendable`, since one iteration of `forEachShard` uses an inbox, and
/// only the driver does so between iterations.
final class ServerInbox: @unchecked Sendable {
  private struct Arrival {
    var at: SimInstant
    var order: UploadOrder
    var firstFix: Int
  }

  /// An arrival's sort key and index in the inbox. Turns are sorted instead of arrivals, because an
  /// arrival has six times as many bytes.
  struct Turn: Comparable, BitwiseCopyable {
    let at: SimInstant
    let phone: UInt32
    fileprivate let place: Int32

    static func < (a: Self, b: Self) -> Bool {
      (a.at, a.phone, a.place) < (b.at, b.phone, b.place)
    }
  }

  private var arrivals: [Arrival] = []
  /// The fixes of all arrivals, with true times until `stamp`.
  private var fixes: [Fix] = []
  /// The buffer to which `forget` moves the pending fixes; it is then swapped with `fixes`.
  private var otherFixes: [Fix] = []
  private(set) var turns: [Turn] = []
  /// The events sent since the last `collect`.
  private(set) var events: [EventOrder] = []

  func collect(from shard: inout Shard) {
    let first = fixes.count
    fixes.append(contentsOf: shard.orderFixes)
    for order in shard.orders {
      arrivals.append(
        Arrival(at: order.reachesServer, order: order, firstFix: first + Int(order.firstFix)))
    }
    events = shard.eventOrders
    shard.clearOrders()
  }

  func put(_ order: UploadOrder, _ batch: [Fix]) {
    arrivals.append(Arrival(at: order.reachesServer, order: order, firstFix: fixes.count))
    fixes += batch
  }

  func lineUp(before limit: SimInstant) {
    turns.removeAll(keepingCapacity: true)
    for (place, arrival) in arrivals.enumerated() where arrival.at < limit {
      turns.append(
        Turn(at: arrival.at, phone: arrival.order.id.phone.rawValue, place: Int32(place)))
    }
    turns.sort()
  }

  func show(_ turn: Turn, to observer: (UploadOrder, UnsafeBufferPointer<Fix>) -> Void) {
    let arrival = arrivals[Int(turn.place)]
    fixes.withUnsafeBufferPointer { all in
      observer(arrival.order, UnsafeBufferPointer(rebasing: all[places(of: arrival)]))
    }
  }

  /// Applies the phone's timestamps to the fixes of an upload (CK2).
  func stamp(_ turn: Turn, _ context: FleetContext) {
    let arrival = arrivals[Int(turn.place)]
    var stamps = context.stamps(of: arrival.order.id.phone, cohort: Int(arrival.order.cohort))
    for n in places(of: arrival) { fixes[n].time = stamps.stamp(fixes[n].time) }
  }

  func deliver(_ turn: Turn, to backend: inout Backend) {
    let arrival = arrivals[Int(turn.place)]
    let order = arrival.order
    if order.registers {
      backend.register(
        order.id.phone, epoch: order.id.epoch, authorization: order.authorization,
        tokenValid: order.tokenIsValid, at: arrival.at)
    }
    fixes.withUnsafeBufferPointer { all in
      let batch = UnsafeBufferPointer(rebasing: all[places(of: arrival)])
      _ = backend.ingest(order.id, fixes: batch, at: arrival.at)
    }
  }

  private func places(of arrival: Arrival) -> Range<Int> {
    arrival.firstFix..<(arrival.firstFix + Int(arrival.order.fixCount))
  }

  /// Removes the arrivals before `limit`, and moves later ones to the front of the reused arrays.
  func forget(before limit: SimInstant) {
    guard !arrivals.isEmpty else { return }
    arrivals.removeAll { $0.at < limit }
    otherFixes.removeAll(keepingCapacity: otherFixes.capacity <= Self.fewFixes)
    for n in arrivals.indices {
      let first = otherFixes.count
      otherFixes.append(contentsOf: fixes[places(of: arrivals[n])])
      arrivals[n].firstFix = first
    }
    swap(&fixes, &otherFixes)
  }

  /// The capacity, in fixes, up to which an emptied array keeps its memory.
  private static var fewFixes: Int { 10_000 }
}

/// Lends a backend to one thread after another. `@unchecked Sendable`: the backend is accessed only
/// under the lock, while `VirtualTime` holds its address.
final class LentBackend: @unchecked Sendable {
  private let lock = Mutex(())
  private let backend: UnsafeMutablePointer<Backend>

  init(_ backend: UnsafeMutablePointer<Backend>) { self.backend = backend }

  func use(_ body: (inout Backend) -> Void) { lock.withLock { _ in body(&backend.pointee) } }
}
