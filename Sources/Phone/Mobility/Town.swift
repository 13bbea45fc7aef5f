package import Core
package import Scenarios

package struct Town: Sendable, BitwiseCopyable {
  package let seed: UInt64
  package let radius: Distance
  /// Whether the town has a centre, unlike open country.
  let hasCentre: Bool
  package let projection: Projection
  package let clock: CivilClock
  package let grid: StreetGrid
  let people: People
  let event: TownEvent?

  /// Creates the town of a city, with a street direction drawn from `seed`.
  package init(seed: UInt64, city: Scenario.City) {
    self.seed = seed
    radius = city.extent
    hasCentre = city.radius != nil
    people = People(city.people)
    projection = Projection(
      centreLatitude: city.centreLatitude, centreLongitude: city.centreLongitude)
    clock = city.clock
    var draw = Draw(seed: seed, phone: .max, .townGrid)
    let grid = StreetGrid(radians: draw.uniform(0, .pi / 2))
    self.grid = grid
    event = city.event.map { [projection, clock] in
      TownEvent($0, projection: projection, clock: clock, grid: grid)
    }
  }
}

/// The two street directions of a town. Positions are computed in the grid's frame and rotated
/// once, at the end, so that a stay and the leg to it agree to the last bit.
package struct StreetGrid: Sendable, BitwiseCopyable {
  let cosine: Double
  let sine: Double

  /// - Parameter radians: the first street direction, anticlockwise from east.
  init(radians: Double) {
    cosine = SineCosine.cosine(radians)
    sine = SineCosine.sine(radians)
  }

  func plane(_ p: PlanePoint) -> PlanePoint {
    PlanePoint(x: p.x * cosine - p.y * sine, y: p.x * sine + p.y * cosine)
  }

  /// Returns the point that `plane` maps to `p`.
  func turned(_ p: PlanePoint) -> PlanePoint {
    PlanePoint(x: p.x * cosine + p.y * sine, y: p.y * cosine - p.x * sine)
  }
}
