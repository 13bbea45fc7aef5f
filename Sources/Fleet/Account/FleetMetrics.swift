package import Measure
package import Scenarios
internal import SimulationCore

/// What one side of the ledger counts, for fixes; all of it whole numbers, so that shards add.
package struct FleetMetrics: Codable, Equatable, Sendable {
  /// Fixes delivered to apps.
  package var fixesGenerated = 0
  package var fixesPersisted = 0
  package var fixesEvicted = 0
  package var fixesRefused = 0
  package var fixesAcknowledged = 0
  /// In outboxes when the counting began.
  package var fixesCarried = 0

  package var batchesCut = 0
  package var batchesCarried = 0
  package var batchesRefused = 0
  package var batchesAcknowledged = 0
  /// Sum of `BatchHash` over the acknowledged batches.
  package var acknowledgedHash: UInt64 = 0

  package var uploadsStarted = 0
  package var uploadsOffline = 0
  package var uploadsLost = 0
  package var uploadsFailed = 0
  /// Answers that came after the phone should have perceived them, of `outcomesConsumed`.
  package var outcomesLate = 0
  package var outcomesConsumed = 0

  /// Phones that took newer settings from the server.
  package var settingsTaken = 0

  package var events = 0
  package var launches = 0
  package var wakes = 0
  package var kills = 0
  package var energy: FleetEnergy

  package var freshness: FreshnessMetrics
  package var stale = StaleLedger()

  /// Figures of one run add only to figures with the same limits, so the scenario gives them.
  package init(_ scenario: Scenario) {
    energy = FleetEnergy(cohorts: scenario.fleet.cohorts.count)
    freshness = FreshnessMetrics(
      limit: scenario.slo.freshness?.within ?? .minutes(30),
      reach: scenario.slo.located?.within ?? .meters(500),
      cohorts: scenario.fleet.cohorts.count)
  }

  package mutating func merge(_ other: FleetMetrics) {
    fixesGenerated += other.fixesGenerated
    fixesPersisted += other.fixesPersisted
    fixesEvicted += other.fixesEvicted
    fixesRefused += other.fixesRefused
    fixesAcknowledged += other.fixesAcknowledged
    fixesCarried += other.fixesCarried
    batchesCut += other.batchesCut
    batchesCarried += other.batchesCarried
    batchesRefused += other.batchesRefused
    batchesAcknowledged += other.batchesAcknowledged
    acknowledgedHash &+= other.acknowledgedHash
    uploadsStarted += other.uploadsStarted
    uploadsOffline += other.uploadsOffline
    uploadsLost += other.uploadsLost
    uploadsFailed += other.uploadsFailed
    outcomesLate += other.outcomesLate
    outcomesConsumed += other.outcomesConsumed
    settingsTaken += other.settingsTaken
    events += other.events
    launches += other.launches
    wakes += other.wakes
    kills += other.kills
    energy.merge(other.energy)
    freshness.merge(other.freshness)
    stale.merge(other.stale)
  }
}

/// What the phones are and hold at one instant; counted by looking at each.
package struct FleetCensus: Codable, Equatable, Sendable {
  package var foreground = 0
  package var background = 0
  package var suspended = 0
  package var notRunning = 0
  package var switchedOff = 0
  package var offline = 0
  package var moving = 0
  package var reachable = 0
  package var outboxFixes = 0
  package var inFlightFixes = 0
  package var outboxBatches = 0
  package var inFlightBatches = 0

  package init() {}

  package mutating func merge(_ other: FleetCensus) {
    foreground += other.foreground
    background += other.background
    suspended += other.suspended
    notRunning += other.notRunning
    switchedOff += other.switchedOff
    offline += other.offline
    moving += other.moving
    reachable += other.reachable
    outboxFixes += other.outboxFixes
    inFlightFixes += other.inFlightFixes
    outboxBatches += other.outboxBatches
    inFlightBatches += other.inFlightBatches
  }
}
