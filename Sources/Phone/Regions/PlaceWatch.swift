package import Mobility
package import Scenarios
package import SimulationCore
internal import Telemetry

// This file monitors the regions round the places that an app knows: which of them are set, when
// the phone enters or leaves one, and when the system notices it.

/// Finds the places that the app on each phone knows.
///
/// Nothing is stored for a phone: a person's places are computed from the person, as the truth is.
package final class PlaceBook: Sendable {
  private enum Source: Sendable {
    case people(Town, MobilityKind)
    case common([PlanePoint])
  }

  private let source: Source
  /// Counts the places of each phone.
  package let count: Int

  /// Makes the book of people with an agenda: home, work, and the others from the favourite on.
  package init(of rule: PlaceRule, town: Town, kind: MobilityKind) {
    source = .people(town, kind)
    count = rule.count
  }

  /// Makes a book of places that all phones share, of which a phone can tell no more than
  /// `PlaceRule.most` apart.
  package init(common places: [PlanePoint]) {
    precondition(places.count <= PlaceRule.most, "there are more places than a phone can count")
    source = .common(places)
    count = places.count
  }

  /// Calls `body` with the number of each place in a set and where it lies.
  func forEach(
    of phone: PhoneID, in places: PlaceSet, _ body: (Int, PlanePoint) -> Void
  ) {
    switch source {
    case .common(let points):
      for n in 0..<count where places.contains(n) { body(n, points[n]) }
    case .people(let town, let kind):
      let life = Life(town: town, phone: phone.rawValue, kind: kind)
      for n in 0..<count where places.contains(n) { body(n, life.place(number: n)) }
    }
  }
}

/// Is a set of the places that an app knows, by their numbers.
package struct PlaceSet: Equatable, Sendable, BitwiseCopyable {
  private var bits: UInt32 = 0

  /// Makes a set without places.
  package init() {}

  /// Makes the set of the first places.
  package init(first count: Int) { for n in 0..<count { insert(n) } }

  /// Counts the places in the set.
  package var count: Int { bits.nonzeroBitCount }
  /// Is true if no place is in the set.
  @inline(__always) package var isEmpty: Bool { bits == 0 }
  /// Returns whether a place is in the set.
  package func contains(_ n: Int) -> Bool { bits & 1 << UInt32(n) != 0 }
  mutating func insert(_ n: Int) { bits |= 1 << UInt32(n) }
  mutating func remove(_ n: Int) { bits &= ~(1 << UInt32(n)) }
  mutating func toggle(_ n: Int) { bits ^= 1 << UInt32(n) }
  mutating func formIntersection(_ other: PlaceSet) { bits &= other.bits }
  func subtracting(_ other: PlaceSet) -> PlaceSet {
    var copy = self
    copy.bits &= ~other.bits
    return copy
  }
}

/// Holds which regions round places an app has set, and what the system knows of each.
package struct PlaceWatch: Sendable, BitwiseCopyable {
  /// Is when the system next looks where the phone is, because of a crossing or of a start.
  var looksAt = SimInstant.distantFuture
  /// Holds the places whose regions are monitored.
  package internal(set) var monitored = PlaceSet()
  /// Holds the places in whose regions the phone is, as far as the system has noticed.
  var inside = PlaceSet()
  /// Holds the places whose border was crossed, and the system has yet to look.
  var crossed = PlaceSet()
  /// Counts the regions that the system did not take in the last choice (RG9).
  var refused: UInt8 = 0
  /// Is true after a start of the phone, until the system looks at regions again.
  var isStarting = false

  /// Is true where nothing is monitored, as on all phones whose policy names no places.
  @inline(__always) var isIdle: Bool { monitored.isEmpty }

  /// RG5: Returns when the phone has been inside, or beyond the cushion, for the dwell;
  /// `.distantFuture` if that does not begin in this segment.
  func crossing(
    of n: Int, at centre: PlanePoint, radius: Double, in segment: Segment, after now: SimInstant,
    _ profile: RegionProfile
  ) -> SimInstant {
    let isLeaving = inside.contains(n)
    let reach = isLeaving ? radius + profile.cushion.meters : radius
    let crossing = segment.lasting(
      inside: !isLeaving, of: centre, radius: reach, for: profile.dwell, after: now)
    return crossing.map { $0 + profile.dwell } ?? .distantFuture
  }

  /// Returns whether the truth is on the other side of a place's border than the system knows.
  ///
  /// - Parameter beyond: how far outside an exit begins.
  func differs(
    _ n: Int, at centre: PlanePoint, radius: Double, from here: PlanePoint, beyond: Double
  ) -> Bool {
    let distance = here.distance(to: centre)
    return inside.contains(n) ? distance > radius + beyond : distance <= radius
  }

  /// Returns the places that are nearest to a point, and how far the nearest of the others is;
  /// `.infinity` if there is no other (RG10).
  static func nearest(
    _ most: Int, to here: PlanePoint, in book: PlaceBook, of phone: PhoneID
  ) -> (places: PlaceSet, next: Double) {
    var distances = InlineArray<32, Double>(repeating: .infinity)
    book.forEach(of: phone, in: PlaceSet(first: book.count)) { n, place in
      distances[n] = place.distance(to: here)
    }
    var chosen = PlaceSet()
    while true {
      var best = -1
      for n in 0..<book.count where !chosen.contains(n) {
        if best < 0 || distances[n] < distances[best] { best = n }
      }
      if best < 0 { return (chosen, .infinity) }
      if chosen.count == most { return (chosen, distances[best]) }
      chosen.insert(best)
    }
  }
}

extension Segment {
  /// Returns the first instant from `now` on from which the truth stays inside or outside a circle
  /// for some time, or to the segment's end; what only touches the border is no crossing.
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

// MARK: - What the system does

extension PhoneOS {
  /// Registers the regions round the app's places: all, or those nearest to where the app knows
  /// itself to be (RG10). The choice is made here since the app's list lies beside the system.
  mutating func monitorPlaces(
    near: Coordinate?, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard let book = context.places, let rule = context.placeRule else {
      return stopMonitoringPlaces()
    }
    // CM2: An app that opens its monitor in the foreground alone adds nothing before.
    if !rule.opensMonitor, usesMonitor(context), !process.canBeSwiped { return }
    process.hasManager = true
    authorizeImplicitly(now, context, owner)
    var wanted = PlaceSet(first: book.count)
    let most = context.profile.regions.most
    let room = most - (context.keepsRegion ? 1 : 0)
    switch rule.choose {
    case .nearest where wanted.count > room:
      let here = near.map { context.maker.projection.point(of: $0) }
      let choice = PlaceWatch.nearest(
        most - 1, to: here ?? PlanePoint(x: 0, y: 0), in: book, of: id)
      wanted = here == nil ? PlaceSet(first: most - 1) : choice.places
      // RG10: A region of its own, unless the policy keeps one, says when to choose again.
      if let near, !context.keepsRegion {
        let half = (choice.next - rule.radius.meters) / 2
        monitorRegion(near, .meters(half), now, context, owner)
      }
    case .nearest, .first: break
    }
    register(wanted, book, rule, now, context, owner)
  }

  private mutating func register(
    _ wanted: PlaceSet, _ book: PlaceBook, _ rule: PlaceRule, _ now: SimInstant,
    _ context: borrowing Context, _ owner: Owner
  ) {
    var taken = PlaceSet()
    // RG9: An app has so many regions of any kind.
    let most = context.profile.regions.most - (services.regionIsSet ? 1 : 0)
    var refused = PlaceSet()
    for n in 0..<book.count where wanted.contains(n) {
      taken.count < most ? taken.insert(n) : refused.insert(n)
    }
    let isOld = taken == places.monitored && Int(places.refused) == refused.count
    guard !isOld else { return }
    let added = taken.subtracting(places.monitored)
    places.monitored = taken
    places.inside.formIntersection(taken)
    places.crossed.formIntersection(taken)
    places.refused = UInt8(refused.count)
    let here = segment.position(at: now)
    // RG5: Where the phone is at the registration is no event. CM1: A condition is taken for
    // unsatisfied until it was determined for the first time, and being satisfied is news.
    var inside = places.inside
    book.forEach(of: id, in: usesMonitor(context) ? PlaceSet() : added) { n, centre in
      if centre.distance(to: here) <= rule.radius.meters { inside.insert(n) }
    }
    places.inside = inside
    for n in 0..<book.count where refused.contains(n) {
      owner(&self, .region(.refused, place: UInt8(n)), now)
    }
    if places.refused > 0 { turn.answers.insert(.regionError) }
    armPlaces(now, context)
  }

  mutating func stopMonitoringPlaces() {
    places = PlaceWatch()
    due[.place] = .distantFuture
  }

  /// Puts the next crossing in the present segment, or the next look, on the calendar.
  mutating func armPlaces(_ now: SimInstant, _ context: borrowing Context) {
    var next = places.looksAt
    if let book = context.places, let rule = context.placeRule, servicesRun(at: now),
      !places.isStarting, !isImprecise(context)
    {
      let (watch, segment) = (places, segment)
      book.forEach(of: id, in: watch.monitored.subtracting(watch.crossed)) { n, centre in
        let crossing = watch.crossing(
          of: n, at: centre, radius: rule.radius.meters, in: segment, after: now,
          context.profile.regions)
        next = min(next, crossing)
      }
    }
    due[.place] = next
  }

  /// Forgets the crossings that wait for a look, unless the phone has just started.
  mutating func forgetPlaceCrossings() {
    guard !places.isIdle, !places.isStarting else { return }
    places.crossed = PlaceSet()
    places.looksAt = .distantFuture
  }

  /// RG5–RG7: Handles the places' entry on the calendar: a dwell is over, or the system looks where
  /// the phone is.
  mutating func watchPlaces(_ now: SimInstant, _ context: borrowing Context, _ owner: Owner) {
    if places.isStarting {
      places.isStarting = false
      places.looksAt = .distantFuture
    } else if now >= places.looksAt {
      return lookAtPlaces(now, context, owner)
    } else {
      noticePlaces(now, context, owner)
    }
    armPlaces(now, context)
  }

  /// RG6: Draws when the system looks, for each place whose border was crossed a dwell ago.
  private mutating func noticePlaces(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    guard servicesRun(at: now) else { return }
    let profile = context.profile.regions
    let then = max(segment.start, now - profile.dwell)
    var crossings = differing(
      places.monitored.subtracting(places.crossed), at: now, beyond: profile.cushion, context)
    crossings.formIntersection(
      differing(crossings, at: then, beyond: profile.cushion, context))
    for n in 0..<PlaceRule.most where crossings.contains(n) {
      let key = (Int64(n), now.microseconds)
      let look = profile.look(
        isRunning: process.state != .notRunning,
        isLocating: standard.isOn && standard.firstFixAt <= now, wifi: hearsWifi(now, context),
        Draw(seed: context.seed, phone: id.rawValue, .placeNotice, key.0, key.1),
        Draw(seed: context.seed, phone: id.rawValue, .placeLatency, key.0, key.1))
      places.crossed.insert(n)
      places.looksAt = min(places.looksAt, now + look.after)
      if look.isLate { owner(&self, .region(.unnoticed, place: UInt8(n)), now) }
    }
  }

  /// Returns the places of a set on whose other side the phone is, as the truth has it.
  private func differing(
    _ set: PlaceSet, at t: SimInstant, beyond: Distance, _ context: borrowing Context
  ) -> PlaceSet {
    var found = PlaceSet()
    guard let book = context.places, let rule = context.placeRule else { return found }
    let (watch, here) = (places, segment.position(at: t))
    book.forEach(of: id, in: set) { n, centre in
      if watch.differs(
        n, at: centre, radius: rule.radius.meters, from: here, beyond: beyond.meters)
      {
        found.insert(n)
      }
    }
    return found
  }

  /// The system looks where the phone is, and tells of every border that it finds crossed (RG7).
  private mutating func lookAtPlaces(
    _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    let crossed = places.crossed
    let lasting = differing(crossed, at: now, beyond: .meters(0), context)
    places.crossed = PlaceSet()
    places.looksAt = .distantFuture
    learnPlace(now)
    var told = PlaceSet()
    for n in 0..<PlaceRule.most where crossed.contains(n) {
      guard lasting.contains(n) else {
        owner(&self, .region(.undone, place: UInt8(n)), now)
        continue
      }
      places.inside.toggle(n)
      var draw = Draw(
        seed: context.seed, phone: id.rawValue, .missedPlace, Int64(n), now.microseconds)
      if draw.chance(context.profile.regions.missed) {
        owner(&self, .region(.missed, place: UInt8(n)), now)
      } else {
        told.insert(n)
      }
    }
    let inside = places.inside
    armPlaces(now, context)
    guard !told.isEmpty else { return }
    let byMonitor = usesMonitor(context)
    let isLaunch = process.state == .notRunning
    guard wake(.location, byMonitor: byMonitor, now, context, owner) else { return }
    if byMonitor, isLaunch, context.placeRule?.opensMonitor == false {
      return dropPlaces(told, now, context, owner)
    }
    guard process.hasManager else { return }
    let located = coarseFix(now, context, owner)
    owner(&self, .located(located), now)
    for n in 0..<PlaceRule.most where told.contains(n) {
      let place = UInt8(n)
      notify(
        inside.contains(n)
          ? .placeEntered(place, cached: located.fix) : .placeExited(place, cached: located.fix),
        now, owner)
    }
  }

  /// Is true if the app's regions are conditions of CLMonitor.
  private func usesMonitor(_ context: borrowing Context) -> Bool {
    guard let rule = context.placeRule else { return false }
    switch rule.interface {
    case .regions: return false
    case .monitor: return context.profile.system.hasConditionMonitor
    }
  }

  /// CM2: Nobody takes the event, so the system stops monitoring until the app adds it again.
  private mutating func dropPlaces(
    _ dropped: PlaceSet, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    for n in 0..<PlaceRule.most where dropped.contains(n) {
      places.monitored.remove(n)
      places.inside.remove(n)
      owner(&self, .region(.dropped, place: UInt8(n)), now)
    }
    armPlaces(now, context)
  }
}
