/// A first-in, first-out queue. Free slots are removed in chunks, so that few elements move.
package struct WaitingLine<Element> {
  private var items: [Element?] = []
  private var head = 0

  package init() {}

  package var count: Int { items.count - head }
  package var isEmpty: Bool { head == items.count }
  package var first: Element? { isEmpty ? nil : items[head] }
  package var all: some Sequence<Element> { items[head...].lazy.compactMap(\.self) }

  package mutating func append(_ element: Element) { items.append(element) }

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
