import TestSupport
import Testing
import Wire

@testable import Transport

@Suite("gRPC's header fields", .quick)
struct GRPCTextTests {
  private func milliseconds(_ text: String) -> UInt32? {
    Array(text.utf8).withUnsafeBytes { GRPCText.milliseconds($0) }
  }

  @Test("a timeout has at most eight digits and a unit, and is never zero")
  func timeouts() {
    #expect(milliseconds("1H") == 3_600_000 && milliseconds("2M") == 120_000)
    #expect(milliseconds("10S") == 10_000 && milliseconds("3010m") == 3_010)
    #expect(milliseconds("1500u") == 2 && milliseconds("1n") == 1 && milliseconds("0m") == 1)
    #expect(milliseconds("99999999H") == .max)
    for text in ["", "1", "m", "123456789m", "1s", "-1m", "1 m"] {
      #expect(milliseconds(text) == nil, "\(text)")
    }
    #expect(GRPCText.timeout(milliseconds: 10_000) == Array("10000m".utf8))
    #expect(GRPCText.timeout(milliseconds: 100_000_000) == Array("100000S".utf8))
  }

  @Test("any text reads back unchanged; an invalid escape is kept literally")
  func percents() {
    let text = "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n 100 %"
    let encoded = GRPCText.percentEncoded(text)
    #expect(encoded.allSatisfy { (0x20...0x7E).contains($0) })
    #expect(encoded.withUnsafeBytes { GRPCText.percentDecoded($0) } == text)
    for (text, plain) in [("100%", "100%"), ("%zz", "%zz"), ("%4", "%4"), ("%41%", "A%")] {
      #expect(Array(text.utf8).withUnsafeBytes { GRPCText.percentDecoded($0) } == plain)
    }
  }

  @Test("a reset stream and a proxy's answer have gRPC's status")
  func statuses() {
    #expect(GRPCText.status(ofReset: 7) == .unavailable)
    #expect(GRPCText.status(ofReset: 8) == .cancelled)
    #expect(GRPCText.status(ofReset: 11) == .resourceExhausted)
    #expect(GRPCText.status(ofReset: 2) == .internal)
    #expect(GRPCText.status(ofHTTP: 502) == .unavailable)
    #expect(GRPCText.status(ofHTTP: 404) == .unimplemented)
    #expect(GRPCText.status(ofHTTP: 418) == .unknown)
  }
}
