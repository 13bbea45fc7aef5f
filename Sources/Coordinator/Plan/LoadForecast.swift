internal import Fleet
package import Scenarios
internal import SimulationCore

/// Forecasts what a run asks of collector and machine, from a few of its phones in virtual time.
///
/// Phones are independent and drawn by number, so a sample of a cohort is like the cohort; a rate
/// of n events in the sample is good within about 1/√n.
package struct LoadForecast: Sendable, Equatable {
  /// Counts the phones that were simulated.
  package var sample: Int
  /// Is the rate of uploads over the first scenario minute, for all phones, in uploads a wall
  /// second.
  package var startPerSecond: Double
  /// Is the rate of uploads over the busiest scenario minute, for all phones, in uploads a wall
  /// second.
  package var peakPerSecond: Double
  /// Is the memory that the fleet allocates for one phone, in bytes.
  package var bytesPerPhone: Double

  /// Is the greatest number of phones that a forecast lives.
  package static let sampleMax = 2_000
  /// Is the longest simulated time: the first day stands for the whole of a longer run.
  private static let longest = SimDuration.hours(24)

  /// Lives a sample of the scenario's phones through warm start and run, of a longer run its first
  /// day.
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

  /// Makes a forecast from its figures, without living any phone.
  package init(sample: Int, startPerSecond: Double, peakPerSecond: Double, bytesPerPhone: Double) {
    self.sample = sample
    self.startPerSecond = startPerSecond
    self.peakPerSecond = peakPerSecond
    self.bytesPerPhone = bytesPerPhone
  }
}
