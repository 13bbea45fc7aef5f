import TestSupport
import Testing
@testable import Core

@Suite("Batch hash", .quick)
struct BatchHashTests {
  static let fixes = (0..<20).map { n in
    Fix.sample(second: Int64(n), accuracy: UInt16(5 + n), course: Int16(n * 7))
  }

  @Test("the order of fixes inside a batch matters")
  func orderInside() {
    let straight = hash(Self.fixes)
    #expect(straight == hash(Self.fixes))
    #expect(straight != hash(Self.fixes.reversed()))
    var swapped = Self.fixes
    swapped.swapAt(4, 5)
    #expect(straight != hash(swapped))
  }

  @Test("the order in which batches are summed does not matter, their number does")
  func orderOfBatches() {
    let batches = (1...12).map { hash(Self.fixes, sequence: UInt32($0)) }
    let sum = batches.reduce(0, &+)
    #expect(sum == batches.reversed().reduce(0, &+))
    #expect(sum != batches.dropLast().reduce(0, &+))
    #expect(sum != sum &+ batches[3])
  }

  @Test("key, phone, epoch and sequence each matter")
  func identity() {
    let hashes = [
      hash(Self.fixes), hash(Self.fixes, key: 2), hash(Self.fixes, phone: 2),
      hash(Self.fixes, epoch: 2), hash(Self.fixes, sequence: 2),
      hash(Self.fixes, phone: 2, sequence: 2), hash(Self.fixes, epoch: 2, sequence: 2),
    ]
    #expect(Set(hashes).count == hashes.count)
    #expect(hash([]) != hash([], sequence: 2))
  }

  @Test("every field of a fix matters, by its lowest and its highest bit")
  func fields() {
    let fix = Fix.sample(second: 0)
    var variants = [fix]
    for bit in [0, 14] {
      var v = fix
      v.accuracyMeters ^= 1 << UInt16(bit)
      variants.append(v)
      v = fix
      v.speedDecimetersPerSecond ^= 1 << Int16(bit)
      variants.append(v)
      v = fix
      v.courseDegrees ^= 1 << Int16(bit)
      variants.append(v)
      v = fix
      v.time.centiseconds ^= 1 << Int64(2 * bit)
      variants.append(v)
      v = fix
      v.coordinate.latitudeE6 ^= 1 << Int32(2 * bit)
      variants.append(v)
      v = fix
      v.coordinate.longitudeE6 ^= 1 << Int32(2 * bit)
      variants.append(v)
    }
    #expect(Set(variants.map { hash([$0]) }).count == variants.count)
  }

  @Test("no change of one field cancels a change of another")
  func fieldsDoNotCancel() {
    let fix = Fix.sample(second: 0)
    for bit in 0..<40 {
      var later = fix
      later.time.centiseconds ^= 1 << Int64(bit)
      for other in 0..<16 {
        var turned = later
        turned.courseDegrees ^= Int16(truncatingIfNeeded: 1 << other)
        var faster = later
        faster.speedDecimetersPerSecond ^= Int16(truncatingIfNeeded: 1 << other)
        var vaguer = later
        vaguer.accuracyMeters ^= UInt16(truncatingIfNeeded: 1 << other)
        for variant in [turned, faster, vaguer] { #expect(hash([variant]) != hash([fix])) }
      }
    }
  }

  private func hash(
    _ fixes: [Fix], key: UInt64 = 1, phone: UInt32 = 1, epoch: UInt32 = 1, sequence: UInt32 = 1
  ) -> UInt64 {
    var hash = BatchHash(
      key: key, BatchID(phone: PhoneID(rawValue: phone), epoch: epoch, sequence: sequence))
    for fix in fixes { hash.combine(fix) }
    return hash.value
  }
}

extension Fix {
  fileprivate static func sample(second: Int64, accuracy: UInt16 = 12, course: Int16 = 90) -> Fix {
    Fix(
      coordinate: Coordinate(latitudeE6: 52_520_000, longitudeE6: 13_405_000),
      time: FixTime(centiseconds: 177_243_300_000 + 100 * second), accuracyMeters: accuracy,
      speedDecimetersPerSecond: 14, courseDegrees: course)
  }
}
