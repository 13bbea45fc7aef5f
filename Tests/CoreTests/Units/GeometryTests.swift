import Foundation
import TestSupport
import Testing
@testable import Core

@Suite("Projection", .quick)
struct GeometryTests {
  static let berlin = Projection(centreLatitude: 52.52, centreLongitude: 13.405)

  @Test(
    "a place returns within 0.2 m, up to 50 km from the centre",
    arguments: [
      (52.52, 13.405), (0, 0), (-33.87, 151.21), (64.15, -21.94), (1.35, 103.82),
    ])
  func roundTrip(latitude: Double, longitude: Double) {
    let projection = Projection(centreLatitude: latitude, centreLongitude: longitude)
    var draw = Draw(seed: 3, phone: 0, .sample)
    for _ in 0..<2_000 {
      let angle = draw.uniform(0, 2 * .pi)
      let reach = draw.uniform(0, 50_000)
      let place = PlanePoint(x: reach * cos(angle), y: reach * sin(angle))
      let back = projection.point(of: projection.coordinate(of: place))
      #expect(place.distance(to: back) <= 0.2)
    }
  }

  @Test("a coordinate that is projected and back is unchanged")
  func coordinatesAreStable() {
    var draw = Draw(seed: 4, phone: 0, .sample)
    for _ in 0..<2_000 {
      let place = PlanePoint(x: draw.uniform(-5e4, 5e4), y: draw.uniform(-5e4, 5e4))
      let coordinate = Self.berlin.coordinate(of: place)
      #expect(Self.berlin.coordinate(of: Self.berlin.point(of: coordinate)) == coordinate)
    }
  }

  @Test("distances on the plane equal those on the ground, within 1 % up to 50 km")
  func distancesAreTrue() {
    let centre = PlanePoint(x: 0, y: 0)
    var draw = Draw(seed: 5, phone: 0, .sample)
    for _ in 0..<1_000 {
      let place = PlanePoint(x: draw.uniform(-35e3, 35e3), y: draw.uniform(-35e3, 35e3))
      let truth = Self.greatCircle(
        Self.berlin.coordinate(of: centre), Self.berlin.coordinate(of: place))
      #expect(abs(truth - centre.distance(to: place)) <= 0.01 * truth + 0.2)
    }
  }

  @Test("north is up and east is right")
  func directions() {
    let north = Self.berlin.coordinate(of: PlanePoint(x: 0, y: 1_000))
    let east = Self.berlin.coordinate(of: PlanePoint(x: 1_000, y: 0))
    #expect(north.latitude > 52.52 && abs(north.longitude - 13.405) < 1e-6)
    #expect(east.longitude > 13.405 && abs(east.latitude - 52.52) < 1e-6)
    // A kilometre of latitude is 0.008993°.
    #expect(abs(north.latitude - 52.52 - 0.008_993) < 2e-6)
  }

  /// Haversine on the mean Earth, metres.
  static func greatCircle(_ a: Coordinate, _ b: Coordinate) -> Double {
    let radians = Double.pi / 180
    let dLatitude = (b.latitude - a.latitude) * radians
    let dLongitude = (b.longitude - a.longitude) * radians
    let h =
      pow(sin(dLatitude / 2), 2)
      + cos(a.latitude * radians) * cos(b.latitude * radians) * pow(sin(dLongitude / 2), 2)
    return 2 * 6_371_008.8 * asin(h.squareRoot())
  }
}
