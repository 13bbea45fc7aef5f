/// Describes one of several processes that sent a fleet's uploads.
package struct GeneratorFacts: Equatable, Sendable, Codable {
  /// Is its name in `processes`.
  package var name: String
  /// Numbers its first phone.
  package var firstPhone: Int
  /// Counts its phones, which are consecutive.
  package var phones: Int
  /// Is the rate of its batches that were acknowledged in the measured time; null: there was none.
  @Nullable package var batchesPerSecond: Double?
  /// Is how late it was with one batch in a hundred, in µs; null: it sent too few to say.
  @Nullable package var lagP99Microseconds: Int64?
  /// Is how late it was at most, in µs; null: it sent nothing.
  @Nullable package var lagMaxMicroseconds: Int64?

  /// Makes the row of a process that has sent nothing.
  package init(name: String, phones: Range<Int>) {
    self.name = name
    firstPhone = phones.lowerBound
    self.phones = phones.count
  }

  /// Adds what the process sent in `seconds` of measured time.
  package mutating func fill(acknowledged: Int, lag: Histogram, seconds: Double) {
    if seconds > 0 { batchesPerSecond = Double(acknowledged) / seconds }
    lagP99Microseconds = lag.percentile(0.99).microseconds
    lagMaxMicroseconds = lag.max
  }

  /// Names the columns of `cells`.
  package static let head = ["", "phones", "batches/s", "lag p99", "lag at most"]

  /// Is the row as reports show it.
  package var cells: [String] {
    func time(_ microseconds: Int64?) -> String {
      microseconds.map { Figure.time(Double($0)) } ?? "—"
    }
    return [
      name, "\(firstPhone) to \(firstPhone + phones - 1)",
      batchesPerSecond.map(Figure.quantity) ?? "—", time(lagP99Microseconds),
      time(lagMaxMicroseconds),
    ]
  }
}
