internal import Foundation

package enum TravelMode: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case walk, bicycle, bus, car, rail
}

/// What is round a phone, which decides what its radios hear.
package enum Surroundings: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case indoor, street, open, tunnel
}

/// How a mode moves along streets.
///
/// Running speeds reproduce the medians of 10 s speeds in motion of recorded traces (walk 5.0, city
/// bicycle 21 ± 15 %, city bus 33 ± 20 %, car 45 ± 20 % km/h; corners cost a few per cent). Stops
/// of 5–40 s come as often as recorded: bus about 28 an hour (24 ± 30 %), car 0.8 a kilometre
/// (0.3–0.8), bicycle 15 an hour (16); on foot half as often (21), since those labels include
/// waiting for trains. Means from door to door lie near the rule book's mobility model (1.35,
/// 4.2, 5.0, 9.0, 14 m/s); where the two disagree the recorded traces win. Spread of speed
/// between legs: exp(N(0, 0.2)).
struct ModeTraits: BitwiseCopyable {
  /// m/s, between stops.
  var speed: Double
  /// Metres of one straight piece.
  var block: Double
  /// Metres between two stops.
  var stopSpacing: Double
  /// Seconds, mean; one stop lasts 0.3 to 1.7 times as long.
  var stopSeconds: Double

  static let speedSigma = 0.2
  /// Beyond ± 2.5 σ a draw is cut, so that no leg lasts for ever.
  static let sigmaLimit = 2.5

  init(_ mode: TravelMode) {
    switch mode {
    case .walk:
      (speed, block, stopSpacing, stopSeconds) = (1.39, 90, 500, 12)
    case .bicycle:
      (speed, block, stopSpacing, stopSeconds) = (6.0, 160, 1_300, 15)
    case .bus:
      (speed, block, stopSpacing, stopSeconds) = (9.2, 260, 900, 23)
    case .car:
      (speed, block, stopSpacing, stopSeconds) = (12.0, 320, 1_200, 23)
    case .rail:
      (speed, block, stopSpacing, stopSeconds) = (20, 900, 1_600, 23)
    }
  }
}

/// Foundation's sine and cosine under one roof.
enum SineCosine {
  static func sine(_ radians: Double) -> Double { sin(radians) }
  static func cosine(_ radians: Double) -> Double { cos(radians) }
}
