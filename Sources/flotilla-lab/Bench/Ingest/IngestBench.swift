internal import Collector
package import Core
internal import Foundation
internal import Synchronization
internal import Transport
package import Uploads

/// The complete upload path over sockets for batches of 20 fixes, from filling to the checked ack.
///
///     core 0: pacer or ack ▶ fill ▶ encode ▶ dispatcher ─TCP─▶ core 1: collector process
///
/// The client is that of `flotilla load`, and the collector is the real one.
package struct IngestBench: Benchmark {
  package struct Place: Sendable {
    package var executable: String
    /// The path of the SQLite file of a durable run, which is removed before and after each round.
    package var storePath: String
    package var logFile: String
  }

  package let name = "ingest"
  private let plan: IngestPlan
  private let place: Place
  private let pool: BatchPool
  private let isPinned: Bool
  private let wakeful = WakefulCores()
  private let shouldStop: () -> Bool

  package init(_ plan: IngestPlan, _ place: Place, shouldStop: @escaping () -> Bool) {
    self.plan = plan
    self.place = place
    self.shouldStop = shouldStop
    pool = BatchPool(before: BenchRun.begin)
    ProcessTuning.raiseOpenFiles()
    isPinned = CorePin.pinThisProcess(to: 0)
    if isPinned, plan.isPreferred { CorePin.preferThisProcess() }
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    plan.parameters + [("pinned", .word(isPinned ? "yes" : "no"))]
  }

  package var bars: [BenchBar] { plan.bars }

  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(CollectorRunError) -> BenchSamples {
    removeStore()
    defer { removeStore() }
    let session = try IngestSession(plan, place, pinned: isPinned)
    defer { session.stop() }
    let driver = IngestDriver(plan, pool)
    do throws(TransportError) { try driver.connect(session) } catch {
      throw .unreachable(error.description)
    }
    defer { driver.close() }
    ProcessTuning.trimHeap()
    let idle = try session.look(driver)
    let rampEnd = driver.ramp(clock())
    // Connections that are not open after the deadline count as failures in the figures.
    driver.awaitOpen(until: rampEnd + IngestDriver.deadline, shouldStop)
    wait(until: driver.run(clock()) + .milliseconds(100))
    let measured = try measure(driver, session, clock)
    guard driver.drain(), let measured, !shouldStop() else { return [] }
    let window = IngestWindow(
      idle: idle, begin: measured.begin, end: measured.end, tally: measured.tally,
      last: try session.look(driver))
    return window.figures(plan)
  }

  private typealias Measured = (
    begin: IngestWindow.Look, end: IngestWindow.Look, tally: IngestDriver.Tally
  )

  /// Returns nil if the user stopped the benchmark.
  private func measure(
    _ driver: IngestDriver, _ session: IngestSession, _ clock: () -> WallInstant
  ) throws(CollectorRunError) -> Measured? {
    let pacer = plan.pace.map { IngestPacer(driver, at: $0, from: clock() + .milliseconds(10)) }
    defer { pacer?.stop() }
    wait(until: clock() + plan.warmUp)
    let begin = try session.look(driver)
    driver.beginWindow()
    wait(until: clock() + plan.measured)
    let tally = driver.tally
    let end = try session.look(driver)
    wait(until: clock() + plan.coolDown)
    return shouldStop() ? nil : (begin, end, tally)
  }

  private func wait(until instant: WallInstant) {
    Waiter.shared.wait(until: instant, for: shouldStop)
  }

  private func removeStore() {
    guard plan.isDurable else { return }
    StoreFiles(place.storePath).remove()
  }
}
