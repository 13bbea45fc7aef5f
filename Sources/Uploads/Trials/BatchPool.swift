package import Core
internal import Foundation

/// The fixes of benchmarks: 2,048 batches of 20 fixes from 256 phones, with noise, one fix every
/// five seconds. As in the benchmark of other encodings, 30 % of phones rest, 30 % walk and 40 %
/// drive.
package struct BatchPool: Sendable {
  package static let fixesPerBatch = 20
  package static let batches = phones * batchesPerPhone
  private static let phones = 256
  private static let batchesPerPhone = 8
  private static let seed: UInt64 = 1
  private static let metersPerDegree = 111_320.0

  package let fixes: [Fix]

  /// - Parameter end: the upper limit of the times of all fixes.
  package init(before end: SimInstant) {
    let span = SimDuration.seconds(Int64(5 * Self.fixesPerBatch * Self.batchesPerPhone))
    var fixes: [Fix] = []
    fixes.reserveCapacity(Self.batches * Self.fixesPerBatch)
    for phone in 0..<Self.phones {
      var walker = Walker(phone: UInt32(phone), start: end - span)
      for _ in 0..<(Self.batchesPerPhone * Self.fixesPerBatch) { fixes.append(walker.next()) }
    }
    self.fixes = fixes
  }

  /// Returns the indices in `fixes` of a batch. Any number from 0 on is valid.
  package func range(_ number: Int) -> Range<Int> {
    let first = number % Self.batches * Self.fixesPerBatch
    return first..<first + Self.fixesPerBatch
  }

  package enum Movement: String, CaseIterable, Sendable { case resting, walking, driving }

  package struct Walker {
    private var draw: Draw
    private var time: SimInstant
    private var latitude: Double
    private var longitude: Double
    private var speed: Double
    private let meanSpeed: Double
    private var heading: Double
    private var error = (north: 0.0, east: 0.0)
    private let sigma: Double
    private let headingNoise: Double
    private let turns: Bool

    /// Begins a movement near Berlin; for nil, the kind of movement is random.
    package init(phone: UInt32, start: SimInstant, _ movement: Movement? = nil) {
      draw = Draw(seed: BatchPool.seed, phone: phone, .benchBatches)
      time = start
      let kind = draw.uniform()
      (meanSpeed, headingNoise, turns) =
        switch movement ?? (kind < 0.3 ? .resting : kind < 0.6 ? .walking : .driving) {
        case .resting: (0, 7, false)
        case .walking: (1.3, 18, false)
        case .driving: (draw.uniform(8, 23), 7, true)
        }
      speed = meanSpeed
      latitude = 52.52 + 0.1 * draw.normal()
      longitude = 13.40 + 0.1 * draw.normal()
      heading = draw.uniform(0, 360)
      sigma = draw.uniform(3, 9)
    }

    /// Returns the fix five seconds later.
    package mutating func next() -> Fix {
      let seconds = 5.0
      speed += 0.2 * (meanSpeed - speed) + 0.25 * meanSpeed.squareRoot() * draw.normal()
      speed = max(0, speed)
      heading += headingNoise * draw.normal()
      if turns, draw.chance(0.05) { heading += draw.chance(0.5) ? 90 : -90 }
      heading = (heading + 720).truncatingRemainder(dividingBy: 360)
      let metersPerDegreeEast = BatchPool.metersPerDegree * cos(latitude * .pi / 180)
      latitude += speed * seconds * cos(heading * .pi / 180) / BatchPool.metersPerDegree
      longitude += speed * seconds * sin(heading * .pi / 180) / metersPerDegreeEast
      error.north = 0.9 * error.north + 0.44 * sigma * 0.4 * draw.normal()
      error.east = 0.9 * error.east + 0.44 * sigma * 0.4 * draw.normal()
      let measured = abs(speed + 0.15 * draw.normal())
      let late = abs(draw.normal()) * 0.03
      defer { time += .seconds(5) }
      return Fix(
        coordinate: Coordinate(
          latitudeE6: Int32(((latitude + error.north / BatchPool.metersPerDegree) * 1e6).rounded()),
          longitudeE6: Int32(((longitude + error.east / metersPerDegreeEast) * 1e6).rounded())),
        time: FixTime(time + SimDuration(seconds: late)),
        accuracyMeters: UInt16((sigma * (1 + 0.1 * abs(draw.normal()))).rounded()),
        speedDecimetersPerSecond: Int16((measured * 10).rounded()),
        courseDegrees: measured < 0.3
          ? -1
          : Int16((heading + 3 * draw.normal() + 360).truncatingRemainder(dividingBy: 360)))
    }
  }
}
