internal import Core
internal import Foundation
internal import Scenarios

/// A person's constants, drawn from a `PeopleProfile`. All distances are straight lines.
struct Person: BitwiseCopyable {
  enum Profile: UInt8, BitwiseCopyable, CaseIterable { case car, transit, active, onFoot }

  let seed: UInt64
  let phone: UInt32
  let kind: MobilityKind
  let profile: Profile
  /// Whether the local transport at the person's home is a tram instead of a bus.
  let hasTram: Bool
  let home: PlanePoint
  let work: PlanePoint
  let commuteMode: TravelMode
  /// The share of working people who leave home earlier, 0 ..< 1.
  let leavesAfter: Double
  /// Whether destinations tend towards a centre, as in a town but not in open country.
  private let hasCentre: Bool

  static let home: UInt16 = 0
  static let work: UInt16 = 1
  static let firstLunchPlace: UInt16 = 60_000
  /// The index of the first turning point of the person's walks without a destination.
  static let firstTurn: UInt16 = 61_000
  static let turns = 3.0
  static let venue: UInt16 = 65_000
  /// The `place` of every segment of a recording.
  static let unknownPlace = UInt16.max

  init(town: Town, phone: UInt32, kind: MobilityKind) {
    seed = town.seed
    self.phone = phone
    self.kind = kind
    hasCentre = town.hasCentre
    var draw = Draw(seed: town.seed, phone: phone, .person)
    let profile = Self.profile(kind, town.people.travel, draw.uniform())
    self.profile = profile
    // An exponent of 0.5 gives a uniform disc, and 0.62 a denser middle.
    home = Self.polar(
      town.radius.meters * pow(draw.uniform(), town.hasCentre ? 0.62 : 0.5), angle: draw.uniform())
    let habits = town.people.work
    let straight = (kind == .cyclist ? habits.bicycleDistance : habits.distance).value(&draw)
    work = Self.toward(from: home, distance: straight, hasCentre: hasCentre, &draw)
    hasTram = draw.chance(town.people.travel.tramServed)
    commuteMode = Self.mode(
      profile, hasTram: hasTram, straight: home.distance(to: work), town.people.travel)
    // The golden ratio spreads the values, so that a few people cover the curve of departures.
    var offset = Draw(seed: town.seed, phone: .max, .person)
    leavesAfter = (offset.uniform() + Double(phone) * 0.618_033_988_749_895)
      .truncatingRemainder(dividingBy: 1)
  }

  private static func profile(_ kind: MobilityKind, _ travel: Travel, _ u: Double) -> Profile {
    switch kind {
    case .commuter, .spectator: Profile.allCases[travel.commuter.index(u)]
    case .cyclist: .active
    case .homebody: Profile.allCases[travel.homebody.index(u)]
    }
  }

  func mode(straight: Double, _ travel: Travel) -> TravelMode {
    Self.mode(profile, hasTram: hasTram, straight: straight, travel)
  }

  private static func mode(
    _ profile: Profile, hasTram: Bool, straight: Double, _ travel: Travel
  ) -> TravelMode {
    if straight < travel.walks[Int(profile.rawValue)] { return .walk }
    switch profile {
    case .car: return .car
    case .transit: return straight > travel.trainFrom ? .rail : hasTram ? .tram : .bus
    case .active: return straight < travel.bicycleReach ? .bicycle : .car
    case .onFoot: return hasTram ? .tram : .bus
    }
  }

  func place(_ index: UInt16, _ people: People) -> PlanePoint {
    switch index {
    case Self.home: return home
    case Self.work: return work
    default:
      var draw = Draw(seed: seed, phone: phone, .place, Int64(index))
      if index >= Self.firstTurn {
        let (travel, walk) = (people.travel, people.outside.walk.value(&draw))
        let track = walk / 2 * travel.traits(.walk).speed
        return home
          + Self.polar(
            track / ((travel.detourLow + travel.detourHigh) / 2), angle: draw.uniform())
      }
      if index >= Self.firstLunchPlace {
        let reach = people.work.lunchReach
        return work + Self.polar(draw.uniform(0.2 * reach, reach), angle: draw.uniform())
      }
      let places = people.places
      let distance = (kind == .cyclist ? places.bicycleDistance : places.distance).value(&draw)
      return Self.toward(from: home, distance: distance, hasCentre: hasCentre, &draw)
    }
  }

  func surroundings(of place: UInt16, _ people: People) -> Surroundings {
    if place >= Self.firstTurn { return .open }
    guard place > Self.work, place < Self.firstLunchPlace else { return .indoor }
    var draw = Draw(seed: seed, phone: phone, .place, Int64(place), 1)
    return draw.chance(people.places.outdoors) ? .open : .indoor
  }

  static func polar(_ distance: Double, angle turns: Double) -> PlanePoint {
    PlanePoint(
      x: distance * SineCosine.cosine(2 * .pi * turns),
      y: distance * SineCosine.sine(2 * .pi * turns))
  }

  /// Returns a random point at `distance` from `from`. In a town two points are drawn, and the
  /// point nearer to the centre is taken.
  private static func toward(
    from: PlanePoint, distance: Double, hasCentre: Bool, _ draw: inout Draw
  ) -> PlanePoint {
    let first = from + polar(distance, angle: draw.uniform())
    guard hasCentre else { return first }
    let centre = PlanePoint(x: 0, y: 0)
    let second = from + polar(distance, angle: draw.uniform())
    return first.distanceSquared(to: centre) <= second.distanceSquared(to: centre)
      ? first : second
  }
}
