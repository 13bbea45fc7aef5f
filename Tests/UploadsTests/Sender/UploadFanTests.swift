import TestSupport
import Testing
@testable import Uploads

@Suite("Phones distributed over collectors", .quick)
struct UploadFanTests {
  @Test(
    "each has its share of all phones, and of every second or tenth one", arguments: 1...9,
    [1, 2, 3, 10] as [UInt32])
  func shares(collectors: Int, step: UInt32) {
    var counts = [Int](repeating: 0, count: collectors)
    for number in 0..<9_000 as Range<UInt32> {
      counts[UploadFan.place(of: number * step, among: collectors)] += 1
    }
    let fair = 9_000.0 / Double(collectors)
    #expect(counts.allSatisfy { abs(Double($0) - fair) < 0.05 * fair }, "\(counts)")
  }
}
