internal import Tracker
internal import Telemetry
internal import Mobility
internal import Phone
internal import PushService
package import Measure
internal import Scenarios
package import SimulationCore

/// Freshness and `located` of the three populations, integrated exactly.
package struct FreshnessFigures: Codable, Equatable, Sendable {
  /// Age up to which a phone counts as fresh.
  package let limit: SimDuration
  /// R of `located(R)`.
  package let reach: Distance
  package var installed: PopulationFigures
  package var reachable: PopulationFigures
  package var moving: PopulationFigures
  /// Of the reachable phones of each cohort.
  package var cohorts: [CohortFreshness]

  package init(limit: SimDuration, reach: Distance, cohorts: Int) {
    self.limit = limit
    self.reach = reach
    installed = PopulationFigures(limit: limit)
    reachable = PopulationFigures(limit: limit)
    moving = PopulationFigures(limit: limit)
    self.cohorts = [CohortFreshness](repeating: CohortFreshness(), count: cohorts)
  }

  package mutating func merge(_ other: FreshnessFigures) {
    installed.merge(other.installed)
    reachable.merge(other.reachable)
    moving.merge(other.moving)
    for i in cohorts.indices {
      cohorts[i].total += other.cohorts[i].total
      cohorts[i].fresh += other.cohorts[i].fresh
    }
  }
}

/// Phone-time of a cohort's reachable phones, and how much of it was fresh.
package struct CohortFreshness: Codable, Equatable, Sendable, BitwiseCopyable {
  package var total = SimDuration.zero
  package var fresh = SimDuration.zero
}

package struct PopulationFigures: Codable, Equatable, Sendable {
  package var ages: AgeIntegral
  /// Phone-time in which the newest fix lay within reach of the truth.
  package var located = SimDuration.zero
  package var total = SimDuration.zero

  init(limit: SimDuration) { ages = AgeIntegral(thresholds: [limit]) }

  mutating func merge(_ other: PopulationFigures) {
    ages.merge(other.ages)
    located += other.located
    total += other.total
  }
}

extension Shard {
  /// Closes the accounts of freshness up to `t`, which lies in the phone's present segment and up
  /// to which nothing changed: the newest fix, the segment, and what keeps the phone silent.
  mutating func account(_ i: Int, upTo t: SimInstant) {
    let from = max(phones[i].mark, accounting.start)
    let to = min(t, accounting.end)
    phones[i].mark = max(phones[i].mark, t)
    guard from < to else { return }
    let held = phones[i].held
    let isMoving = phones[i].segment.isMoving
    let located =
      held.isNever
      ? .zero
      : phones[i].segment.timeWithin(
        heldPlace(i), radius: figures.freshness.reach.meters, from: from, to: to)
    figures.freshness.installed.add(held, from, to, located)
    if phones[i].isReachable { figures.freshness.reachable.add(held, from, to, located) }
    if isMoving { figures.freshness.moving.add(held, from, to, located) }
    let staleFrom = held.isNever ? from : max(from, held.time + figures.freshness.limit)
    if phones[i].isReachable {
      let cohort = Int(phones[i].cohort)
      figures.freshness.cohorts[cohort].total += to - from
      figures.freshness.cohorts[cohort].fresh += min(staleFrom, to) - from
    }
    if staleFrom < to { figures.stale.add(to - staleFrom, cause(i, at: from)) }
    noteSilence(i, from, to, staleFrom: staleFrom)
    tallyError(i, from: from, to: to)
  }

  /// The same over time and over the city. A phone on its way is put where it was half-way.
  private mutating func noteSilence(
    _ i: Int, _ from: SimInstant, _ to: SimInstant, staleFrom: SimInstant
  ) {
    silence.installed.add(from: from, to: to, freshUntil: staleFrom)
    if phones[i].isReachable { silence.reachable.add(from: from, to: to, freshUntil: staleFrom) }
    if phones[i].segment.isMoving {
      silence.moving.add(from: from, to: to, freshUntil: staleFrom)
    }
    let silent = staleFrom < to ? to - staleFrom : .zero
    if silent > .zero { silence.addStale(from: staleFrom, to: to, cause(i, at: from)) }
    let halfway = from + SimDuration(microseconds: (to - from).microseconds / 2)
    silence.map.add(
      at: phones[i].segment.position(at: halfway), present: to - from, silent: silent)
  }

  /// The one cause that a phone's stale time is charged to: the first that holds.
  func cause(_ i: Int, at t: SimInstant) -> StaleCause {
    if phones[i].switchedOff.contains(t) { return .switchedOff }
    if phones[i].authorization != .always { return .noPermission }
    if phones[i].process.isForceQuit && phones[i].process.state == .notRunning { return .forceQuit }
    if phones[i].outbox.count > 0 {
      if phones[i].isCutOff(at: t) { return .offline }
      switch phones[i].upload.result {
      case .failed, .refused: return .server
      case .acknowledged, .offline, .connectionLost: return .inOutbox
      }
    }
    if phones[i].openPush.stage == .stored {
      return phones[i].provider.storedFor == .restricted ? .pushGate : .offline
    }
    return phones[i].openPush.wasGated ? .pushGate : .policySilent
  }

  /// Where the newest fix that the collector holds lies on the phone's plane.
  func heldPlace(_ i: Int) -> PlanePoint {
    context.projection(of: phones[i].id, cohort: Int(phones[i].cohort))
      .point(of: phones[i].held.place)
  }

  /// The collector holds what the last upload brought.
  mutating func noteHeld(_ i: Int, now: SimInstant) {
    phones[i].due[.held] = .distantFuture
    let newest = phones[i].upload.newest.instant
    guard phones[i].upload.newest.centiseconds > .min, newest > phones[i].held.time else { return }
    account(i, upTo: now)
    phones[i].held.time = newest
    trace(i, at: now, .held(newest))
    phones[i].held.place = phones[i].upload.newestPlace
    pushReported(i, now: now)
  }
}

extension PopulationFigures {
  fileprivate mutating func add(
    _ held: HeldFix, _ from: SimInstant, _ to: SimInstant, _ located: SimDuration
  ) {
    total += to - from
    self.located += located
    if held.isNever {
      ages.addNever(to - from)
    } else {
      ages.add(from: from - held.time, to: to - held.time)
    }
  }
}
