import TestSupport
import Testing
@testable import Core

@Suite("Processor figures of the kernel", .quick)
struct ProcessorMetricsTests {
  @Test("a thread's wait is the second number of its schedstat")
  func schedstat() {
    #expect(ProcessorWaits.waited("844105 605729 4\n") == 605_729)
    #expect(ProcessorWaits.waited("") == nil && ProcessorWaits.waited("7") == nil)
  }

  @Test("busy is everything but idle and waiting for a disk, steal time included")
  func stat() {
    let text = "cpu  100 20 30 4000 500 6 7 8 9 10\ncpu0 1 1 1 1 1 1 1 1 0 0\n"
    #expect(SystemProcessors.busyTicks(text) == 100 + 20 + 30 + 6 + 7 + 8)
    #expect(SystemProcessors.busyTicks("intr 1 2 3") == nil)
    #expect(SystemProcessors.busyTicks("cpu  1 2 3") == nil)
  }

  @Test("new threads count, ended ones do not, and a thread id may be reused")
  func since() {
    let before = ProcessorWaits(threads: [1: 1_000_000_000, 2: 5_000_000_000, 3: 9])
    let now = ProcessorWaits(threads: [1: 3_000_000_000, 2: 500_000_000, 4: 250_000_000])
    #expect(now.seconds(since: before) == 2 + 0.5 + 0.25)
  }

  #if os(Linux)
    @Test("this process has threads, and the machine has been busy")
    func here() throws {
      let waits = try #require(ProcessorWaits.current())
      #expect(!waits.threads.isEmpty && waits.seconds(since: waits) == 0)
      let busy = try #require(SystemProcessors.busySeconds())
      #expect(busy > 0)
      #expect(ProcessorWaits.of(pid: -1) == nil)
    }
  #endif
}
