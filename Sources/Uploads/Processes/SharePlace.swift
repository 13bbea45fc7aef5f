/// The number of a process among a run's processes, which determines its range of phones.
package struct SharePlace: Equatable, Sendable {
  /// The number of the process, from 0, in the order of the phones.
  package let number: Int
  package let count: Int

  package static let alone = SharePlace(number: 0, of: 1)

  package init(number: Int, of count: Int) {
    self.number = number
    self.count = count
  }

  /// Whether this process prints, shows the screen and writes the run's files.
  package var isFirst: Bool { number == 0 }

  /// Returns the range of this process's phones. The sizes of all ranges differ by at most one.
  package func range(of phones: Int) -> Range<Int> { range(of: phones, at: number) }

  package func range(of phones: Int, at number: Int) -> Range<Int> {
    (number * phones / count)..<((number + 1) * phones / count)
  }

  package func name(of number: Int) -> String { "process \(number + 1) of \(count)" }

  /// Prefixes a sentence with the name of its process, unless there is only one process.
  package func label(_ sentence: String, from number: Int) -> String {
    count == 1 ? sentence : "\(name(of: number)): \(sentence)"
  }
}
