internal import Foundation
internal import Scenarios
internal import SimulationCore

/// What never changes about a person: home, work, how they travel, when they work.
///
/// Figures: rule book, section 4 (mobility model). Distances are drawn as the crow flies, so that
/// tracks come out 1.3–1.5 times as long.
struct Person: BitwiseCopyable {
  enum Profile: UInt8, BitwiseCopyable { case car, transit, active, onFoot }

  let seed: UInt64
  let phone: UInt32
  let kind: MobilityKind
  let profile: Profile
  /// In the grid's frame.
  let home: PlanePoint
  let work: PlanePoint
  let commuteMode: TravelMode
  /// When a shift worker's day begins, hours after midnight; nil: office hours.
  let shiftStart: Double?
  private let radius: Double

  /// Metres; a track is at most 1.5 times as long, and so stays below 60 km.
  static let straightMax = 38_000.0

  static let home: UInt16 = 0
  static let work: UInt16 = 1
  /// Places from here on lie round work, for the midday break.
  static let firstLunchPlace: UInt16 = 60_000
  /// Where recorded people are.
  static let unknownPlace = UInt16.max

  init(town: Town, phone: UInt32, kind: MobilityKind) {
    seed = town.seed
    self.phone = phone
    self.kind = kind
    radius = town.radius.meters
    var draw = Draw(seed: town.seed, phone: phone, .person)
    let profile = Self.profile(kind, draw.uniform())
    self.profile = profile
    // Denser in the middle than a uniform disc (exponent 0.5).
    home = Self.polar(radius * pow(draw.uniform(), 0.62), angle: draw.uniform())
    let straight = Self.workDistance(kind, profile, &draw)
    work = Self.toward(PlanePoint(x: 0, y: 0), from: home, distance: straight, &draw)
    commuteMode = Self.mode(profile, straight: home.distance(to: work))
    shiftStart = Self.shift(&draw)
  }

  /// Car-heavy, as the rule book's shares are (car 62 %, walk 25 %, bus 9 %, rail 2 %).
  private static func profile(_ kind: MobilityKind, _ u: Double) -> Profile {
    switch kind {
    case .commuter: u < 0.72 ? .car : u < 0.93 ? .transit : .active
    case .cyclist: .active
    case .homebody: u < 0.5 ? .car : u < 0.7 ? .transit : .onFoot
    }
  }

  private static func workDistance(
    _ kind: MobilityKind, _ profile: Profile, _ draw: inout Draw
  ) -> Double {
    let distance =
      switch kind {
      case .commuter, .homebody: draw.logNormal(median: 8_600, sigma: 0.85)
      case .cyclist: draw.logNormal(median: 5_400, sigma: 0.5)
      }
    return min(max(distance, 300), kind == .cyclist ? 11_000 : straightMax)
  }

  /// 13 % work in shifts, so that 57 % leave home between 6:00 and 8:29 although N(07:50, 70 min)
  /// alone would make that 66 %.
  private static func shift(_ draw: inout Draw) -> Double? {
    guard draw.chance(0.13) else { return nil }
    return draw.chance(0.35) ? draw.uniform(4.6, 5.9) : draw.uniform(10, 15)
  }

  /// What a person of a profile takes for a way of `straight` metres.
  static func mode(_ profile: Profile, straight: Double) -> TravelMode {
    switch profile {
    case .car: straight < 1_100 ? .walk : .car
    case .transit: straight < 1_100 ? .walk : straight > 9_000 ? .rail : .bus
    case .active: straight < 500 ? .walk : straight < 12_000 ? .bicycle : .car
    case .onFoot: straight < 2_000 ? .walk : .bus
    }
  }

  /// Other places: 2 is the favourite; the higher the number, the rarer and the farther.
  func place(_ index: UInt16) -> PlanePoint {
    switch index {
    case Self.home: return home
    case Self.work: return work
    default:
      var draw = Draw(seed: seed, phone: phone, .place, Int64(index))
      if index >= Self.firstLunchPlace {
        return work + Self.polar(draw.uniform(150, 700), angle: draw.uniform())
      }
      let median = kind == .commuter ? 3_100.0 : 2_500.0
      let distance = draw.logNormal(median: median, sigma: 1)
      let limit = kind == .cyclist ? 8_000.0 : 20_000.0
      return Self.toward(
        PlanePoint(x: 0, y: 0), from: home, distance: min(max(distance, 150), limit), &draw)
    }
  }

  /// One in eight of the other places is under the sky.
  func surroundings(of place: UInt16) -> Surroundings {
    guard place > Self.work, place < Self.firstLunchPlace else { return .indoor }
    var draw = Draw(seed: seed, phone: phone, .place, Int64(place), 1)
    return draw.chance(0.125) ? .open : .indoor
  }

  private static func polar(_ distance: Double, angle turns: Double) -> PlanePoint {
    PlanePoint(
      x: distance * SineCosine.cosine(2 * .pi * turns),
      y: distance * SineCosine.sine(2 * .pi * turns))
  }

  /// A point at `distance` from `from`, more often towards the town than away from it: the better
  /// of two directions.
  private static func toward(
    _ centre: PlanePoint, from: PlanePoint, distance: Double, _ draw: inout Draw
  ) -> PlanePoint {
    let first = from + polar(distance, angle: draw.uniform())
    let second = from + polar(distance, angle: draw.uniform())
    return first.distanceSquared(to: centre) <= second.distanceSquared(to: centre)
      ? first : second
  }
}
