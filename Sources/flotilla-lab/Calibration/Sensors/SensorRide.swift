internal import Core
internal import Foundation

struct SensorRoute: Sendable {
  let points: [PlanePoint]
  let along: [Double]

  init(_ points: [PlanePoint]) {
    var sums = [0.0]
    for (a, b) in zip(points, points.dropFirst()) {
      sums.append(sums[sums.count - 1] + a.distance(to: b))
    }
    self.points = points
    along = sums
  }

  /// Returns the metres along the route to the point nearest to `place`, and those to its right.
  func nearest(
    to place: PlanePoint, within window: ClosedRange<Double> = 0...Double.infinity
  ) -> (along: Double, right: Double)? {
    var best: (along: Double, right: Double)?
    var distance = Double.infinity
    for i in points.indices.dropLast()
    where along[i + 1] >= window.lowerBound && along[i] <= window.upperBound {
      let (a, b) = (points[i], points[i + 1])
      let span = b - a
      let length = along[i + 1] - along[i]
      guard length > 0 else { continue }
      let offset = place - a
      let share = min(1, max(0, (offset.x * span.x + offset.y * span.y) / (length * length)))
      let square = (a + span * share).distanceSquared(to: place)
      if square < distance {
        distance = square
        let isRight = span.x * offset.y - span.y * offset.x < 0
        best = (along[i] + share * length, square.squareRoot() * (isRight ? 1 : -1))
      }
    }
    return best
  }
}

enum SensorRide {
  /// Returns the metres to the right of the route at each point, without points over 60 m away.
  static func acrossTrack(_ trace: SensorTrace, _ route: SensorRoute) -> [SensorTrace.Point] {
    trace.points.compactMap { point in
      guard let near = route.nearest(to: point.place), abs(near.right) < 60 else { return nil }
      return SensorTrace.Point(seconds: point.seconds, place: PlanePoint(x: near.right, y: 0))
    }
  }

  /// Returns the distances between two tracks of a person, at the time shift that minimises these.
  static func apart(_ a: SensorTrace, _ b: SensorTrace, shifts: ClosedRange<Int> = -15...15)
    -> [Double]
  {
    let candidates = shifts.map { shift in
      a.points.compactMap { point in
        b.place(at: point.seconds + Double(shift))
          .map { b.projection.coordinate(of: $0) }
          .map { a.projection.point(of: $0).distance(to: point.place) }
      }
    }
    let medians = candidates.map { Sample.median($0) ?? .infinity }
    let best = medians.indices.min { medians[$0] < medians[$1] }
    return best.map { candidates[$0] } ?? []
  }

  /// Returns a device's track, projected onto the route point by point, without backward steps.
  static func ridden(_ route: SensorRoute, by trace: SensorTrace) -> [SensorTrace.Point] {
    var ridden: [SensorTrace.Point] = []
    var last = (along: 0.0, seconds: -Double.infinity)
    for point in trace.points {
      let window = last.seconds < 0 ? 0...200 : last.along...(last.along + 400)
      guard let near = route.nearest(to: point.place, within: window), abs(near.right) < 60,
        near.along > last.along, point.seconds > last.seconds + 0.5
      else { continue }
      if last.seconds >= 0 {
        for i in route.points.indices
        where route.along[i] > last.along && route.along[i] < near.along {
          let share = (route.along[i] - last.along) / (near.along - last.along)
          let seconds = last.seconds + share * (point.seconds - last.seconds)
          if seconds > (ridden.last?.seconds ?? 0) + 0.01 {
            ridden.append(SensorTrace.Point(seconds: seconds, place: route.points[i]))
          }
        }
      }
      let place = route.place(at: near.along)
      if point.seconds > (ridden.last?.seconds ?? 0) + 0.01 {
        ridden.append(SensorTrace.Point(seconds: point.seconds, place: place))
      }
      last = (near.along, point.seconds)
    }
    return ridden
  }
}

extension SensorRoute {
  func place(at meters: Double) -> PlanePoint {
    for i in points.indices.dropLast() where along[i + 1] >= meters && along[i + 1] > along[i] {
      return points[i] + (points[i + 1] - points[i])
        * ((meters - along[i]) / (along[i + 1] - along[i]))
    }
    return points[points.count - 1]
  }
}
