internal import CFlotillaProto
package import Core

package struct OpenRunRequest: RowMessage, Equatable {
  /// The name of the run. Another `OpenRun` with the same id continues the run.
  package var runID: String
  /// The key of the batch hashes, which fleet and collector sum.
  package var hashKey: UInt64
  /// The seed of the scenario, from which the server draws holdout, jitter and rollout shares.
  package var seed: UInt64
  package var clock: RunClock
  package var phones: UInt32
  package var push: PushTerms
  /// The cohorts in the order of the indices that phones register with.
  package var cohorts: [CohortTerms]
  /// The ages X for which fresh(X) is counted exactly, besides the default ages.
  package var freshWithin: [SimDuration]
  /// The rollouts in the order of their instants.
  package var rollouts: [RolloutTerms]
  /// The outages, in which the server answers phones UNAVAILABLE and does not sweep.
  package var outages: [OutageTerms]

  package init(
    runID: String, hashKey: UInt64, seed: UInt64, clock: RunClock, phones: UInt32,
    push: PushTerms, cohorts: [CohortTerms], freshWithin: [SimDuration] = [],
    rollouts: [RolloutTerms] = [], outages: [OutageTerms] = []
  ) {
    self.runID = runID
    self.hashKey = hashKey
    self.seed = seed
    self.clock = clock
    self.phones = phones
    self.push = push
    self.cohorts = cohorts
    self.freshWithin = freshWithin
    self.rollouts = rollouts
    self.outages = outages
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__OpenRunRequest>(
    flotilla__v1__open_run_request__init,
    OpenRunRequest(
      runID: "", hashKey: 0, seed: 0, clock: RunClock.form.empty, phones: 0, push: PushTerms(),
      cohorts: []),
    [
      .init(
        write: { _, _, _ in },
        read: { (message, _) throws(WireError) in
          guard message.clock != nil, message.push != nil else {
            throw .malformedMessage("OpenRunRequest with a clock and push settings")
          }
        }),
      .text(\.runID, \.run_id),
      .same(\.hashKey, \.hash_key),
      .same(\.seed, \.seed),
      .part(\.clock, \.clock, RunClock.form),
      .same(\.phones, \.phones),
      .part(\.push, \.push, PushTerms.form),
      .list(\.cohorts, \.cohorts, count: \.n_cohorts, CohortTerms.form),
      .times("fresh_within_us", \.freshWithin, \.fresh_within_us, count: \.n_fresh_within_us),
      .list(\.rollouts, \.rollouts, count: \.n_rollouts, RolloutTerms.form),
      .list(\.outages, \.outages, count: \.n_outages, OutageTerms.form),
    ])
}

package struct RunClock: Equatable, Sendable {
  package var scenarioStart: SimInstant
  package var measureStart: SimInstant
  package var measureEnd: SimInstant
  /// Scenario seconds per wall-clock second.
  package var speed: Double
  /// The wall-clock time from the receipt of `OpenRun` to the live start.
  package var startsIn: WallDuration

  package init(
    scenarioStart: SimInstant, measureStart: SimInstant, measureEnd: SimInstant, speed: Double,
    startsIn: WallDuration
  ) {
    self.scenarioStart = scenarioStart
    self.measureStart = measureStart
    self.measureEnd = measureEnd
    self.speed = speed
    self.startsIn = startsIn
  }

  private static let speeds = 0.001...1_000_000

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__RunClock>(
    flotilla__v1__run_clock__init,
    RunClock(
      scenarioStart: .distantPast, measureStart: .distantPast, measureEnd: .distantPast, speed: 0,
      startsIn: .zero),
    [
      clock("scenario_start_us", \.scenarioStart, \.scenario_start_us),
      clock("measure_start_us", \.measureStart, \.measure_start_us),
      clock("measure_end_us", \.measureEnd, \.measure_end_us),
      .number("speed", \.speed, \.speed, in: speeds),
      .time("starts_in_wall_us", \.startsIn, \.starts_in_wall_us, from: -WireBounds.span),
    ])

  private static func clock(
    _ name: String, _ own: WireField<Self, Flotilla__V1__RunClock>.Own<SimInstant>,
    _ wire: WireField<Self, Flotilla__V1__RunClock>.Wire<Int64>
  ) -> WireField<Self, Flotilla__V1__RunClock> {
    .value(own, wire, \.microseconds) { (raw) throws(WireError) in
      try WireBounds.clock(name, raw)
    }
  }
}

package struct CohortTerms: Equatable, Sendable {
  package var name: String
  package var settings: TrackerSettings
  /// The operating system of the cohort's phones, by which the collector's metrics are split; may
  /// be empty.
  package var system: String

  package init(name: String, settings: TrackerSettings, system: String = "") {
    self.name = name
    self.settings = settings
    self.system = system
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__Cohort>(
    flotilla__v1__cohort__init, CohortTerms(name: "", settings: TrackerSettings()),
    [
      .text(\.name, \.name), .part(\.settings, \.settings, TrackerSettings.form),
      .text(\.system, \.system),
    ])
}

/// Newer settings for a share of the phones, handed out from an instant on (HY2).
package struct RolloutTerms: Equatable, Sendable {
  package var at: SimInstant
  /// The index of the cohort; nil for all cohorts.
  package var cohort: UInt32?
  package var share: Double
  /// The rollout's settings; their version is higher than that of every earlier rollout.
  package var settings: TrackerSettings

  package init(at: SimInstant, cohort: UInt32?, share: Double, settings: TrackerSettings) {
    self.at = at
    self.cohort = cohort
    self.share = share
    self.settings = settings
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__Rollout>(
    flotilla__v1__rollout__init,
    RolloutTerms(at: .distantPast, cohort: nil, share: 0, settings: TrackerSettings()),
    [
      .instant("rollouts.at_us", \.at, \.at_us),
      .maybe(\.cohort, \.cohort, { $0 + 1 }, { $0 - 1 }),
      .number("rollouts.share", \.share, \.share, in: 0...1),
      .part(\.settings, \.settings, TrackerSettings.form),
    ])
}

/// Tracker settings that a server may change on a phone (HY2).
package struct TrackerSettings: Equatable, Sendable {
  /// The number of the settings, which grows with each change; 0 for absent settings.
  package var version: UInt32
  /// How long GPS stays on after the first fix of a wake (HY1); zero if the policy has no bursts.
  package var gpsDuration: SimDuration
  /// The minimum time between two bursts of GPS (HY1).
  package var minInterval: SimDuration
  package var sendInterval: SimDuration
  /// The radius of the region around the phone; zero for no region.
  package var regionRadius: Distance
  package var maxFixes: UInt32

  package init(
    version: UInt32 = 0, gpsDuration: SimDuration = .zero, minInterval: SimDuration = .zero,
    sendInterval: SimDuration = .zero, regionRadius: Distance = .meters(0), maxFixes: UInt32 = 0
  ) {
    self.version = version
    self.gpsDuration = gpsDuration
    self.minInterval = minInterval
    self.sendInterval = sendInterval
    self.regionRadius = regionRadius
    self.maxFixes = maxFixes
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__TrackerSettings>(
    flotilla__v1__tracker_settings__init, TrackerSettings(),
    [
      .same(\.version, \.version),
      .time("settings.gps_duration_us", \.gpsDuration, \.gps_duration_us),
      .time("settings.min_interval_us", \.minInterval, \.min_interval_us),
      .time("settings.send_interval_us", \.sendInterval, \.send_interval_us),
      .number(
        "settings.region_radius_meters", \.regionRadius, \.region_radius_meters,
        in: WireBounds.meters, \.meters, Distance.meters),
      .same(\.maxFixes, \.max_fixes),
    ])
}

package enum RunState: UInt32, CaseIterable, Sendable {
  case idle, open, draining

  init(_ message: Flotilla__V1__RunState) { self = RunState(rawValue: message.rawValue) ?? .idle }
  var message: Flotilla__V1__RunState { Flotilla__V1__RunState(rawValue: rawValue) }
}

package enum Encoding: UInt32, CaseIterable, Sendable {
  case identity, zstd, packed, rows, rowsGzip, rowsZstd
}

package struct OpenRunReply: RowMessage, Equatable {
  /// The time of the collector's monotonic clock.
  package var wall: WallInstant
  package var state: RunState
  /// Whether the store already knew this run.
  package var resumed: Bool
  /// The payload encodings that the collector decodes.
  package var encodings: [Encoding]
  /// The number of the dictionary that zstd payloads may name; 0 for none.
  package var dictionary: UInt32

  package init(
    wall: WallInstant, state: RunState, resumed: Bool, encodings: [Encoding] = Encoding.allCases,
    dictionary: UInt32 = 0
  ) {
    self.wall = wall
    self.state = state
    self.resumed = resumed
    self.encodings = encodings
    self.dictionary = dictionary
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__OpenRunReply>(
    flotilla__v1__open_run_reply__init,
    OpenRunReply(
      wall: WallInstant(microseconds: 0), state: .idle, resumed: false, encodings: []),
    [
      .instant("wall_us", \.wall, \.wall_us),
      .value(\.state, \.state, \.message, RunState.init),
      .flag(\.resumed, \.resumed),
      // Encodings that this version does not know are left out.
      .numbers(
        \.encodings, \.encodings, count: \.n_encodings,
        { Flotilla__V1__Encoding(rawValue: $0.rawValue) }, { Encoding(rawValue: $0.rawValue) }),
      .same(\.dictionary, \.dictionary),
    ])
}
