import Core
import Phone
import PhoneSupport
import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Phone bench", .quick)
struct BenchTests {
  @Test("a phone on the bench does what the test states and nothing else")
  func scripted() {
    let bench = PhoneBench(
      way: [.stay(.minutes(10)), .ride(.minutes(10), metersPerSecond: 10)])
    bench.advance(.minutes(1))
    bench.open()
    #expect(bench.state == .foreground)
    bench.advance(.seconds(30))
    bench.leave()
    #expect(!bench.fixes(.standard).isEmpty)
    bench.advance(until: .minutes(20))
    let place = bench.phone.segment.position(at: bench.now)
    let began = bench.phone.segment.position(at: bench.scenario.start)
    #expect(abs(place.distance(to: began) - 6_000) < 200)
  }

  // A phone at rest takes 384 bytes in the store: see PhoneStoreTests. This is the unpacked copy
  // that handles an event.
  @Test("a phone's unpacked record takes 1,104 bytes at most")
  func small() {
    #expect(MemoryLayout<Device>.stride <= 1_104)
  }
}
