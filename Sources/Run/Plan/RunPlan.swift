package import Core
package import Figures
package import Fleet
package import Scenarios
internal import ServerLogic
package import Transport
package import Uploads
package import Wire

/// The inputs of a run: its scenario, its clock and the options of the command line.
package struct RunPlan: Sendable {
  @Boxed package var scenario: Scenario
  package var scenarioText: String
  /// The hash that identifies the scenario in journals and input logs.
  package var scenarioHash: UInt64
  package var command: [String]
  package var version: String
  /// The build of the program if all processes must run the same build; otherwise 0.
  package var program: UInt64 = 0
  package var threads: Int
  /// The wall-clock time of the start, as ISO 8601 in UTC.
  package var startedAt: String
  /// The planned start of the live part in every process, as ISO 8601 in UTC; nil if unplanned.
  package var startsAt: String?
  package var wall: @Sendable () -> WallInstant
  package var dictionary: PayloadDictionary?
  package var senders: PushSenderPlan?
  package var link: (any ShareLink)?
  /// This process's part of a run that is merged later; nil for any other run.
  package var shard: RunPart?
  /// The wall-clock time left until the live part; nil to begin as soon as the fleet is ready.
  package var startsIn: (@Sendable () -> WallDuration)?
  package var trace: PhoneTrace?
  /// Returns a screen's question about phones; nil without a screen. Called once a second.
  package var asked: (@Sendable () -> PhoneQuestion?)?
  /// Returns whether a browser shows the phones now; nil if no page can.
  package var isWatched: (@Sendable () -> Bool)?
  package var requests: [SilentPush] = []

  /// The keys of `slo` that the user set, whose levels fail if there are too few samples.
  package var askedLevels: Set<String> = []
  package var cache: WarmStartCache?

  package init(
    scenario: Scenario, scenarioText: String, scenarioHash: UInt64, command: [String],
    version: String, threads: Int, startedAt: String, wall: @escaping @Sendable () -> WallInstant
  ) {
    self.scenario = scenario
    self.scenarioText = scenarioText
    self.scenarioHash = scenarioHash
    self.command = command
    self.version = version
    self.threads = threads
    self.startedAt = startedAt
    self.wall = wall
  }

  package var codec: BatchCodec { BatchCodec(scenario.encoding, dictionary: dictionary) }
  /// The identity of this run among runs of the same scenario, equal in all processes.
  var runTime: String { startsAt ?? startedAt }

  package var place: SharePlace { link?.place ?? shard?.place ?? .alone }

  /// Whether this run can show its phones, which needs the whole fleet here and no traced phone.
  package var hasMap: Bool { phones == 0..<scenario.fleet.phones && trace == nil }

  /// Whether this process prints and writes files, as the first does, or each part of a merged run.
  package var leads: Bool { place.isFirst || shard != nil }

  package var phones: Range<Int> { place.range(of: scenario.fleet.phones) }

  func end(_ mine: ShareEnd) -> [ShareEnd] { link?.end(mine) ?? [mine] }

  /// The share of all phones, and of each fleet-wide rate, that this process has.
  var phonesShare: Double { Double(phones.count) / Double(max(1, scenario.fleet.phones)) }

  /// Agrees on the push rate with other processes; nil if this process has the rate to itself.
  var agree: (@Sendable (SweepBids) -> SweepCut)? {
    if let link { return { link.agree(on: $0) } }
    guard let shard, shard.place.count > 1 else { return nil }
    return { shard.agree(on: $0) }
  }
}

extension TLSClientFiles {
  package init(_ keys: TLSKeys) {
    self.init(authorities: keys.authorities)
    (certificate, key) = (keys.certificate, keys.key)
  }
}

package indirect enum RunProgress: Sendable {
  /// The progress of a warm start, or of a whole simulation.
  case virtual(Snapshot)
  case live(LiveInterval)
  case phones(PhoneProgress)
  case note(String)
}

/// The phones of a sample, for the map of a live page.
package enum PhoneProgress: Sendable {
  /// The sample at the first instant. `day` returns a phone's day so far, on any thread.
  case began(PhoneSample, day: @Sendable (Int) -> PhoneSample.Day?)
  /// The changes at an instant. A frame that is not kept is replaced by the next one.
  case moved(PhoneFrame, isKept: Bool)
  case ended([PhoneSample.Day])
}
