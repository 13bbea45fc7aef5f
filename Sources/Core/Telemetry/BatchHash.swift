/// A keyed hash of one batch: (phone, epoch, sequence, decoded columns). Fleet and collector sum
/// the hashes modulo 2^64. Equal sums of equal counts mean equal sets of batches, in any order.
@frozen public struct BatchHash: Sendable, BitwiseCopyable {
  public var value: UInt64

  /// - Parameter key: the run's key, so that no stored batch of another run fits by chance.
  @inlinable public init(key: UInt64, _ id: BatchID) {
    var h = Draw.mix(Draw.mix(key) ^ (UInt64(id.phone.rawValue) << 32 | UInt64(id.sequence)))
    h = Draw.mix(h ^ UInt64(id.epoch))
    value = h
  }

  /// Adds all fields of a fix to the hash.
  @inlinable public mutating func combine(_ fix: Fix) {
    let place =
      UInt64(UInt32(bitPattern: fix.coordinate.latitudeE6)) << 32
      | UInt64(UInt32(bitPattern: fix.coordinate.longitudeE6))
    let rest =
      UInt64(fix.accuracyMeters) << 32
      | UInt64(UInt16(bitPattern: fix.speedDecimetersPerSecond)) << 16
      | UInt64(UInt16(bitPattern: fix.courseDegrees))
    // Each word is mixed in separately: mixed together, changes of two words could cancel out.
    value = Draw.mix(value ^ place)
    value = Draw.mix(value ^ UInt64(bitPattern: fix.time.centiseconds))
    value = Draw.mix(value ^ rest)
  }
}
