import TestSupport
import Testing

@testable import Transport

@Suite("Connections of a port for metrics", .quick)
struct AdminVisitorTests {
  @Test("each connection over the limit closes the one that has been idle the longest")
  func crowd() {
    var visitors = AdminVisitors()
    let first = Int32(100)
    let room = Int32(AdminVisitors.most)
    for socket in first..<first + room {
      let silent = visitors.came(socket)
      #expect(silent == nil)
    }
    visitors.asked(first)
    let silent = (0..<3).map { visitors.came(1_000 + $0) }
    #expect(silent == [first + 1, first + 2, first + 3])
    // A connection that was closed is gone already, and one that closes by itself makes room.
    visitors.went(first + 1)
    visitors.went(first)
    let last = [visitors.came(2_000), visitors.came(2_001)]
    #expect(last == [nil, first + 4])
  }

  @Test("an unknown socket changes nothing")
  func unknown() {
    var visitors = AdminVisitors()
    visitors.asked(7)
    visitors.went(7)
    let silent = visitors.came(7)
    #expect(silent == nil)
  }
}
