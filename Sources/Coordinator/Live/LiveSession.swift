internal import Fleet
internal import Foundation
internal import Measure
internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Synchronization
internal import Telemetry
internal import Transport
internal import Wire

/// The live part of a run on this side: fleet, dispatcher, recorder, and what the server said.
///
/// It knows no collector: uploads go to an address, and what comes from the server is handed in.
final class LiveSession {
  let clock: PacedClock
  let fleet: PhoneFleet
  /// Where what the server says waits for the phones.
  let mailbox: FleetMailbox
  let live: LiveFleet
  let dispatcher: UploadDispatcher
  let recorder: LiveRecorder
  /// nil: no earlier life of this fleet left anything.
  let resender: Resender?
  /// Newest sequence of each phone that the collector was told before the run.
  let restored: [UInt32]
  let pushes = PushLog()
  private let uplink: WireUplink
  private let loops: RunLoops
  /// Identities that did not hold at some snapshot.
  let violationLog = ViolationLog()
  /// CPU of this process when the live part began, and at its end.
  private(set) var cpuBefore = ProcessMetrics.current()
  private(set) var cpuAfter: ProcessMetrics?
  private(set) var digest = Digest()
  private var nextReport = WallInstant.distantPast

  /// Time to connect the last wires before the clock starts.
  static let startsIn = WallDuration.milliseconds(300)

  init(
    _ plan: RunPlan, warm: WarmStart, to endpoint: Endpoint, token: String?, loops: RunLoops,
    capture: CaptureFile?, journal: FleetJournal? = nil, inputs: InputWriter? = nil
  ) throws(CollectorRunError) {
    let scenario = plan.scenario
    self.loops = loops
    fleet = warm.fleet
    restored = warm.base
    let clock = PacedClock(
      scenarioStart: warm.liveFrom, wallStart: plan.wall() + Self.startsIn,
      speed: scenario.speed)
    let versions = SettingsVersions(scenario)
    self.clock = clock
    resender = journal?.earlier.map {
      Resender(
        $0.open, from: clock.wallStart, seed: scenario.seed, deadline: scenario.network.deadline)
    }
    recorder = LiveRecorder(
      clock: clock, measureStart: scenario.measureStart, measureEnd: scenario.measureEnd,
      deadline: scenario.network.deadline, epoch: fleet.context.epoch, versions: versions,
      journal: journal, resender: resender)
    let mailbox = FleetMailbox(fleet)
    self.mailbox = mailbox
    let recorder = self.recorder
    do throws(TransportError) {
      dispatcher = try UploadDispatcher(
        loop: loops.uploads,
        settings: UploadSettings(
          endpoint: endpoint, token: token, use: Self.use(scenario.connections),
          seed: scenario.seed)
      ) { report in mailbox.deliver(recorder.completed(report)) }
    } catch {
      throw .unreachable(error.description)
    }
    uplink = WireUplink(
      dispatcher: dispatcher, recorder: recorder, clock: clock, shards: fleet.shardCount,
      deadline: scenario.network.deadline, versions: versions,
      codec: plan.dictionary.map(BatchCodec.columns(with:)) ?? .shipped, journal: journal)
    if let capture { dispatcher.capture(to: capture) }
    live = LiveFleet(mailbox: mailbox, uplink: uplink, inputs: inputs)
  }

  var compressionRatio: Double? { uplink.compressionRatio }

  private static func use(_ mode: ConnectionMode) -> ConnectionUse {
    switch mode {
    case .perUpload: .perUpload
    case .perPhone: .perPhone
    case .pooled(let count): .pooled(count)
    }
  }

  /// Sends again what an earlier life left unanswered.
  func resend(now: WallInstant) { resender?.submitDue(at: now, to: dispatcher) }

  /// A sweep of the server's wake scheduler: its pushes go to their phones.
  var takesSweep: @Sendable (PushSweep) -> Void {
    { [pushes, mailbox] sweep in
      pushes.note(sweep)
      mailbox.deliver(sweep.requests.map { ($0.phone, .push($0)) })
    }
  }

  /// The provider's answers for the server, a few times a second; nil: it is not time yet.
  func pushStatuses(now: WallInstant) -> [(id: UInt64, status: Int)]? {
    guard now >= nextReport else { return nil }
    nextReport = now + .milliseconds(200)
    return live.takePushStatuses()
  }

  func noteFaults(_ sentences: [String]) {
    if let first = sentences.first { violationLog.note(first) }
  }

  var ledgerViolations: [String] { violationLog.sentences }

  /// A fault on purpose: the event loop that sends sleeps.
  func stallUploads(for duration: WallDuration) {
    loops.uploads.post { usleep(UInt32(clamping: duration.microseconds)) }
  }

  /// The measured time is over: what it was is fixed before the drain goes on.
  func freeze(at end: SimInstant) {
    digest = fleet.digest()
    cpuAfter = ProcessMetrics.current()
  }

  // MARK: The account

  /// What the fleet knows after the drain, but for what only its server can show.
  func account(at end: SimInstant, _ scenario: Scenario) -> FleetAccount {
    fleet.inOrder { $0.closePushes(at: end) }
    var account = fleet.account(digest: digest, keepsTrace: true)
    let totals = recorder.totals(allowance: scenario.slo.responseP99 ?? .milliseconds(50))
    account.measured.offeredBatches = totals.offered
    account.measured.offeredFixes = totals.offeredFixes
    account.measured.acknowledgedBatches = totals.acknowledged
    account.faults = ledgerViolations
    account.sending = sending(totals)
    return account
  }

  private func sending(_ totals: LiveRecorder.Totals) -> SendingAccount {
    let counters = dispatcher.counters()
    var sending = SendingAccount()
    sending.latency = totals.latency
    sending.failures = totals.failures
    sending.lateReasons = totals.deficitReason.map { [$0] } ?? []
    sending.bytesSent = Int(counters.bytesWritten)
    sending.bytesReceived = Int(counters.bytesRead)
    sending.connections = Int(counters.connects)
    sending.connectFailures = Int(counters.connectFailures)
    sending.retries = Int(counters.retries)
    sending.retriesWithheld = Int(counters.retriesWithheld)
    sending.pushbacks = Int(counters.pushbacks)
    sending.descriptorLimitHits = Int(counters.descriptorLimitHits)
    sending.portLimitHits = Int(counters.portLimitHits)
    sending.resent = resender?.count ?? 0
    sending.processes = cpuAfter.map { [$0.since(cpuBefore)] } ?? []
    return sending
  }
}

extension FleetAccount {
  /// Asks for each batch whether the collector holds it: of a fleet that lived before, for what its
  /// journal says that all its lives submitted.
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
  /// What was spent since an earlier look; memory is as it is.
  func since(_ earlier: ProcessMetrics) -> ProcessMetrics {
    var spent = self
    spent.cpuMicroseconds -= earlier.cpuMicroseconds
    return spent
  }
}
