import TestSupport
import Testing
@testable import Run

@Suite("Messages in pieces", .quick)
struct MessagePiecesTests {
  private static func message(_ length: Int, _ seed: Int) -> [UInt8] {
    (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }
  }

  @Test(
    "a message is complete with its last piece, and no piece exceeds the limit",
    arguments: [0, 1, 3_998, 3_999, 4_000, 7_998, 7_999, 100_000])
  func whole(length: Int) {
    let message = Self.message(length, 1)
    var pieces = MessagePieces.cut(message)
    #expect(pieces.allSatisfy { $0.count <= MessagePieces.longest })
    #expect(pieces.count == max(1, (length + 3_998) / 3_999))
    let last = pieces.removeLast()
    var joined = MessagePieces()
    for piece in pieces { #expect(joined.join(piece, from: 3) == nil) }
    #expect(joined.join(last, from: 3) == message)
    #expect(joined.join(last, from: 3) != nil)
  }

  @Test("pieces of several processes do not mix")
  func several() {
    let messages = (0..<3).map { Self.message(9_000, $0) }
    let pieces = messages.map(MessagePieces.cut)
    var joined = MessagePieces()
    var whole: [Int: [UInt8]] = [:]
    for place in 0..<3 {
      for rank in [2, 0, 1] {
        if let message = joined.join(pieces[rank][place], from: rank) { whole[rank] = message }
      }
    }
    #expect((0..<3).allSatisfy { whole[$0] == messages[$0] })
  }
}
