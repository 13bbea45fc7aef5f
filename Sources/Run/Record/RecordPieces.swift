package import Core
package import Figures
internal import Fleet
internal import Foundation
internal import Scenarios

extension RunRecord {
  package static func of(_ plan: RunPlan) -> RunRecord { RunRecord(plan) }

  init(_ plan: RunPlan) {
    self.init()
    let scenario = plan.scenario
    tool.version = plan.version
    command = plan.command
    self.scenario.name = scenario.name
    self.scenario.question = scenario.question
    self.scenario.answers = AnswerKind(scenario.answers)
    self.scenario.phones = plan.phones.count
    self.scenario.speed = scenario.speed
    self.scenario.start = ClockText.text(scenario.start, scenario.clock)
    self.scenario.utcOffsetSeconds = scenario.clock.offset(at: scenario.start).seconds
    self.scenario.durationSeconds = scenario.duration.seconds
    self.scenario.warmStartSeconds = scenario.warmStart.seconds
    self.scenario.text = plan.scenarioText
    self.scenario.log = plan.scenario.logFiles
    seed = scenario.seed
    phases.ramp = scenario.phases.ramp.seconds
    phases.measure = (scenario.duration - scenario.phases.ramp).seconds
    timing.startedAt = plan.startedAt
    machine.cores = ProcessInfo.processInfo.activeProcessorCount
    machine.memoryBytes = Int(ProcessInfo.processInfo.physicalMemory)
    machine.system = ProcessInfo.processInfo.operatingSystemVersionString
    machine.host = ProcessInfo.processInfo.hostName
  }

  mutating func setDigest(_ digest: Fleet.Digest) {
    self.digest.world = Digest.text(digest.world)
    self.digest.behaviour = Digest.text(digest.behaviour)
  }

  /// Sets the figures of each source that has at least one fix.
  mutating func setFixSources(_ sources: FixSources) {
    let sum = sources.sum
    var found: [String: FixSourceFigures] = [:]
    for source in FixSource.allCases where sources[source] > 0 {
      var figures = FixSourceFigures()
      figures.fixes = sources[source]
      figures.share = Double(figures.fixes) / Double(sum)
      figures.errorMedian = sources.errorMeters(source, 0.5)
      figures.errorP95 = sources.errorMeters(source, 0.95)
      found[source.name] = figures
    }
    fixSources = found
  }
}

extension RunRecord.Freshness {
  init(_ metrics: FreshnessMetrics) {
    self.init()
    withinSeconds = metrics.limit.seconds
    locatedMeters = metrics.reach.meters
    installed = Self.population(metrics.installed, metrics.limit)
    reachable = Self.population(metrics.reachable, metrics.limit)
    moving = Self.population(metrics.moving, metrics.limit)
  }

  private static func population(
    _ metrics: PopulationMetrics, _ limit: SimDuration
  ) -> Population {
    let total = metrics.total.seconds
    return Population(
      metrics.ages, threshold: limit,
      located: total > 0 ? metrics.located.seconds / total : nil)
  }
}

package enum ClockText {
  /// Returns an instant in the city's local time, such as "2026-03-02T07:30:00".
  package static func text(_ instant: SimInstant, _ clock: CivilClock) -> String {
    String((CivilText.text(instant, clock) + ":00").prefix(19))
  }

  /// Returns the local time of day, such as "07:30:00".
  static func timeOfDay(_ instant: SimInstant, _ clock: CivilClock) -> String {
    String(text(instant, clock).suffix(8))
  }
}
