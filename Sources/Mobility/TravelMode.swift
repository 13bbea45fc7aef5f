internal import Foundation
internal import Scenarios
internal import SimulationCore

/// Names the ways of travelling; the raw values index tables of mode settings.
package enum TravelMode: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case walk, bicycle, bus, tram, car, rail
}

/// What is round a phone, which decides what its radios hear.
package enum Surroundings: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case indoor, street, open, tunnel
}

/// How a mode moves along streets: `ModeSettings`, ready to compute with.
struct ModeTraits: BitwiseCopyable {
  /// m/s between stops, on a leg of `referenceLength`.
  let speed: Double
  let growth: Double
  let deviation: Double
  /// Metres of one straight piece.
  let block: Float
  /// Metres from stop to stop.
  let stopSpacing: Double
  /// Seconds, mean.
  let stopSeconds: Float

  /// Metres.
  static let referenceLength = 6_000.0
  /// Beyond ± 2.5 σ a draw is cut, so that no leg lasts for ever.
  static let sigmaLimit = 2.5

  init(_ settings: ModeSettings) {
    speed = settings.speed.metersPerSecond
    growth = settings.growth
    deviation = settings.deviation
    block = Float(settings.block.meters)
    stopSpacing = settings.stopSpacing.meters
    stopSeconds = Float(settings.stop.seconds)
  }

  /// m/s between the stops of a leg of `length` metres whose speed is `sigmas` from the median.
  func speed(length: Double, sigmas: Double) -> Double {
    let growth = growth == 0 ? 1 : pow(length / Self.referenceLength, growth)
    let limit = Self.sigmaLimit
    return speed * min(max(growth, 0.6), 1.7) * exp(deviation * min(max(sigmas, -limit), limit))
  }
}

/// Foundation's sine and cosine under one roof.
enum SineCosine {
  static func sine(_ radians: Double) -> Double { sin(radians) }
  static func cosine(_ radians: Double) -> Double { cos(radians) }
}
