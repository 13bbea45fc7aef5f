package import Core
internal import Foundation
package import Scenarios

/// The location services that outlast the app: one region, significant changes and visits. They
/// continue while the app is not running, and relaunch it (AU5, SL8). The instant of the next event
/// is computed ahead.
package struct LocationServices: Sendable, BitwiseCopyable {
  package var regionCentre = StoredPoint()
  /// The radius of the monitored region in metres, at least the profile's minimum (RG1).
  package var regionRadius = 0.0
  /// The position at the last significant change or at the start of the service, from which the
  /// trigger distance counts.
  package var significantAnchor = StoredPoint()
  package var significantLast = SimInstant.distantPast
  /// VI2: The arrival that was reported for the current stay: `.distantPast` if the system does not
  /// know it, `.distantFuture` if none was reported.
  package var reportedArrival = SimInstant.distantFuture
  /// The number of registrations and evaluated crossings, which keys the draws of the next one.
  package var regionSerial: UInt32 = 0
  /// The number of starts and firings, which keys the draws of the next one.
  package var significantSerial: UInt32 = 0
  package var regionIsSet = false
  /// Whether the phone has left the region or was never in it. It must then enter before it can
  /// leave.
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

extension LocationServices {
  /// SL1–SL4: Returns when the next change is due: after the trigger distance and a latency, or at
  /// a change of cell without movement, and never within `gapMin` of the last change. NO5: Without
  /// `cells` (a SIM) only Wi-Fi detects a movement, and later.
  package func significantChange(
    in segment: Segment, after now: SimInstant, _ profile: SignificantChangeProfile,
    cells: Bool = true, seed: UInt64, phone: PhoneID
  ) -> SimInstant {
    guard significantChangeIsOn else { return .distantFuture }
    let serial = Int64(significantSerial)
    var spurious = Draw(seed: seed, phone: phone.rawValue, .spuriousCellChange, serial)
    // SL4: changes of cell without movement.
    var due = SimInstant.distantFuture
    if let every = profile.unmovedEvery { due = significantLast + every }
    if cells, profile.spuriousPerHour > 0 {
      let mean = SimDuration.hours(1).seconds / profile.spuriousPerHour
      due = min(due, significantLast + SimDuration(seconds: spurious.exponential(mean: mean)))
    }
    let reach = triggerDistance(profile, seed: seed, phone: phone)
    let outside = segment.position(at: now).distance(to: significantAnchor.point) > reach
    if let crossing = outside
      ? now : segment.exit(from: significantAnchor.point, radius: reach, after: now)
    {
      var draw = Draw(seed: seed, phone: phone.rawValue, .significantLatency, serial)
      let latency =
        draw.exponential(mean: profile.latencyMean.seconds) * (cells ? 1 : profile.withoutCells)
      // SL2, SL3: The system checks again after the gap, and its latency begins then.
      let looked = max(crossing, significantLast + profile.gapMin)
      due = min(due, looked + SimDuration(seconds: latency))
    }
    return max(due, significantLast + profile.gapMin, now)
  }

  /// SL10: Returns whether a Wi-Fi scan precedes the next change. Otherwise the position is that of
  /// the cell that triggered the change.
  func scansForWifi(_ profile: SignificantChangeProfile, seed: UInt64, phone: PhoneID) -> Bool {
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .changeSource, Int64(significantSerial))
    return draw.chance(profile.wifiShare)
  }

  /// The distance that triggers the next change, in metres (SL1, C9).
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
  /// of a long enough stay, a departure some minutes and "several hundred metres" after its end.
  /// SL7: Without significant changes fewer visits are noticed.
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

  /// SL5: Draws the age of the cached position that the app receives first.
  package func cachedAge(
    at now: SimInstant, _ profile: SignificantChangeProfile, seed: UInt64, phone: PhoneID
  ) -> SimDuration {
    var draw = Draw(seed: seed, phone: phone.rawValue, .cachedAge, now.microseconds)
    let seconds = draw.logNormal(
      median: profile.cachedAgeMedian.seconds, sigma: profile.cachedAgeSigma)
    return SimDuration(seconds: min(seconds, profile.cachedAgeMax.seconds))
  }
}

extension Draw {
  mutating func seconds(within band: TimeBand) -> Double {
    uniform(band.min.seconds, band.max.seconds)
  }

  mutating func time(within band: TimeBand) -> SimDuration {
    SimDuration(seconds: seconds(within: band))
  }
}
