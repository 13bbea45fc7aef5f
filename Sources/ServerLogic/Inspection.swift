package import SimulationCore
package import Telemetry

/// Why the server refuses a batch for ever. Each reason has a count in the ledger.
package enum Rejection: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case unknownPhone
  case sequenceZero
  case noFixes
  case tooManyFixes
  case coordinateOutOfRange
  /// Before 2000: a phone whose clock was never set.
  case beforeYear2000
  /// More than `futureTolerance` ahead of the server.
  case fromTheFuture
  /// The payload did not decode; only the process that decodes can say so.
  case malformed
  /// So far behind the phone's later batches that nobody remembers whether it was ever held
  /// (`HeldBatches.runsMax`): stored it could be twice, acknowledged it could be lost.
  case forgotten
}

/// What remains of a decoded batch once its fixes have gone: enough to commit it later.
package struct BatchDigest: Sendable, BitwiseCopyable {
  package var id: BatchID
  package var fixCount: UInt32
  package var hash: BatchHash
  package var newest: FixTime
  package var newestCoordinate: Coordinate
  /// The newest timestamp among fixes that are accurate enough to answer a push.
  package var newestAccurate: FixTime
}

/// The limits of a believable fix, each with its reason.
package enum FixLimits {
  /// Clocks of phones are set by the network; minutes ahead are a wrong clock, not a fast one.
  package static let futureTolerance = SimDuration.minutes(5)
  /// 2000-01-01T00:00Z, in hundredths of a second since 1970.
  static let year2000 = FixTime(centiseconds: 946_684_800_00)
  /// Far above any outbox; keeps one batch from holding the loop.
  package static let fixesPerBatch = 65_536
}

extension BatchDigest {
  /// Reads the fixes once: validates, hashes and finds the newest.
  static func of(
    _ id: BatchID, fixes: UnsafeBufferPointer<Fix>, key: UInt64, accuracyLimit: UInt16,
    at now: SimInstant
  ) -> Result<BatchDigest, InspectionFailure> {
    guard id.sequence > 0 else { return .failure(.init(.sequenceZero)) }
    guard !fixes.isEmpty else { return .failure(.init(.noFixes)) }
    guard fixes.count <= FixLimits.fixesPerBatch else { return .failure(.init(.tooManyFixes)) }
    let latest = FixTime(now + FixLimits.futureTolerance)
    var digest = BatchDigest(
      id: id, fixCount: UInt32(fixes.count), hash: BatchHash(key: key, id),
      newest: LastSeen.neverSeen, newestCoordinate: fixes[0].coordinate,
      newestAccurate: LastSeen.neverSeen)
    for fix in fixes {
      guard (-90_000_000...90_000_000).contains(fix.coordinate.latitudeE6),
        (-180_000_000...180_000_000).contains(fix.coordinate.longitudeE6)
      else { return .failure(.init(.coordinateOutOfRange)) }
      guard fix.time >= FixLimits.year2000 else { return .failure(.init(.beforeYear2000)) }
      guard fix.time <= latest else { return .failure(.init(.fromTheFuture)) }
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

/// A `Rejection` in the shape that `Result` asks for.
package struct InspectionFailure: Error, Equatable, Sendable {
  package let reason: Rejection
  package init(_ reason: Rejection) { self.reason = reason }
}
