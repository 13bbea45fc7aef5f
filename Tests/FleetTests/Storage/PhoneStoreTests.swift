import Core
import Phone
import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Phones at rest", .quick)
struct PhoneStoreTests {
  @Test("a phone's slot takes 384 bytes at most")
  func stride() {
    #expect(MemoryLayout<StoredPhone>.stride <= 384)
    #expect(
      MemoryLayout<StoredPhone>.stride
        >= StoredPhone.headBytes + StoredPhone.inlineBytes)
  }

  @Test("overflow counts, too, after a night and a morning")
  func lived() {
    let morning = VirtualMorning(VirtualMorning.city(phones: 300), threads: 1, packs: true)
    let fleet = morning.fleet
    var records = 0
    fleet.inOrder { records += $0.phones.bytes }
    #expect(records <= 384 * 300)
  }

  /// Typical words: as new, sentinels, repeated, near a likely value, and random.
  private struct Record: BitwiseCopyable {
    var words = InlineArray<37, Int64>(repeating: 5)
  }

  @Test("packing and unpacking changes nothing", arguments: 0..<50 as Range<UInt64>)
  func packing(seed: UInt64) {
    var draw = Draw(seed: seed, phone: 0, .words)
    var typical = Record()
    for n in 0..<37 { typical.words[n] = 1_772_433_000_000_000 }
    let packer = RecordPacker(fresh: Record(), typical: typical)
    var record = Record()
    for n in 0..<37 {
      let any = Int64(bitPattern: draw.next())
      let values: [Int64] = [
        5, 0, .max, .min, any, any >> 40, typical.words[n] + any >> 30,
        SimInstant.distantFuture.microseconds, SimInstant.distantPast.microseconds,
        record.words[max(0, n - 1)], record.words[max(0, n - 2)],
      ]
      record.words[n] = values[Int(draw.uniform() * Double(values.count))]
    }
    var source = (0..<37).map { UInt64(bitPattern: record.words[$0]) }
    var bytes = [UInt8](repeating: 0xAA, count: RecordPacker<Record>.bytesMax)
    let length = bytes.withUnsafeMutableBytes { packer.pack(&source, into: $0.baseAddress!) }
    #expect(length <= RecordPacker<Record>.bytesMax)
    var back = [UInt64](repeating: 1, count: 37)
    bytes.withUnsafeBytes { packer.unpack($0.baseAddress!, into: &back) }
    #expect(back == source)
    source.removeAll()
  }

  @Test("records too long for their slot are read back whole, and free their overflow")
  func overflow() {
    let scenario = Scenario.standard(phones: 20)
    let context = FleetContext(scenario, packs: true)
    let shard = Shard(context: context, phones: 0..<20, start: scenario.start)
    // Noise in every instant: more than the slot holds.
    func noise(_ i: Int) -> SimInstant {
      SimInstant(microseconds: Int64(bitPattern: Draw.mix(UInt64(i)) >> 2))
    }
    for i in 0..<20 {
      // Whole: with optimisation and ThreadSanitizer the compiler fails on a slot in place.
      var due = shard.phones[i].due
      for (n, slot) in DueSlot.allCases.enumerated() { due[slot] = noise(100 * i + n) }
      shard.phones[i].due = due
      shard.phones[i].mark = noise(i)
    }
    for i in (0..<20).reversed() {
      #expect(shard.phones[i].mark == noise(i))
      #expect(shard.phones[i].due[.visit] == noise(100 * i + DueSlot.visit.rawValue))
      #expect(shard.phones[i].id.rawValue == UInt32(i))
    }
    let bytes = shard.phones.bytes
    for i in 0..<20 { shard.phones[i].due = DueSlots() }
    for i in 0..<20 {
      var due = DueSlots()
      due[.visit] = noise(i)
      shard.phones[19 - i].due = due
    }
    #expect(shard.phones.bytes <= bytes)
  }

  @Test("the running census equals a count over every phone")
  func census() {
    let fleet = VirtualMorning(VirtualMorning.city(phones: 300), threads: 2).fleet
    var looked = Sheet()
    fleet.inOrder { shard in
      for i in 0..<shard.count {
        looked.add(PhoneView(shard.phones[i], at: shard.horizon), 1)
      }
    }
    #expect(fleet.census() == looked)
    #expect(looked[.moving] > 0)
    #expect(looked[.outboxFixes] > 0)
  }
}

extension Purpose {
  fileprivate static let words = Purpose(rawValue: 992)
}
