package import Core
package import Scenarios

/// A part of a scripted way.
package enum Stretch {
  case stay(SimDuration)
  /// Eastwards.
  case ride(SimDuration, metersPerSecond: Double)

  /// Half an hour at home, half an hour in a car, and the day elsewhere.
  package static let rides: [Stretch] = [
    .stay(.minutes(30)), .ride(.minutes(30), metersPerSecond: 12), .stay(.hours(10)),
  ]

  /// Adds a point each five minutes, so that a long ride is no gap in the recording.
  package static func recording(_ way: [Stretch], from start: SimInstant) -> Recording {
    var points: [Recording.Point] = []
    var east = 0.0
    var now = start
    func add() {
      points.append(
        Recording.Point(time: now, latitude: 52.52, longitude: 13.405 + east / 67_660))
    }
    for stretch in way {
      let (lasts, speed) =
        switch stretch {
        case .stay(let lasts): (lasts, 0.0)
        case .ride(let lasts, let metersPerSecond): (lasts, metersPerSecond)
        }
      let end = now + lasts
      while now < end {
        add()
        let step = min(end - now, .minutes(5))
        east += speed * step.seconds
        now += step
      }
    }
    add()
    return Recording(path: "way.gpx", points: points, report: "")
  }
}
