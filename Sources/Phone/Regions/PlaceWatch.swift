package import Core
package import Scenarios

// Monitors the regions around the places that an app knows: which regions are set, when the phone
// enters or leaves a region, and when the system notices the crossing.

/// Finds the places that each phone's app knows, computed from the person or common to all.
package final class PlaceBook: Sendable {
  private enum Source: Sendable {
    case people(Town, MobilityKind)
    case common([PlanePoint])
  }

  private let source: Source
  package let count: Int

  package init(of rule: PlaceRule, town: Town, kind: MobilityKind) {
    source = .people(town, kind)
    count = rule.count
  }

  /// Creates a book of places that all phones share, at most `PlaceRule.most`.
  package init(common places: [PlanePoint]) {
    precondition(places.count <= PlaceRule.most, "at most \(PlaceRule.most) places")
    source = .common(places)
    count = places.count
  }

  fileprivate func forEach(of phone: PhoneID, _ body: (Int, PlanePoint) -> Void) {
    switch source {
    case .common(let points):
      for n in 0..<count { body(n, points[n]) }
    case .people(let town, let kind):
      let life = Life(town: town, phone: phone.rawValue, kind: kind)
      for n in 0..<count { body(n, life.place(number: n)) }
    }
  }
}

/// The places of one phone, computed once for all tests at one event.
struct PlaceGround {
  let count: Int
  let radius: Double
  private var centres = InlineArray<32, PlanePoint>(repeating: PlanePoint(x: 0, y: 0))

  init(_ book: PlaceBook, of phone: PhoneID, radius: Double) {
    (count, self.radius) = (book.count, radius)
    book.forEach(of: phone) { centres[$0] = $1 }
  }

  func forEach(in places: PlaceSet, _ body: (Int, PlanePoint) -> Void) {
    for n in 0..<count where places.contains(n) { body(n, centres[n]) }
  }
}

package struct PlaceSet: Equatable, Sendable, BitwiseCopyable {
  package private(set) var bits: UInt32 = 0

  package init(bits: UInt32 = 0) { self.bits = bits }

  package init(first count: Int) { for n in 0..<count { insert(n) } }
  init(only n: Int) { insert(n) }

  package var count: Int { bits.nonzeroBitCount }
  @inline(__always) package var isEmpty: Bool { bits == 0 }
  package func contains(_ n: Int) -> Bool { bits & 1 << UInt32(n) != 0 }
  mutating func insert(_ n: Int) { bits |= 1 << UInt32(n) }
  mutating func remove(_ n: Int) { bits &= ~(1 << UInt32(n)) }
  mutating func toggle(_ n: Int) { bits ^= 1 << UInt32(n) }
  mutating func formIntersection(_ other: PlaceSet) { bits &= other.bits }
  mutating func formUnion(_ other: PlaceSet) { bits |= other.bits }
  func subtracting(_ other: PlaceSet) -> PlaceSet {
    var copy = self
    copy.bits &= ~other.bits
    return copy
  }
}

package struct PlaceWatch: Sendable, BitwiseCopyable {
  var looksAt = SimInstant.distantFuture
  package internal(set) var monitored = PlaceSet()
  /// The places that the system believes the phone to be in. CM6: It keeps its belief about a place
  /// that is no longer monitored.
  var inside = PlaceSet()
  /// The places whose border was crossed, and that the system has yet to check.
  var crossed = PlaceSet()
  /// The number of regions that the system refused at the last registration (RG9).
  var refused: UInt8 = 0
  var isStarting = false
  /// When the system noticed the last of the crossings.
  var noticed = NoticedSecond()
  /// CM4: The second of simulated time until which CLMonitor reports nothing.
  var deafUntilSecond: UInt32 = 0
  /// CM6: The new places of which CLMonitor has not reported yet what it believes.
  var fresh = PlaceSet()

  /// The places whose border a crossing can still begin at.
  fileprivate var open: PlaceSet { monitored.subtracting(crossed) }

  /// Whether no place is monitored, as on all phones whose policy names no places.
  @inline(__always) var isIdle: Bool { monitored.isEmpty }

  /// Registers regions around places, up to the system's limit. Places that stay registered keep
  /// their state.
  /// - Parameter saysWhere: whether a phone already in a region is reported (CM1, not RG5).
  /// - Returns: the places that the system refuses (RG9); nil if nothing changes.
  mutating func take(
    _ wanted: PlaceSet, most: Int, of ground: PlaceGround, at here: PlanePoint, saysWhere: Bool
  ) -> PlaceSet? {
    var taken = PlaceSet()
    var refused = PlaceSet()
    for n in 0..<ground.count where wanted.contains(n) {
      taken.count < most ? taken.insert(n) : refused.insert(n)
    }
    if taken == monitored, Int(self.refused) == refused.count { return nil }
    let added = taken.subtracting(monitored)
    monitored = taken
    self.refused = UInt8(refused.count)
    if saysWhere {
      fresh.formUnion(added)
      fresh.formIntersection(taken)
    } else {
      var known = inside.subtracting(added)
      ground.forEach(in: added) { n, centre in
        if centre.distance(to: here) <= ground.radius { known.insert(n) }
      }
      inside = known
    }
    crossed.formIntersection(taken)
    return refused
  }

  /// Stops monitoring all places.
  mutating func stop() {
    let belief = inside
    self = PlaceWatch()
    inside = belief
  }

  /// RG5: Returns when the phone will first have been inside a region, or beyond its cushion, for
  /// the dwell time; `.distantFuture` if no such crossing begins in this segment.
  func nextCrossing(
    in segment: Segment, after now: SimInstant, of ground: PlaceGround, _ profile: RegionProfile,
    loitering: SimDuration
  ) -> SimInstant {
    var next = SimInstant.distantFuture
    ground.forEach(in: open) { n, centre in
      let isLeaving = inside.contains(n)
      let reach = isLeaving ? ground.radius + profile.cushion.meters : ground.radius
      let dwell = isLeaving ? profile.dwell : profile.dwell + loitering
      // AGF5: A stay that has begun goes on.
      let from = isLeaving ? now : max(segment.start, now - loitering)
      let crossing = segment.lasting(
        inside: !isLeaving, of: centre, radius: reach, for: dwell, after: from)
      if let crossing { next = min(next, crossing + dwell) }
    }
    return next
  }

  func differing(
    _ set: PlaceSet, at here: PlanePoint, beyond: Double, of ground: PlaceGround
  ) -> PlaceSet {
    var found = PlaceSet()
    ground.forEach(in: set) { n, centre in
      let distance = here.distance(to: centre)
      let differs =
        inside.contains(n) ? distance > ground.radius + beyond : distance <= ground.radius
      if differs { found.insert(n) }
    }
    return found
  }

  func dwelt(
    in segment: Segment, at now: SimInstant, of ground: PlaceGround, _ profile: RegionProfile,
    loitering: SimDuration
  ) -> PlaceSet {
    let cushion = profile.cushion.meters
    let present = differing(open, at: segment.position(at: now), beyond: cushion, of: ground)
    func since(_ dwell: SimDuration) -> PlaceSet {
      let then = max(segment.start, now - dwell)
      return differing(present, at: segment.position(at: then), beyond: cushion, of: ground)
    }
    var found = since(profile.dwell)
    guard loitering > .zero else { return found }
    let dwell = profile.dwell + loitering
    let entered = now - dwell < segment.start ? PlaceSet() : since(dwell).subtracting(inside)
    found.formIntersection(inside)
    found.formUnion(entered)
    return found
  }

  /// The places at whose border a believed position may show a crossing: with a loitering delay
  /// those that the phone leaves (AGF5).
  fileprivate func believable(loitering: SimDuration) -> PlaceSet {
    var set = open
    if loitering > .zero { set.formIntersection(inside) }
    return set
  }

  /// Returns the places nearest to a point, and the distance of the nearest other place;
  /// `.infinity` if there is none (RG10).
  static func nearest(
    _ most: Int, to here: PlanePoint, of ground: PlaceGround
  ) -> (places: PlaceSet, next: Double) {
    var distances = InlineArray<32, Double>(repeating: .infinity)
    ground.forEach(in: PlaceSet(first: ground.count)) { n, place in
      distances[n] = place.distance(to: here)
    }
    var chosen = PlaceSet()
    while true {
      var best = -1
      for n in 0..<ground.count where !chosen.contains(n) {
        if best < 0 || distances[n] < distances[best] { best = n }
      }
      if best < 0 { return (chosen, .infinity) }
      if chosen.count == most { return (chosen, distances[best]) }
      chosen.insert(best)
    }
  }
}

// MARK: - System behaviour

extension Device {
  func ground(_ context: borrowing Context) -> PlaceGround? {
    guard let book = context.places, let rule = context.policy.settings.places else { return nil }
    return PlaceGround(book, of: id, radius: rule.radius.meters)
  }

  /// RG10: Registers all places, or the places nearest to `near` if the policy chooses so.
  mutating func monitorPlaces(
    near: Coordinate?, _ context: borrowing Context, _ out: inout Effects
  ) {
    guard let ground = ground(context), let rule = context.policy.settings.places else {
      return stopMonitoringPlaces()
    }
    // CM2: An app that opens its monitor only in the foreground adds no region in the background.
    if !rule.opensMonitor, usesMonitor(context), !process.canBeSwiped { return }
    process.hasManager = true
    authorizeImplicitly(context, &out)
    var wanted = PlaceSet(first: ground.count)
    let most = context.profile.regions.most
    switch rule.choose {
    case .nearest where wanted.count > most - (context.policy.settings.regionRadius == nil ? 0 : 1):
      wanted = PlaceSet(first: most - 1)
      guard let near else { break }
      let here = context.maker.projection.point(of: near)
      let choice = PlaceWatch.nearest(most - 1, to: here, of: ground)
      wanted = choice.places
      // RG10: A region around the phone triggers the next choice, unless the policy keeps a region.
      if context.policy.settings.regionRadius == nil {
        let half = (choice.next - ground.radius) / 2
        monitorRegion(near, .meters(half), context, &out)
      }
    case .nearest, .first: break
    }
    let refused = places.take(
      wanted, most: most - (services.regionIsSet ? 1 : 0), of: ground,
      at: segment.position(at: out.now),
      saysWhere: usesMonitor(context) || hasInitialTrigger(context))
    guard let refused else { return }
    report(.refused, refused, &out)
    if !refused.isEmpty { turn.answers.insert(.regionError) }
    armPlaces(out.now, context)
  }

  mutating func stopMonitoringPlaces() {
    places.stop()
    due[.place] = .distantFuture
  }

  /// CM6: Lets CLMonitor report the new places that it believes the phone to be in, since the app
  /// assumes that it is outside, and determine the true states some seconds later.
  private mutating func recall(
    _ ground: PlaceGround, _ now: SimInstant, _ context: borrowing Context
  ) {
    let wrong = places.differing(
      places.fresh, at: believedPlace(now, context), beyond: 0, of: ground)
    if !wrong.isEmpty {
      places.crossed.formUnion(wrong)
      places.noticed = NoticedSecond(now)
      places.looksAt = min(places.looksAt, now + context.profile.regions.monitorEvaluation)
    }
    places.fresh.formIntersection(places.inside)
    if !process.mayRunCode { places.fresh = PlaceSet() }
    if places.fresh.isEmpty { return }
    turn.given.insert(.belief)
    turn.answers.insert(.belief)
  }

  /// CM6: Reports the old belief about new places, whether or not it is right.
  mutating func reportBelief(_ context: borrowing Context, _ out: inout Effects) {
    let believed = places.fresh
    places.fresh = PlaceSet()
    if !believed.isEmpty { deliver(believed, since: out.now, context, &out) }
  }

  private mutating func report(_ step: RegionStep, _ set: PlaceSet, _ out: inout Effects) {
    for n in 0..<PlaceRule.most where set.contains(n) {
      out.emit(.region(step, place: UInt8(n)))
    }
  }

  mutating func armPlaces(_ now: SimInstant, _ context: borrowing Context) {
    due[.place] = places.looksAt
    guard let ground = ground(context), servicesRun(at: now), !places.isStarting,
      !isImprecise(context)
    else { return }
    if !places.fresh.isEmpty, !turn.given.contains(.belief) { recall(ground, now, context) }
    let crossing = places.nextCrossing(
      in: segment, after: now, of: ground, regions(at: now, context), loitering: loitering(context))
    due[.place] = min(places.looksAt, crossing, believedCrossing(after: now, ground, context))
  }

  /// RG11: Returns when the believed position will have been across the border of a place for the
  /// dwell. On a trip this is the dwell after the first time slot with such a position of a cell.
  private mutating func believedCrossing(
    after now: SimInstant, _ ground: PlaceGround, _ context: borrowing Context
  ) -> SimInstant {
    let (places, profile) = (places, regions(at: now, context))
    let open = places.believable(loitering: loitering(context))
    func isAcross(_ here: PlanePoint) -> Bool {
      !places.differing(open, at: here, beyond: profile.cushion.meters, of: ground).isEmpty
    }
    guard segment.isMoving else {
      return believedCrossing(after: now, context, isAcross: isAcross)
    }
    var slot = context.maker.networkSlot(after: now)
    var memory = SightingMemory()
    while slot + profile.dwell < segment.end {
      if context.maker.network(at: slot, segment, radios, id, &memory) == .cell,
        let here = context.maker.believed(at: slot, segment, radios, id, from: .cell, &memory),
        isAcross(here)
      {
        return slot + profile.dwell
      }
      slot = context.maker.networkSlot(after: slot)
    }
    return .distantFuture
  }

  mutating func forgetPlaceCrossings() {
    guard !places.isIdle, !places.isStarting else { return }
    places.crossed = PlaceSet()
    places.looksAt = .distantFuture
  }

  /// RG5–RG7, RG11: Handles a due crossing or check of places.
  mutating func watchPlaces(_ context: borrowing Context, _ out: inout Effects) {
    guard let ground = ground(context) else { return }
    if places.isStarting {
      places.isStarting = false
      places.looksAt = .distantFuture
    } else if out.now >= places.looksAt {
      return lookAtPlaces(ground, context, &out)
    } else if servicesRun(at: out.now) {
      noticePlaces(ground, context, &out)
    }
    armPlaces(out.now, context)
  }

  /// RG6: Schedules the system's check of each place whose border was crossed.
  private mutating func noticePlaces(
    _ ground: PlaceGround, _ context: borrowing Context, _ out: inout Effects
  ) {
    let profile = regions(at: out.now, context)
    let loitering = loitering(context)
    var crossings = places.dwelt(
      in: segment, at: out.now, of: ground, profile, loitering: loitering)
    crossings.formUnion(
      places.differing(
        places.believable(loitering: loitering), at: believedPlace(out.now, context),
        beyond: profile.cushion.meters, of: ground))
    guard !crossings.isEmpty else { return }
    let wifi = mayUseWifi(out.now, context)
    for n in 0..<PlaceRule.most where crossings.contains(n) {
      let key = (Int64(n), out.now.microseconds)
      let look = profile.look(
        isRunning: process.state != .notRunning,
        isLocating: isLocating(at: out.now),
        wifi: wifi,
        Draw(seed: context.seed, phone: id.rawValue, .placeNotice, key.0, key.1),
        Draw(seed: context.seed, phone: id.rawValue, .placeLatency, key.0, key.1))
      places.crossed.insert(n)
      places.noticed = NoticedSecond(out.now)
      places.looksAt = min(places.looksAt, out.now + look.after)
      if look.isLate { out.emit(.region(.unnoticed, place: UInt8(n))) }
    }
  }

  private mutating func lookAtPlaces(
    _ ground: PlaceGround, _ context: borrowing Context, _ out: inout Effects
  ) {
    let crossed = places.crossed
    let seen = seesFences(at: out.now) ? crossed : PlaceSet()
    var reported = places.differing(
      seen, at: believedPlace(out.now, context), beyond: 0, of: ground)
    // RG11: A crossing that this check does not show waits for the next one.
    let real = places.differing(
      crossed, at: segment.position(at: out.now), beyond: 0, of: ground)
    let hidden = real.subtracting(reported)
    // LA1: A false crossing brings the position that caused the crossing.
    let since = reported.subtracting(real).isEmpty ? places.noticed.before(out.now) : out.now
    places.crossed = PlaceSet()
    places.looksAt = .distantFuture
    // Otherwise a check that shows no crossing would trigger the same check without end.
    if hidden.isEmpty || !reported.isEmpty { learnPlace(out.now) }
    report(.undone, crossed.subtracting(reported).subtracting(hidden), &out)
    if !hidden.isEmpty {
      places.crossed = hidden
      let draw = Draw(
        seed: context.seed, phone: id.rawValue, .placeNotice, -1, out.now.microseconds)
      places.looksAt = nextCheck(after: out.now, draw, context)
    }
    var missed = PlaceSet()
    let profile = context.profile.regions
    let share = usesMonitor(context) ? profile.missedByMonitor : profile.missed
    for n in 0..<PlaceRule.most where reported.contains(n) {
      places.inside.toggle(n)
      var draw = Draw(
        seed: context.seed, phone: id.rawValue, .missedPlace, Int64(n), out.now.microseconds)
      if draw.chance(share) { missed.insert(n) }
    }
    reported = reported.subtracting(missed)
    report(.missed, missed, &out)
    armPlaces(out.now, context)
    if !reported.isEmpty { deliver(reported, since: since, context, &out) }
  }

  private mutating func deliver(
    _ reported: PlaceSet, since: SimInstant, _ context: borrowing Context, _ out: inout Effects
  ) {
    let inside = places.inside
    let byMonitor = usesMonitor(context)
    let isLaunch = process.state == .notRunning
    if byMonitor, isSilent(context, out) { return report(.missed, reported, &out) }
    guard wake(.location, byMonitor: byMonitor, context, &out) else { return }
    if byMonitor, isLaunch { deafen(context, out) }
    if byMonitor, isLaunch, context.policy.settings.places?.opensMonitor == false {
      // CM2: The event has no recipient, so the system stops monitoring the places until the app
      // adds them again.
      places.monitored = places.monitored.subtracting(reported)
      report(.dropped, reported, &out)
      return armPlaces(out.now, context)
    }
    guard process.hasManager else { return }
    let located = wakeFix(since: since, context, &out)
    note(located, &out)
    for n in 0..<PlaceRule.most where reported.contains(n) {
      let place = UInt8(n)
      var draw = Draw(
        seed: context.seed, phone: id.rawValue, .monitorCopy, Int64(n), out.now.microseconds)
      // CM3: The second event comes at once; on real phones it comes seconds later.
      let isTwice = byMonitor && draw.chance(context.profile.regions.monitorCopies)
      for _ in 0...(isTwice ? 1 : 0) {
        notify(
          inside.contains(n)
            ? .placeEntered(place, cached: located.fix)
            : .placeExited(place, cached: located.fix),
          context, &out)
      }
    }
  }

  /// Returns whether CLMonitor reports nothing now: the app is in the background without a service
  /// session (CM5), or a launch has made the monitor deaf for a while (CM4).
  private func isSilent(_ context: borrowing Context, _ out: borrowing Effects) -> Bool {
    let rule = context.policy.settings.places
    if process.state != .foreground, context.rules.monitorNeedsSession,
      rule?.holdsSession == false
    {
      return true
    }
    return out.now.microseconds < Int64(places.deafUntilSecond) * 1_000_000
  }

  /// CM4: May stop the monitor's reports for a while after a launch in the background. The event of
  /// the launch itself is reported.
  private mutating func deafen(_ context: borrowing Context, _ out: borrowing Effects) {
    let regions = context.profile.regions
    var draw = Draw(seed: context.seed, phone: id.rawValue, .monitorDeaf, out.now.microseconds)
    guard draw.chance(regions.monitorDeaf) else { return }
    let end = out.now + SimDuration(seconds: draw.exponential(mean: regions.monitorDeafFor.seconds))
    places.deafUntilSecond = UInt32(clamping: end.microseconds / 1_000_000)
  }

  private func usesMonitor(_ context: borrowing Context) -> Bool {
    switch context.policy.settings.places?.interface {
    case nil, .regions: false
    case .monitor: context.rules.hasConditionMonitor
    }
  }
}
