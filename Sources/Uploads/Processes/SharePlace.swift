/// One process's place in a run, with its own range of the phones.
package struct SharePlace: Equatable, Sendable {
  /// From 0, in phone order.
  package let number: Int
  package let count: Int

  package static let alone = SharePlace(number: 0, of: 1)

  package init(number: Int, of count: Int) {
    self.number = number
    self.count = count
  }

  /// Whether this process prints, shows the screen and writes the run's files.
  package var isFirst: Bool { number == 0 }

  /// This process's phones: consecutive numbers, as many as every other's, or one more.
  package func range(of phones: Int) -> Range<Int> { range(of: phones, at: number) }

  package func range(of phones: Int, at number: Int) -> Range<Int> {
    (number * phones / count)..<((number + 1) * phones / count)
  }

  package func name(of number: Int) -> String { "process \(number + 1) of \(count)" }

  /// Prefixes a sentence with its process, unless there is only one.
  package func label(_ sentence: String, from number: Int) -> String {
    count == 1 ? sentence : "\(name(of: number)): \(sentence)"
  }
}
