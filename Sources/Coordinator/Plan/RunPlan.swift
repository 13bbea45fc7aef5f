package import Figures
package import Fleet
package import Uploads
package import Scenarios
internal import ServerLogic
package import SimulationCore
package import Telemetry
package import Transport
package import Wire

/// What one run needs beside its scenario; the command line supplies it, which alone knows
/// the wall clock and the words of the command.
package struct RunPlan: Sendable {
  /// The scenario to run, with all settings applied.
  @Boxed package var scenario: Scenario
  /// The scenario as YAML, with all defaults, for the run's record.
  package var scenarioText: String
  /// The hash by which journals and input logs know the scenario.
  package var scenarioHash: UInt64
  /// The words of the command line, for the run's record.
  package var command: [String]
  /// The program's version, for the run's record.
  package var version: String
  /// The build of the program, where several processes must be of one; else 0.
  package var program: UInt64 = 0
  /// The number of threads that live the fleet's shards.
  package var threads: Int
  /// The wall time at which the run was started, as ISO 8601 in UTC.
  package var startedAt: String
  /// The instant, as ISO 8601 in UTC, at which the live part is to begin in every process of
  /// the run; nil where that is as soon as they are ready.
  package var startsAt: String?
  package var wall: @Sendable () -> WallInstant
  /// The dictionary with which columns are compressed; nil where there is none.
  package var dictionary: PayloadDictionary?
  /// How a live run's calls stand on the wire.
  package var carrier = CarrierKind.flotilla
  /// Whether a collector's store is read at the end of a live run, to verify what was acknowledged.
  package var readsStore = true
  /// How connections to the collector are secured; nil where they are in the clear.
  package var security: RunSecurity?
  /// How a live run's phones are pushed from outside; nil: the run's own server alone does it.
  package var senders: PushSenderPlan?
  /// Connects the processes that carry out the run together; nil where this one does it alone.
  package var link: (any ShareLink)?
  /// The part of the run that this process is, whose others are merged later; nil: it is whole.
  package var shard: RunPart?
  /// Returns the time that is left to the instant at which the live part begins; nil where it
  /// begins as soon as the fleet is ready.
  package var startsIn: (@Sendable () -> WallDuration)?
  package var trace: PhoneTrace?
  /// What a simulation's server asks beside its wake scheduler, in the order of instants.
  package var requests: [SilentPush] = []

  /// The keys of `slo` that the user has asked for: too little measured for one is then a miss.
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

  /// How batches are encoded.
  package var codec: BatchCodec { BatchCodec(scenario.encoding, dictionary: dictionary) }
  /// Identifies this run among others of the same scenario; equal in all of its processes.
  var runTime: String { startsAt ?? startedAt }

  /// The place of this process among those of the run.
  package var place: SharePlace { link?.place ?? shard?.place ?? .alone }

  /// Whether this process prints, shows the screen and writes a run's files: the first does, or
  /// each where they are merged later.
  package var leads: Bool { place.isFirst || shard != nil }

  /// The range of the phones that this process simulates.
  package var phones: Range<Int> { place.range(of: scenario.fleet.phones) }

  /// Ends this process's part of the run.
  ///
  /// - Returns: what every process leaves, where it waits for them; else its own part alone.
  func end(_ mine: ShareEnd) -> [ShareEnd] { link?.end(mine) ?? [mine] }

  /// The part of all phones that this process simulates: what it may use of a rate that is meant
  /// for all.
  var phonesShare: Double { Double(phones.count) / Double(max(1, scenario.fleet.phones)) }

  /// Agrees on the push rate with the other processes; nil if the rate is for this process alone.
  var agree: (@Sendable (SweepBids) -> SweepCut)? {
    if let link { return { link.agree(on: $0) } }
    guard let shard, shard.place.count > 1 else { return nil }
    return { shard.agree(on: $0) }
  }
}

/// How a run's connections to its collector are secured.
package struct RunSecurity: Equatable, Sendable {
  package var files: TLSClientFiles
  /// The share of uploads' connections that resume their phone's last session, where it has one.
  package var resumedShare: Double

  package init(files: TLSClientFiles, resumedShare: Double) {
    self.files = files
    self.resumedShare = resumedShare
  }
}

package indirect enum RunProgress: Sendable {
  /// The progress of a warm start, or of a whole simulation.
  case virtual(Snapshot)
  case live(LiveInterval)
  case note(String)
}
