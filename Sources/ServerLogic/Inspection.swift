package import SimulationCore
package import Telemetry

/// Why the server refuses a batch for ever. Each reason has a count in the ledger.
package enum Rejection: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case unknownPhone
  case sequenceZero
  case noFixes
  case tooManyFixes
  case coordinateOutOfRange
  /// Before 2000, and more than `futureTolerance` behind the server: a phone whose clock was never
  /// set.
  case beforeYear2000
  /// More than `futureTolerance` ahead of the server.
  case fromTheFuture
  /// The payload did not decode; only the process that decodes can say so.
  case malformed
  /// So far behind the phone's later batches that nobody remembers whether it was ever held
  /// (`StoredBatches.runsMax`): stored it could be twice, acknowledged it could be lost.
  case forgotten
  /// 0, or above `FixLimits.accuracyMax`: the phone says itself that this is no position.
  case accuracyOutOfRange
  /// Below -1, which stands for none, or above `FixLimits.speedMax`.
  case speedOutOfRange
  /// Below -1, which stands for none, or above 360.
  case courseOutOfRange
}

/// What remains of a decoded batch once its fixes have gone: enough to commit it later.
package struct BatchDigest: Sendable, BitwiseCopyable {
  /// Names the batch.
  package var id: BatchID
  /// Counts the fixes of the batch; at least 1.
  package var fixCount: UInt32
  /// Is the keyed hash of id and fixes, as both sides of the ledger sum it.
  package var hash: BatchHash
  /// Is the newest timestamp among the fixes.
  package var newest: FixTime
  /// Is where the newest fix was taken; the last one where several have that timestamp.
  package var newestCoordinate: Coordinate
  /// The newest timestamp among fixes that are accurate enough to answer a push.
  package var newestAccurate: FixTime

  /// Makes the digest of a batch that was judged before, from what a store kept of it.
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

/// The limits of a believable fix, each with its reason.
package enum FixLimits {
  /// Owners set clocks hours and days ahead, seldom a year (CK1); what lies further ahead is no
  /// clock. Whose positions are refused for less would never be seen.
  package static let futureTolerance = SimDuration.hours(24 * 400)
  /// 2000-01-01T00:00Z, in hundredths of a second since 1970.
  private static let year2000 = FixTime(centiseconds: 946_684_800_00)
  /// The stamps that a server takes at an instant. A server that lives before 2000 itself, as in a
  /// scenario of recorded days, takes what is not far behind it.
  static func stamps(at now: SimInstant) -> ClosedRange<FixTime> {
    min(year2000, FixTime(now - futureTolerance))...FixTime(now + futureTolerance)
  }
  /// Metres. A cell is 35 km wide at most (3GPP TS 45.010: a timing advance of 63 steps of 554 m),
  /// and half as much again for what phones make of it.
  package static let accuracyMax: UInt16 = 50_000
  /// Decimetres a second: 1,000 knots, above which receivers for civil use do not work (COCOM,
  /// Wassenaar Arrangement 7.A.5).
  package static let speedMax: Int16 = 5_150
  /// Degrees; some phones round 359.9 up.
  package static let courseMax: Int16 = 360
  /// Far above any outbox; keeps one batch from holding the loop.
  package static let fixesPerBatch = 65_536
}

extension BatchDigest {
  /// Reads the fixes once: validates, hashes and finds the newest.
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
  /// What cannot be about a fix, and the value that says so; nil: nothing.
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

/// Why a batch is refused, and for which of its fixes.
package struct InspectionError: Error, Equatable, Sendable {
  /// Says for which reason the batch is refused.
  package let reason: Rejection
  /// The first fix that is at fault, from 0 on; nil: it is the batch.
  package let fix: Int?
  /// As it stood on the wire.
  package let value: Int64?

  /// Makes a failure of the whole batch, or of one fix with the value that is out of its range.
  package init(_ reason: Rejection, fix: Int? = nil, value: Int64? = nil) {
    self.reason = reason
    self.fix = fix
    self.value = value
  }
}

extension InspectionError: CustomStringConvertible {
  /// Names the reason and, where one fix is at fault, its index and its value.
  package var description: String {
    guard let fix, let value else { return "\(reason)" }
    return "\(reason): fix \(fix) has \(value)"
  }
}
