internal import Core
internal import Foundation

/// A part of a trace in which the phone rests for at least seven minutes. The median position of
/// each minute is within 15 m of the first, but for at most three in a row. No gap exceeds one
/// minute. The first and last minute are excluded, as arrival and departure.
struct SensorDwell: Sendable {
  static let radius = 15.0
  static let minutesMin = 7
  static let minutesAwayMax = 3
  static let silenceMax = 60.0

  let points: [SensorTrace.Point]

  static func all(in trace: SensorTrace) -> [SensorDwell] {
    var dwells: [SensorDwell] = []
    var run: [SensorTrace.Point] = []
    for point in trace.points {
      if let last = run.last, point.seconds - last.seconds > silenceMax {
        dwells += inRun(run)
        run = []
      }
      run.append(point)
    }
    return dwells + inRun(run)
  }

  private static func inRun(_ run: [SensorTrace.Point]) -> [SensorDwell] {
    guard let start = run.first?.seconds else { return [] }
    var minutes: [(number: Int, points: [SensorTrace.Point])] = []
    for point in run {
      let number = Int((point.seconds - start) / 60)
      if minutes.last?.number != number { minutes.append((number, [])) }
      minutes[minutes.count - 1].points.append(point)
    }
    let middles = minutes.map { middle($0.points) }
    var dwells: [SensorDwell] = []
    var first = 0
    while first < minutes.count {
      var last = first
      var next = first + 1
      while next < minutes.count, next - last <= minutesAwayMax {
        if middles[next].distance(to: middles[first]) <= radius { last = next }
        next += 1
      }
      if minutes[last].number - minutes[first].number >= minutesMin - 1 {
        // Excludes the first and the last minute, as arrival and departure.
        dwells.append(SensorDwell(points: minutes[(first + 1)..<last].flatMap(\.points)))
        first = last
      }
      first += 1
    }
    return dwells
  }

  static func middle(_ points: [SensorTrace.Point]) -> PlanePoint {
    PlanePoint(
      x: Sample.median(points.map(\.place.x)) ?? 0, y: Sample.median(points.map(\.place.y)) ?? 0)
  }
}

struct DwellMetrics: Sendable {
  /// The radii around the median point with 68 %, 95 % and all of the fixes, in metres.
  let inner: Double
  let outer: Double
  let farthest: Double
  let repeated: Double
  let steps: [Double]
  /// The seconds until the autocorrelation of the error is below 1/e; nil if the phone never moved.
  let correlation: Double?

  init(_ points: [SensorTrace.Point]) {
    let middle = SensorDwell.middle(points)
    let radii = points.map { $0.place.distance(to: middle) }
    inner = Sample.quantile(radii, 0.68) ?? 0
    outer = Sample.quantile(radii, 0.95) ?? 0
    farthest = radii.max() ?? 0
    let all = zip(points, points.dropFirst()).map { $0.place.distance(to: $1.place) }
    // Ignores rounding errors of the projection, which are no steps.
    steps = all.filter { $0 > 1e-4 }
    repeated = all.isEmpty ? 0 : 1 - Double(steps.count) / Double(all.count)
    correlation = Self.correlation(points)
  }

  /// Returns `correlation` from the first ten minutes at most.
  static func correlation(_ points: [SensorTrace.Point]) -> Double? {
    guard let first = points.first, let last = points.last else { return nil }
    var held: [PlanePoint] = []
    var i = 0
    for second in 0...Int(last.seconds - first.seconds) {
      while i + 1 < points.count, points[i + 1].seconds <= first.seconds + Double(second) { i += 1 }
      held.append(points[i].place)
    }
    let count = Double(held.count)
    let mean = held.reduce(PlanePoint(x: 0, y: 0), +) * (1 / count)
    held = held.map { $0 - mean }
    let power = held.reduce(0) { $0 + $1.x * $1.x + $1.y * $1.y } / count
    guard power > 1e-6 else { return nil }
    let longest = min(600, held.count / 2)
    for lag in 1..<max(2, longest) {
      var sum = 0.0
      for i in 0..<(held.count - lag) {
        sum += held[i].x * held[i + lag].x + held[i].y * held[i + lag].y
      }
      if sum / Double(held.count - lag) < power * exp(-1) { return Double(lag) }
    }
    return Double(longest)
  }
}
