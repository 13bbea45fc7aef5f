internal import Foundation
internal import SimulationCore

/// When a leg is where: constant speed between stops, and stops of keyed place and length.
///
/// Stop i lasts d · (1 + 0.7 (u(i+1) − u(i))), so that the first i stops last
/// d · (i + 0.7 (u(i) − u(0))): a sum in closed form, whatever the number of stops.
struct LegTravel: BitwiseCopyable {
  let path: LegPath
  /// m/s between stops.
  let speed: Double
  /// Seconds, stops included.
  let duration: Double
  private let stops: Int
  private let stopSeconds: Double
  private let firstDraw: Double

  /// Where the leg is, and until when (seconds from its start) it goes on like this.
  struct Progress: BitwiseCopyable {
    var distance: Double
    var isStopped: Bool
    var until: Double
  }

  init(_ leg: StreetLeg, _ mode: TravelMode, _ duration: SimDuration) {
    self.init(path: LegPath(leg, mode), duration: duration.seconds)
  }

  private init(path: LegPath, duration: Double) {
    self.path = path
    self.duration = duration
    let plan = Self.plan(path)
    stops = plan.stops
    stopSeconds = plan.seconds
    firstDraw = LegPath.uniform(path.key, LegPath.Lane.stopLength)
    let standing = Self.standing(
      stops, seconds: stopSeconds, key: path.key, firstDraw: firstDraw)
    speed = path.length / max(duration - standing, 1e-6)
  }

  private static func plan(_ path: LegPath) -> (stops: Int, seconds: Double) {
    let traits = ModeTraits(path.mode)
    return (Int(path.length / traits.stopSpacing), traits.stopSeconds)
  }

  /// Seconds of the first `count` stops.
  private static func standing(
    _ count: Int, seconds: Double, key: UInt64, firstDraw: Double
  ) -> Double {
    let last = LegPath.uniform(key, LegPath.Lane.stopLength &+ UInt64(count))
    return seconds * (Double(count) + 0.7 * (last - firstDraw))
  }

  /// How long the leg takes; at least a second.
  static func duration(of path: LegPath) -> SimDuration {
    let plan = plan(path)
    let first = LegPath.uniform(path.key, LegPath.Lane.stopLength)
    let standing = standing(plan.stops, seconds: plan.seconds, key: path.key, firstDraw: first)
    // The key's own draw, so that the duration does not depend on when the leg starts.
    var draw = Draw(seed: path.key, phone: 0, .leg, Int64(LegPath.Lane.speed))
    let limit = ModeTraits.sigmaLimit
    let sigmas = min(max(draw.normal(), -limit), limit)
    let speed = ModeTraits(path.mode).speed * exp(ModeTraits.speedSigma * sigmas)
    return SimDuration(seconds: max(1, path.length / speed + standing))
  }

  private func standing(_ count: Int) -> Double {
    count == 0
      ? 0 : Self.standing(count, seconds: stopSeconds, key: path.key, firstDraw: firstDraw)
  }

  private func stopDistance(_ i: Int) -> Double {
    let jitter = 0.5 * (LegPath.uniform(path.key, LegPath.Lane.stopPlace &+ UInt64(i)) - 0.5)
    return path.length * (Double(i + 1) + jitter) / Double(stops + 1)
  }

  private func arrival(_ i: Int) -> Double { stopDistance(i) / speed + standing(i) }

  func progress(at seconds: Double) -> Progress {
    // `passed` stops have begun by now; the estimate is off by jitter only.
    var passed = min(stops, max(0, Int(seconds / duration * Double(stops + 1))))
    while passed > 0, arrival(passed - 1) > seconds { passed -= 1 }
    while passed < stops, arrival(passed) <= seconds { passed += 1 }
    if passed > 0 {
      let place = stopDistance(passed - 1)
      let leaves = place / speed + standing(passed)
      if seconds < leaves { return Progress(distance: place, isStopped: true, until: leaves) }
    }
    let distance = min(path.length, max(0, speed * (seconds - standing(passed))))
    let until = passed < stops ? arrival(passed) : duration
    return Progress(distance: distance, isStopped: false, until: until)
  }
}
