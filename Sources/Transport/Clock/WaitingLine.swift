/// What waits, first in, first out. What has left is given back in pieces, so that nothing moves
/// each time.
package struct WaitingLine<Element> {
  private var items: [Element?] = []
  private var head = 0

  package init() {}

  /// The number of those that wait.
  package var count: Int { items.count - head }
  /// Whether nothing waits.
  package var isEmpty: Bool { head == items.count }
  /// The one that has waited longest; nil: nothing waits.
  package var first: Element? { isEmpty ? nil : items[head] }
  /// Those that wait, the first first.
  package var all: some Sequence<Element> { items[head...].lazy.compactMap(\.self) }

  /// Puts one behind the others.
  package mutating func append(_ element: Element) { items.append(element) }

  /// Takes the one that has waited longest; nil: nothing waits.
  @discardableResult
  package mutating func popFirst() -> Element? {
    guard head < items.count else { return nil }
    let first = items[head].take()
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 4_096, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
    return first
  }
}

extension WaitingLine: Sendable where Element: Sendable {}
