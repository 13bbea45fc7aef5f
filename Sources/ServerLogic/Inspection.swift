package import Core

/// The reason for which the server refuses a batch for good. Each reason has a count in the ledger.
package enum Rejection: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case unknownPhone
  case sequenceZero
  case noFixes
  case tooManyFixes
  case coordinateOutOfRange
  /// A timestamp before 2000 and more than `futureTolerance` ago, from a clock that was never set.
  case beforeYear2000
  case fromTheFuture
  /// The payload did not decode. Only the process that decodes payloads reports this reason.
  case malformed
  /// The server no longer knows if this old batch was stored (`StoredBatches.runsMax`). Storing the
  /// batch might duplicate it, and acknowledging the batch might lose it.
  case forgotten
  /// An accuracy of 0, which means no position, or an accuracy above `FixLimits.accuracyMax`.
  case accuracyOutOfRange
  /// A speed below -1 or above `FixLimits.speedMax`. The value -1 means no speed.
  case speedOutOfRange
  /// A course below -1 or above 360. The value -1 means no course.
  case courseOutOfRange
}

/// The part of a decoded batch that `commit` needs after the batch is durable.
package struct BatchDigest: Sendable, BitwiseCopyable {
  package var id: BatchID
  /// The number of fixes, at least 1.
  package var fixCount: UInt32
  package var hash: BatchHash
  package var newest: FixTime
  /// The position of the newest fix. Of fixes with equal timestamps, the last in the batch counts.
  package var newestCoordinate: Coordinate
  package var newestAccurate: FixTime

  package init(
    id: BatchID, fixCount: UInt32, hash: BatchHash, newest: FixTime, newestCoordinate: Coordinate,
    newestAccurate: FixTime
  ) {
    self.id = id
    self.fixCount = fixCount
    self.hash = hash
    self.newest = newest
    self.newestCoordinate = newestCoordinate
    self.newestAccurate = newestAccurate
  }
}

package enum FixLimits {
  /// How far a timestamp may be ahead of the server's clock. Owners set clocks hours or days ahead,
  /// rarely a year (CK1). A tighter limit would hide all fixes of such a phone.
  package static let futureTolerance = SimDuration.hours(24 * 400)
  private static let year2000 = FixTime(centiseconds: 946_684_800_00)
  /// Returns the accepted timestamps, from 2000 or `now - futureTolerance`, whichever is earlier.
  static func stamps(at now: SimInstant) -> ClosedRange<FixTime> {
    min(year2000, FixTime(now - futureTolerance))...FixTime(now + futureTolerance)
  }
  /// The limit in metres: a cell's greatest range of 35 km (3GPP TS 45.010: 63 steps of timing
  /// advance, 554 m each) plus almost half as much for errors of the phones' estimates.
  package static let accuracyMax: UInt16 = 50_000
  /// The limit in decimetres per second: 1,000 knots, above which civil receivers do not work
  /// (COCOM, Wassenaar Arrangement 7.A.5).
  package static let speedMax: Int16 = 5_150
  /// The limit in degrees. The value 360 is accepted, since some phones round 359.9 up.
  package static let courseMax: Int16 = 360
  /// The most fixes of a batch: far more than an outbox holds, but too few to block the event loop.
  package static let fixesPerBatch = 65_536
}

extension BatchDigest {
  static func of(
    _ id: BatchID, fixes: UnsafeBufferPointer<Fix>, key: UInt64, accuracyLimit: UInt16,
    at now: SimInstant
  ) -> Result<BatchDigest, InspectionError> {
    guard id.sequence > 0 else { return .failure(.init(.sequenceZero)) }
    guard !fixes.isEmpty else { return .failure(.init(.noFixes)) }
    guard fixes.count <= FixLimits.fixesPerBatch else { return .failure(.init(.tooManyFixes)) }
    let stamps = FixLimits.stamps(at: now)
    var digest = BatchDigest(
      id: id, fixCount: UInt32(fixes.count), hash: BatchHash(key: key, id),
      newest: LastSeen.neverSeen, newestCoordinate: fixes[0].coordinate,
      newestAccurate: LastSeen.neverSeen)
    for (index, fix) in fixes.enumerated() {
      if let fault = fix.fault(stampedIn: stamps) {
        return .failure(.init(fault.reason, fix: index, value: fault.value))
      }
      digest.hash.combine(fix)
      if fix.time >= digest.newest {
        digest.newest = fix.time
        digest.newestCoordinate = fix.coordinate
      }
      if fix.accuracyMeters <= accuracyLimit, fix.time > digest.newestAccurate {
        digest.newestAccurate = fix.time
      }
    }
    return .success(digest)
  }
}

extension Fix {
  fileprivate func fault(
    stampedIn stamps: ClosedRange<FixTime>
  ) -> (reason: Rejection, value: Int64)? {
    if !(-90_000_000...90_000_000).contains(coordinate.latitudeE6) {
      return (.coordinateOutOfRange, Int64(coordinate.latitudeE6))
    }
    if !(-180_000_000...180_000_000).contains(coordinate.longitudeE6) {
      return (.coordinateOutOfRange, Int64(coordinate.longitudeE6))
    }
    if time < stamps.lowerBound { return (.beforeYear2000, time.centiseconds) }
    if time > stamps.upperBound { return (.fromTheFuture, time.centiseconds) }
    if !(1...FixLimits.accuracyMax).contains(accuracyMeters) {
      return (.accuracyOutOfRange, Int64(accuracyMeters))
    }
    if !(-1...FixLimits.speedMax).contains(speedDecimetersPerSecond) {
      return (.speedOutOfRange, Int64(speedDecimetersPerSecond))
    }
    if !(-1...FixLimits.courseMax).contains(courseDegrees) {
      return (.courseOutOfRange, Int64(courseDegrees))
    }
    return nil
  }
}

package struct InspectionError: Error, Equatable, Sendable {
  package let reason: Rejection
  /// The index of the first faulty fix in the batch, from 0. nil if no fix is at fault.
  package let fix: Int?
  /// The faulty value in its unit on the wire. nil if no fix is at fault.
  package let value: Int64?

  package init(_ reason: Rejection, fix: Int? = nil, value: Int64? = nil) {
    self.reason = reason
    self.fix = fix
    self.value = value
  }
}

extension InspectionError: CustomStringConvertible {
  package var description: String {
    guard let fix, let value else { return "\(reason)" }
    return "\(reason): fix \(fix) has \(value)"
  }
}
