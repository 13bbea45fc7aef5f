package import Figures
package import Fleet
package import Scenarios
package import SimulationCore
package import Transport
package import Wire

/// What carries a live fleet's batches: to collectors over Flotilla's own calls, or to a target.
///
/// The fleet hands its batches to `uplink`, on its shards' queues; all else is asked of it a few
/// times a second.
package protocol UploadSender: AnyObject, Sendable {
  /// Takes the fleet's batches.
  var uplink: any Uplink { get }
  /// Counts what it did so far.
  func counters() -> Sheet
  /// The same for each collector; empty where there is none.
  var countersByCollector: [Sheet] { get }
  /// Counts uploads that failed by what they met; nil: as the recorder has them.
  var failures: [String: Int]? { get }
  /// Sends again what an earlier life of the fleet left.
  func resend(_ resender: Resender, now: WallInstant)
  /// Writes every upload message from now on to a file.
  func capture(to file: CaptureFile)
  /// Begins nothing new: what waits goes back to its phones.
  func drain()
  /// Ends every upload that has not ended, as timed out.
  func abort()
}

/// Is what a sender is made of: the run's scenario, clock, fleet and recorder.
package struct SenderParts {
  /// Is the scenario of the run.
  package let scenario: Scenario
  /// Says how batches are encoded.
  package let codec: BatchCodec
  /// Is the part of all phones that are this process's.
  package let phonesShare: Double
  /// Are the push tokens of the phones' apps, where a sender of the user's own pushes them.
  package let tokens: RunTokens?
  /// Reads the machine's monotonic clock.
  package let wall: @Sendable () -> WallInstant
  /// Is the loop on which it sends.
  package let loop: EventLoop
  /// Is the run's clock.
  package let clock: PacedClock
  /// Is the fleet whose batches are sent.
  package let fleet: PhoneFleet
  /// Says which settings a phone has.
  package let versions: SettingsVersions
  /// Records what became of each upload.
  package let recorder: LiveRecorder
  /// Keeps batches on disk; nil: none does.
  package let journal: FleetJournal?
  /// Takes what phones are to learn.
  package let mailbox: FleetMailbox

  /// Makes the parts of a sender without a journal, whose phones have no push tokens.
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
