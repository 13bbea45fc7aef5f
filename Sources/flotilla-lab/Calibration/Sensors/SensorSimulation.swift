internal import Core
internal import Phone
internal import Scenarios

struct SensorSimulation: Sendable {
  let seed: UInt64
  let sensors: SensorProfile

  func resting(like dwell: SensorDwell, in trace: SensorTrace, phone: Int) -> [SensorTrace.Point] {
    let middle = trace.projection.coordinate(of: SensorDwell.middle(dwell.points))
    guard let first = dwell.points.first else { return [] }
    let track = RecordedTrack(
      Recording(
        path: trace.name,
        points: [
          Recording.Point(
            time: first.instant, latitude: middle.latitude, longitude: middle.longitude)
        ], report: ""), shift: .zero)
    return sightings(of: phone, on: track, at: dwell.points.map(\.seconds), .wifi).map { point in
      let reported = track.projection.coordinate(of: point.place)
      let place = trace.projection.point(
        latitude: Double(Float(reported.latitude)), longitude: Double(Float(reported.longitude)))
      return SensorTrace.Point(seconds: point.seconds, place: place)
    }
  }

  func moving(
    on track: RecordedTrack, like trace: SensorTrace, phone: Int
  ) -> SensorTrace {
    let points = sightings(of: phone, on: track, at: trace.points.map(\.seconds), .satellites)
    return SensorTrace(
      name: "simulated", projection: trace.projection,
      points: points.map { point in
        SensorTrace.Point(
          seconds: point.seconds,
          place: trace.projection.point(of: track.projection.coordinate(of: point.place)))
      })
  }

  private func sightings(
    of phone: Int, on track: RecordedTrack, at seconds: [Double], _ source: PositionSource
  ) -> [SensorTrace.Point] {
    let maker = FixMaker(seed: seed, projection: track.projection, sensors: sensors)
    return seconds.compactMap { seconds in
      let t = SimInstant(microseconds: Int64((seconds * 1e6).rounded()))
      return maker.sighting(
        at: t, track.segment(at: t), source, PhoneID(rawValue: UInt32(phone))
      ).map { SensorTrace.Point(seconds: seconds, place: $0.place) }
    }
  }
}

extension SensorSimulation {
  init(_ bench: CalibrationBench, seed: UInt64) throws {
    self.init(seed: seed, sensors: try bench.library.sensorProfile("standard").value)
  }
}

struct MovingMetrics: Sendable {
  var reported: [Double] = []
  var within = 0
  var streets: [[Double]] = []
  var along: [Double] = []
  var across: [Double] = []

  static func of(_ simulation: SensorSimulation, people: Int) -> [MovingMetrics] {
    let city = Scenario.standard(phones: people).city
    let town = Town(seed: simulation.seed, city: city)
    let maker = FixMaker(
      seed: simulation.seed,
      projection: Projection(
        centreLatitude: city.centreLatitude, centreLongitude: city.centreLongitude),
      sensors: simulation.sensors)
    return (0..<people).map { person in
      var metrics = MovingMetrics()
      let life = Life(town: town, phone: UInt32(person), kind: .commuter)
      var segment = life.segment(at: monday)
      while segment.start < monday + .hours(24) {
        if segment.isMoving { metrics.sample(segment, maker, PhoneID(rawValue: UInt32(person))) }
        segment = life.segment(after: segment)
      }
      return metrics
    }
  }

  /// A Monday: 2026-03-02T04:00+01:00.
  static let monday = SimInstant(microseconds: 1_772_420_400_000_000)

  private mutating func sample(_ segment: Segment, _ maker: FixMaker, _ phone: PhoneID) {
    var street: [Double] = []
    var t = segment.start
    let end = min(segment.end, segment.start + .minutes(10))
    while t < end {
      let truth = segment.motion(at: t)
      switch truth.surroundings {
      case .street, .open:
        guard let seen = maker.sighting(at: t, segment, .satellites, phone) else { break }
        let error = seen.place - truth.position
        let report = maker.fix(seen, at: t, .satellites, phone).accuracyMeters
        reported.append(Double(report))
        if error.distance(to: PlanePoint(x: 0, y: 0)) <= Double(report) { within += 1 }
        let along = error.x * truth.heading.x + error.y * truth.heading.y
        self.along.append(along)
        across.append(error.x * truth.heading.y - error.y * truth.heading.x)
        if truth.surroundings == .street { street.append(along) }
      case .indoor, .tunnel: break
      }
      t = t + .seconds(1)
    }
    if street.count > 120 { streets.append(street) }
  }
}
