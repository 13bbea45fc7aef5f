internal import Core
internal import Foundation
internal import Scenarios

/// A mode of travel, whose raw value indexes tables of mode settings.
package enum TravelMode: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case walk, bicycle, bus, tram, car, rail
}

package enum Surroundings: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case indoor, street, open, tunnel
}

struct ModeTraits: BitwiseCopyable {
  let speed: Double
  let growth: Double
  let deviation: Double
  let block: Float
  let stopSpacing: Double
  let stopSeconds: Float

  static let referenceLength = 6_000.0
  /// The limit to which draws are clamped, in standard deviations, so that every leg ends.
  static let sigmaLimit = 2.5

  init(_ settings: ModeSettings) {
    speed = settings.speed.metersPerSecond
    growth = settings.growth
    deviation = settings.deviation
    block = Float(settings.block.meters)
    stopSpacing = settings.stopSpacing.meters
    stopSeconds = Float(settings.stop.seconds)
  }

  func speed(length: Double, sigmas: Double) -> Double {
    let growth = growth == 0 ? 1 : pow(length / Self.referenceLength, growth)
    let limit = Self.sigmaLimit
    return speed * min(max(growth, 0.6), 1.7) * exp(deviation * min(max(sigmas, -limit), limit))
  }
}

enum SineCosine {
  static func sine(_ radians: Double) -> Double { sin(radians) }
  static func cosine(_ radians: Double) -> Double { cos(radians) }
}
