package import Scenarios
package import SimulationCore

/// The city that all phones of a run share: where it lies, how its streets are turned, what time
/// it is there.
package struct Town: Sendable, BitwiseCopyable {
  /// Seeds everything that is drawn for the town and its people.
  package let seed: UInt64
  /// Homes lie within this distance of the centre.
  package let radius: Distance
  /// False in the open country, where nothing draws people to one place.
  let hasCentre: Bool
  /// Maps degrees to the plane in metres round the city's centre.
  package let projection: Projection
  /// Converts between instants and the town's own clock.
  package let clock: CivilClock
  /// Says in which two directions the streets run.
  package let grid: StreetGrid
  let people: People
  let event: TownEvent?

  /// Makes the town of a city; the direction of its streets is drawn from `seed`.
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

/// The two directions in which a town's streets run.
///
/// Places and corners are computed in the grid's own frame and turned once, on the way out, so
/// that a stay and the leg that reaches it agree to the last bit.
package struct StreetGrid: Sendable, BitwiseCopyable {
  let cosine: Double
  let sine: Double

  /// - Parameter radians: of the first street direction, anticlockwise from east.
  init(radians: Double) {
    cosine = SineCosine.cosine(radians)
    sine = SineCosine.sine(radians)
  }

  func plane(_ p: PlanePoint) -> PlanePoint {
    PlanePoint(x: p.x * cosine - p.y * sine, y: p.x * sine + p.y * cosine)
  }

  /// The inverse of `plane`.
  func turned(_ p: PlanePoint) -> PlanePoint {
    PlanePoint(x: p.x * cosine + p.y * sine, y: p.y * cosine - p.x * sine)
  }
}
