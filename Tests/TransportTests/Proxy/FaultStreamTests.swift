import Core
import TestSupport
import Testing

@testable import Transport

@Suite("Effect of a fault on one direction of a connection", .quick)
struct FaultStreamTests {
  static let always = (from: WallDuration.zero, until: WallDuration.seconds(1_000))

  func stream(
    _ kind: WireFault.Kind, from: WallDuration = always.from, until: WallDuration = always.until,
    share: Double = 1, connection: UInt32 = 1, _ direction: FaultStream.Direction = .forward
  ) -> FaultStream {
    FaultStream(
      FaultPlan(seed: 5, faults: [WireFault(kind, from: from, until: until, share: share)]),
      connection: connection, direction)
  }

  /// Applies rules to `bytes` in pieces. Returns the resulting bytes.
  func pass(
    _ stream: inout FaultStream, _ bytes: [UInt8], piece: Int, at now: WallDuration = .zero
  ) -> (bytes: [UInt8], cut: Bool, last: WallDuration) {
    var out: [UInt8] = []
    var last = WallDuration.zero
    for first in Swift.stride(from: 0, to: bytes.count, by: piece) {
      var part = Array(bytes[first..<min(first + piece, bytes.count)])
      let ruling = part.withUnsafeMutableBytes { stream.rule(on: $0, at: now) }
      out += part[..<ruling.passes]
      last = ruling.at
      if ruling.cuts { return (out, true, last) }
    }
    return (out, false, last)
  }

  @Test("a changed byte has the same position for any division into reads")
  func flips() {
    let bytes = [UInt8](repeating: 0, count: 50_000)
    var whole = stream(.flip(probability: 0.001))
    var pieces = stream(.flip(probability: 0.001))
    let first = pass(&whole, bytes, piece: bytes.count).bytes
    let second = pass(&pieces, bytes, piece: 313).bytes
    #expect(first == second)
    let changed = first.count { $0 != 0 }
    #expect(changed == whole.counters.flipped)
    // 50 are expected; five standard deviations are 35.
    #expect((15...85).contains(changed))
  }

  @Test("probability 1 changes each byte, and 0 none")
  func extremes() {
    let bytes = [UInt8](repeating: 7, count: 1_000)
    var all = stream(.flip(probability: 1))
    var none = stream(.flip(probability: 0))
    #expect(pass(&all, bytes, piece: 10).bytes.allSatisfy { $0 != 7 })
    #expect(pass(&none, bytes, piece: 10).bytes == bytes)
  }

  @Test("a cut comes within its bytes, in one direction, at the same byte for any reads")
  func cuts() {
    let bytes = [UInt8](repeating: 1, count: 2_000)
    var cuts = 0
    for connection in UInt32(1)...40 {
      var places: [Int?] = []
      for direction in FaultStream.Direction.allCases {
        var a = stream(.cut(within: 1_000), connection: connection, direction)
        var b = a
        let one = pass(&a, bytes, piece: 7)
        let other = pass(&b, bytes, piece: 2_000)
        #expect(one.bytes.count == other.bytes.count)
        #expect(one.cut == other.cut)
        places.append(one.cut ? one.bytes.count : nil)
      }
      #expect(places.compactMap(\.self).count == 1)
      #expect(places.compactMap(\.self).allSatisfy { $0 < 1_000 })
      cuts += places.compactMap(\.self).count
    }
    #expect(cuts == 40)
  }

  @Test("delays keep the order, whatever the jitter")
  func delay() {
    var stream = stream(.delay(latency: .milliseconds(10), jitter: .milliseconds(100)))
    var last = WallDuration.zero
    for millisecond in 0..<200 {
      var piece: [UInt8] = [1]
      let now = WallDuration.milliseconds(Int64(millisecond))
      let ruling = piece.withUnsafeMutableBytes { stream.rule(on: $0, at: now) }
      #expect(ruling.at >= last)
      #expect(ruling.at >= now + .milliseconds(10))
      last = ruling.at
    }
  }

  @Test("a stall holds everything until its end, and passes bytes before and after")
  func stall() {
    var stream = stream(.stall, from: .seconds(1), until: .seconds(3))
    #expect(pass(&stream, [1], piece: 1, at: .milliseconds(500)).last == .milliseconds(500))
    #expect(pass(&stream, [1], piece: 1, at: .seconds(2)).last == .seconds(3))
    #expect(pass(&stream, [1], piece: 1, at: .seconds(4)).last == .seconds(4))
  }

  @Test("a throttle passes its bytes a second, and no more")
  func throttle() {
    var stream = stream(.throttle(bytesPerSecond: 1_000))
    let bytes = [UInt8](repeating: 0, count: 10_000)
    #expect(pass(&stream, bytes, piece: 500).last == .seconds(10))
  }

  @Test("half-open drops one direction for ever, even after the fault ends")
  func halfOpen() {
    let directions = FaultStream.Direction.allCases.map { direction in
      var stream = stream(.halfOpen, until: .seconds(1), direction)
      let during = pass(&stream, [1, 2, 3], piece: 3).bytes.count
      let after = pass(&stream, [1, 2, 3], piece: 3, at: .seconds(5)).bytes.count
      return [during, after]
    }
    #expect(directions.contains([0, 0]))
    #expect(directions.contains([3, 3]))
  }

  @Test("the share is that of connections")
  func share() {
    let hit = (UInt32(1)...400).count { connection in
      var stream = stream(.flip(probability: 1), share: 0.25, connection: connection)
      return pass(&stream, [9], piece: 1).bytes != [9]
    }
    #expect((60...140).contains(hit))
  }
}
