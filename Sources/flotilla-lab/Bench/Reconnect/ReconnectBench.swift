package import Core
package import Figures
internal import Foundation
internal import Transport
package import Uploads

/// A fleet that reconnects at once, as after a restart of a load balancer. The first storm has no
/// session tickets, and the second has the tickets of an earlier connection.
///
///     collector ◀── a handshake, an upload and its ack each ── all phones, at once
///
/// Rejected phones, and phones whose handshake times out, retry as usual.
package struct ReconnectBench {
  package struct Plan: Sendable {
    package var phones = 50_000
    /// The maximum number of open connections, below the process's limit.
    package var atOnce = 10_000
    package var carrier = CarrierKind.flotilla
  }

  /// The time between two phones that get their first ticket, twice that of a full handshake.
  private static let gap = WallDuration.milliseconds(1)
  private static let longest = WallDuration.seconds(300)
  private static let step = WallDuration.milliseconds(250)

  private let plan: Plan
  private let session: IngestSession
  private let phones: ReconnectingPhones
  private let shouldStop: () -> Bool

  private init(
    _ plan: Plan, _ place: IngestBench.Place, pinned: Bool, shouldStop: @escaping () -> Bool
  ) throws(CollectorRunError) {
    self.plan = plan
    self.shouldStop = shouldStop
    // Sets a pace: with the long queue delay of a closed loop, no phone would be rejected.
    var collector = IngestPlan(
      .perUpload, connections: plan.phones, pace: 1, carrier: plan.carrier)
    collector.security = .on
    session = try IngestSession(collector, place, pinned: pinned)
    do throws(TransportError) {
      phones = try ReconnectingPhones(
        session, count: plan.phones, atOnce: plan.atOnce, plan.carrier)
    } catch {
      throw .unreachable(error.description)
    }
  }

  /// - Returns: The measurements up to a stop.
  package static func run(
    _ plan: Plan, _ place: IngestBench.Place, progress: (ReconnectRecord.Step) -> Void,
    shouldStop: @escaping () -> Bool
  ) throws(CollectorRunError) -> ReconnectRecord {
    ProcessTuning.raiseOpenFiles()
    let isPinned = CorePin.pinThisProcess(to: 0)
    var record = ReconnectRecord(
      phones: plan.phones, atOnce: plan.atOnce, carrier: plan.carrier.rawValue, isPinned: isPinned)
    let bench = try ReconnectBench(plan, place, pinned: isPinned, shouldStop: shouldStop)
    defer { bench.stop() }
    // Lets the phones connect before the second storm, to obtain tickets.
    for hasTickets in [false, true] where !shouldStop() {
      bench.phones.forget(tickets: !hasTickets)
      if hasTickets { bench.visit() }
      record.storms.append(bench.storm(hasTickets: hasTickets, progress))
    }
    return record
  }

  private func visit() {
    phones.come(from: MonotonicClock.now + .milliseconds(50), gap: Self.gap)
    let latest = MonotonicClock.now + Self.gap * Int64(plan.phones) + Self.longest
    Waiter.shared.wait(until: latest) { phones.lastServed != nil || shouldStop() }
  }

  private func storm(
    hasTickets: Bool, _ progress: (ReconnectRecord.Step) -> Void
  ) -> ReconnectRecord.Storm {
    var storm = ReconnectRecord.Storm(hasTickets: hasTickets)
    let begin = MonotonicClock.now + .milliseconds(50)
    let (first, retries) = (look(), phones.counters[.retries])
    phones.come(from: begin, gap: .zero)
    var before = first
    while MonotonicClock.now - begin < Self.longest, !shouldStop() {
      Waiter.shared.wait(until: before.at + Self.step, for: shouldStop)
      let after = look()
      var step = ReconnectRecord.Step(second: (after.at - begin).seconds)
      step.full = after.full - before.full
      step.resumed = after.resumed - before.resumed
      step.served = after.served
      let length = max(1, Double((after.at - before.at).microseconds))
      step.collectorCores = Double(after.collector - before.collector) / length
      step.generatorCores = Double(after.own - before.own) / length
      storm.steps.append(step)
      progress(step)
      before = after
      if after.served == plan.phones { break }
    }
    storm.served = before.served
    storm.servedAfter = phones.lastServed.map { ($0 - begin).seconds }
    storm.retries = phones.counters[.retries] - retries + phones.returns
    storm.collectorSeconds = Double(before.collector - first.collector) / 1e6
    storm.generatorSeconds = Double(before.own - first.own) / 1e6
    return storm
  }

  private struct Look {
    var at: WallInstant
    var full: Int
    var resumed: Int
    var served: Int
    var collector: Int64
    var own: Int64
  }

  private func look() -> Look {
    let counters = phones.counters
    return Look(
      at: MonotonicClock.now, full: counters[.handshakesFull],
      resumed: counters[.handshakesResumed],
      served: phones.served, collector: session.collectorMetrics?.cpuMicroseconds ?? 0,
      own: ProcessMetrics.current().cpuMicroseconds)
  }

  private func stop() {
    phones.close()
    session.stop()
  }
}
