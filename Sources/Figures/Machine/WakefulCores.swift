internal import Foundation

/// Keeps the machine's cores from going to sleep while it is there: a core that sleeps deeply wakes
/// late, a virtual one when its host comes round to it, and a generator that was woken late has
/// measured itself. On a virtual machine with two cores, idle, a thread that waits for its instant
/// was late by 1.5 to 4.5 ms (p99), and with this by 0.05 to 0.5.
///
/// Asks the kernel for wake-ups without any delay (PM QoS, `/dev/cpu_dma_latency`) for as long as
/// the file is open. Needs privileges and Linux; without them nothing changes, and lateness is
/// measured all the same.
package final class WakefulCores: Sendable {
  private let descriptor: Int32

  /// Opens the kernel's request for wake-ups without delay, which lasts as long as this object.
  package init() {
    descriptor = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    var microseconds = Int32(0)
    _ = write(descriptor, &microseconds, MemoryLayout<Int32>.size)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
