internal import Fleet
internal import Processes
internal import Scenarios
internal import SimulationCore
internal import Transport
internal import Wire

/// Collectors as the server of a live fleet.
extension CollectorGroup: LiveServer {
  var isRestored: Bool { true }

  var detail: String? { isOurs ? nil : "collector \(address)" }
  var errors: [String: Int]? { nil }
  var isSecured: Bool { tls != nil }

  func sender(
    _ parts: SenderParts, to endpoints: [Endpoint]
  ) throws(CollectorRunError) -> any UploadSender {
    do throws(TransportError) {
      return try WireSender(
        parts, to: endpoints, settings: settings(parts.plan, to: endpoints[0]))
    } catch {
      throw .unreachable(error.description)
    }
  }

  private func settings(_ plan: RunPlan, to endpoint: Endpoint) -> UploadSettings {
    var settings = UploadSettings(
      endpoint: endpoint, token: token,
      use: Self.use(plan.scenario.connections, at: plan.link.place), seed: plan.scenario.seed)
    settings.carrier = plan.carrier
    settings.tls = tls
    // A proxy that uploads go through shows the collector's certificate.
    settings.serverName = host
    settings.resumedShare = plan.security?.resumedShare ?? 0
    return settings
  }

  /// Connections that are shared by the whole fleet are divided among its processes.
  private static func use(_ mode: ConnectionMode, at place: SharePlace) -> ConnectionUse {
    switch mode {
    case .perUpload: .perUpload
    case .perPhone: .perPhone
    case .pooled(let count): .pooled(max(1, place.range(of: count).count))
    }
  }

  func settle(
    _ account: inout FleetAccount, _ mine: inout ServerAccount, _ session: LiveSession,
    _ journal: FleetJournal?
  ) -> SettledServer {
    do throws(CollectorRunError) {
      let (proof, differences) = try proof()
      if leads { account.faults += differences }
      // The collector's sum is of all phones; one process hands it over.
      if leads { mine.wake.unreachableSum = proof.unreachable }
      account.prove(session, journal) { proof.holds($0) }
      return SettledServer(account: .success(ServerAccount(proof)))
    } catch {
      return SettledServer(account: .failure(error))
    }
  }
}

/// Carries a fleet's uploads to its collectors.
final class WireSender: UploadSender {
  private let fan: UploadFan
  private let wire: WireUplink

  /// - Parameter settings: of the uploads to the first of `endpoints`.
  init(
    _ parts: SenderParts, to endpoints: [Endpoint], settings: UploadSettings
  ) throws(TransportError) {
    let (recorder, mailbox) = (parts.recorder, parts.mailbox)
    fan = try UploadFan(to: endpoints, loop: parts.loop, settings: settings) { report in
      mailbox.deliver(recorder.completed(report))
    }
    wire = WireUplink(
      dispatcher: fan, recorder: recorder, clock: parts.clock, context: parts.fleet.context,
      shards: parts.fleet.shardCount, deadline: parts.plan.scenario.network.deadline,
      versions: parts.versions, codec: parts.plan.codec, journal: parts.journal)
  }

  var uplink: any Uplink { wire }
  func counters() -> UploadCounters { fan.counters() }
  var countersByCollector: [UploadCounters] { fan.countersByCollector }
  var failures: [String: Int]? { nil }

  var payloads: SendingAccount.Payloads {
    let bytes = wire.encodedBytes
    return .init(count: wire.encodedBatches, plainBytes: bytes.plain, bytes: bytes.payload)
  }

  func resend(_ resender: Resender, now: WallInstant) { resender.submitDue(at: now, to: fan) }
  func capture(to file: CaptureFile) { fan.capture(to: file) }
  func drain() {}
  func abort() { fan.abort() }
}
