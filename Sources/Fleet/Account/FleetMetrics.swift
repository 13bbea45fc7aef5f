package import Measure
package import Scenarios
internal import SimulationCore

/// Holds what the phones' side of the ledger counts; all members are whole numbers, so that shards
/// add.
package struct FleetMetrics: Codable, Equatable, Sendable {
  /// Counts the fixes delivered to apps.
  package var fixesGenerated = 0
  /// Counts the fixes that apps kept, those carried over included.
  package var fixesPersisted = 0
  /// Counts the fixes removed from full outboxes.
  package var fixesEvicted = 0
  /// Counts the fixes in batches that the server refused for good.
  package var fixesRefused = 0
  /// Counts the fixes in batches whose acknowledgement the phone perceived.
  package var fixesAcknowledged = 0
  /// Counts the fixes in outboxes when the counting began.
  package var fixesCarried = 0
  /// Counts the kept fixes by source; those carried over are not among them.
  package var sources = FixSources()

  /// Counts the batches cut, those carried over included; a retry cuts no new one.
  package var batchesCut = 0
  /// Counts the batches cut and not yet answered when the counting began.
  package var batchesCarried = 0
  /// Counts the batches that the server refused for good.
  package var batchesRefused = 0
  /// Counts the batches whose acknowledgement the phone perceived.
  package var batchesAcknowledged = 0
  /// Sum of `BatchHash` over the acknowledged batches.
  package var acknowledgedHash: UInt64 = 0

  /// Counts the uploads handed to the uplink, the tracker's own retries of a batch included.
  package var uploadsStarted = 0
  /// Counts the uploads that ended at once because the phone had no data path.
  package var uploadsOffline = 0
  /// Counts the uploads whose answer the app missed, since it was suspended or dead by then.
  package var uploadsLost = 0
  /// Counts the uploads that the phone perceived as failed.
  package var uploadsFailed = 0
  /// Counts the answers, of `outcomesConsumed`, that came after the phone should have perceived
  /// them.
  package var outcomesLate = 0
  /// Counts the answers taken for the attempt that was the phone's newest.
  package var outcomesConsumed = 0

  /// Counts the alerts that phones showed to their owners (AL1).
  package var alertsShown = 0

  /// Counts how often phones took newer settings from the server.
  package var settingsTaken = 0

  /// Counts the events handled, those of the warm start included.
  package var events = 0
  /// Counts the launches of apps.
  package var launches = 0
  /// Counts the times an app got time to run, by a launch or out of suspension.
  package var wakes = 0
  /// Counts the apps that the system killed because background time ran out, or that crashed.
  package var kills = 0
  /// Counts the apps that the system ended because their phones needed memory.
  package var endedForMemory = 0
  /// Counts the new versions of the app that phones installed.
  package var updates = 0
  /// Counts the apps that their owners deleted, to install them anew.
  package var reinstalls = 0
  /// Counts the fixes that were in the outboxes of deleted apps.
  package var fixesRemoved = 0
  /// Counts the batches that deleted apps had cut and for which they had no answer.
  package var batchesRemoved = 0
  /// Holds what trackers and phones drew, by cohort and not yet priced.
  package var energy: FleetEnergy
  /// Holds what became of the batteries, by cohort.
  package var batteries: [BatteryMetrics]

  /// Integrates age and `located` over the measured time.
  package var freshness: FreshnessMetrics
  /// Holds the installed phones' time that was not fresh, by cause.
  package var stale = StaleLedger()

  /// Makes empty metrics with the scenario's limits, since only metrics with the same limits add.
  package init(_ scenario: Scenario) {
    energy = FleetEnergy(cohorts: scenario.fleet.cohorts.count)
    batteries = scenario.fleet.cohorts.map { _ in BatteryMetrics() }
    freshness = FreshnessMetrics(
      limit: scenario.slo.freshness?.within ?? .minutes(30),
      reach: scenario.slo.located?.within ?? .meters(500),
      cohorts: scenario.fleet.cohorts.count)
  }

  /// Adds the figures of other phones of the same scenario.
  package mutating func merge(_ other: FleetMetrics) {
    fixesGenerated += other.fixesGenerated
    fixesPersisted += other.fixesPersisted
    fixesEvicted += other.fixesEvicted
    fixesRefused += other.fixesRefused
    fixesAcknowledged += other.fixesAcknowledged
    fixesCarried += other.fixesCarried
    sources.merge(other.sources)
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
    alertsShown += other.alertsShown
    settingsTaken += other.settingsTaken
    events += other.events
    launches += other.launches
    wakes += other.wakes
    kills += other.kills
    endedForMemory += other.endedForMemory
    updates += other.updates
    reinstalls += other.reinstalls
    fixesRemoved += other.fixesRemoved
    batchesRemoved += other.batchesRemoved
    energy.merge(other.energy)
    for cohort in batteries.indices { batteries[cohort].merge(other.batteries[cohort]) }
    freshness.merge(other.freshness)
    stale.merge(other.stale)
  }
}

/// Counts the states of the phones and what they hold at one instant.
package struct FleetCensus: Codable, Equatable, Sendable {
  /// Counts the phones whose app is in the foreground.
  package var foreground = 0
  /// Counts the phones whose app runs in the background.
  package var background = 0
  /// Counts the phones whose app is suspended.
  package var suspended = 0
  /// Counts the phones whose app does not run.
  package var notRunning = 0
  /// Counts the phones that are switched off.
  package var switchedOff = 0
  /// Counts the phones without a data path.
  package var offline = 0
  /// Counts the phones whose truth moves.
  package var moving = 0
  /// Counts the phones with Always permission and a valid push token.
  package var reachable = 0
  /// Counts the fixes in outboxes and not in flight, those of a batch that waits for its retry
  /// included.
  package var outboxFixes = 0
  /// Counts the fixes in batches in flight.
  package var inFlightFixes = 0
  /// Counts the batches that are cut, not answered and not in flight.
  package var outboxBatches = 0
  /// Counts the batches in flight.
  package var inFlightBatches = 0

  /// Makes the census of no phones.
  package init() {}

  /// Adds the census of other phones.
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
