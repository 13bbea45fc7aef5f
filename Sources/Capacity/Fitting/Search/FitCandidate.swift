internal import Core
internal import Foundation

package struct FitCandidate: Hashable, Sendable, Codable {
  package enum Service: String, CaseIterable, Sendable, Codable {
    case continuous
    /// The standard location service while the phone moves, and a region while it rests.
    case moving
    /// A burst of the standard location service at each wake.
    case bursts
    /// Wakes only: significant changes, visits and a region.
    case wakes
  }

  package enum Accuracy: String, CaseIterable, Sendable, Codable {
    case best, hundredMeters, kilometer
  }

  package var service: Service
  /// The least time between two kept fixes, in seconds.
  package var seconds: Double
  /// The least distance between two kept fixes, in metres; nil if only the time matters.
  package var meters: Double?
  package var accuracy = Accuracy.best
  package var sendSeconds: Double
  package var maxFixes: Int
  package var offline = 0.02
  package var switchedOff = 0.01

  package init(
    _ service: Service, seconds: Double, meters: Double? = nil, sendSeconds: Double, maxFixes: Int
  ) {
    self.service = service
    self.seconds = seconds
    self.meters = meters
    self.sendSeconds = sendSeconds
    self.maxFixes = maxFixes
    bound()
  }

  mutating func bound() {
    // Rounds to three significant digits, since people read the file.
    seconds = min(86_400, max(1, Self.rounded(seconds)))
    meters = meters.map { min(50_000, max(1, Self.rounded($0))) }
    sendSeconds = min(86_400, max(0, Self.rounded(sendSeconds)))
    maxFixes = min(5_000, max(1, maxFixes))
    offline = min(0.5, max(0, offline))
    switchedOff = min(0.5, max(0, switchedOff))
  }

  static func rounded(_ value: Double) -> Double {
    var unit = 1.0
    while value / unit >= 1_000 { unit *= 10 }
    while unit > 0.001, value / unit < 100 { unit /= 10 }
    return (value / unit).rounded() * unit
  }
}

package struct FitStart: Equatable, Sendable, Codable {
  package var seconds: Double
  /// The typical distance between fixes, in metres; nil if the log has no positions.
  package var meters: Double?
  /// The typical time between batches, in seconds; 0 if each fix is sent alone.
  package var sendSeconds: Double
  package var maxFixes: Int
  package var network: Network?
  package var reduced: Double

  package struct Network: Equatable, Sendable, Codable {
    package var floor: Double
    /// The mean of the delay beyond `floor`, in seconds.
    package var mean: Double
  }

  /// Estimates the first candidate's figures; nil unless a phone has two fixes.
  package init?(_ sample: LogSample) {
    guard let usual = Self.mode(sample.intervals) else { return nil }
    seconds = usual
    meters = Self.mode(sample.steps.filter { $0 >= 5 })
    let size = sample.batches.median(.inverse) ?? 1
    let most = sample.batches.last ?? 1
    let atMost = sample.batches.count { $0 == most }
    if sample.batches.sortedQuantile(0.95, .inverse) ?? 1 <= 1 {
      maxFixes = 1
    } else {
      // The largest batch is the policy's limit if at least a fifth of the batches have its size.
      maxFixes = atMost * 5 >= sample.batches.count ? Int(most) : max(200, Int(most))
    }
    sendSeconds = size <= 1 ? 0 : Self.mode(sample.sendGaps) ?? 0
    if let floor = sample.newestDelays.sortedQuantile(0.05, .linear),
      let middle = sample.newestDelays.sortedQuantile(0.5, .linear), middle <= 60
    {
      // An exponential distribution's median is its mean times ln 2.
      network = Network(floor: floor, mean: max(0, (middle - floor) / 0.693))
    }
    reduced = sample.phones > 0 ? Double(sample.coarsePhones) / Double(sample.phones) : 0
  }

  /// Returns the mode of ascending values: the middle of the densest bin, ten bins a decade. A
  /// bin's count includes half of both neighbours. Returns nil without positive values.
  static func mode(_ values: [Double]) -> Double? {
    let perFactor = 10.0
    var counts: [Int: Int] = [:]
    for value in values where value > 0 {
      counts[Int((log10(value) * perFactor).rounded()), default: 0] += 1
    }
    func weight(_ bin: Int) -> Double {
      Double(counts[bin] ?? 0)
        + Double((counts[bin - 1] ?? 0) + (counts[bin + 1] ?? 0)) / 2
    }
    let densest = counts.keys.max { a, b in
      let (wa, wb) = (weight(a), weight(b))
      return wa != wb ? wa < wb : a > b
    }
    guard let densest else { return nil }
    let near = values.filter {
      $0 > 0 && abs(Int((log10($0) * perFactor).rounded()) - densest) <= 1
    }
    return near.median(.inverse)
  }
}
