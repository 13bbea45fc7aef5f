package import Core

/// The load that a user's backend sustains. `plan --target` raises the load until an SLO breaks.
package struct TargetCapacity: Equatable, Sendable, Codable {
  package struct Step: Equatable, Sendable, Codable {
    package var load: Double
    /// The step's wall-clock length; shorter than others if the step was aborted.
    package var seconds: Double
    /// Uploads with an intended time in the step.
    package var offered = 0
    package var stored = 0
    package var failed = 0
    /// Uploads still in flight at the step's end.
    package var open = 0
    /// The p50 response; null with too few samples.
    @Nullable package var p50Microseconds: Int64?
    @Nullable package var p99Microseconds: Int64?
    /// The p99 of the generator's lag; null with too few samples.
    @Nullable package var lagP99Microseconds: Int64?
    /// The service level that the step broke; null if none.
    @Nullable package var broke: String?
    /// The reason why the step does not count; null if it counts.
    @Nullable package var invalid: String?

    package init(load: Double, seconds: Double) {
      self.load = load
      self.seconds = seconds
    }
  }

  package var name: String
  /// The server's address, without a path.
  package var address: String
  package var unit = "uploads/s"
  /// The largest load that broke no service level; null if every load broke one.
  @Nullable package var lowerBound: Double?
  /// The load that broke a service level; null if none did.
  @Nullable package var upperBound: Double?
  package var ended = ""
  package var latencyLimitMicroseconds: Int64 = 0
  /// The share of uploads that may fail, 0 ... 1.
  package var failedShareMax = 0.0
  /// The limit of requests per second.
  package var rateLimit = 0.0
  package var fixesPerUpload = 0
  package var phones = 0
  /// The demand of a phone in the busiest minute, in uploads a second; null if unknown.
  @Nullable package var uploadsPerPhone: Double?
  /// The reads of viewers in the busiest minute, per phone and second; absent without viewers.
  package var readsPerPhone: Double?
  /// The requests with events in the busiest minute, per phone and second; absent if the target
  /// takes none.
  package var eventsPerPhone: Double?
  package var steps: [Step] = []

  package init(name: String, address: String) { (self.name, self.address) = (name, address) }

  /// The phones whose busiest minutes have the load, with reads and events counted as uploads.
  package var phonesServed: Int? {
    guard let lowerBound, let uploadsPerPhone, uploadsPerPhone > 0 else { return nil }
    let requests = uploadsPerPhone + (readsPerPhone ?? 0) + (eventsPerPhone ?? 0)
    return Int(nearest: (lowerBound / requests).rounded(.down))
  }

  package var sentence: String {
    let limit =
      "p99 at most \(Figure.time(Double(latencyLimitMicroseconds))), failed at most "
      + Figure.percent(failedShareMax)
    guard let lowerBound else { return "\(name) did not sustain any offered load (\(limit))." }
    var text = "\(name) sustained \(Figure.quantity(lowerBound)) uploads/s (\(limit))"
    if let upperBound { text += " but not \(Figure.quantity(upperBound))" }
    guard let phonesServed else { return "\(text)." }
    let others = [
      readsPerPhone.map { _ in "a viewer’s read" }, eventsPerPhone.map { _ in "an event" },
    ].compactMap(\.self).joined(separator: " or ")
    let counted = others.isEmpty ? "" : ", with \(others) counted as an upload"
    let phones = Figure.grouped(phonesServed)
    return "\(text), enough for the busiest minute of \(phones) phones\(counted)."
  }

  package var lines: [String] {
    func time(_ value: Int64?) -> String { value.map { Figure.time(Double($0)) } ?? "—" }
    return [
      "target   \(sentence)",
      "         \(ended)",
      "         \(fixesPerUpload) \(fixesPerUpload == 1 ? "position" : "positions") per upload, "
        + "\(Figure.grouped(phones)) phones in turn",
    ]
      + steps.map { step in
        let end = step.invalid ?? step.broke ?? "sustained"
        return "         \(Figure.quantity(step.load))/s for \(Figure.plain(step.seconds)) s: "
          + "\(Figure.grouped(step.stored)) stored, \(Figure.grouped(step.failed)) failed, "
          + "p50 \(time(step.p50Microseconds)), p99 \(time(step.p99Microseconds)): \(end)"
      }
  }
}
