internal import Core
internal import Fleet
internal import Transport
internal import Uploads

extension SenderParts {
  init(
    _ plan: RunPlan, loop: EventLoop, clock: PacedClock, fleet: PhoneFleet,
    versions: SettingsVersions, recorder: LiveRecorder, journal: FleetJournal?,
    mailbox: FleetMailbox
  ) {
    self.init(
      scenario: plan.scenario, codec: plan.codec, phonesShare: plan.phonesShare, wall: plan.wall,
      loop: loop, clock: clock, fleet: fleet, versions: versions, recorder: recorder,
      mailbox: mailbox, journal: journal, tokens: plan.senders?.tokens)
  }
}
