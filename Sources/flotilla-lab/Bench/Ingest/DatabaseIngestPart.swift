internal import Core
internal import Foundation
internal import Transport
internal import Uploads
internal import Wire

/// One of the collectors of a `DatabaseIngestBench`, with its phones.
final class DatabaseIngestPart {
  private let plan: IngestPlan
  private let session: IngestSession
  private let driver: IngestDriver
  private let idle: IngestWindow.Look
  private var window: (begin: IngestWindow.Look?, end: IngestWindow.Look?) = (nil, nil)
  private var tally = IngestDriver.Tally()
  private var pacer: IngestPacer?
  private var isStopped = false

  /// - Parameter number: The index of the collector, which determines its phones among `phones`.
  init(
    _ number: Int, of phones: Int, _ plan: IngestPlan, _ place: IngestBench.Place,
    store: [String], _ pool: BatchPool
  ) throws(CollectorRunError) {
    self.plan = plan
    session = try IngestSession(plan, place, pinned: false, store: store, phones: phones)
    driver = IngestDriver(plan, pool, firstPhone: UInt32(number * plan.phones))
    do throws(TransportError) { try driver.connect(session) } catch {
      session.stop()
      throw .unreachable(error.description)
    }
    idle = try session.look(driver)
  }

  func begin(
    _ clock: () -> WallInstant, _ shouldStop: () -> Bool
  ) throws(CollectorRunError) {
    driver.awaitOpen(until: driver.ramp(clock()) + IngestDriver.deadline, shouldStop)
    _ = driver.run(clock())
    pacer = plan.pace.map { IngestPacer(driver, at: $0, from: clock() + .milliseconds(10)) }
  }

  func beginWindow() throws(CollectorRunError) {
    window.begin = try session.look(driver)
    driver.beginWindow()
  }

  func endWindow() throws(CollectorRunError) {
    tally = driver.tally
    window.end = try session.look(driver)
    pacer?.stop()
  }

  func drain() -> Bool { driver.drain() }

  /// Returns the measured window, and must be called after all batches in flight have ended.
  func seen() throws(CollectorRunError) -> IngestWindow {
    let last = try session.look(driver)
    return IngestWindow(
      idle: idle, begin: window.begin ?? last, end: window.end ?? last, tally: tally, last: last)
  }

  /// Stops the collector and the client; further calls do nothing.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    pacer?.stop()
    driver.close()
    session.stop()
  }
}

struct DatabaseIngestSum {
  private let windows: [IngestWindow]

  init(_ windows: [IngestWindow]) { self.windows = windows }

  var distinct: UInt64 { windows.reduce(0) { $0 + $1.last.server.batches.distinct } }

  private var batches: Double { windows.reduce(0) { $0 + $1.batches } }

  var perSecond: Double {
    windows.reduce(0) { $0 + $1.batches / ($1.end.at - $1.begin.at).seconds }
  }

  /// - Parameter database: The server's CPU time during the measurement, in microseconds.
  func figures(database: Double?) -> BenchSamples {
    let each = max(1, batches)
    let server = windows.reduce(0) {
      $0 + Double($1.end.server.cpuMicroseconds - $1.begin.server.cpuMicroseconds)
    }
    // Takes the generator's CPU time from one window, since all collectors share one generator.
    let client = windows.first.map {
      Double($0.end.client.cpuMicroseconds - $0.begin.client.cpuMicroseconds)
    }
    var response = Histogram()
    for window in windows { response.merge(window.tally.response) }
    let commits = windows.compactMap(\.commitP99Milliseconds).max()
    return [
      ("clientCpuMicroseconds", [(client ?? 0) / each]),
      ("serverCpuMicroseconds", [server / each]),
      ("databaseCpuMicroseconds", database.map { [$0 / each] } ?? []),
      (
        "responseP99Microseconds", response.percentile(0.99).microseconds.map { [Double($0)] } ?? []
      ),
      ("commitP99Milliseconds", commits.map { [$0] } ?? []),
      ("failed", [windows.reduce(0) { $0 + Double($1.tally.failed) }]),
    ]
  }
}
