import Core
import TestSupport
import Testing

@testable import Transport

@Suite("Open calls of a connection", .quick)
struct StreamTableTests {
  @Test("the table equals a dictionary, whatever order calls end in")
  func likeADictionary() {
    for seed in 0..<40 as Range<UInt64> {
      var draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 1))
      var table = StreamTable<UInt64?>()
      var expected: [UInt32: UInt64?] = [:]
      var next: UInt32 = 1
      for _ in 0..<600 {
        let stream = next > 1 ? UInt32(draw.uniform(1, Double(next))) : 1
        switch draw.uniform() {
        case ..<0.5:
          next += UInt32(draw.uniform(1, 3))
          let value: UInt64? = draw.chance(0.2) ? nil : UInt64(next)
          table.append(value, at: next)
          expected[next] = .some(value)
        case ..<0.7:
          let oldest = expected.keys.min() ?? 0
          #expect(table.removeValue(forKey: oldest) == expected.removeValue(forKey: oldest))
        case ..<0.9:
          #expect(table.removeValue(forKey: stream) == expected.removeValue(forKey: stream))
        default:
          table.update(stream) { $0 = 7 }
          if expected[stream] != nil { expected[stream] = .some(7) }
        }
        #expect(table[stream] == expected[stream] && table.count == expected.count)
      }
      #expect(table.streams == expected.keys.sorted())
      #expect(table.map(\.1) == expected.sorted { $0.key < $1.key }.map(\.value))
    }
  }

  @Test("a value is changed in its place; a missing one is not changed")
  func inPlace() {
    var table = StreamTable<[Int]>()
    table.append([1], at: 3)
    table.update(3) { $0.append(2) }
    table.update(9) { $0.append(2) }
    #expect(table[3] == [1, 2] && table[9] == nil && table.count == 1)
    #expect(table.removeValue(forKey: 3) == [1, 2])
    #expect(table.isEmpty && table[3] == nil)
  }
}
