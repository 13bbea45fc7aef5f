package import Core
internal import Foundation
package import Scenarios

// Monitors the app's one region: computes the crossings of its border, and models when the system
// notices them.

package enum RegionWatch: UInt8, Sendable, BitwiseCopyable {
  case crossing
  case look
  case start
}

package enum RegionStep: Equatable, Sendable, BitwiseCopyable {
  /// RG6: The crossing waits, because nothing makes the system check the position yet.
  case unnoticed
  /// RG7: The phone was back before the check, so the crossing is never reported.
  case undone
  case missed
  /// RG9: The app has the maximum number of regions, so a further region is not monitored.
  case refused
  /// CM2: The app was launched for the event and opened no monitor, so monitoring has ended.
  case dropped
}

extension LocationServices {
  /// Replaces the region. A region that does not contain the phone when registered causes no exit
  /// before the phone has entered it.
  package mutating func monitorRegion(
    centre: PlanePoint, radius: Double, from place: PlanePoint, _ profile: RegionProfile
  ) {
    regionCentre = StoredPoint(centre)
    // RG1, AGF2: Smaller radii behave like the minimum.
    regionRadius = max(profile.radiusMin.meters, radius)
    regionIsSet = true
    regionIsLeft = place.distance(to: centre) > regionRadius + profile.cushion.meters
    regionSerial += 1
  }

  package mutating func noteRegion(_ place: PlanePoint) {
    if place.distance(to: regionCentre.point) <= regionRadius { regionIsLeft = false }
  }

  /// RG3, AGF4: Returns when the phone will have been beyond region and cushion for the dwell time;
  /// `.distantFuture` if no such exit begins in this segment.
  package func regionExit(
    in segment: Segment, after now: SimInstant, _ profile: RegionProfile
  ) -> SimInstant {
    guard regionIsSet, let begin = inside(segment, after: now),
      let crossing = segment.lasting(
        inside: false, of: regionCentre.point, radius: regionRadius + profile.cushion.meters,
        for: profile.dwell, after: begin)
    else { return .distantFuture }
    return crossing + profile.dwell
  }

  private func inside(_ segment: Segment, after now: SimInstant) -> SimInstant? {
    regionIsLeft ? segment.entry(into: regionCentre.point, radius: regionRadius, after: now) : now
  }

  /// RG6, RG7: Returns the time from the end of the dwell to the position check, and whether the
  /// check is late. If `isLocating` is true, the check is never late.
  package func regionLook(
    isRunning: Bool, isLocating: Bool, wifi: Bool, _ profile: RegionProfile, seed: UInt64,
    phone: PhoneID
  ) -> (after: SimDuration, isLate: Bool) {
    profile.look(
      isRunning: isRunning, isLocating: isLocating, wifi: wifi,
      Draw(seed: seed, phone: phone.rawValue, .regionNotice, Int64(regionSerial)),
      Draw(seed: seed, phone: phone.rawValue, .regionLatency, Int64(regionSerial)))
  }

  package func missesExit(
    at now: SimInstant, _ profile: RegionProfile, seed: UInt64, phone: PhoneID
  ) -> Bool {
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .missedExit, Int64(regionSerial), now.microseconds)
    return draw.chance(profile.missed)
  }
}

extension Segment {
  /// Returns the first instant, `now` or later, from which the true position stays inside or
  /// outside a circle for `dwell` or to the segment's end. Touching the border is no crossing.
  func lasting(
    inside wanted: Bool, of centre: PlanePoint, radius: Double, for dwell: SimDuration,
    after now: SimInstant
  ) -> SimInstant? {
    func next(_ inside: Bool, _ t: SimInstant) -> SimInstant? {
      inside
        ? entry(into: centre, radius: radius, after: t)
        : exit(from: centre, radius: radius, after: t)
    }
    let isInside = position(at: now).distance(to: centre) <= radius
    var crossing = isInside == wanted ? now : next(wanted, now)
    while let begin = crossing, let end = next(!wanted, begin), end < begin + dwell {
      crossing = next(wanted, end)
    }
    return crossing
  }
}

extension RegionProfile {
  /// RG6, RG7, AGF3: Returns the time from the end of the dwell to the check. `notice` decides
  /// whether the check is late, and draws a late check's delay. `latency` draws a prompt check's
  /// delay.
  func look(
    isRunning: Bool, isLocating: Bool, wifi: Bool, _ notice: Draw, _ latency: Draw
  ) -> (after: SimDuration, isLate: Bool) {
    var (notice, latency) = (notice, latency)
    let share = isRunning ? promptShare : promptShareTerminated
    if !notice.chance(share), !isLocating {
      return (notice.time(mean: lateLook, most: lateMax), true)
    }
    let median = wifi ? promptMedian : promptMedianWithoutWifi
    return (latency.time(median: median, sigma: promptSigma, most: lateMax), false)
  }
}

extension Device {
  mutating func armRegion(_ now: SimInstant, _ context: borrowing Context) {
    // AU15, AGF1: Without precise location there are no regions.
    guard !isImprecise(context) else { return }
    services.regionWatch = .crossing
    let exit = services.regionExit(in: segment, after: now, regions(at: now, context))
    due[.regionExit] = min(exit, believedExit(after: now, context))
  }

  /// RG11: Returns when the believed position of a phone at rest inside the region will have been
  /// outside for the dwell, because of a cell or a leap; `.distantFuture` if never.
  private mutating func believedExit(
    after now: SimInstant, _ context: borrowing Context
  ) -> SimInstant {
    guard services.regionIsSet, !segment.isMoving else { return .distantFuture }
    let (centre, radius) = (services.regionCentre.point, services.regionRadius)
    let reach = radius + regions(at: now, context).cushion.meters
    let isLeft = services.regionIsLeft
    guard segment.position(at: now).distance(to: centre) <= (isLeft ? radius : reach) else {
      return .distantFuture
    }
    return believedCrossing(after: now, byCell: !isLeft, context) {
      $0.distance(to: centre) > reach
    }
  }

  /// RG11: Returns when the believed position of a phone at rest will have been across a border for
  /// the dwell; `.distantFuture` if that does not happen in this stay.
  mutating func believedCrossing(
    after now: SimInstant, byCell: Bool = true, _ context: borrowing Context,
    isAcross: (PlanePoint) -> Bool
  ) -> SimInstant {
    let dwell = context.profile.regions.dwell
    var memory = SightingMemory()
    if byCell, now + dwell < segment.end, !isLocating(at: now),
      context.maker.network(at: now, segment, radios, id, &memory) == .cell,
      let place = context.maker.believed(at: now, segment, radios, id, from: .cell, &memory),
      isAcross(place)
    {
      return now + dwell
    }
    let here = segment.position(at: now)
    // A stay may have no end, so the search covers a day; the next one starts after that day.
    let end = min(segment.end, now + .hours(24))
    var after = now
    while let leap = context.maker.error.nextLeap(after: after, before: end, phone: id) {
      let crossing = leap.begins + dwell
      if crossing > now, crossing < min(leap.ends, end), isAcross(here + leap.offset),
        seesLeap(at: leap.begins, now, context)
      {
        return crossing
      }
      after = leap.ends
    }
    return end < segment.end ? end : .distantFuture
  }

  /// RG11: Returns whether a check of the regions sees a leap: always while a service locates, and
  /// otherwise in a share of leaps that depends on the place. The share is a power of a uniform
  /// number, with the profile's `leapsSeen` as mean.
  private mutating func seesLeap(
    at begins: SimInstant, _ now: SimInstant, _ context: borrowing Context
  ) -> Bool {
    let share = context.profile.regions.leapsSeen
    guard share > 0, share < 1, !isLocating(at: now) else { return share > 0 }
    let place = Int64(segment.place)
    var trait = Draw(seed: context.seed, phone: id.rawValue, .leap, place, 1)
    var draw = Draw(seed: context.seed, phone: id.rawValue, .leap, place, begins.microseconds)
    return draw.chance(pow(1 - trait.uniform(), (1 - share) / share))
  }

  @inline(__always) func isLocating(at now: SimInstant) -> Bool {
    standard.isOn && standard.firstFixAt <= now
  }

  private func locatesBySatellites(at now: SimInstant) -> Bool {
    isLocating(at: now) && standard.source == .satellites && standard.finalFixAt <= now
  }

  /// RG12: Returns the profile with the cushion of the positions at hand. On a trip a service finds
  /// satellites within seconds.
  func regions(at now: SimInstant, _ context: borrowing Context) -> RegionProfile {
    var profile = context.profile.regions
    let isSure =
      segment.isMoving ? standard.isOn && standard.asksSatellites : locatesBySatellites(at: now)
    if isSure { profile.cushion = profile.cushionLocating }
    return profile
  }

  /// RG11: Returns the position that the system believes: from satellites while a service locates
  /// with satellites, otherwise from Wi-Fi or cells; the true position without these.
  mutating func believedPlace(_ now: SimInstant, _ context: borrowing Context) -> PlanePoint {
    var memory = SightingMemory()
    if locatesBySatellites(at: now),
      let place = context.maker.believed(at: now, segment, radios, id, from: .satellites, &memory)
    {
      return place
    }
    return context.maker.believed(at: now, segment, radios, id, &memory)
      ?? segment.position(at: now)
  }

  /// RG11: Returns the time of the next check after a check that did not show a real crossing: on a
  /// trip the next time slot, at rest the time of a check without a trigger (RG6).
  mutating func nextCheck(
    after now: SimInstant, _ draw: Draw, _ context: borrowing Context
  ) -> SimInstant {
    let profile = context.profile.regions
    var draw = draw
    let check =
      segment.isMoving
      ? context.maker.networkSlot(after: now)
      : now + draw.time(mean: profile.lateLook, most: profile.lateMax)
    return max(now + .seconds(1), min(check, segment.end))
  }

  @inline(__always) mutating func learnPlace(_ at: SimInstant) {
    if services.regionWatch == .look { due[.regionExit] = min(due[.regionExit], at) }
    if !places.crossed.isEmpty {
      places.looksAt = min(places.looksAt, at)
      due[.place] = min(due[.place], at)
    }
  }

  mutating func forgetCrossing() {
    forgetPlaceCrossings()
    guard services.regionWatch != .start else { return }
    services.regionWatch = .crossing
    due[.regionExit] = .distantFuture
  }

  mutating func waitForRegions(_ now: SimInstant, _ context: borrowing Context) {
    let end = now + context.profile.regions.afterBoot
    if services.regionIsSet {
      services.regionWatch = .start
      due[.regionExit] = end
    }
    guard !places.isIdle else { return }
    places.crossed = PlaceSet()
    places.isStarting = true
    places.looksAt = end
  }

  /// RG6, RG11: Handles a due crossing or position check of the region.
  mutating func watchRegion(_ context: borrowing Context, _ out: inout Effects) {
    let watch = services.regionWatch
    services.regionWatch = .crossing
    let centre = services.regionCentre.point
    let isOutside =
      segment.position(at: out.now).distance(to: centre) > services.regionRadius
    switch watch {
    case .start:
      if servicesRun(at: out.now) { armRegion(out.now, context) }
    case .crossing:
      // The phone may have come back at the beginning of the next segment.
      let reach = services.regionRadius + regions(at: out.now, context).cushion.meters
      isOutside || believedPlace(out.now, context).distance(to: centre) > reach
        ? noticeRegion(context, &out) : armRegion(out.now, context)
    case .look:
      if seesFences(at: out.now),
        believedPlace(out.now, context).distance(to: centre) > services.regionRadius
      {
        // LA1: A false exit brings the position that caused the exit.
        learnPlace(out.now)
        let since = isOutside ? services.regionNoticed.before(out.now) : out.now
        return leaveRegion(since: since, context, &out)
      }
      services.regionSerial += 1
      if isOutside {
        services.regionWatch = .look
        let draw = Draw(
          seed: context.seed, phone: id.rawValue, .regionNotice, Int64(services.regionSerial))
        due[.regionExit] = nextCheck(after: out.now, draw, context)
        return
      }
      learnPlace(out.now)
      out.emit(.region(.undone, place: nil))
      armRegion(out.now, context)
    }
  }

  private mutating func noticeRegion(_ context: borrowing Context, _ out: inout Effects) {
    let look = services.regionLook(
      isRunning: process.state != .notRunning,
      isLocating: isLocating(at: out.now),
      wifi: mayUseWifi(out.now, context),
      context.profile.regions, seed: context.seed, phone: id)
    services.regionWatch = .look
    services.regionNoticed = NoticedSecond(out.now)
    due[.regionExit] = out.now + look.after
    if look.isLate { out.emit(.region(.unnoticed, place: nil)) }
  }

  /// RG1–RG4: Handles the exit. Even if the app misses the event, the phone is now outside, and
  /// must enter the region before it can leave again.
  private mutating func leaveRegion(
    since noticed: SimInstant, _ context: borrowing Context, _ out: inout Effects
  ) {
    let isMissed = services.missesExit(
      at: out.now, context.profile.regions, seed: context.seed, phone: id)
    services.regionIsLeft = true
    services.regionSerial += 1
    armRegion(out.now, context)
    if isMissed { return out.emit(.region(.missed, place: nil)) }
    guard wake(.location, for: .keptExit, context, &out), process.hasManager else { return }
    // The app receives a position that is at most as old as the notice of the crossing.
    let located = wakeFix(since: noticed, context, &out)
    note(located, &out)
    notifyExit(cached: located.fix, context, &out)
  }

  /// RG2: Every manager instance receives the exit.
  mutating func notifyExit(cached fix: Fix?, _ context: borrowing Context, _ out: inout Effects) {
    notify(.regionExited(.standard, cached: fix), context, &out)
    notify(.regionExited(.imprecise, cached: fix), context, &out)
  }

  mutating func monitorRegion(
    _ centre: Coordinate, _ radius: Distance, _ context: borrowing Context, _ out: inout Effects
  ) {
    process.hasManager = true
    authorizeImplicitly(context, &out)
    guard services.regionIsSet || places.monitored.count < context.profile.regions.most else {
      places.refused = 1
      turn.answers.insert(.regionError)
      return out.emit(.region(.refused, place: nil))  // RG9
    }
    services.monitorRegion(
      centre: context.maker.projection.point(of: centre), radius: radius.meters,
      from: segment.position(at: out.now), regions(at: out.now, context))
    guard servicesRun(at: out.now) else { return }
    if services.regionIsLeft {
      // RG11: A phone that wrongly believes that it is inside leaves the region when a better
      // position comes.
      let away = believedPlace(out.now, context).distance(to: services.regionCentre.point)
      services.regionIsLeft = away > services.regionRadius
    }
    armRegion(out.now, context)
  }

  mutating func stopMonitoringRegion() {
    services.regionIsSet = false
    services.regionWatch = .crossing
    due[.regionExit] = .distantFuture
  }
}
