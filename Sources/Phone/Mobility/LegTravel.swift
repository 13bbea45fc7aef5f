internal import Core

/// The timing of a leg: constant speed between stops, whose positions and lengths the leg's key
/// draws. Of four stops with the mean length d three last 0.65 d and one 2.05 d, each jittered by
/// 0.45 d · (u(i+1) − u(i)). The jitters of consecutive stops cancel, so that the sum of the first
/// i stops has a closed form. The p95 of stops is three times the median, as recorded.
struct LegTravel: BitwiseCopyable {
  let path: LegPath
  /// The speed between stops, in m/s.
  let speed: Double
  /// The duration in seconds, stops included.
  let duration: Double
  private let firstDraw: Double

  /// The progress on a leg. The current stop or drive ends `until` seconds after the leg's start.
  struct Progress: BitwiseCopyable {
    var distance: Double
    var isStopped: Bool
    var until: Double
  }

  init(_ leg: StreetLeg, _ mode: TravelMode, _ duration: SimDuration) {
    path = LegPath(leg, mode)
    self.duration = duration.seconds
    firstDraw = Self.draw(0, path.key)
    let standing = Self.standing(stops: Int(path.pace.stops), path, firstDraw: firstDraw)
    speed = path.length / max(self.duration - standing, 1e-6)
  }

  private static func draw(_ stop: Int, _ key: UInt64) -> Double {
    LegPath.uniform(key, LegPath.Lane.stopLength &+ UInt64(stop))
  }

  private static func standing(stops count: Int, _ path: LegPath, firstDraw: Double) -> Double {
    guard count > 0 else { return 0 }
    let group = count / 4
    let long = LegPath.uniform(path.key, LegPath.Lane.longStop &+ UInt64(group)) * 4
    let rest = count % 4
    let base =
      Double(4 * group) + 0.65 * Double(rest) + (Double(rest) > long.rounded(.down) ? 1.4 : 0)
    return Double(path.pace.stopSeconds) * (base + 0.45 * (draw(count, path.key) - firstDraw))
  }

  static func duration(of path: LegPath, _ traits: ModeTraits, delay: Double) -> SimDuration {
    let standing = standing(
      stops: Int(path.pace.stops), path, firstDraw: draw(0, path.key))
    var draw = Draw(seed: path.key, phone: 0, .leg, Int64(LegPath.Lane.speed))
    let speed = traits.speed(length: path.length, sigmas: draw.normal())
    return SimDuration(seconds: max(1, path.length / speed * delay + standing))
  }

  private func standing(_ count: Int) -> Double {
    Self.standing(stops: count, path, firstDraw: firstDraw)
  }

  private func stopDistance(_ i: Int) -> Double {
    let jitter = 0.5 * (LegPath.uniform(path.key, LegPath.Lane.stopPlace &+ UInt64(i)) - 0.5)
    return path.length * (Double(i + 1) + jitter) / Double(path.pace.stops + 1)
  }

  private func arrival(_ i: Int) -> Double { stopDistance(i) / speed + standing(i) }

  func progress(at seconds: Double) -> Progress { stretch(at: seconds).progress(at: seconds, self) }

  struct Stretch: BitwiseCopyable {
    fileprivate let begin: Double
    fileprivate let end: Double
    fileprivate let place: Double
    fileprivate let leaves: Double
    fileprivate let standing: Double

    func holds(_ seconds: Double) -> Bool { begin <= seconds && seconds < end }

    func progress(at seconds: Double, _ travel: borrowing LegTravel) -> Progress {
      if seconds < leaves { return Progress(distance: place, isStopped: true, until: leaves) }
      let distance = min(travel.path.length, max(0, travel.speed * (seconds - standing)))
      return Progress(
        distance: distance, isStopped: false, until: end < .infinity ? end : travel.duration)
    }
  }

  /// Returns the stretch at an instant. A stretch lasts from one arrival at a stop to the next.
  func stretch(at seconds: Double) -> Stretch {
    let stops = Int(path.pace.stops)
    // Estimates the number of stops that have begun. The loops below correct for jitter.
    var passed = min(stops, max(0, Int(seconds / duration * Double(stops + 1))))
    var begin = passed > 0 ? arrival(passed - 1) : -.infinity
    var end = Double.infinity
    if begin > seconds {
      while begin > seconds {
        passed -= 1
        end = begin
        begin = passed > 0 ? arrival(passed - 1) : -.infinity
      }
    } else {
      while passed < stops {
        end = arrival(passed)
        if end > seconds { break }
        (begin, end) = (end, .infinity)
        passed += 1
      }
    }
    let standing = standing(passed)
    guard passed > 0 else {
      return Stretch(
        begin: -.infinity, end: end, place: 0, leaves: -.infinity, standing: standing)
    }
    let place = stopDistance(passed - 1)
    return Stretch(
      begin: begin, end: end, place: place, leaves: place / speed + standing, standing: standing)
  }
}

/// Reads one leg at many instants, with the same results as `LegTravel` and `LegPath` to the bit.
struct LegReader {
  let travel: LegTravel
  private var stretch: LegTravel.Stretch
  private var walk: StairWalk

  init(_ travel: LegTravel, at seconds: Double) {
    self.travel = travel
    stretch = travel.stretch(at: seconds)
    walk = travel.path.walk(at: stretch.progress(at: seconds, travel).distance)
  }

  mutating func progress(at seconds: Double) -> LegTravel.Progress {
    if !stretch.holds(seconds) { stretch = travel.stretch(at: seconds) }
    return stretch.progress(at: seconds, travel)
  }

  mutating func piece(at distance: Double) -> LegPath.Piece {
    if (distance >= travel.path.viaLength) == walk.isSecond {
      walk.go(to: distance)
    } else {
      walk = travel.path.walk(at: distance)
    }
    return walk.piece(at: distance, of: travel.path)
  }

  mutating func point(at distance: Double) -> PlanePoint {
    if distance <= 0 { return travel.path.origin }
    if distance >= travel.path.length { return travel.path.target }
    return piece(at: distance).point(at: distance)
  }

  mutating func heading(at distance: Double) -> PlanePoint {
    piece(at: min(max(distance, 0), travel.path.length)).heading
  }
}
