/// A pending event of 16 bytes: an instant, an owner, and a number among the events of both.
@frozen public struct PendingEvent: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var at: SimInstant
  public var owner: UInt32
  /// The number that tells apart and orders the owner's events at one instant.
  public var sequence: UInt32

  @inlinable public init(at: SimInstant, owner: UInt32, sequence: UInt32 = 0) {
    self.at = at
    self.owner = owner
    self.sequence = sequence
  }

  /// The total order of events: (instant, owner, sequence).
  @inlinable public static func < (a: Self, b: Self) -> Bool {
    if a.at != b.at { return a.at < b.at }
    return a.identity < b.identity
  }

  @inlinable var identity: UInt64 { UInt64(owner) << 32 | UInt64(sequence) }
}

@usableFromInline struct EventHeap {
  @usableFromInline var events: [PendingEvent] = []

  @inlinable var isEmpty: Bool { events.isEmpty }
  @inlinable var first: PendingEvent? { events.isEmpty ? nil : events[0] }

  @inlinable mutating func insert(_ event: PendingEvent) {
    events.append(event)
    var i = events.count - 1
    while i > 0 {
      let parent = (i - 1) / 2
      guard event < events[parent] else { break }
      events[i] = events[parent]
      i = parent
    }
    events[i] = event
  }

  @inlinable mutating func removeFirst() -> PendingEvent {
    let first = events[0]
    let last = events.removeLast()
    guard !events.isEmpty else { return first }
    var i = 0
    while true {
      var child = 2 * i + 1
      guard child < events.count else { break }
      if child + 1 < events.count, events[child + 1] < events[child] { child += 1 }
      guard events[child] < last else { break }
      events[i] = events[child]
      i = child
    }
    events[i] = last
    return first
  }
}
