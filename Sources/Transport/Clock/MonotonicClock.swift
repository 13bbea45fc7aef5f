internal import CUV
package import SimulationCore

/// This machine's monotonic clock (CLOCK_MONOTONIC), in whole microseconds; the same for every
/// thread and every process of the machine.
package enum MonotonicClock {
  /// Reads the clock; may be called from any thread.
  package static var now: WallInstant {
    WallInstant(microseconds: Int64(uv_hrtime() / 1_000))
  }
}
