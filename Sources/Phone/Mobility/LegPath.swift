internal import Core

/// The streets of one leg: two staircases on the town's grid, from the origin to a via point and
/// on to the target.
///
///         target ●──┐          A staircase has pairs of one x-piece and one y-piece, whose
///                   │ via      corners the leg's key jitters. Along a staircase no coordinate
///              ┌────●          turns back, so the way to a corner is its |Δx| + |Δy|. Any
///              │               corner, and the point after any way, is found in O(1), without
///     origin ●─┘               a stored path.
///
/// Each leg draws its ratio of track length to straight-line distance (recorded: 1.50 ± 0.2). If a
/// plain staircase would be too short, the via point lies beyond the target's street.
struct LegPath: BitwiseCopyable {
  let origin: PlanePoint
  let via: PlanePoint
  let target: PlanePoint
  let key: UInt64
  let mode: TravelMode
  let pace: Pace
  let viaLength: Double
  let length: Double

  init(_ leg: StreetLeg, _ mode: TravelMode) {
    self.init(from: leg.origin, to: leg.target, key: leg.key, mode: mode, pace: leg.pace)
  }

  init(
    from origin: PlanePoint, to target: PlanePoint, key: UInt64, mode: TravelMode,
    _ travel: Travel
  ) {
    let traits = travel.traits(mode)
    let low = travel.detourLow
    var pace = Pace(
      detour: Float(low + (travel.detourHigh - low) * Self.uniform(key, Lane.ratio)),
      block: traits.block, stopSeconds: traits.stopSeconds, stops: 0,
      isMetro: mode == .rail && Self.uniform(key, Lane.metro) < travel.metro)
    let bare = LegPath(from: origin, to: target, key: key, mode: mode, pace: pace)
    // The number of stops is rounded at random, so that short legs get stops too.
    let stops = bare.length / traits.stopSpacing + Self.uniform(key, Lane.stops)
    pace.stops = UInt16(min(stops, 60_000))
    self.init(from: origin, to: target, key: key, mode: mode, pace: pace)
  }

  struct Pace: BitwiseCopyable {
    var detour: Float = 1
    var block: Float = 1
    var stopSeconds: Float = 0
    var stops: UInt16 = 0
    var isMetro = false
  }

  private init(
    from origin: PlanePoint, to target: PlanePoint, key: UInt64, mode: TravelMode, pace: Pace
  ) {
    let delta = target - origin
    let straight = origin.distance(to: target)
    let wanted = straight * Double(pace.detour)
    let detour = max(0, wanted - Self.blocks(origin, target)) / 2
    let turn = 0.3 + 0.4 * Self.uniform(key, Lane.turn)
    // The detour extends the shorter side of the way beyond the target.
    let via =
      abs(delta.x) > abs(delta.y)
      ? PlanePoint(
        x: origin.x + delta.x * turn, y: target.y + (delta.y < 0 ? -detour : detour))
      : PlanePoint(
        x: target.x + (delta.x < 0 ? -detour : detour), y: origin.y + delta.y * turn)
    self.origin = origin
    self.via = via
    self.target = target
    self.key = key
    self.mode = mode
    self.pace = pace
    viaLength = Self.blocks(origin, via)
    length = viaLength + Self.blocks(via, target)
  }

  struct Piece: BitwiseCopyable {
    var begin: Double
    var end: Double
    var from: PlanePoint
    var to: PlanePoint

    func point(at distance: Double) -> PlanePoint {
      let span = end - begin
      return span > 0 ? from + (to - from) * ((distance - begin) / span) : from
    }

    var heading: PlanePoint {
      let delta = to - from
      let span = abs(delta.x) + abs(delta.y)
      return span > 0 ? delta * (1 / span) : PlanePoint(x: 1, y: 0)
    }
  }

  func point(at distance: Double) -> PlanePoint {
    if distance <= 0 { return origin }
    if distance >= length { return target }
    return piece(at: distance).point(at: distance)
  }

  func heading(at distance: Double) -> PlanePoint {
    piece(at: min(max(distance, 0), length)).heading
  }

  func piece(at distance: Double) -> Piece { walk(at: distance).piece(at: distance, of: self) }

  func walk(at distance: Double) -> StairWalk {
    let isSecond = distance >= viaLength
    let stair = Staircase(
      from: isSecond ? via : origin, to: isSecond ? target : via, block: Double(pace.block),
      key: key, lane: isSecond ? 2 : 1)
    return StairWalk(
      stair, isSecond: isSecond, offset: isSecond ? viaLength : 0, at: distance)
  }

  /// Returns the surroundings at a distance in metres from the start, drawn per slot of 400 m.
  func surroundings(at distance: Double) -> Surroundings {
    let u = Self.uniform(key, Lane.surroundings &+ UInt64(max(0, distance) / 400))
    switch mode {
    case .walk, .bicycle: return u < 0.75 ? .street : .open
    case .bus, .tram: return u < 0.85 ? .street : .open
    case .car:
      // The middle of a long drive is a wide road.
      let isHighway = length > 12_000 && distance > 3_000 && length - distance > 3_000
      return u < (isHighway ? 0.3 : 0.85) ? .street : .open
    case .rail:
      // Metro legs run mostly below ground, and other legs by rail rarely.
      return u < (pace.isMetro ? 0.7 : 0.06) ? .tunnel : .open
    }
  }

  static func blocks(_ a: PlanePoint, _ b: PlanePoint) -> Double { abs(b.x - a.x) + abs(b.y - a.y) }

  /// Returns a uniform draw in [0, 1) for one purpose (`lane`) of one leg.
  static func uniform(_ key: UInt64, _ lane: UInt64) -> Double {
    Double(Draw.mix(key &+ lane &* 0xD1B5_4A32_D192_ED03) >> 11) * 0x1p-53
  }

  /// The offsets that purposes add to a leg's key, so that each purpose draws different numbers.
  enum Lane {
    static let ratio: UInt64 = 1
    static let turn: UInt64 = 2
    static let metro: UInt64 = 3
    static let speed: UInt64 = 4
    static let stops: UInt64 = 5
    static let longStop: UInt64 = 4 << 20
    static let surroundings: UInt64 = 1 << 20
    static let stopPlace: UInt64 = 2 << 20
    static let stopLength: UInt64 = 3 << 20
    /// Staircase n (1 or 2) uses the lanes from n · `stair` on.
    static let stair: UInt64 = 16 << 20
  }
}

struct Staircase: BitwiseCopyable {
  private let from: PlanePoint
  private let delta: PlanePoint
  private let to: PlanePoint
  fileprivate let pairs: Int
  private let key: UInt64
  private let lane: UInt64

  init(from: PlanePoint, to: PlanePoint, block: Double, key: UInt64, lane: UInt64) {
    self.from = from
    self.to = to
    delta = to - from
    pairs = max(1, Int((abs(delta.x) + abs(delta.y)) / (2 * block)))
    self.key = key
    self.lane = lane * LegPath.Lane.stair
  }

  fileprivate func corner(_ k: Int) -> PlanePoint {
    if k <= 0 { return from }
    if k >= pairs { return to }
    let n = lane &+ UInt64(2 * k)
    let fx = (Double(k) + 0.6 * (LegPath.uniform(key, n) - 0.5)) / Double(pairs)
    let fy = (Double(k) + 0.6 * (LegPath.uniform(key, n + 1) - 0.5)) / Double(pairs)
    return PlanePoint(x: from.x + delta.x * fx, y: from.y + delta.y * fy)
  }

  fileprivate var length: Double { LegPath.blocks(from, to) }

  /// Returns the pair that probably contains `distance`, at most one pair off.
  fileprivate func pair(near distance: Double) -> Int {
    let total = length
    return total > 0 ? min(pairs - 1, Int(distance / total * Double(pairs))) : 0
  }

  fileprivate func way(to corner: PlanePoint) -> Double { LegPath.blocks(from, corner) }
}

/// The pair of pieces at a position on a staircase. A near position is one or two steps away.
struct StairWalk: BitwiseCopyable {
  private let stair: Staircase
  let isSecond: Bool
  private let offset: Double
  private var k: Int
  private var low: PlanePoint
  private var high: PlanePoint
  private var begin: Double
  private var end: Double

  init(_ stair: Staircase, isSecond: Bool, offset: Double, at distance: Double) {
    self.stair = stair
    self.isSecond = isSecond
    self.offset = offset
    k = stair.pair(near: distance - offset)
    low = stair.corner(k)
    high = stair.corner(k + 1)
    begin = stair.way(to: low)
    end = stair.way(to: high)
    step(to: distance)
  }

  /// Goes to the pair at a distance on the same staircase. Jitter moves a corner by less than a
  /// third of a pair, so each distance belongs to one pair.
  mutating func go(to distance: Double) {
    guard !holds(distance - offset) else { return }
    if abs(stair.pair(near: distance - offset) - k) > 3 {
      self = StairWalk(stair, isSecond: isSecond, offset: offset, at: distance)
    } else {
      step(to: distance)
    }
  }

  private func holds(_ way: Double) -> Bool {
    (k == 0 || begin <= way) && (k == stair.pairs - 1 || end > way)
  }

  private mutating func step(to distance: Double) {
    let way = distance - offset
    while k > 0, begin > way {
      k -= 1
      (high, end) = (low, begin)
      low = stair.corner(k)
      begin = stair.way(to: low)
    }
    while k < stair.pairs - 1, end <= way {
      k += 1
      (low, begin) = (high, end)
      high = stair.corner(k + 1)
      end = stair.way(to: high)
    }
  }

  func piece(at distance: Double, of path: LegPath) -> LegPath.Piece {
    let middle = PlanePoint(x: high.x, y: low.y)
    let bend = begin + abs(high.x - low.x)
    var piece =
      distance - offset < bend
      ? LegPath.Piece(begin: begin, end: bend, from: low, to: middle)
      : LegPath.Piece(begin: bend, end: end, from: middle, to: high)
    piece.begin += offset
    piece.end = isSecond && piece.to == path.target ? path.length : piece.end + offset
    return piece
  }
}
