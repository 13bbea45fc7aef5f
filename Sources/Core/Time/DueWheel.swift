/// The next due instant of each owner (a phone), on a timing wheel. `drain` returns owners by
/// number, not by time: phones interact only at the server, where events are merged by (instant,
/// phone). The old entry of a moved owner stays until its time, and is then dropped.
public struct DueWheel {
  /// A class, since a `TimingWheel` cannot be copied and a `DueWheel` can; copies share one wheel.
  @usableFromInline final class Wheel {
    @usableFromInline var events: TimingWheel
    @inlinable init(_ events: consuming TimingWheel) { self.events = events }
  }

  @usableFromInline let wheel: Wheel
  /// Each owner's due instant in microseconds; `Int64.max` if not due.
  @usableFromInline var due: [Int64]
  @usableFromInline var isTaken: [UInt64]

  /// - Parameter slotWidth: rounded up to a power of two microseconds, as a `TimingWheel` does.
  public init(owners: Int, slotWidth: SimDuration, start: SimInstant) {
    wheel = Wheel(TimingWheel(slotWidth: slotWidth, start: start))
    due = Array(repeating: .max, count: owners)
    isTaken = Array(repeating: 0, count: (owners + 63) / 64)
  }

  public var bytes: Int { wheel.events.bytes + due.capacity * 8 + isTaken.capacity * 8 }

  /// Schedules or moves `owner`; an instant of `.distantFuture` or later removes the owner.
  @inlinable public mutating func schedule(_ owner: Int, at instant: SimInstant) {
    guard due[owner] != instant.microseconds else { return }
    guard instant < .distantFuture else {
      due[owner] = .max
      return
    }
    due[owner] = instant.microseconds
    wheel.events.insert(PendingEvent(at: instant, owner: UInt32(owner)))
  }

  /// Moves every owner that is due before `horizon` to the end of `taken`, in the order of owners.
  @inlinable public mutating func drain(before horizon: SimInstant, into taken: inout [Int32]) {
    var first = Int.max
    var last = -1
    wheel.events.drain(before: horizon) { event in
      let owner = Int(event.owner)
      // An event at any other instant is stale: its owner was moved, or scheduled twice.
      guard due[owner] == event.at.microseconds else { return }
      due[owner] = .max
      isTaken[owner >> 6] |= 1 << UInt64(owner & 63)
      first = min(first, owner >> 6)
      last = max(last, owner >> 6)
    }
    guard last >= 0 else { return }
    for word in first...last {
      var bits = isTaken[word]
      isTaken[word] = 0
      while bits != 0 {
        taken.append(Int32(word << 6 + bits.trailingZeroBitCount))
        bits &= bits - 1
      }
    }
  }
}
