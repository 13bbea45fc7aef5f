package import Core
internal import Foundation
internal import Scenarios

/// The positions of a phone at rest do not scatter around a point: they repeat, creep, and
/// occasionally jump away and come back.
extension PositionError {
  /// Returns the instant whose position is reported at `t`: the start of the current hold, or
  /// `stay` if that is later. A hold lasts one second, or `holdSlot` divided by a power of two.
  package func held(at t: SimInstant, phone: PhoneID, stay: SimInstant) -> SimInstant {
    var memory = Memory()
    return held(at: t, phone: phone, stay: stay, &memory)
  }

  func held(
    at t: SimInstant, phone: PhoneID, stay: SimInstant, _ memory: inout Memory
  ) -> SimInstant {
    let phase = Int64(phone.rawValue &* 0x9E37_79B9) % holdSlot
    let slot = (t.microseconds + phase) / holdSlot
    let begin = slot * holdSlot - phase
    let stillness = memory.stillness ?? stillness(phone: phone, stay: stay)
    memory.stillness = stillness
    let hold = memory.holds.value(slot) {
      var draw = Draw(seed: seed, phone: phone.rawValue, .restHold, slot)
      guard draw.chance(stillness) else { return SimDuration.seconds(1).microseconds }
      let halvings = UInt64(profile.rest.holdHalvings)
      return max(1, holdSlot >> (halvings - draw.next() % (halvings + 1)))
    }
    let begun = begin + (t.microseconds - begin) / hold * hold
    return max(stay, SimInstant(microseconds: begun))
  }

  func holdEnd(at t: SimInstant, phone: PhoneID, _ memory: inout Memory) -> SimInstant {
    let phase = Int64(phone.rawValue &* 0x9E37_79B9) % holdSlot
    let slot = (t.microseconds + phase) / holdSlot
    guard memory.holds.isOf(slot) else { return t }
    let begin = slot * holdSlot - phase
    let hold = memory.holds.last
    let end = begin + ((t.microseconds - begin) / hold + 1) * hold
    return SimInstant(microseconds: min(end, begin + holdSlot))
  }

  private func stillness(phone: PhoneID, stay: SimInstant) -> Double {
    var traits = Draw(seed: seed, phone: phone.rawValue, .restHold, stay.microseconds, 1)
    return traits.uniform(profile.rest.stillnessMin, profile.rest.stillnessMax)
  }

  package func resting(
    at held: SimInstant, phone: PhoneID, stay: SimInstant, _ source: PositionSource,
    _ surroundings: Surroundings
  ) -> Estimate {
    var memory = Memory()
    return resting(at: held, phone: phone, stay: stay, source, surroundings, &memory)
  }

  func resting(
    at held: SimInstant, phone: PhoneID, stay: SimInstant, _ source: PositionSource,
    _ surroundings: Surroundings, _ memory: inout Memory
  ) -> Estimate {
    let traits = traits(ofStay: stay, phone, source, &memory)
    let sigma = sigma(source, surroundings) * traits.size
    let creep =
      blend(
        at: held, phone: phone, step: restStep, tag: Int64(source.rawValue) | 0x1_0000,
        unevenness: profile.rest.minuteUnevenness, &memory.knots
      ).vector * creep
    var estimate = Estimate(
      offset: traits.anchor * sigma + (creep + jitter(at: held, phone)) * traits.unrest,
      spread: sigma)
    if let leap = leap(at: held, phone: phone, &memory) {
      estimate.offset = estimate.offset + leap.offset
      estimate.isFromCell = leap.isFromCell
    }
    return estimate
  }

  /// Returns the constant part of a stay's error, and the largest distance from it without a leap.
  func reach(
    ofStay stay: SimInstant, phone: PhoneID, _ source: PositionSource, _ surroundings: Surroundings
  ) -> (anchor: PlanePoint, meters: Double) {
    var memory = Memory()
    let traits = traits(ofStay: stay, phone, source, &memory)
    // Both knots of a blend have their largest vector, in the same direction.
    let bell = Draw.bellMost
    let minute = profile.rest.minuteUnevenness
    let drift = 2 * bell * exp(minute * (bell - minute)) * creep
    let jitter = 2.0.squareRoot() * bell * profile.rest.jitter * (0.5 + bell * bell)
    let sigma = sigma(source, surroundings) * traits.size
    return (traits.anchor * sigma, (drift + jitter) * traits.unrest)
  }

  private func traits(
    ofStay stay: SimInstant, _ phone: PhoneID, _ source: PositionSource, _ memory: inout Memory
  ) -> Memory.Stay {
    if let traits = memory.stay, traits.source == source { return traits }
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .restAnchor, stay.microseconds, Int64(source.rawValue))
    let anchor = draw.bells()
    let unrest = exp(profile.rest.stayUnevenness * draw.bell())
    let traits = Memory.Stay(
      source: source, anchor: anchor, unrest: unrest, size: placeSize(source, &draw))
    memory.stay = traits
    return traits
  }

  /// Returns the factor on a network's error at a stay, since access points are near or far and
  /// cells small or large. The factor is log-normal with a mean square of 1.
  private func placeSize(_ source: PositionSource, _ draw: inout Draw) -> Double {
    switch source {
    case .wifi, .cell:
      let unevenness = profile.rest.placeUnevenness
      return exp(unevenness * (draw.bell() - unevenness))
    case .satellites, .reduced: return 1
    }
  }

  private func jitter(at held: SimInstant, _ phone: PhoneID) -> PlanePoint {
    var draw = Draw(seed: seed, phone: phone.rawValue, .restJitter, held.microseconds)
    let rarity = draw.bell()
    return draw.bells() * (profile.rest.jitter * (0.5 + rarity * rarity))
  }

  /// Returns the leap at `t`; nil if there is none. The logarithm of the size of leaps is uniform.
  private func leap(at t: SimInstant, phone: PhoneID, _ memory: inout Memory) -> Memory.Leap? {
    let slot = t.microseconds / leapSlot
    guard let leap = memory.leaps.value(slot, else: { leap(in: slot, phone) }) else { return nil }
    let since = SimDuration(microseconds: t.microseconds - slot * leapSlot).seconds
    return since >= leap.begins && since < leap.begins + leap.lasts ? leap : nil
  }

  /// Returns the first leap that ends after `t` and begins before `end`; nil if there is none.
  func nextLeap(after t: SimInstant, before end: SimInstant, phone: PhoneID) -> (
    begins: SimInstant, ends: SimInstant, offset: PlanePoint
  )? {
    var slot = t.microseconds / leapSlot
    while slot * leapSlot < end.microseconds {
      if let leap = leap(in: slot, phone) {
        let begins = SimInstant(microseconds: slot * leapSlot) + SimDuration(seconds: leap.begins)
        let ends = begins + SimDuration(seconds: leap.lasts)
        if ends > t { return begins < end ? (begins, ends, leap.offset) : nil }
      }
      slot += 1
    }
    return nil
  }

  private func leap(in slot: Int64, _ phone: PhoneID) -> Memory.Leap? {
    let leaps = profile.leaps
    var draw = Draw(seed: seed, phone: phone.rawValue, .leap, slot)
    guard draw.chance(leapChance) else { return nil }
    let lasts = draw.uniform(leaps.secondsMin, leaps.secondsMax)
    let begins = draw.uniform() * max(0, leaps.slotSeconds - lasts)
    let meters = leaps.metersMin * exp(draw.uniform() * log(leaps.metersMax / leaps.metersMin))
    let angle = draw.uniform(0, 2 * .pi)
    // NO8: The phone trusts a misplaced access point as it trusts any other.
    let isTrusted = draw.chance(leaps.misplaced)
    return Memory.Leap(
      begins: begins, lasts: lasts,
      offset: PlanePoint(x: meters * cos(angle), y: meters * sin(angle)),
      isFromCell: !isTrusted && meters > leaps.admittedMeters)
  }

  // MARK: After a start

  /// Returns the extra error after a start, which decays exponentially; nil after five time
  /// constants. The method is inlined, because a call would copy the whole profile.
  @inline(__always)
  package func settling(at t: SimInstant, since first: SimInstant, phone: PhoneID) -> Estimate? {
    let seconds = (t - first).seconds
    guard seconds < 5 * profile.settling.seconds, seconds >= 0 else { return nil }
    var draw = Draw(seed: seed, phone: phone.rawValue, .settling, first.microseconds)
    let size = profile.settling.meters * exp(-seconds / profile.settling.seconds)
    return Estimate(offset: draw.bells() * size, spread: size)
  }

  @inline(__always) func isSettled(at t: SimInstant, since first: SimInstant) -> Bool {
    (t - first).seconds >= 5 * profile.settling.seconds
  }

  // MARK: Precise location off

  /// AFL8: Returns an approximate position of Android: the true one moved by the phone's own offset,
  /// and then to a grid; nil on iOS.
  func coarse(_ truth: PlanePoint, _ phone: PhoneID) -> PlanePoint? {
    guard let android else { return nil }
    var draw = Draw(seed: seed, phone: phone.rawValue, .coarseOffset)
    let moved = truth + draw.bells() * android.offset
    func snapped(_ meters: Double) -> Double { (meters / android.grid).rounded() * android.grid }
    return PlanePoint(x: snapped(moved.x), y: snapped(moved.y))
  }

  /// Returns the nearest of the fixed points, a few kilometres apart, that all phones share.
  package func placeOfInterest(near truth: PlanePoint) -> PlanePoint {
    let spacing = profile.reduced.placeSpacingMeters
    let column = Int64((truth.x / spacing).rounded(.down))
    let row = Int64((truth.y / spacing).rounded(.down))
    var best = truth
    var distance = Double.infinity
    for x in column - 1...column + 1 {
      for y in row - 1...row + 1 {
        var draw = Draw(seed: seed, phone: 0, .placeOfInterest, x, y)
        let place = PlanePoint(
          x: (Double(x) + draw.uniform()) * spacing, y: (Double(y) + draw.uniform()) * spacing)
        let square = place.distanceSquared(to: truth)
        if square < distance { (best, distance) = (place, square) }
      }
    }
    return best
  }
}
