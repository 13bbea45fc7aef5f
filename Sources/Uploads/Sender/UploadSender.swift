package import Core
package import Fleet
package import Scenarios
package import Transport
package import Wire

/// The sender of a live fleet's batches. `uplink` is used on the shards' queues.
package protocol UploadSender: AnyObject, Sendable {
  var uplink: any Uplink { get }
  func counters() -> Sheet
  /// The counters by collector; empty for a target.
  var countersByCollector: [Sheet] { get }
  /// The number of failed uploads by cause; nil to use the recorder's numbers.
  var failures: [String: Int]? { get }
  func resend(_ resender: Resender, now: WallInstant)
  func capture(to file: CaptureFile)
  /// Starts no more uploads, and gives waiting batches back to their phones.
  func drain()
  /// Ends every unfinished upload as timed out.
  func abort()
}

package struct SenderParts {
  package let scenario: Scenario
  package let codec: BatchCodec
  package let phonesShare: Double
  package let tokens: RunTokens?
  package let wall: @Sendable () -> WallInstant
  package let loop: EventLoop
  package let clock: PacedClock
  package let fleet: PhoneFleet
  package let versions: SettingsVersions
  package let recorder: LiveRecorder
  package let journal: FleetJournal?
  package let mailbox: FleetMailbox

  package init(
    scenario: Scenario, codec: BatchCodec, phonesShare: Double,
    wall: @escaping @Sendable () -> WallInstant, loop: EventLoop, clock: PacedClock,
    fleet: PhoneFleet, versions: SettingsVersions, recorder: LiveRecorder, mailbox: FleetMailbox,
    journal: FleetJournal? = nil, tokens: RunTokens? = nil
  ) {
    self.scenario = scenario
    self.codec = codec
    self.phonesShare = phonesShare
    self.tokens = tokens
    self.wall = wall
    self.loop = loop
    self.clock = clock
    self.fleet = fleet
    self.versions = versions
    self.recorder = recorder
    self.journal = journal
    self.mailbox = mailbox
  }
}
