package import Core
internal import Foundation
internal import Uploads

package struct WireBatches: Sendable {
  /// The kind of movement. A phone at rest repeats the same fix.
  package enum Kind: String, CaseIterable, Sendable {
    case resting, walking, driving, dwelling

    fileprivate var movement: BatchPool.Movement? {
      switch self {
      case .resting: .resting
      case .walking: .walking
      case .driving: .driving
      case .dwelling: nil
      }
    }
  }

  package let kind: Kind
  package let fixesPerBatch: Int
  package let fixes: [Fix]

  package var count: Int { fixes.count / fixesPerBatch }

  /// The number of fixes, large enough to defeat branch prediction.
  private static let fixesInAll = 20_000
  private static let start = SimInstant(microseconds: 1_772_433_000_000_000)

  /// Draws about 20,000 fixes in whole batches, each of a different phone.
  package init(_ kind: Kind, fixesPerBatch: Int) {
    self.kind = kind
    self.fixesPerBatch = fixesPerBatch
    var fixes: [Fix] = []
    for phone in 0..<UInt32(max(1, Self.fixesInAll / fixesPerBatch)) {
      fixes += Self.batch(kind, fixesPerBatch, phone: phone)
    }
    self.fixes = fixes
  }

  private static func batch(_ kind: Kind, _ count: Int, phone: UInt32) -> [Fix] {
    guard let movement = kind.movement else {
      var walker = BatchPool.Walker(phone: phone, start: start, .resting)
      let first = walker.next()
      return (0..<count).map { index in
        var fix = first
        fix.time.centiseconds += Int64(index) * 100
        return fix
      }
    }
    var walker = BatchPool.Walker(phone: phone, start: start, movement)
    return (0..<count).map { _ in walker.next() }
  }

  /// Reads the batches of a kind from a file of the peers' benchmark (`gen_pool`). A batch has 24
  /// bytes for phone, sequence and base time, then 20 fixes of 28 bytes. nil for an invalid file.
  package init?(_ kind: Kind, peersPool path: String) {
    guard let data = FileManager.default.contents(atPath: path), !data.isEmpty,
      data.count % Self.peersBatchBytes == 0
    else { return nil }
    self.kind = kind
    fixesPerBatch = Self.peersFixes
    fixes = data.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: Self.peersBatchBytes).flatMap { start in
        let fixes = Self.peersBatch(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        return Self.kind(of: fixes) == kind ? fixes : []
      }
    }
    guard !fixes.isEmpty else { return nil }
  }

  private static let peersFixes = 20
  private static let (peersHeadBytes, peersFixBytes) = (24, 28)
  private static let peersBatchBytes = peersHeadBytes + peersFixes * peersFixBytes

  /// Converts milliseconds, 1e-7 degrees, decimetres, cm/s and hundredths of a degree to Flotilla's
  /// units. Fixes below 0.3 m/s get no course.
  private static func peersBatch(_ bytes: UnsafeRawBufferPointer) -> [Fix] {
    let base = bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self)
    return (0..<peersFixes).map { index in
      let at = peersHeadBytes + index * peersFixBytes
      func signed(_ word: Int) -> Double {
        Double(bytes.loadUnaligned(fromByteOffset: at + 4 * word, as: Int32.self))
      }
      let speed = signed(3)
      return Fix(
        coordinate: Coordinate(
          latitudeE6: Int32((signed(0) / 10).rounded()),
          longitudeE6: Int32((signed(1) / 10).rounded())),
        time: FixTime(centiseconds: Int64(((Double(base) + signed(5)) / 10).rounded())),
        accuracyMeters: UInt16((signed(2) / 10).rounded()),
        speedDecimetersPerSecond: Int16((speed / 10).rounded()),
        courseDegrees: speed < 30 ? -1 : Int16((signed(4) / 100).rounded()) % 360)
    }
  }

  /// Returns the kind by mean speed: at rest below 0.3 m/s, walking below 4.5 m/s, else driving.
  private static func kind(of fixes: [Fix]) -> Kind {
    let sum = fixes.reduce(0) { $0 + Int($1.speedDecimetersPerSecond) }
    return sum < 3 * fixes.count ? .resting : sum < 45 * fixes.count ? .walking : .driving
  }
}
