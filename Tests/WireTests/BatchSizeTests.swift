import Core
import Fleet
import Scenarios
import TestSupport
import Testing

@testable import Wire

@Suite("Size of a batch", .quick)
struct BatchSizeTests {
  static func size(_ fixes: some Sequence<Fix>) -> BatchSize {
    var size = BatchSize()
    for fix in fixes { size.add(fix) }
    return size
  }

  @Test("unnaturally even walks are estimated within 20 %", arguments: [30, 60, 120, 300])
  func walks(count: Int) throws {
    let fixes = BatchCodecTests.walk(count, seed: 6)
    let bytes = try BatchEncoder().encode(BatchCodecTests.id, fixes).count
    #expect(abs(Double(Self.size(fixes).bytes) / Double(bytes) - 1) < 0.2)
  }

  @Test(
    "walks of a few to a thousand fixes are estimated within 20 % in every encoding",
    arguments: BatchEncoding.allCases)
  func encodedWalks(encoding: BatchEncoding) throws {
    let encoder = BatchEncoder(BatchCodec(encoding))
    for count in [1, 2, 5, 10, 20, 50, 100, 300, 1_000] {
      let fixes = BatchCodecTests.walk(count, seed: 3)
      let bytes = try encoder.encode(BatchCodecTests.id, fixes).count
      let estimated = Self.size(fixes).bytes(as: encoding)
      #expect(abs(Double(estimated) / Double(bytes) - 1) < 0.2, "\(count): \(estimated), \(bytes)")
    }
  }

  @Test("the requests of simulated phones are estimated within 15 %, by size and in sum")
  func simulatedBatches() throws {
    var scenario = Scenario.standard(phones: 80)
    scenario.warmStart = .hours(3)
    let fleet = PhoneFleet(scenario, threads: 2)
    let birth = scenario.start - scenario.warmStart
    var time = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    let encoder = BatchEncoder()
    let others = BatchEncoding.allCases.map { ($0, BatchEncoder(BatchCodec($0))) }
    var inAll: [BatchEncoding: (estimated: Int, real: Int)] = [:]
    var classes: [Int: (estimated: Int, real: Int, batches: Int)] = [:]
    time.received = { id, fixes in
      for (encoding, encoder) in others {
        let bytes = (try? encoder.encode(id, Array(fixes)).count) ?? 0
        inAll[encoding, default: (0, 0)].estimated += Self.size(fixes).bytes(as: encoding)
        inAll[encoding, default: (0, 0)].real += bytes
      }
      guard let bytes = try? encoder.encode(id, Array(fixes)) else { return }
      let kind = fixes.count.bitWidth - fixes.count.leadingZeroBitCount
      classes[kind, default: (0, 0, 0)].estimated += Self.size(fixes).bytes
      classes[kind, default: (0, 0, 0)].real += bytes.count
      classes[kind, default: (0, 0, 0)].batches += 1
    }
    time.advance(until: scenario.measureEnd)
    let sum = classes.values.reduce((0, 0)) { ($0.0 + $1.estimated, $0.1 + $1.real) }
    #expect(sum.1 > 5_000)
    #expect(abs(Double(sum.0) / Double(sum.1) - 1) < 0.15)
    for (encoding, sum) in inAll {
      #expect(abs(Double(sum.estimated) / Double(sum.real) - 1) < 0.15, "\(encoding): \(sum)")
    }
    for (kind, found) in classes where found.batches > 5 {
      let ratio = Double(found.estimated) / Double(found.real)
      #expect(abs(ratio - 1) < 0.15, "batches of about \(1 << (kind - 1)) fixes: \(found)")
    }
  }

  /// The size of a column of residuals, summed one by one: a mode, and unless all are zero the
  /// parameter and the cheapest of the eight codes that the estimate uses.
  private static func bits(_ residuals: [Int64], onceOfTwice: Bool = false) -> Int {
    guard residuals.contains(where: { $0 != 0 }) else { return residuals.isEmpty ? 0 : 2 }
    let sums = [UInt64(0), 1, 2, 3, 5, 7, 9, 12].map { parameter in
      let least = (Int(parameter) + 1) * residuals.count
      let sum = residuals.reduce(0) { sum, residual in
        let zigzag = UInt64(bitPattern: residual << 1 ^ residual >> 63)
        let ones = zigzag >> parameter
        let escaped = 12 + 6 + zigzag.bitWidth - zigzag.leadingZeroBitCount
        return sum + (ones >= 12 ? escaped : Int(ones + parameter + 1))
      }
      return onceOfTwice ? least + (sum - least) / 2 : sum
    }
    return 2 + 5 + sums.min()!
  }

  @Test("a column's estimate equals the sum of its residuals, the widest among them")
  func oneByOne() {
    var draw = Draw(seed: 8, phone: 1, Purpose(rawValue: 9_000))
    for round in 0..<400 {
      // From differences of one bit to those of all 62 bits.
      let width = UInt64(round % 62)
      let count = 2 + round % 37
      let steps = (1..<count).map { _ in
        Int64(bitPattern: draw.next()) >> (63 - width + draw.next() % 3)
      }
      let times = steps.reduce(into: [Int64(1)]) { $0.append($0.last! &+ $1) }
      let accuracies = (0..<count).map { _ in UInt16(truncatingIfNeeded: draw.next() >> 50) }
      let fixes = zip(times, accuracies).map { time, accuracy in
        Fix(
          coordinate: Coordinate(latitudeE6: 52_520_000, longitudeE6: 13_405_000),
          time: FixTime(centiseconds: time), accuracyMeters: accuracy,
          speedDecimetersPerSecond: -1, courseDegrees: -1)
      }
      let isWhole = times.allSatisfy { ($0 &- times[0]) % 100 == 0 }
      let units = isWhole ? times.map { ($0 &- times[0]) / 100 } : times
      let first = zip(units.dropFirst(), units).map { $0 &- $1 }
      let second = zip(first, [0] + first).map { $0 &- $1 }
      let accuracy = zip(accuracies.dropFirst(), accuracies).map { Int64($0) - Int64($1) }
      let time = 15 + Self.bits(second, onceOfTwice: true)
      let place = 2 * Self.bits(Array(repeating: 0, count: count - 1))
      let expected = (113 + time + place + Self.bits(accuracy)) / 8
      #expect(Self.size(fixes).payloadBytes == expected, "round \(round)")
    }
  }
}
