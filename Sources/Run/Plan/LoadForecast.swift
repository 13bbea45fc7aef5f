internal import Core
internal import Fleet
package import Scenarios

/// A forecast of a run's load from a few phones. The relative error of n events is about 1/√n.
package struct LoadForecast: Codable, Sendable, Equatable {
  package var sample: Int
  /// The upload rate of all phones in the first simulated minute, per wall-clock second.
  package var startPerSecond: Double
  /// The upload rate of all phones in the busiest simulated minute, per wall-clock second.
  package var peakPerSecond: Double
  package var bytesPerPhone: Double

  package static let sampleMax = 2_000
  /// The maximum simulated time after the warm start, because a day represents a longer run.
  private static let longest = SimDuration.hours(24)

  /// Simulates a sample of the scenario's phones through the warm start and the first day.
  package init(_ scenario: Scenario, threads: Int) {
    var few = scenario
    few.fleet.phones = min(scenario.fleet.phones, Self.sampleMax)
    sample = few.fleet.phones
    let fleet = PhoneFleet(few, threads: threads)
    var time = VirtualTime(
      fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: few.start - few.warmStart))
    time.advance(until: few.start)
    fleet.startCounting(.inProcess)
    time.advance(until: few.start + min(few.duration, Self.longest))
    let minutes = fleet.uploadsByMinute()
    let scale = Double(scenario.fleet.phones) / Double(max(1, sample)) * scenario.speed / 60
    startPerSecond = Double(minutes.first ?? 0) * scale
    peakPerSecond = Double(minutes.max() ?? 0) * scale
    bytesPerPhone = fleet.bytesPerPhone
  }

  package init(sample: Int, startPerSecond: Double, peakPerSecond: Double, bytesPerPhone: Double) {
    self.sample = sample
    self.startPerSecond = startPerSecond
    self.peakPerSecond = peakPerSecond
    self.bytesPerPhone = bytesPerPhone
  }
}
