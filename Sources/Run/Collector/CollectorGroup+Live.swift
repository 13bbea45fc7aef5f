internal import Core
internal import Fleet
internal import Scenarios
internal import Transport
internal import Uploads

extension CollectorGroup: LiveServer {
  var isRestored: Bool { true }

  var detail: String? { isOurs ? nil : "collector \(address)" }
  var isSecured: Bool { tls != nil }

  func sender(
    _ parts: SenderParts, to endpoints: [Endpoint]
  ) throws(CollectorRunError) -> any UploadSender {
    do throws(TransportError) {
      return try WireSender(
        parts, to: endpoints, settings: settings(to: endpoints[0]))
    } catch {
      throw .unreachable(error.description)
    }
  }

  private func settings(to endpoint: Endpoint) -> UploadSettings {
    var settings = UploadSettings(
      endpoint: endpoint, token: token,
      use: ConnectionUse(plan.scenario.connections).part(of: plan.place),
      seed: plan.scenario.seed)
    settings.carrier = plan.scenario.run.carrier
    settings.tls = tls
    // The proxy for uploads presents the collector's certificate.
    settings.serverName = host
    settings.resumedShare = plan.scenario.run.tls?.resumedShare ?? 0
    return settings
  }

  func settle(
    _ account: inout FleetAccount, _ mine: inout ServerAccount, _ session: LiveSession,
    _ journal: FleetJournal?
  ) -> SettledServer {
    do throws(CollectorRunError) {
      let (proof, differences) = try proof()
      if leads {
        let owner = members.count == 1 ? "the collector" : "the collectors"
        account.faults += differences + proof.faults(of: owner)
      }
      // The collector's sum covers all phones, so only one process reports it.
      if leads { mine.wake.unreachableSum = proof.unreachable }
      account.prove(session, journal) { proof.holds($0) }
      return SettledServer(account: .success(ServerAccount(proof)))
    } catch .unverified(let why) {
      mine.unverified = why
      return SettledServer()
    } catch {
      return SettledServer(account: .failure(error))
    }
  }
}
