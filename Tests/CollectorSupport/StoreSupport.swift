import Core
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Collector

/// A folder that is deleted with the test.
final class TemporaryFolder: Sendable {
  private let url = FileManager.default.temporaryDirectory.appending(
    path: "flotilla-\(UUID().uuidString)")

  init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func copy(_ name: String, to other: String) throws {
    try FileManager.default.copyItem(atPath: path(name), toPath: path(other))
  }
}

/// A store, and the loop's side of its reports.
final class OpenStore {
  let store: BatchStore
  private let signal = Signal()
  private(set) var commits = 0
  private var done: Set<UInt64> = []
  private var error: StoreError?

  final class Signal: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
    let count = Mutex(0)
  }

  init(path: String, pagesMax: Int? = nil) throws {
    let signal = self.signal
    store = BatchStore(
      try SQLiteStore(path: path, pagesMax: pagesMax), groupDelay: .milliseconds(2),
      now: {
        WallInstant(microseconds: Int64(DispatchTime.now().uptimeNanoseconds / 1_000))
      },
      wake: {
        signal.count.withLock { $0 += 1 }
        signal.semaphore.signal()
      })
  }

  var wakes: Int { signal.count.withLock { $0 } }

  static func payload(_ sequence: UInt32) -> [UInt8] {
    (0..<(sequence % 40)).map { UInt8(truncatingIfNeeded: $0 + sequence) }
  }

  static func update(at instant: SimInstant) -> BatchUpdate {
    BatchUpdate(
      newest: FixTime(instant), coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0),
      newestAccurate: FixTime(instant))
  }

  func submit(phone: UInt32, sequence: UInt32, payload: [UInt8]? = nil) {
    let batch = StoredBatch(
      id: BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: sequence),
      receivedAt: SimInstant(microseconds: Int64(sequence)),
      receivedAtWall: WallInstant(microseconds: Int64(sequence)), fixCount: 1,
      hash: UInt64.max - UInt64(sequence), encoding: 1, uncompressedSize: 9)
    (payload ?? Self.payload(sequence)).withUnsafeBytes {
      store.submit(
        batch, Self.update(at: batch.receivedAt),
        payload: $0, token: UInt64(sequence))
    }
  }

  private func take(_ count: Int) throws {
    var taken = 0
    while taken < count {
      try #require(signal.semaphore.wait(timeout: .now() + 60) == .success)
      for report in store.takeReports() {
        commits += 1
        taken += report.tokens.count
        if let error = report.error { self.error = error } else { done.formUnion(report.tokens) }
      }
    }
  }

  /// The tokens of the next `count` records, all of which must succeed.
  func committed(_ count: Int) throws -> Set<UInt64> {
    (done, error) = ([], nil)
    try take(count)
    #expect(error == nil)
    return done
  }

  func failed(_ count: Int) throws -> StoreError? {
    (done, error) = ([], nil)
    try take(count)
    #expect(done.isEmpty)
    return error
  }

  func close() { store.close() }

  static func contents(of path: String) throws -> [(batch: StoredBatch, payload: [UInt8])] {
    var found: [(batch: StoredBatch, payload: [UInt8])] = []
    try SQLiteStore(path: path).replay { event in
      if case .batch(let batch, let payload) = event { found.append((batch, Array(payload))) }
    }
    return found
  }
}
