internal import Foundation
package import Mobility
package import Scenarios
package import SimulationCore
package import Telemetry

/// The location services that outlive the app: one region, significant changes, visits.
///
/// They are registered with the operating system, go on while the app is dead, and relaunch it
/// (AU5, SL8). Each answers "when does it fire next?" in closed form from the segment that the
/// phone is in; nothing ticks.
package struct LocationServices: Sendable, BitwiseCopyable {
  package var regionCentre = PlanePoint(x: 0, y: 0)
  package var regionRadius = 0.0
  package var significantAnchor = PlanePoint(x: 0, y: 0)
  package var significantLast = SimInstant.distantPast
  /// VI2: the arrival that was told for the present stay: `.distantPast` where nobody knows it,
  /// `.distantFuture` where none was told.
  package var reportedArrival = SimInstant.distantFuture
  /// Count registrations, and key the draws of each.
  package var regionSerial: UInt32 = 0
  package var significantSerial: UInt32 = 0
  package var regionIsSet = false
  /// The phone has left it, or was never in it: it must be entered before it can be left.
  package var regionIsLeft = false
  package var significantChangeIsOn = false
  package var visitsAreOn = false
  /// Visits are monitored only since the present stay began.
  package var missedArrival = false

  package init() {}

  /// - Parameter place: where the phone is. Who registers a region that it is not in hears of no
  ///   exit (rule book 2.1: no event for the state at registration).
  package mutating func monitorRegion(
    centre: PlanePoint, radius: Double, from place: PlanePoint, _ profile: RegionProfile
  ) {
    regionCentre = centre
    // RG1: smaller radii behave as the least.
    regionRadius = max(profile.radiusMin.meters, radius)
    regionIsSet = true
    regionIsLeft = place.distance(to: centre) > regionRadius + profile.cushion.meters
    regionSerial += 1
  }

  /// A new segment begins here.
  package mutating func noteRegion(_ place: PlanePoint) {
    if place.distance(to: regionCentre) <= regionRadius { regionIsLeft = false }
  }

  package mutating func startSignificantChange(at place: PlanePoint, now: SimInstant) {
    significantChangeIsOn = true
    significantAnchor = place
    significantLast = now
    significantSerial += 1
  }

  package mutating func significantChangeFired(at place: PlanePoint, now: SimInstant) {
    significantAnchor = place
    significantLast = now
    significantSerial += 1
  }
}

/// The closed-form answers: what fires within the present segment, and when.
extension LocationServices {
  /// RG3: the exit of the region, after the cushion, the dwell and a latency; `.distantFuture`
  /// when it does not come about in this segment.
  package func regionExit(
    in segment: Segment, after now: SimInstant, wifi: Bool, _ profile: RegionProfile, seed: UInt64,
    phone: PhoneID
  ) -> SimInstant {
    guard regionIsSet, let begin = inside(segment, after: now),
      let crossing = lastingExit(in: segment, after: begin, profile)
    else { return .distantFuture }
    return crossing + profile.dwell + regionLatency(wifi: wifi, profile, seed: seed, phone: phone)
  }

  /// The first instant from `now` on at which the phone is in the region.
  private func inside(_ segment: Segment, after now: SimInstant) -> SimInstant? {
    regionIsLeft ? segment.entry(into: regionCentre, radius: regionRadius, after: now) : now
  }

  /// Log-normal; longer where no Wi-Fi is heard (rule book 2.1).
  func regionLatency(
    wifi: Bool, _ profile: RegionProfile, seed: UInt64, phone: PhoneID
  ) -> SimDuration {
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .regionLatency, Int64(regionSerial))
    let median = wifi ? profile.latencyMedian : profile.latencyMedianWithoutWifi
    let drawn = draw.logNormal(median: median.seconds, sigma: profile.latencySigma)
    return SimDuration(seconds: min(profile.latencyMax.seconds, drawn))
  }

  /// Some exits go unnoticed (rule book 2.1).
  package func missesExit(
    at now: SimInstant, _ profile: RegionProfile, seed: UInt64, phone: PhoneID
  ) -> Bool {
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .missedExit, Int64(regionSerial), now.microseconds)
    return draw.chance(profile.missed)
  }

  /// The first instant from which the truth stays beyond radius and cushion for the dwell, or to
  /// the segment's end: a way that only clips the edge is no exit.
  private func lastingExit(
    in segment: Segment, after now: SimInstant, _ profile: RegionProfile
  ) -> SimInstant? {
    let reach = regionRadius + profile.cushion.meters
    let isOutside = segment.position(at: now).distance(to: regionCentre) > reach
    var crossing =
      isOutside ? now : segment.exit(from: regionCentre, radius: reach, after: now)
    while let out = crossing,
      let back = segment.entry(into: regionCentre, radius: reach, after: out),
      back < out + profile.dwell
    {
      crossing = segment.exit(from: regionCentre, radius: reach, after: back)
    }
    return crossing
  }

  /// SL1–SL4: a keyed trigger distance from the last event's place plus a latency, or a change of
  /// cell without movement; never within the profile's gap after the last.
  ///
  /// - Parameter cells: NO5: without a SIM no cell changes, and Wi-Fi alone notices a movement
  ///   later.
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
    let outside = segment.position(at: now).distance(to: significantAnchor) > reach
    if let crossing = outside
      ? now : segment.exit(from: significantAnchor, radius: reach, after: now)
    {
      var draw = Draw(seed: seed, phone: phone.rawValue, .significantLatency, serial)
      let latency =
        draw.exponential(mean: profile.latencyMean.seconds) * (cells ? 1 : profile.withoutCells)
      // SL2, SL3: the system looks again when the gap is over, and takes its time from then on.
      let looked = max(crossing, significantLast + profile.gapMin)
      due = min(due, looked + SimDuration(seconds: latency))
    }
    return max(due, significantLast + profile.gapMin, now)
  }

  /// Metres (SL1, C9).
  package func triggerDistance(
    _ profile: SignificantChangeProfile, seed: UInt64, phone: PhoneID
  ) -> Double {
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .significantDistance, Int64(significantSerial))
    return max(
      profile.triggerFloor.meters,
      draw.logNormal(median: profile.triggerMedian.meters, sigma: profile.triggerSigma))
  }

  /// VI1: the arrival is told some minutes after it at stays that last as long, the departure some
  /// minutes and "several hundred metres" (rule book 2.1) after leaving a stay whose arrival was
  /// told. SL7: fewer visits without significant changes.
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

  /// SL5: the age of the position that starting the service brings.
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
  /// Seconds that lie evenly between the two ends.
  mutating func seconds(within band: TimeBand) -> Double {
    uniform(band.min.seconds, band.max.seconds)
  }

  mutating func time(within band: TimeBand) -> SimDuration {
    SimDuration(seconds: seconds(within: band))
  }
}
