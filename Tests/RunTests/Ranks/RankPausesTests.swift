import Core
import TestSupport
import Testing
@testable import Run

/// How often messages are polled, since MPI has no wake-up.
@Suite("Pauses between two polls", .quick)
struct RankPausesTests {
  @Test("each is twice as long as the one before, up to four milliseconds")
  func doubling() {
    var pauses = RankPauses()
    let list = (0..<10).map { _ in pauses.next() }
    #expect(list.first == .microseconds(50))
    for (one, next) in zip(list, list.dropFirst()) {
      #expect(next == min(.microseconds(one.microseconds * 2), RankPauses.longest))
    }
    #expect(list.last == .milliseconds(4))
  }

  @Test("after a message they are short again")
  func restart() {
    var pauses = RankPauses()
    for _ in 0..<10 { _ = pauses.next() }
    pauses.begin()
    #expect(pauses.next() == .microseconds(50))
  }
}
