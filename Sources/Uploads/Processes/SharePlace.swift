/// Names one process's place among those that carry out a run together, each with its own range of
/// the phones.
package struct SharePlace: Equatable, Sendable {
  /// Numbers the process from 0 in the order of its phones.
  package let number: Int
  /// Counts the processes of the run.
  package let count: Int

  /// Is the place of a process that has all phones.
  package static let alone = SharePlace(number: 0, of: 1)

  /// Makes the place of process `number`, from 0, of `count`.
  package init(number: Int, of count: Int) {
    self.number = number
    self.count = count
  }

  /// Is true for the process that prints, shows the screen and writes the run's files.
  package var isFirst: Bool { number == 0 }

  /// Returns the range of a fleet's phones that this process has: consecutive numbers, as many as
  /// every other process has, or one more.
  package func range(of phones: Int) -> Range<Int> { range(of: phones, at: number) }

  /// Returns the range of a fleet's phones that the process with a number has.
  package func range(of phones: Int, at number: Int) -> Range<Int> {
    (number * phones / count)..<((number + 1) * phones / count)
  }

  /// Returns "process 2 of 3" for the process with a number.
  package func name(of number: Int) -> String { "process \(number + 1) of \(count)" }

  /// Puts the name of the process that a sentence is about before it; a sentence about the only
  /// process stays as it is.
  package func label(_ sentence: String, from number: Int) -> String {
    count == 1 ? sentence : "\(name(of: number)): \(sentence)"
  }
}
