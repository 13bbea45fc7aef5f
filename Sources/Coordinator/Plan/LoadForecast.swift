internal import Fleet
internal import Measure
package import Scenarios
internal import SimulationCore

/// What a run will ask of collector and machine, from a few of its phones lived in virtual time.
///
/// Phones are independent and drawn by number, so a sample of a cohort is like the cohort; a rate
/// of n events in the sample is good within about 1/√n.
package struct LoadForecast: Sendable, Equatable {
  /// How many phones were lived.
  package var sample: Int
  /// Uploads a wall second over the first scenario minute, and in the busiest one.
  package var startPerSecond: Double
  package var peakPerSecond: Double
  package var bytesPerPhone: Double

  package static let sampleMax = 2_000
  /// Of a longer run the first day stands for all.
  private static let longest = SimDuration.hours(24)

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
