/// Describes what a backend of a user's own was found to sustain: the search of `plan --target`,
/// which offers more from step to step and ends at the first level of service that is broken.
package struct TargetCapacity: Equatable, Sendable, Codable {
  /// Is one step of the search: a load, and what came of it.
  package struct Step: Equatable, Sendable, Codable {
    /// Is the load, in uploads a second, as intended.
    package var load: Double
    /// Is how long it lasted, in seconds; shorter than others where it was broken off.
    package var seconds: Double
    /// Counts the uploads whose intended time lies in it.
    package var offered = 0
    /// Counts those that the server said to have.
    package var stored = 0
    /// Counts those that ended otherwise.
    package var failed = 0
    /// Counts those without an end when the step ended.
    package var open = 0
    /// Is the median response, in microseconds; null: the samples do not support it.
    @Nullable package var p50Microseconds: Int64?
    /// Is the 99th percentile of response, in microseconds; null as above.
    @Nullable package var p99Microseconds: Int64?
    /// Is the 99th percentile of generator lag, in microseconds; null as above.
    @Nullable package var lagP99Microseconds: Int64?
    /// Says which level of service it broke; null: none.
    @Nullable package var broke: String?
    /// Says why it does not count; null: it does.
    @Nullable package var invalid: String?

    /// Makes a step that has not begun.
    package init(load: Double, seconds: Double) {
      self.load = load
      self.seconds = seconds
    }
  }

  /// Is the target's name.
  package var name: String
  /// Is the server's address, without a path.
  package var address: String
  /// Is the unit of loads and bounds.
  package var unit = "uploads/s"
  /// Is the largest load that broke nothing; null: there is none.
  @Nullable package var lowerBound: Double?
  /// Is the load that broke a level of service; null: none did.
  @Nullable package var upperBound: Double?
  /// Says how the search ended.
  package var ended = ""
  /// Is the response that 99 in 100 uploads must keep, in microseconds.
  package var latencyLimitMicroseconds: Int64 = 0
  /// Is the share of uploads that may fail, 0 ... 1.
  package var failedShareMax = 0.0
  /// Is the most requests a second that were allowed.
  package var rateLimit = 0.0
  /// Counts the fixes of each upload.
  package var fixesPerUpload = 0
  /// Counts the phones that took turns.
  package var phones = 0
  /// Is what a phone of the scenario asks for in its busiest minute, in uploads a second; null: the
  /// demand is not known.
  @Nullable package var uploadsPerPhone: Double?
  /// Holds the steps in their order.
  package var steps: [Step] = []

  /// Makes a search that has not begun.
  package init(name: String, address: String) { (self.name, self.address) = (name, address) }

  /// Is how many phones of the scenario the lower bound serves in their busiest minute; nil: one of
  /// the two is not known.
  package var phonesServed: Int? {
    guard let lowerBound, let uploadsPerPhone, uploadsPerPhone > 0 else { return nil }
    return Int(lowerBound / uploadsPerPhone)
  }

  /// Is the answer in a sentence.
  package var sentence: String {
    let limit =
      "99 in 100 within \(Figure.time(Double(latencyLimitMicroseconds))), at most "
      + "\(Figure.percent(failedShareMax)) failed"
    guard let lowerBound else { return "\(name) sustained none of what was offered (\(limit))." }
    var text = "\(name) sustained \(Figure.quantity(lowerBound)) uploads/s (\(limit))"
    if let upperBound { text += ", and not \(Figure.quantity(upperBound))" }
    guard let phonesServed else { return "\(text)." }
    return "\(text): the busiest minute of \(Figure.grouped(phonesServed)) phones."
  }

  /// Says it in lines of a terminal.
  package var lines: [String] {
    func time(_ value: Int64?) -> String { value.map { Figure.time(Double($0)) } ?? "—" }
    return [
      "target   \(sentence)",
      "         \(ended)",
      "         \(fixesPerUpload) positions an upload, \(Figure.grouped(phones)) phones in turn",
    ]
      + steps.map { step in
        let end = step.invalid ?? step.broke ?? "carried"
        return "         \(Figure.quantity(step.load))/s for \(Figure.plain(step.seconds)) s: "
          + "\(Figure.grouped(step.stored)) stored, \(Figure.grouped(step.failed)) failed, "
          + "p50 \(time(step.p50Microseconds)), p99 \(time(step.p99Microseconds)): \(end)"
      }
  }
}
