package import Core

/// The effects of events, in order, until the owner of the phones takes them, and the storage and
/// run state that the owner's phones share. All storage is reused, so that an event allocates
/// nothing.
package struct Effects: ~Copyable {
  package typealias Entry = (effect: Device.Effect, at: SimInstant)
  private var entries: [Entry] = []
  private var spare: [Entry] = []
  /// The number of fixes generated since the owner last took the number.
  package var generated = 0
  /// The uploads begun since the owner last took them.
  package var orders: [UploadOrder] = []
  package var orderFixes: [Fix] = []
  /// The uploads of events for a real server, begun since the owner last took them.
  package var eventOrders: [EventOrder] = []
  /// The events of phones whose policy sends events.
  package var events: [PhoneID: EventBox] = [:]

  package var outboxes = OutboxPool()
  var commands = CommandList()
  /// Caches the last sighting of any phone.
  var memory = SightingMemory()
  /// The last fix generated in this event.
  var located: LocatedFix?

  /// The instant of the current event, or of the fix that is being delivered.
  package var now = SimInstant.distantPast
  package var isTraced = false
  /// Whether the measured time is over, so that nothing new is sent.
  package var isDraining = false
  /// Whether a simulated server that accepts everything answers at `perceivedAt`, instead of a real
  /// server.
  package var isAnsweredInProcess = true
  /// The window in which freshness and stale time are counted.
  package var accounting = Window.never
  /// The age beyond which the newest fix at the server is stale.
  package var freshFor: SimDuration

  /// A function that answers in place of the tracker, in tests of the system alone.
  package typealias Script = (OSEvent, SimInstant, inout CommandList) -> Void
  let script: Script?

  package init(freshFor: SimDuration, script: Script? = nil) {
    self.freshFor = freshFor
    self.script = script
  }

  /// The getter is mutating, so that its caller passes an address instead of a copy.
  package var isEmpty: Bool { mutating get { entries.isEmpty } }

  /// Takes the effects. The owner returns the list afterwards, so that its storage is reused.
  package mutating func take() -> [Entry] {
    var list: [Entry] = []
    swap(&list, &spare)
    swap(&list, &entries)
    return list
  }

  package mutating func giveBack(_ list: inout [Entry]) {
    list.removeAll(keepingCapacity: true)
    swap(&list, &spare)
  }

  package var bytes: Int {
    outboxes.bytes + orders.capacity * MemoryLayout<UploadOrder>.stride
      + orderFixes.capacity * MemoryLayout<Fix>.stride
  }

  package mutating func clearOrders() {
    // Frees capacity that only a burst needed.
    let keeps = orders.capacity <= max(Self.fewOrders, 8 * orders.count)
    orders.removeAll(keepingCapacity: keeps)
    orderFixes.removeAll(keepingCapacity: keeps)
    eventOrders.removeAll(keepingCapacity: keeps)
  }

  private static var fewOrders: Int { 4_096 }

  mutating func emit(_ effect: Device.Effect) { entries.append((effect, now)) }

  /// Emits a callback and the app's commands.
  mutating func trace(_ event: OSEvent) {
    var isKept = false
    for k in 0..<commands.count {
      if case .persist = commands[k] { isKept = true }
    }
    let source = event.position.map { located.source(of: $0) } ?? .cached
    emit(.delivered(event, source, isKept: isKept))
    for k in 0..<commands.count { emit(.commanded(commands[k])) }
  }

  /// Returns the hash of a batch as the server reads it, with the phone's timestamps.
  package func hash(
    _ id: BatchID, _ count: UInt16, of outbox: OutboxHandle, _ context: borrowing Device.Context
  ) -> UInt64 {
    var hash = BatchHash(key: context.path.hashKey, id)
    var stamps = PhoneStamps(context.clocks, of: id.phone)
    outboxes.forEach(first: Int(count), of: outbox) { hash.combine(stamps.stamped($0)) }
    return hash.value
  }
}
