package import Core
internal import Foundation
package import Scenarios

// NO1: A phone at rest nevertheless receives positions that change.

/// The source of a position, which is hidden from the app (SL6).
package enum PositionSource: UInt8, Sendable, BitwiseCopyable {
  case satellites, wifi, cell
  case reduced
}

/// Models the position error as a function of time, so that more requests do not change the error.
/// The error is correlated like an Ornstein–Uhlenbeck process: it blends the random vectors of two
/// knots, one correlation time apart, at constant variance. Each knot has a random size, which
/// makes good and bad minutes. All figures come from a `SensorProfile`.
package struct PositionError: Sendable, BitwiseCopyable {
  /// How Android reports and coarsens positions; nil on iOS.
  struct AndroidSensors: Sendable, BitwiseCopyable {
    /// AFL6: The median accuracies of positions from Wi-Fi and cells, in metres.
    var wifi, cell: Double
    /// AFL8: The grid of approximate positions and the deviation of their offset, in metres.
    var grid, offset: Double
    var every: SimDuration
  }

  package let seed: UInt64
  var android: AndroidSensors?
  package let profile: SensorProfile
  private let streetStep: Int64
  private let openStep: Int64
  let restStep: Int64
  /// The slot of the reported accuracy's factor, in microseconds like the four lengths below.
  private let moodSlot: Int64
  let holdSlot: Int64
  let leapSlot: Int64
  let tunnelHold: Int64
  let networkSlot: Int64
  /// The root mean square of the slow drift in a stay of median unrest, in metres.
  let creep: Double
  let leapChance: Double
  let speedMaxDecimeters: Double

  package init(seed: UInt64, profile: SensorProfile = .standard) {
    self.seed = seed
    self.profile = profile
    func step(_ seconds: Double) -> Int64 { max(1, SimDuration(seconds: seconds).microseconds) }
    streetStep = step(profile.moving.streetCorrelationSeconds)
    openStep = step(profile.moving.openCorrelationSeconds)
    restStep = step(profile.rest.correlationSeconds)
    moodSlot = step(profile.reported.moodSeconds)
    holdSlot = step(profile.rest.longestHoldSeconds)
    leapSlot = step(profile.leaps.slotSeconds)
    tunnelHold = step(profile.moving.tunnelHoldSeconds)
    networkSlot = step(profile.networks.slotSeconds)
    leapChance =
      profile.leaps.perHourAtRest / (SimDuration.hours(1).seconds / profile.leaps.slotSeconds)
    speedMaxDecimeters = profile.reported.speedMax * 10
    // Knot sizes have a mean square of 1, while the profile states the drift of the median minute.
    creep = profile.rest.creep * exp(profile.rest.minuteUnevenness * profile.rest.minuteUnevenness)
  }

  /// A position error and its current standard deviation, of which the phone knows only the latter.
  package struct Estimate: Sendable, BitwiseCopyable {
    /// The position error in metres east and north.
    package var offset: PlanePoint
    /// The standard deviation per axis, in metres.
    package var spread: Double
    /// Whether the phone reports the position as a cell's, as after a large jump.
    package var isFromCell = false
  }

  package func sigma(_ source: PositionSource, _ surroundings: Surroundings) -> Double {
    switch source {
    case .satellites: Self.sigma(profile.satellites, surroundings)
    case .wifi: Self.sigma(profile.wifi, surroundings)
    case .cell: cellSigma(surroundings)
    case .reduced: profile.reduced.accuracyMeters
    }
  }

  private func cellSigma(_ surroundings: Surroundings) -> Double {
    switch surroundings {
    case .open: profile.cellOpen
    case .street, .indoor, .tunnel: profile.cell
    }
  }

  private static func sigma(
    _ spread: SensorProfile.Spread, _ surroundings: Surroundings
  ) -> Double {
    switch surroundings {
    case .open: spread.open
    case .street: spread.street
    case .indoor: spread.indoor
    case .tunnel: spread.tunnel
    }
  }

  // MARK: In motion

  /// Returns the error of a moving phone. `heading` has length 1, or 0 if unknown. Each phone has a
  /// constant bias at right angles to `heading`.
  package func moving(
    at t: SimInstant, phone: PhoneID, _ source: PositionSource, _ surroundings: Surroundings,
    heading: PlanePoint
  ) -> Estimate {
    var memory = Memory()
    return moving(at: t, phone: phone, source, surroundings, heading: heading, &memory)
  }

  func moving(
    at t: SimInstant, phone: PhoneID, _ source: PositionSource, _ surroundings: Surroundings,
    heading: PlanePoint, _ memory: inout Memory
  ) -> Estimate {
    let make = memory.make ?? make(of: phone)
    memory.make = make
    let step =
      switch surroundings {
      case .street, .tunnel: streetStep
      case .indoor, .open: openStep
      }
    let tag = Int64(source.rawValue) << 8 | Int64(surroundings.rawValue)
    let blend = blend(
      at: t, phone: phone, step: step, tag: tag, unevenness: profile.moving.unevenness,
      &memory.knots)
    let sigma = sigma(source, surroundings) * make.poorness
    let bias = profile.moving.acrossTrackBias
    let spread = sigma * blend.size
    return Estimate(
      offset: blend.vector * sigma + PlanePoint(x: heading.y, y: -heading.x) * make.toTheRight,
      spread: (spread * spread + bias * bias / 2).squareRoot())
  }

  package func make(of phone: PhoneID) -> (toTheRight: Double, poorness: Double) {
    var draw = Draw(seed: seed, phone: phone.rawValue, .phoneMake)
    return (
      profile.moving.acrossTrackBias * draw.bell(),
      exp(profile.moving.phoneUnevenness * draw.bell())
    )
  }

  // MARK: Knots

  /// Returns the blend of the vectors of two knots at `t`. The variance per axis is `size`² at `t`,
  /// and 1 on average over time.
  func blend(
    at t: SimInstant, phone: PhoneID, step: Int64, tag: Int64, unevenness: Double,
    _ memory: inout Memory.Knots?
  ) -> (vector: PlanePoint, size: Double) {
    let knot = t.microseconds / step
    let u = Double(t.microseconds - knot * step) / Double(step)
    let unit = 1 / ((1 - u) * (1 - u) + u * u).squareRoot()
    if memory?.first != knot || memory?.tag != tag {
      memory = Memory.Knots(
        first: knot, tag: tag, a: self.knot(knot, phone, tag, unevenness),
        b: self.knot(knot + 1, phone, tag, unevenness))
    }
    guard let (a, b) = memory.map({ ($0.a, $0.b) }) else { preconditionFailure("set above") }
    let (p, q) = ((1 - u) * unit, u * unit)
    return (
      a.vector * p + b.vector * q,
      (p * p * a.size * a.size + q * q * b.size * b.size).squareRoot()
    )
  }

  /// Returns a knot, whose `size` is log-normal with a mean square of 1.
  private func knot(_ number: Int64, _ phone: PhoneID, _ tag: Int64, _ unevenness: Double) -> Knot {
    var draw = Draw(seed: seed, phone: phone.rawValue, .errorKnot, number, tag)
    let size = exp(unevenness * (draw.bell() - unevenness))
    return Knot(vector: draw.bells() * size, size: size)
  }

  // MARK: Reported accuracy

  /// Returns the reported accuracy in metres: the radius that contains 68 % of errors of this
  /// spread, times a slowly varying factor for satellites, or rounded up to a step for networks.
  package func reportedAccuracy(
    _ estimate: Estimate, at t: SimInstant, phone: PhoneID, _ source: PositionSource
  ) -> UInt16 {
    var memory = Memory()
    return reportedAccuracy(estimate, at: t, phone: phone, source, &memory)
  }

  /// Returns the reported accuracy, with its factor cached in `memory`; inlined like `settling`.
  @inline(__always) func reportedAccuracy(
    _ estimate: Estimate, at t: SimInstant, phone: PhoneID, _ source: PositionSource,
    _ memory: inout Memory
  ) -> UInt16 {
    let reported = profile.reported
    if let android {
      if source == .reduced { return UInt16(android.grid) }
      if source != .satellites || estimate.isFromCell {
        return stepless(estimate, source, android, mood: mood(at: t, phone, &memory))
      }
    }
    if estimate.isFromCell { return UInt16(reported.cellMeters) }
    switch source {
    case .satellites:
      let mood = mood(at: t, phone, &memory)
      let meters = reported.caution * Self.radius68 * estimate.spread * mood
      return UInt16(
        min(reported.satelliteMetersMax, max(reported.satelliteMetersMin, meters.rounded())))
    case .wifi:
      return step(estimate, reported.wifiFineMeters, reported.wifiMeters, reported.wifiCoarseMeters)
    case .cell:
      return step(estimate, reported.cellFineMeters, reported.cellMeters, reported.cellCoarseMeters)
    case .reduced: return UInt16(profile.reduced.accuracyMeters)
    }
  }

  /// Returns the slowly varying factor of the reported accuracy.
  @inline(__always) private func mood(
    at t: SimInstant, _ phone: PhoneID, _ memory: inout Memory
  ) -> Double {
    let slot = t.microseconds / moodSlot
    return memory.moods.value(slot) {
      var draw = Draw(seed: seed, phone: phone.rawValue, .reportedAccuracy, slot)
      return exp(draw.uniform(-profile.reported.unevenness, profile.reported.unevenness))
    }
  }

  /// AFL6: Returns an accuracy of any size: the median one, larger where the error is.
  private func stepless(
    _ estimate: Estimate, _ source: PositionSource, _ android: AndroidSensors, mood: Double
  ) -> UInt16 {
    let isCell = source == .cell || estimate.isFromCell
    let (median, usual) =
      isCell ? (android.cell, profile.cell) : (android.wifi, profile.wifi.street)
    let size = estimate.isFromCell ? 1 : estimate.spread / usual
    return UInt16(clamping: Int((median * size * mood).rounded()))
  }

  /// Returns the smallest of three accuracies that covers 68 % of errors of this spread, or the
  /// largest. In phone logs network positions have only a few different accuracies.
  @inline(__always) private func step(
    _ estimate: Estimate, _ fine: Double, _ usual: Double, _ coarse: Double
  ) -> UInt16 {
    let meters = profile.reported.caution * Self.radius68 * estimate.spread
    return UInt16(meters <= fine ? fine : meters <= usual ? usual : coarse)
  }

  /// √(−2 ln 0.32), the radius in standard deviations that contains 68 % of a circular normal law.
  static var radius68: Double { 1.5096 }
}

extension Draw {
  /// The largest size of a bell.
  static var bellMost: Double { 2 * 3.0.squareRoot() }

  /// Returns an approximately standard normal value within ±3.5, from the sum of four uniform
  /// draws. The sum takes a tenth of Box–Muller's time.
  @inline(__always) mutating func bell() -> Double {
    let word = next()
    let sum =
      (word & 0xFFFF) &+ (word >> 16 & 0xFFFF) &+ (word >> 32 & 0xFFFF) &+ (word >> 48)
    // The sum of four draws in [0, 65535] has the mean 131,070 and the variance 65,536² / 3.
    return (Double(Int64(bitPattern: sum)) - 131_070) * (1.7320508075688772 / 65_536)
  }

  @inline(__always) mutating func bells() -> PlanePoint { PlanePoint(x: bell(), y: bell()) }
}
