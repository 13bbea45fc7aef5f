import Core
import TestSupport
import Testing
import Uploads
import Wire
@testable import Run

@Suite("Payload encoding is agreed with the collector", .quick)
struct AgreedEncodingTests {
  private static func reply(_ encodings: [Encoding]) -> OpenRunReply {
    OpenRunReply(
      wall: WallInstant(microseconds: 0), state: .open, resumed: false, encodings: encodings)
  }

  @Test("a collector that cannot decode the scenario's encoding is refused by name")
  func refusal() throws {
    let old = Self.reply([.identity, .zstd, .packed])
    for encoding in [BatchEncoding.packed, .columns] {
      try CollectorLink.check(old, decodes: BatchCodec(encoding))
    }
    for (encoding, wanted) in [(BatchEncoding.rows, Encoding.rows), (.rowsGzip, .rows)] {
      let error = try #require(throws: CollectorRunError.self) {
        try CollectorLink.check(old, decodes: BatchCodec(encoding))
      }
      #expect(error == .otherEncoding(wanted: wanted, known: old.encodings))
      #expect(error.description.contains("change 'encoding' in the scenario"))
    }
    for encoding in BatchEncoding.allCases {
      try CollectorLink.check(Self.reply(Encoding.allCases), decodes: BatchCodec(encoding))
    }
  }
}
