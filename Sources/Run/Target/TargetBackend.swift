internal import Core
internal import Figures
internal import Fleet
internal import Foundation
internal import Scenarios
internal import Synchronization
internal import Targets
internal import Transport
internal import Uploads
internal import Wire

/// A user's backend as the server of a live fleet. The run does not start or restore the backend,
/// which has no sweeps. Acknowledgements are unverified until the read-back.
final class TargetBackend: LiveServer {
  private let setup: TargetSetup
  private let plan: RunPlan
  private let say: (String) -> Void
  private var sending: TargetSender?
  private var reader: ReadbackReader?
  private var metricsWatch: MetricsWatch?
  /// The primed target with its phones; nil if nothing was sent before the run.
  private var primed: PrimedTarget?

  init(_ setup: TargetSetup, _ plan: RunPlan, say: @escaping (String) -> Void) {
    self.setup = setup
    self.plan = plan
    self.say = say
  }

  var isOurs: Bool { false }
  var isRestored: Bool { primed?.isWhole ?? false }
  var isSecured: Bool { setup.isSecured }
  var address: String { setup.origin }
  var detail: String? { "target \(setup.target.name) at \(setup.origin)" }
  var endpoints: [Endpoint] { [setup.endpoint] }

  // MARK: The run

  func prepare(_ warm: WarmStart, isResumed: Bool) throws(CollectorRunError) {
    let outside = plan.scenario.faults.filter(\.kind.isOfServer).map(\.name)
    if !outside.isEmpty {
      say("skipped, since this run did not start the server: \(outside.joined(separator: ", "))")
    }
    if setup.target.readback == nil {
      say(
        setup.target.isAcknowledged
          ? "\(setup.target.name) has no read-back: uploads are acknowledged, not verified"
          : "\(setup.target.name) uses QoS 0: messages are not acknowledged and "
            + "not verified")
    }
  }

  func begin(after primed: PrimedTarget) { self.primed = primed }

  func sender(
    _ parts: SenderParts, to endpoints: [Endpoint]
  ) throws(CollectorRunError) -> any UploadSender {
    let via = endpoints.first.flatMap { $0 == setup.endpoint ? nil : $0 }
    let sender = TargetSender(setup, parts, via: via)
    if let primed { sender.adopt(primed.phones) }
    primed?.phones = []
    sending = sender
    reader = ReadbackReader(setup, sender, plan)
    return sender
  }

  func goLive(
    at start: WallInstant, onSweep: @escaping @Sendable (PushSweep) -> Void
  ) throws(CollectorRunError) {
    if plan.senders != nil { sending?.openAll(from: start) }
    sending?.startViewing()
    if plan.scenario.viewers != nil, setup.target.view == nil {
      say("\(setup.target.name) has no view: viewers read nothing")
    }
    guard !setup.target.metrics.isEmpty else { return }
    metricsWatch = MetricsWatch(setup.target.metrics, wall: plan.wall)
    metricsWatch?.look()
  }

  func report(_ statuses: [(id: UInt64, status: Int)]) {}

  private static let notesMax = 40
  private var noteCount = 0

  var nextLook: WallInstant {
    min(reader?.nextLook ?? .distantFuture, metricsWatch?.nextLook ?? .distantFuture)
  }

  func keepAlive() {
    reader?.look(at: plan.wall(), say: say)
    metricsWatch?.look()
    if let problem = metricsWatch?.takeProblem() {
      say("\(setup.target.name): its metrics cannot be read: \(problem)")
    }
    guard let sending else { return }
    for note in sending.notes.withLock({ notes in
      defer { notes = [] }
      return notes
    }) where noteCount < Self.notesMax {
      noteCount += 1
      say(note)
    }
  }

  func checkLedger(onViolation: @escaping @Sendable (String) -> Void) {
    guard let sending else { return }
    for sentence in sending.accounts().fixes.check() { onViolation(sentence) }
  }

  func stall() -> String { setup.target.name }
  func kill() -> String { setup.target.name }
  func resume() {}

  // MARK: Figures

  var processIDs: [Int32] { [] }
  func metrics() -> CollectorGroup.Metrics? { nil }
  var compressed: [CollectorMethod: CompressedMessages] { [:] }

  func use(_ uploads: [Sheet]) -> CollectorUse {
    CollectorUse(address: setup.origin, isOurs: false)
  }

  // MARK: The end

  func settle(
    _ account: inout FleetAccount, _ mine: inout ServerAccount, _ session: LiveSession,
    _ journal: FleetJournal?
  ) -> SettledServer {
    guard let sending else { return SettledServer() }
    sending.abort()
    let used = metricsWatch?.end()
    metricsWatch = nil
    sending.reopen()
    var reported = setup.blankFigures
    reported.readback = reader?.compareFixes(say: say)
    reported.eventReadback = reader?.compareEvents(say: say)
    sending.abort()
    let (fixes, tally, times) = sending.accounts()
    reported.server = used
    reported.primed = primed?.figures
    return SettledServer(
      target: TargetAccount(
        reported: reported, fixes: fixes, tally: tally, parts: times, views: sending.viewTally))
  }

  func close() {
    sending?.abort()
    _ = metricsWatch?.end()
    metricsWatch = nil
  }
}

extension TargetSetup {
  var blankFigures: TargetFigures {
    var blank = TargetFigures(
      name: target.name, address: origin, carrier: target.carrier.rawValue,
      client: [target.client.name, target.client.version].filter { !$0.isEmpty }
        .joined(separator: ", "))
    blank.upload = target.upload.summary(over: target.carrier)
    if !target.isAcknowledged { blank.acknowledges = false }
    return blank
  }

  package var host: String { endpoint.host }

  /// Whether the host is this machine or in a private network.
  package var isNear: Bool {
    guard let reach = try? HostReach.of(endpoint.host) else { return false }
    return reach < .anywhere
  }

  /// The number of phones with identities in the target's files; nil for any number.
  package var knownPhones: UInt32? { identities.phones.map { UInt32($0) } }
}
