package import Core

package struct GeneratorFacts: Equatable, Sendable, Codable {
  package var name: String
  package var firstPhone: Int
  /// The number of the generator's phones, which are consecutive.
  package var phones: Int
  /// The batches acknowledged in the measured time, per second; null if none was.
  @Nullable package var batchesPerSecond: Double?
  /// The p99 of the generator's lag; null with too few batches.
  @Nullable package var lagP99Microseconds: Int64?
  /// The greatest lag of the generator; null if it sent nothing.
  @Nullable package var lagMaxMicroseconds: Int64?

  package init(name: String, phones: Range<Int>) {
    self.name = name
    firstPhone = phones.lowerBound
    self.phones = phones.count
  }

  package mutating func fill(acknowledged: Int, lag: Histogram, seconds: Double) {
    if seconds > 0 { batchesPerSecond = Double(acknowledged) / seconds }
    lagP99Microseconds = lag.percentile(0.99).microseconds
    lagMaxMicroseconds = lag.max
  }

  package static let head = ["", "phones", "batches/s", "lag p99", "lag max"]

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
