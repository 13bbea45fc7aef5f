import Core
import Phone
import Push
import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Data and padding of a record", .quick)
struct PaddingMaskTests {
  private struct Inner: BitwiseCopyable {
    var wide: UInt32 = 1
    var narrow: UInt8 = 2
  }

  private struct Outer: BitwiseCopyable {
    var first: UInt8 = 1
    var instant = SimInstant.distantPast
    var inner = Inner()
    /// In the padding after `inner`, in Swift's layout.
    var behind: UInt8 = 3
    var perhaps: Int32?
    var pair: (Float, Float) = (0, 0)
    var last: UInt16 = 4
  }

  private func bytes(_ words: [UInt64]) -> [Int] {
    words.enumerated().flatMap { n, word in
      (0..<8).filter { word >> UInt64($0 * 8) & 0xFF != 0 }.map { n * 8 + $0 }
    }
  }

  @Test("members of all depths count, and the padding between them does not")
  func members() throws {
    func span<T>(_ member: KeyPath<Outer, T>) throws -> Range<Int> {
      let offset = try #require(MemoryLayout<Outer>.offset(of: member))
      return offset..<offset + MemoryLayout<T>.size
    }
    let spans = try [
      span(\.first), span(\.instant), span(\.inner.wide), span(\.inner.narrow), span(\.behind),
      span(\.perhaps), span(\.pair), span(\.last),
    ]
    let marked = bytes(PaddingMask.words(of: Outer()))
    #expect(marked == spans.flatMap { Array($0) })
    #expect(marked.count < MemoryLayout<Outer>.size)
  }

  @Test("every member of a phone's record counts")
  func phone() throws {
    let scenario = VirtualMorning.city(phones: 1)
    let shard = Shard(context: FleetContext(scenario), phones: 0..<1, start: scenario.start)
    let marked = Set(bytes(PaddingMask.words(of: shard.phones[0])))
    func check<T>(_ member: KeyPath<Device, T>) throws {
      let offset = try #require(MemoryLayout<Device>.offset(of: member))
      #expect(marked.contains(offset) && marked.contains(offset + MemoryLayout<T>.size - 1))
    }
    try check(\.cohort)
    try check(\.id)
    try check(\.segment.end)
    try check(\.session)
    try check(\.services.significantLast)
    try check(\.services.missedArrival)
    try check(\.standard.accuracy)
    try check(\.lastKnown)
    try check(\.pushes.deferredBy)
    try check(\.policy)
    try check(\.outbox)
    try check(\.upload.isRegistered)
    try check(\.pushWasGated)
    try check(\.delivery.id)
    try check(\.delivery.stoppedBy)
    try check(\.stored.place)
    try check(\.draw)
    try check(\.energy.transmission)
    try check(\.due)
    #expect(marked.count < MemoryLayout<Device>.size)
  }

  @Test("padding is not packed")
  func garbage() {
    let packer = RecordPacker(fresh: Outer(), typical: Outer())
    var lengths: Set<Int> = []
    for filling in [0, 0x5A, 0xFF] as [UInt8] {
      var words = [UInt64](repeating: 0, count: RecordPacker<Outer>.words)
      words.withUnsafeMutableBytes { place in
        for n in place.indices { place[n] = filling }
        let outer = place.baseAddress!
        func put<T: BitwiseCopyable>(_ member: KeyPath<Outer, T>, _ value: T) {
          outer.storeBytes(
            of: value, toByteOffset: MemoryLayout<Outer>.offset(of: member)!, as: T.self)
        }
        put(\.first, 9)
        put(\.instant, SimInstant(microseconds: 77))
        put(\.inner.wide, 70_000)
        put(\.inner.narrow, 5)
        put(\.behind, 6)
        put(\.perhaps, 8)
        put(\.pair, (1, 2))
        put(\.last, 10)
      }
      var packed = [UInt8](repeating: 0, count: RecordPacker<Outer>.bytesMax)
      lengths.insert(packed.withUnsafeMutableBytes { packer.pack(&words, into: $0.baseAddress!) })
      var back = [UInt64](repeating: 1, count: words.count)
      packed.withUnsafeBytes { packer.unpack($0.baseAddress!, into: &back) }
      back.withUnsafeBytes { bytes in
        let outer = bytes.load(as: Outer.self)
        #expect(outer.first == 9 && outer.instant.microseconds == 77)
        #expect(outer.inner.wide == 70_000 && outer.inner.narrow == 5 && outer.behind == 6)
        #expect(outer.perhaps == 8 && outer.pair == (1, 2) && outer.last == 10)
      }
    }
    #expect(lengths.count == 1)
  }
}
