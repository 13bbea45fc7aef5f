internal import Core
internal import Foundation
internal import Phone
internal import Scenarios

/// Two phones and a logger on a bicycle near Winchester, with the planned route as the truth.
struct WinchesterRide {
  let moto: [SensorTrace.Point]
  let xiaomi: [SensorTrace.Point]
  let apart: [Double]

  private let held: SensorTrace
  private let route: SensorRoute
  private let truth: RecordedTrack
  private let simulation: SensorSimulation

  init?(_ files: SensorFiles, _ simulation: SensorSimulation) throws {
    guard FileManager.default.fileExists(atPath: "\(files.folder)/gpx") else { return nil }
    func trace(_ name: String) throws -> SensorTrace {
      try files.gpx("gpx/winchester-bike-\(name).gpx")
    }
    let plan = try trace("TRUTH-planned-route")
    let phones = try [trace("phone-motog3"), trace("phone-xiaomi")].map { $0.on(plan.projection) }
    let logger = try trace("etrex30").on(plan.projection)
    route = SensorRoute(plan.points.map(\.place))
    moto = SensorRide.acrossTrack(phones[0], route)
    xiaomi = SensorRide.acrossTrack(phones[1], route)
    apart = SensorRide.apart(phones[0], phones[1])
    held = phones[1]
    let ridden = SensorTrace(
      name: plan.name, projection: plan.projection,
      points: SensorRide.ridden(route, by: logger))
    guard !ridden.points.isEmpty else { throw SensorTraceError.noPoint(plan.name) }
    truth = ridden.lived
    self.simulation = simulation
  }

  /// Returns a simulated phone's track of the ride, sampled at the times of the held-out phone.
  func simulated(_ phone: Int) -> [SensorTrace.Point] {
    SensorRide.acrossTrack(simulation.moving(on: truth, like: held, phone: phone), route)
  }
}

/// A phone and a sport watch on one walk at Vincennes, with the watch as the truth.
struct VincennesWalk {
  let apart: [Double]

  private let phone: SensorTrace
  private let watch: SensorTrace
  private let truth: RecordedTrack
  private let simulation: SensorSimulation

  init?(_ files: SensorFiles, _ simulation: SensorSimulation) throws {
    guard FileManager.default.fileExists(atPath: "\(files.folder)/gpx-copyleft") else { return nil }
    phone = try files.gpx("gpx-copyleft/vincennes-walk-phone.gpx")
    watch = try files.gpx("gpx-copyleft/vincennes-walk-garmin.gpx").on(phone.projection)
    apart = SensorRide.apart(phone, watch)
    truth = watch.lived
    self.simulation = simulation
  }

  func simulated(_ pair: Int) -> [Double] {
    SensorRide.apart(
      simulation.moving(on: truth, like: watch, phone: 2 * pair),
      simulation.moving(on: truth, like: watch, phone: 2 * pair + 1), shifts: 0...0)
  }
}

extension SensorTrace {
  func on(_ plane: Projection) -> SensorTrace {
    SensorTrace(
      name: name, projection: plane,
      points: points.map {
        Point(seconds: $0.seconds, place: plane.point(of: projection.coordinate(of: $0.place)))
      })
  }

  var lived: RecordedTrack {
    RecordedTrack(
      Recording(
        path: name,
        points: points.map {
          let coordinate = projection.coordinate(of: $0.place)
          return Recording.Point(
            time: $0.instant, latitude: coordinate.latitude, longitude: coordinate.longitude)
        }, report: ""), shift: .zero)
  }
}
