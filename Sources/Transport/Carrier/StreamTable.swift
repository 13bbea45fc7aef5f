/// The open calls of a connection, by stream. Streams mostly end in order, so the table is an array
/// that skips gaps at the front. A dictionary would hash four times per call.
struct StreamTable<Value>: Sequence {
  private var entries: [(stream: UInt32, value: Value?)] = []
  private var first: UInt32 = 0
  private var calls: UInt32 = 0

  private var head: Int {
    get { Int(first) }
    set { first = UInt32(newValue) }
  }

  private(set) var count: Int {
    get { Int(calls) }
    set { calls = UInt32(newValue) }
  }

  /// The number of gaps, or the capacity of an empty table, up to which memory is not released.
  private static var slackMax: Int { 64 }

  var isEmpty: Bool { count == 0 }
  /// The streams of the open calls, in ascending order.
  var streams: [UInt32] { map(\.0) }

  subscript(stream: UInt32) -> Value? { place(of: stream).flatMap { entries[$0].value } }

  mutating func append(_ value: Value, at stream: UInt32) {
    precondition(
      stream > entries.last?.stream ?? 0, "stream \(stream) after \(entries.last?.stream ?? 0)")
    entries.append((stream, value))
    count += 1
  }

  /// Updates an open call in place. A subscript would allocate at every call.
  mutating func update(_ stream: UInt32, _ change: (inout Value) -> Void) {
    guard let place = place(of: stream), var value = exchange(&entries[place].value, with: nil)
    else { return }
    change(&value)
    entries[place].value = value
  }

  mutating func removeValue(forKey stream: UInt32) -> Value? {
    guard let place = place(of: stream), let value = exchange(&entries[place].value, with: nil)
    else { return nil }
    close(place)
    return value
  }

  mutating func removeAll() {
    entries = []
    (head, count) = (0, 0)
  }

  func makeIterator() -> AnyIterator<(UInt32, Value)> {
    var rest = entries[head...].makeIterator()
    return AnyIterator {
      while let (stream, value) = rest.next() {
        if let value { return (stream, value) }
      }
      return nil
    }
  }

  private func place(of stream: UInt32) -> Int? {
    var (low, high) = (head, entries.count)
    while low < high {
      let middle = (low + high) / 2
      let found = entries[middle].stream
      if found == stream { return middle }
      if found < stream { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private mutating func close(_ place: Int) {
    count -= 1
    guard count > 0 else {
      entries.removeAll(keepingCapacity: entries.capacity <= Self.slackMax)
      head = 0
      return
    }
    if place == head {
      while entries[head].value == nil { head += 1 }
    }
    guard entries.count - count > Swift.max(count, Self.slackMax) else { return }
    entries.removeAll { $0.value == nil }
    head = 0
  }
}
