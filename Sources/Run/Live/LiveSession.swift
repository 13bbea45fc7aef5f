internal import Core
internal import Fleet
internal import Foundation
internal import Scenarios
internal import Synchronization
internal import Transport
internal import Uploads
internal import Wire

/// The fleet's side of the live part, without collectors, whose messages callers pass in.
final class LiveSession {
  let clock: PacedClock
  let fleet: PhoneFleet
  let mailbox: FleetMailbox
  let live: LiveFleet
  let sender: any UploadSender
  let recorder: LiveRecorder
  let resender: Resender?
  let restored: [UInt64]
  let pushes: PushLog
  let outside: OutsidePushes?
  private let isSecured: Bool
  private let isPacked: Bool
  private let loops: RunLoops
  let violationLog = ViolationLog()
  /// The CPU time of this process when the live part began, and when the measured time ended.
  private(set) var cpuBefore = ProcessMetrics.current()
  private(set) var cpuAfter: ProcessMetrics?
  private(set) var digest = Digest()
  private(set) var nextReport = WallInstant.distantPast
  private let isStopped = Flag(false)

  /// The time reserved for opening the last connections before the clock starts.
  static let startsIn = WallDuration.milliseconds(300)

  init(
    _ plan: RunPlan, warm: WarmStart, to endpoints: [Endpoint], of server: any LiveServer,
    loops: RunLoops, capture: CaptureFile?, journal: FleetJournal? = nil, inputs: InputWriter? = nil
  ) throws(CollectorRunError) {
    let scenario = plan.scenario
    self.loops = loops
    isPacked = plan.codec == .packed
    fleet = warm.fleet
    pushes = PushLog(of: warm.fleet.phones)
    restored = warm.base
    let start =
      plan.link?.startInstant(in: Self.startsIn, wall: plan.wall)
      ?? plan.wall() + (plan.startsIn?() ?? Self.startsIn)
    let late = plan.wall() - start
    guard late <= .zero else { throw .startPassed(late) }
    let clock = PacedClock(
      scenarioStart: warm.liveFrom, wallStart: start, speed: scenario.speed)
    let versions = SettingsVersions(scenario)
    self.clock = clock
    resender = journal?.earlier.map {
      Resender(
        $0, from: clock.wallStart, seed: scenario.seed, deadline: scenario.network.deadline)
    }
    recorder = LiveRecorder(
      clock: clock, measureStart: scenario.measureStart, measureEnd: scenario.measureEnd,
      deadline: scenario.network.deadline, epoch: fleet.context.epoch, versions: versions,
      journal: journal, resender: resender)
    let outside =
      plan.senders == nil
      ? nil
      : OutsidePushes(
        plan, clock: clock, pushes: pushes, newest: Self.newest(of: warm, at: server, plan))
    self.outside = outside
    mailbox = FleetMailbox(fleet) { outside?.note($0) }
    sender = try server.sender(
      SenderParts(
        plan, loop: loops.uploads, clock: clock, fleet: fleet, versions: versions,
        recorder: recorder, journal: journal, mailbox: mailbox), to: endpoints)
    isSecured = server.isSecured
    if let capture { sender.capture(to: capture) }
    live = LiveFleet(
      mailbox: mailbox, uplink: outside?.watching(sender.uplink) ?? sender.uplink,
      inputs: inputs)
  }

  private static func newest(
    of warm: WarmStart, at server: any LiveServer, _ plan: RunPlan
  ) -> [SimInstant] {
    var newest = [SimInstant](repeating: .distantPast, count: plan.scenario.fleet.phones)
    guard server.isRestored else { return newest }
    warm.fleet.inOrder { $0.forEachStored { newest[Int($0.rawValue)] = $1 } }
    return newest
  }

  func resend(now: WallInstant) {
    if let resender { sender.resend(resender, now: now) }
  }

  /// Delivers a sweep's pushes and position requests to their phones. Only pushes are occasions.
  var takesSweep: @Sendable (PushSweep) -> Void {
    { [pushes, mailbox] sweep in
      pushes.note(sweep)
      mailbox.deliver((sweep.requests + sweep.asked).map { ($0.phone, .push($0)) })
    }
  }

  /// Returns the provider's answers for the server once per 200 ms; nil in between.
  func pushStatuses(now: WallInstant) -> [(id: UInt64, status: Int)]? {
    guard now >= nextReport else { return nil }
    nextReport = now + .milliseconds(200)
    return live.takePushStatuses()
  }

  func tokenEndings(now: WallInstant) -> [(phone: PhoneID, from: SimInstant)] {
    live.takeTokenEndings(at: clock.scenario(at: now))
  }

  func noteFaults(_ sentences: [String]) {
    if let first = sentences.first { violationLog.note(first) }
  }

  var ledgerViolations: [String] { violationLog.sentences }

  func stallUploads(for duration: WallDuration) {
    loops.uploads.post { [isStopped] in
      Waiter.shared.pause(duration) { isStopped.value }
    }
  }

  /// Ends a stall of the uploads after the run was stopped.
  func endStall() {
    isStopped.set(true)
    Waiter.shared.wake()
  }

  var nextResend: WallInstant { resender?.next ?? .distantFuture }

  /// Keeps the digest and the CPU time at the end of the measured time, before the drain.
  func freeze(at end: SimInstant) {
    digest = fleet.digest()
    cpuAfter = ProcessMetrics.current()
  }

  // MARK: The account

  func account(at end: SimInstant, _ scenario: Scenario) -> FleetAccount {
    fleet.inOrder { $0.closePushes(at: end) }
    var account = fleet.account(digest: digest, keepsTrace: true)
    let totals = recorder.totals(allowance: scenario.slo.responseP99 ?? .milliseconds(50))
    account.livedUntil = end
    account.measured = totals.counts
    account.faults = ledgerViolations
    account.sending = sending(totals)
    return account
  }

  private func sending(_ totals: LiveRecorder.Totals) -> SendingAccount {
    var sending = SendingAccount()
    sending.latency = totals.latency
    sending.isSecured = isSecured
    sending.counts = sender.counters()
    sending.counts[.resent] = resender?.count ?? 0
    sending.counts[.failures] = sender.failures ?? totals.failures
    // Packed payloads would count as uncompressed, so no payloads are reported.
    if isPacked { sending.counts[.payloads] = 0 }
    sending.lateReasons = totals.deficitReason.map { [$0] } ?? []
    sending.processes = cpuAfter.map { [$0.since(cpuBefore)] } ?? []
    return sending
  }
}

extension FleetAccount {
  /// Checks that the collector has every batch of the phones or, after a restart, of the journal.
  mutating func prove(
    _ session: LiveSession, _ journal: FleetJournal?, stored: (BatchID) -> Bool
  ) {
    guard let journal, session.resender != nil else {
      proof = BatchProof(session.fleet, restored: session.restored, stored: stored)
      return
    }
    do throws(JournalError) {
      let content = try FleetJournal.content(of: journal.path)
      guard let content else { throw .missing(path: journal.path) }
      proof = BatchProof(content, stored: stored)
    } catch {
      faults.append(error.description)
    }
  }
}

extension ProcessMetrics {
  /// Returns the usage since an earlier reading; memory is the current value.
  func since(_ earlier: ProcessMetrics) -> ProcessMetrics {
    var spent = self
    spent.cpuMicroseconds -= earlier.cpuMicroseconds
    return spent
  }
}
