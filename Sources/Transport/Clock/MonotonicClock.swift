internal import CUV
package import Core

/// The machine's monotonic clock (CLOCK_MONOTONIC) in microseconds, the same for all processes.
package enum MonotonicClock {
  package static var now: WallInstant {
    WallInstant(microseconds: Int64(uv_hrtime() / 1_000))
  }
}
