package import Core

/// A chain of multiplications in registers, which measures the core's current speed.
package enum Probe {
  private static let steps: UInt64 = 5_000_000

  package static func nanosecondsPerStep(_ clock: () -> WallInstant) -> Double {
    let began = clock()
    var value: UInt64 = 1
    for step in 0..<steps { value = Draw.mix(value ^ step) }
    let took = clock() - began
    // The value is used, so that the compiler keeps the loop.
    return Double(took.microseconds) * 1_000 / Double(steps) + (value == 0 ? 1e-9 : 0)
  }
}
