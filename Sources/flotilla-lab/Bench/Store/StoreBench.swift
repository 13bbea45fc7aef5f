package import Collector
package import Core
internal import Foundation
internal import Transport
internal import Uploads
internal import Wire

/// The collector's store alone, on disk (SQLite in WAL mode, synchronous=FULL, or PostgreSQL), in a
/// closed loop. The number of batches in flight determines the transaction size.
package struct StoreBench: Benchmark {
  package let name = "store"
  package enum Place {
    /// A file that the benchmark creates and removes.
    case file(String)
    /// A server whose database `postgres` the benchmark writes and empties.
    case server(PostgresCluster)

    /// The parameters of a row that name the store; none for a file, which is the default.
    fileprivate var parameters: [(name: String, value: BenchRow.Parameter)] {
      switch self {
      case .file: []
      case .server: [("store", .word("postgresql"))]
      }
    }
  }

  private let inFlight: Int
  private let place: Place
  private let length: WallDuration
  private let payloads: [[UInt8]]
  private let shouldStop: () -> Bool

  /// The time for gathering a group of batches, which is the collector's default.
  private static let groupDelay = WallDuration.milliseconds(2)
  private static let phones = 1_000

  /// - Parameter length: The wall-clock length of a round.
  package init(
    inFlight: Int, in place: Place, length: WallDuration, shouldStop: @escaping () -> Bool
  ) {
    self.inFlight = inFlight
    self.place = place
    self.length = length
    self.shouldStop = shouldStop
    payloads = Self.payloads()
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    place.parameters + [("inFlight", .count(inFlight)), ("fixes", .count(BatchPool.fixesPerBatch))]
  }

  package mutating func round(_ clock: () -> WallInstant) throws(StoreError) -> BenchSamples {
    let address = try empty()
    defer { _ = try? empty() }
    let hasReports = DispatchSemaphore(value: 0)
    let store = BatchStore(
      try address.open(), groupDelay: Self.groupDelay, now: { MonotonicClock.now },
      wake: { hasReports.signal() })
    defer { store.close() }
    var (commits, groups): ([Double], [Double]) = ([], [])
    var submitted = 0
    let spentBefore = spent
    let began = clock()
    submit(inFlight, from: &submitted, to: store, at: began)
    while clock() - began < length, !shouldStop() {
      hasReports.wait()
      for report in store.takeReports() {
        if let error = report.error { throw error }
        commits.append(report.took.seconds * 1_000)
        groups.append(Double(report.tokens.count))
        submit(report.tokens.count, from: &submitted, to: store, at: clock())
      }
    }
    let seconds = (clock() - began).seconds
    guard !shouldStop(), !commits.isEmpty else { return [] }
    let server = spentBefore.flatMap { before in
      spent.map { Double($0 - before) / groups.reduce(0, +) }
    }
    commits.sort()
    return (server.map { [("databaseCpuMicroseconds", [$0])] } ?? []) + [
      ("batchesPerSecond", [groups.reduce(0, +) / seconds]),
      ("commitP50Milliseconds", [commits[(commits.count - 1) / 2]]),
      ("commitP99Milliseconds", [commits[(commits.count - 1) * 99 / 100]]),
      ("batchesPerCommit", groups),
    ]
  }

  private func empty() throws(StoreError) -> StoreAddress {
    switch place {
    case .file(let path):
      StoreFiles(path).remove()
      return .sqlite(path: path)
    case .server(let cluster):
      try cluster.run("DROP SCHEMA IF EXISTS flotilla CASCADE")
      return StoreAddress(named: cluster.url())
    }
  }

  /// The CPU time that the server's processes have used, in microseconds; nil without a server.
  private var spent: Int64? {
    guard case .server(let cluster) = place else { return nil }
    return cluster.metrics?.cpuMicroseconds
  }

  private func submit(
    _ count: Int, from submitted: inout Int, to store: BatchStore, at now: WallInstant
  ) {
    for number in submitted..<submitted + count {
      let payload = payloads[number % payloads.count]
      let batch = StoredBatch(
        id: BatchID(
          phone: PhoneID(rawValue: UInt32(number % Self.phones)), epoch: 1,
          sequence: UInt32(1 + number / Self.phones)),
        receivedAt: BenchRun.begin, receivedAtWall: now, fixCount: UInt32(BatchPool.fixesPerBatch),
        hash: UInt64(number), encoding: 0, uncompressedSize: UInt32(payload.count))
      let update = BatchUpdate(
        newest: FixTime(BenchRun.begin), coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0),
        newestAccurate: FixTime(BenchRun.begin))
      payload.withUnsafeBytes { store.submit(batch, update, payload: $0, token: UInt64(number)) }
    }
    submitted += count
  }

  private static func payloads() -> [[UInt8]] {
    let pool = BatchPool(before: BenchRun.begin)
    let (encoder, decoder) = (BatchEncoder(), BatchDecoder())
    let id = BatchID(phone: PhoneID(rawValue: 1), epoch: 1, sequence: 1)
    return (0..<BatchPool.batches).compactMap { number in
      let message = try? encoder.encode(id, Array(pool.fixes[pool.range(number)]))
      return message?.withUnsafeBytes { bytes in
        (try? decoder.envelope(bytes)).map { Array($0.payload) }
      }
    }
  }
}
