package import Core
package import Scenarios

package struct FixMaker: Sendable, BitwiseCopyable {
  package private(set) var error: PositionError
  package let projection: Projection

  package init(seed: UInt64, projection: Projection, sensors: SensorProfile = .standard) {
    error = PositionError(seed: seed, profile: sensors)
    self.projection = projection
  }

  /// Returns the maker of a phone's positions: on Android they are reported and coarsened otherwise.
  func on(_ system: PhoneSystem) -> FixMaker {
    guard let rules = system.android else { return self }
    var maker = self
    maker.error.android = PositionError.AndroidSensors(
      wifi: rules.wifiAccuracy.meters, cell: rules.cellAccuracy.meters,
      grid: rules.coarseGrid.meters, offset: rules.coarseOffset.meters, every: rules.coarseEvery)
    return maker
  }

  /// A position as a phone estimates it, from which a fix is made.
  package struct Sighting: Sendable, BitwiseCopyable {
    /// The estimated position: true position plus error, in metres on the plane.
    package var place: PlanePoint
    package var estimate: PositionError.Estimate
    /// The true speed in m/s, which only fixes from satellites contain.
    package var speed: Double
    package var heading: PlanePoint
  }

  /// NO2: Returns nil for satellites in a tunnel. `first` is the instant of the service's first
  /// fix, or nil for a single position.
  package func sighting(
    at t: SimInstant, _ segment: Segment, _ source: PositionSource, _ phone: PhoneID,
    since first: SimInstant? = nil
  ) -> Sighting? {
    var memory = SightingMemory()
    return sighting(at: t, segment, source, phone, since: first, &memory)
  }

  func sighting(
    at t: SimInstant, _ segment: borrowing Segment, _ source: PositionSource, _ phone: PhoneID,
    since first: SimInstant?, _ memory: inout SightingMemory
  ) -> Sighting? {
    memory.truth = nil
    switch source {
    case .reduced: return reduced(at: t, segment, phone)
    case .satellites, .wifi, .cell: break
    }
    memory.open(phone, segment)
    guard var seen = precise(at: t, segment, source, phone, &memory) else { return nil }
    if source == .satellites, let first,
      let settling = error.settling(at: t, since: first, phone: phone)
    {
      let (a, b) = (seen.estimate.spread, settling.spread)
      seen.estimate.spread = (a * a + b * b).squareRoot()
      seen.place = seen.place + settling.offset
    }
    return seen
  }

  private func precise(
    at t: SimInstant, _ segment: borrowing Segment, _ source: PositionSource, _ phone: PhoneID,
    _ memory: inout SightingMemory
  ) -> Sighting? {
    if memory.motion == nil { memory.motion = MotionReader(copy segment, at: t) }
    if !segment.isMoving {
      // A held position is computed for the instant at which its hold began.
      let held = error.held(at: t, phone: phone, stay: segment.start, &memory.error)
      if let last = memory.held, last.at == held, last.source == source { return last.sighting }
      let truth = memory.motion!.motion(at: held)
      let estimate = error.resting(
        at: held, phone: phone, stay: segment.start, source, truth.surroundings, &memory.error)
      let sighting = Sighting(truth, estimate)
      memory.held = SightingMemory.Held(at: held, source: source, sighting: sighting)
      return sighting
    }
    var truth = memory.motion!.motion(at: t)
    memory.truth = truth.position
    // Matches a pattern, since `==` on another module's enumeration is an indirect call.
    if case .tunnel = truth.surroundings {
      if source == .satellites { return nil }
      truth.position = segment.position(at: lastStation(before: t, segment))
    }
    let estimate = error.moving(
      at: t, phone: phone, source, truth.surroundings, heading: truth.heading, &memory.error)
    return Sighting(truth, estimate)
  }

  /// Returns the first instant after `t` at which the sighting of a phone at rest may differ from
  /// the sighting at `t`; `t` itself if unknown.
  func unchanged(
    since t: SimInstant, _ segment: borrowing Segment, _ source: PositionSource,
    _ phone: PhoneID, since first: SimInstant, _ memory: inout SightingMemory
  ) -> SimInstant {
    switch source {
    case .reduced: return t
    case .satellites, .wifi, .cell: break
    }
    guard !segment.isMoving, error.isSettled(at: t, since: first) else { return t }
    return error.holdEnd(at: t, phone: phone, &memory.error)
  }

  /// Returns until when every sighting of a phone at rest is less than `meters` from `point`: the
  /// next leap that leads far enough, or the end of the stay; `t` if the error alone may do it.
  func staysWithin(
    _ meters: Double, of point: PlanePoint, from t: SimInstant, _ segment: borrowing Segment,
    _ source: PositionSource, _ phone: PhoneID
  ) -> SimInstant {
    // A position held since before a change or a leap may still be reported.
    let held = t - .microseconds(error.holdSlot)
    let end = segment.unchanged(from: held)
    guard end > t, source != .reduced else { return t }
    let (anchor, reach) = error.reach(
      ofStay: segment.start, phone: phone, source, segment.surroundings(at: t))
    let left = meters - (segment.position(at: t) + anchor).distance(to: point) - reach
    guard left > 0 else { return t }
    var from = held
    while let leap = error.nextLeap(after: from, before: end, phone: phone) {
      let isFar = leap.offset.distanceSquared(to: PlanePoint(x: 0, y: 0)) >= left * left
      if isFar { return max(t, leap.begins) }
      from = leap.ends
    }
    return end
  }

  /// Returns when the phone passed its last station before `t`, which gives its position in a
  /// tunnel.
  private func lastStation(before t: SimInstant, _ segment: borrowing Segment) -> SimInstant {
    let every = error.tunnelHold
    let along = (t - segment.start).microseconds
    return segment.start + .microseconds(along / every * every)
  }

  // MARK: Precise location off

  /// Returns the next instant at which a phone's reduced position changes. The changes come a few
  /// times an hour, at different instants on each phone.
  package func nextReduced(
    after t: SimInstant, _ phone: PhoneID, every asked: SimDuration = .zero
  ) -> SimInstant {
    if let android = error.android { return t + max(asked, android.every) }
    let (slot, every) = reducedSlot(t, phone)
    return slot + every
  }

  private func reduced(
    at t: SimInstant, _ segment: borrowing Segment, _ phone: PhoneID
  ) -> Sighting {
    let slot = error.android == nil ? reducedSlot(t, phone).start : t
    let truth = segment.position(at: max(slot, segment.start))
    let place = error.coarse(truth, phone) ?? error.placeOfInterest(near: truth)
    return Sighting(
      place: place,
      estimate: PositionError.Estimate(
        offset: place - truth, spread: error.sigma(.reduced, .street)),
      speed: 0, heading: PlanePoint(x: 0, y: 0))
  }

  private func reducedSlot(
    _ t: SimInstant, _ phone: PhoneID
  ) -> (start: SimInstant, every: SimDuration) {
    let every = SimDuration(seconds: error.profile.reduced.intervalSeconds)
    let phase = Int64(phone.rawValue &* 0x9E37_79B9) % every.microseconds
    let slot = (t.microseconds + phase) / every.microseconds
    return (SimInstant(microseconds: slot * every.microseconds - phase), every)
  }

  // MARK: Fixes

  /// Returns the fix for a sighting. Speed and course are −1 unless `source` is satellites.
  package func fix(
    _ seen: Sighting, at t: SimInstant, _ source: PositionSource, _ phone: PhoneID
  ) -> Fix {
    var memory = SightingMemory()
    return fix(seen, at: t, source, phone, &memory)
  }

  func fix(
    _ seen: Sighting, at t: SimInstant, _ source: PositionSource, _ phone: PhoneID,
    _ memory: inout SightingMemory
  ) -> Fix {
    let isSatellites = source == .satellites
    memory.source = seen.estimate.isFromCell ? .cell : FixSource(source)
    return Fix(
      coordinate: projection.coordinate(of: seen.place), time: FixTime(t),
      accuracyMeters: error.reportedAccuracy(
        seen.estimate, at: t, phone: phone, source, &memory.error),
      speedDecimetersPerSecond: isSatellites
        ? Int16(min(error.speedMaxDecimeters, (seen.speed * 10).rounded())) : -1,
      courseDegrees: isSatellites && seen.speed > error.profile.reported.courseFrom
        ? Int16(seen.heading.courseDegrees.rounded()) % 360 : -1)
  }

  /// Returns a fix from cells if `fromCells` is true or no known Wi-Fi is near, else Wi-Fi (SL10).
  package func coarseFix(
    at t: SimInstant, _ segment: Segment, _ radios: Radios, fromCells: Bool = false,
    _ phone: PhoneID
  ) -> LocatedFix {
    if fromCells && radios.contains(.cells) { return fix(at: t, segment, .cell, phone) }
    // Only Wi-Fi can wake a phone without a SIM, so Wi-Fi is assumed.
    return fix(at: t, segment, network(at: t, segment, radios, phone) ?? .wifi, phone)
  }

  /// RG11: Returns the position that the system believes, from `source`, or from Wi-Fi or cells if
  /// `source` is nil; nil without a position. On a trip a cell's position holds for a time slot.
  func believed(
    at t: SimInstant, _ segment: Segment, _ radios: Radios, _ phone: PhoneID,
    from source: PositionSource? = nil, _ memory: inout SightingMemory
  ) -> PlanePoint? {
    guard let source = source ?? network(at: t, segment, radios, phone, &memory) else {
      return nil
    }
    let isHeld = segment.isMoving && source == .cell
    let then = isHeld ? max(segment.start, networkSlot(after: t, 0)) : t
    return sighting(at: then, segment, source, phone, since: nil, &memory)?.place
  }

  /// Returns the start of the time slot of reception that is `number` slots after that of `t`.
  func networkSlot(after t: SimInstant, _ number: Int64 = 1) -> SimInstant {
    SimInstant(microseconds: (t.microseconds / error.networkSlot + number) * error.networkSlot)
  }

  /// Returns the position that every service delivers while precise location is off, regardless of
  /// the requested accuracy.
  package func reducedFix(at t: SimInstant, _ segment: Segment, _ phone: PhoneID) -> LocatedFix {
    fix(at: t, segment, .reduced, phone)
  }

  private func fix(
    at t: SimInstant, _ segment: Segment, _ source: PositionSource, _ phone: PhoneID
  ) -> LocatedFix {
    var memory = SightingMemory()
    guard let seen = sighting(at: t, segment, source, phone, since: nil, &memory) else {
      preconditionFailure("only satellites can be out of sight, not \(source)")
    }
    let fix = fix(seen, at: t, source, phone, &memory)
    return LocatedFix(fix: fix, source: memory.source)
  }

  // MARK: Reception

  /// Returns Wi-Fi if a network of known position is received, otherwise cells, or nil without
  /// cells (SL10). One draw decides for a stay, or in motion for a time slot.
  package func network(
    at t: SimInstant, _ segment: borrowing Segment, _ radios: Radios, _ phone: PhoneID
  ) -> PositionSource? {
    if radios.contains(.wifi), hearing(at: t, segment, phone) < knownShare(at: t, segment) {
      return .wifi
    }
    return radios.contains(.cells) ? .cell : nil
  }

  /// Returns the source of a network position, with the slot's draw cached in `memory`.
  func network(
    at t: SimInstant, _ segment: borrowing Segment, _ radios: Radios, _ phone: PhoneID,
    _ memory: inout SightingMemory
  ) -> PositionSource? {
    memory.open(phone, segment)
    let slot = segment.isMoving ? t.microseconds / error.networkSlot : segment.start.microseconds
    if !memory.hearing.isOf(slot) { memory.hearing.keep(hearing(at: t, segment, phone), of: slot) }
    if radios.contains(.wifi), memory.hearing.last < knownShare(at: t, segment) { return .wifi }
    return radios.contains(.cells) ? .cell : nil
  }

  /// Returns the draw, 0 to 1, of a stay or slot. A draw below `knownShare` means known Wi-Fi.
  private func hearing(at t: SimInstant, _ segment: borrowing Segment, _ phone: PhoneID) -> Double {
    let slot = segment.isMoving ? t.microseconds / error.networkSlot : segment.start.microseconds
    var draw = Draw(seed: error.seed, phone: phone.rawValue, .networkKnown, slot)
    return draw.uniform()
  }

  private func knownShare(at t: SimInstant, _ segment: borrowing Segment) -> Double {
    let share = error.profile.networks
    return switch segment.surroundings(at: t) {
    case .open: share.open
    case .street: share.street
    case .indoor: share.indoor
    case .tunnel: share.tunnel
    }
  }
}

package struct Radios: OptionSet, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let wifi = Radios(rawValue: 1)
  package static let cells = Radios(rawValue: 2)
  package static let all: Radios = [.wifi, .cells]
}

/// A fix with its source, which is hidden from the app (SL6).
package struct LocatedFix: Sendable, BitwiseCopyable {
  package var fix: Fix
  package var source: FixSource
  /// The true position at the time of the fix, in metres on the plane; nil if not computed.
  package var truth: PlanePoint?
}

extension LocatedFix? {
  /// Returns this fix's source if `fix` equals it, otherwise `cached`, since the system or the app
  /// had stored `fix` before.
  package func source(of fix: Fix) -> FixSource {
    guard let self, self.fix == fix else { return .cached }
    return self.source
  }
}

extension FixSource {
  init(_ source: PositionSource) {
    switch source {
    case .satellites: self = .satellites
    case .wifi: self = .wifi
    case .cell: self = .cell
    case .reduced: self = .reduced
    }
  }
}

extension FixMaker.Sighting {
  init(_ truth: Motion, _ estimate: PositionError.Estimate) {
    place = truth.position + estimate.offset
    self.estimate = estimate
    speed = truth.speed
    heading = truth.heading
  }
}
