package import Core
internal import Foundation
package import Scenarios

/// The location services that continue while the app does not run, and relaunch it: one region,
/// significant changes and visits (AU5, SL8). Each service's next event is computed in advance.
package struct LocationServices: Sendable, BitwiseCopyable {
  package var regionCentre = StoredPoint()
  /// The radius of the monitored region in metres, at least the profile's minimum (RG1).
  package var regionRadius = 0.0
  /// The position at the last significant change or at the start of the service, from which the
  /// trigger distance counts.
  package var significantAnchor = StoredPoint()
  package var significantLast = SimInstant.distantPast
  /// VI2: The arrival time reported for the current stay; `.distantPast` if unknown to the system,
  /// `.distantFuture` if no arrival was reported.
  package var reportedArrival = SimInstant.distantFuture
  /// The number of region registrations and evaluated crossings, which keys the next draws.
  package var regionSerial: UInt32 = 0
  /// The number of starts and significant changes, which keys the next draws.
  package var significantSerial: UInt32 = 0
  /// When the system noticed the crossing that is being checked.
  var regionNoticed = NoticedSecond()
  package var regionIsSet = false
  /// Whether the phone has left the region or was never in it, so that an entry must precede an
  /// exit.
  package var regionIsLeft = false
  package var regionWatch = RegionWatch.crossing
  package var significantChangeIsOn = false
  package var visitsAreOn = false
  package var missedArrival = false

  package init() {}

  package mutating func startSignificantChange(at place: PlanePoint, now: SimInstant) {
    significantChangeIsOn = true
    significantAnchor = StoredPoint(place)
    significantLast = now
    significantSerial += 1
  }

  package mutating func significantChangeFired(at place: PlanePoint, now: SimInstant) {
    significantAnchor = StoredPoint(place)
    significantLast = now
    significantSerial += 1
  }
}

/// The second, modulo 65,536, in which the system noticed a crossing.
struct NoticedSecond: Sendable, BitwiseCopyable {
  private var second: UInt16 = 0

  init() {}
  init(_ t: SimInstant) { second = UInt16(truncatingIfNeeded: t.microseconds / 1_000_000) }

  /// Returns the instant of the notice, which is less than 65,536 s before `now`.
  func before(_ now: SimInstant) -> SimInstant {
    now - .seconds(Int64(Self(now).second &- second))
  }
}

extension LocationServices {
  /// SL1–SL4: Returns when the next change is due: a latency after the phone has moved by the
  /// trigger distance, or at a change of cell without movement, but not within `gapMin` of the last
  /// change. NO5: Without `cells` (no SIM) only Wi-Fi detects movement, which takes longer.
  package func significantChange(
    in segment: Segment, after now: SimInstant, _ profile: SignificantChangeProfile,
    cells: Bool = true, seed: UInt64, phone: PhoneID
  ) -> SimInstant {
    guard significantChangeIsOn else { return .distantFuture }
    let serial = Int64(significantSerial)
    var spurious = Draw(seed: seed, phone: phone.rawValue, .spuriousCellChange, serial)
    // SL4: The cell may change without movement.
    var due = SimInstant.distantFuture
    if let every = profile.unmovedEvery { due = significantLast + every }
    if cells, profile.spuriousPerHour > 0, profile.isCellEdge(segment, seed: seed, phone: phone) {
      let mean =
        SimDuration.hours(1).seconds * profile.cellEdges / profile.spuriousPerHour
      let since = max(significantLast, segment.start)
      due = min(due, since + SimDuration(seconds: spurious.exponential(mean: mean)))
    }
    let reach = triggerDistance(profile, seed: seed, phone: phone)
    let outside = segment.position(at: now).distance(to: significantAnchor.point) > reach
    if let crossing = outside
      ? now : segment.exit(from: significantAnchor.point, radius: reach, after: now)
    {
      var draw = Draw(seed: seed, phone: phone.rawValue, .significantLatency, serial)
      let latency =
        draw.exponential(mean: profile.latencyMean.seconds) * (cells ? 1 : profile.withoutCells)
      // SL2, SL3: The system checks no earlier than `gapMin` after the last change. The latency
      // begins at the check.
      let looked = max(crossing, significantLast + profile.gapMin)
      due = min(due, looked + SimDuration(seconds: latency))
    }
    return max(due, significantLast + profile.gapMin, now)
  }

  /// SL10: Returns whether a Wi-Fi scan precedes the next change. Without a scan the position is
  /// that of the cell that triggered the change.
  func scansForWifi(_ profile: SignificantChangeProfile, seed: UInt64, phone: PhoneID) -> Bool {
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .changeSource, Int64(significantSerial))
    return draw.chance(profile.wifiShare)
  }

  /// Returns the distance in metres that triggers the next change (SL1, C9).
  package func triggerDistance(
    _ profile: SignificantChangeProfile, seed: UInt64, phone: PhoneID
  ) -> Double {
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .significantDistance, Int64(significantSerial))
    return max(
      profile.triggerFloor.meters,
      draw.logNormal(median: profile.triggerMedian.meters, sigma: profile.triggerSigma))
  }

  /// VI1: Returns when the next visit event is due. An arrival is due some minutes after the start
  /// of a stay, unless the stay has ended, and a departure some minutes and "several hundred
  /// metres" after the end. SL7: With significant changes off, fewer visits are detected.
  package func visit(
    in segment: Segment, _ profile: VisitProfile, seed: UInt64, phone: PhoneID
  ) -> SimInstant {
    guard visitsAreOn else { return .distantFuture }
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .visitDelay, segment.start.microseconds)
    let seen = significantChangeIsOn || draw.chance(profile.withoutSignificantChange)
    let arrival = segment.start + draw.time(within: profile.arrivalTold)
    let departure = segment.start + draw.time(within: profile.departureTold)
    guard segment.isMoving else {
      let isReported = reportedArrival < .distantFuture
      return seen && !isReported && arrival < segment.end ? arrival : .distantFuture
    }
    guard reportedArrival < .distantFuture,
      let away = segment.exit(
        from: segment.position(at: segment.start), radius: profile.departureDistance.meters,
        after: segment.start)
    else { return .distantFuture }
    let due = max(departure, away)
    return due < segment.end ? due : .distantFuture
  }

  /// SL5: Returns the age of the cached position that the service delivers first.
  package func cachedAge(
    at now: SimInstant, _ profile: SignificantChangeProfile, seed: UInt64, phone: PhoneID
  ) -> SimDuration {
    var draw = Draw(seed: seed, phone: phone.rawValue, .cachedAge, now.microseconds)
    return draw.time(
      median: profile.cachedAgeMedian, sigma: profile.cachedAgeSigma, most: profile.cachedAgeMax)
  }
}

extension Draw {
  mutating func seconds(within band: TimeBand) -> Double {
    uniform(band.min.seconds, band.max.seconds)
  }

  mutating func time(within band: TimeBand) -> SimDuration {
    SimDuration(seconds: seconds(within: band))
  }

  /// Returns a log-normal time, at most `most`.
  mutating func time(median: SimDuration, sigma: Double, most: SimDuration) -> SimDuration {
    SimDuration(seconds: min(most.seconds, logNormal(median: median.seconds, sigma: sigma)))
  }

  /// Returns an exponential time, at most `most`.
  mutating func time(mean: SimDuration, most: SimDuration) -> SimDuration {
    SimDuration(seconds: min(most.seconds, exponential(mean: mean.seconds)))
  }
}

extension SignificantChangeProfile {
  /// SL11: Returns whether the place is at the edge of two cells.
  func isCellEdge(_ segment: borrowing Segment, seed: UInt64, phone: PhoneID) -> Bool {
    var draw = Draw(seed: seed, phone: phone.rawValue, .cellEdge, segment.spot)
    return draw.chance(cellEdges)
  }
}
