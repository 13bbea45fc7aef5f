internal import Foundation

/// Keeps the machine's cores from deep sleep. On an idle two-core virtual machine, the p99 of late
/// wake-ups is 1.5 to 4.5 ms with deep sleep and 0.05 to 0.5 ms without. Uses Linux's PM QoS with
/// privileges (`/dev/cpu_dma_latency`); otherwise nothing changes.
package final class WakefulCores: Sendable {
  private let descriptor: Int32

  package init() {
    descriptor = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    var microseconds = Int32(0)
    _ = write(descriptor, &microseconds, MemoryLayout<Int32>.size)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
