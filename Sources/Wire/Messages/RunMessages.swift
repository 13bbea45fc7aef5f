internal import CFlotillaProto
package import SimulationCore
package import Telemetry

/// Names the run to the collector, with its clock and its push settings.
package struct OpenRunRequest: WireMessage, Equatable {
  /// Names the run; the same id again continues the run.
  package var runID: String
  /// Is the key of the batch hash, which both sides of the ledger sum.
  package var hashKey: UInt64
  /// Is the seed of the scenario, from which the server draws holdout, jitter and rollout shares.
  package var seed: UInt64
  /// Says how scenario time runs on the wall.
  package var clock: RunClock
  /// Counts the phones of the run; their numbers are below it.
  package var phones: UInt32
  /// Holds the terms by which the server chooses phones to push.
  package var push: PushTerms
  /// Holds the cohorts in the order of the indices that phones register with.
  package var cohorts: [CohortTerms]
  /// Ages X for which fresh(X) is kept exactly, beside the customary ones.
  package var freshWithin: [SimDuration]
  /// In the order of their instants.
  package var rollouts: [RolloutTerms]
  /// While one lasts the server answers phones UNAVAILABLE and does not sweep.
  package var outages: [OutageTerms]

  /// Makes a request from the run's parts.
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

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__open_run_request__init)
    message.pointee.run_id = try arena.string(runID)
    message.pointee.hash_key = hashKey
    message.pointee.seed = seed
    message.pointee.clock = try clock.message(in: arena)
    message.pointee.phones = phones
    message.pointee.push = try PushTermsTable.message(push, in: arena)
    message.pointee.n_cohorts = cohorts.count
    message.pointee.cohorts = try arena.messages(cohorts) { (cohort) throws(WireError) in
      try cohort.message(in: arena)
    }
    message.pointee.n_rollouts = rollouts.count
    message.pointee.rollouts = try arena.messages(rollouts) { (rollout) throws(WireError) in
      try rollout.message(in: arena)
    }
    message.pointee.n_outages = outages.count
    message.pointee.outages = try arena.messages(outages) { (outage) throws(WireError) in
      try outage.message(in: arena)
    }
    message.pointee.n_fresh_within_us = freshWithin.count
    message.pointee.fresh_within_us = try arena.copy(freshWithin.map(\.microseconds))
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where the clock or the push settings are absent,
  /// too.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "OpenRunRequest", flotilla__v1__open_run_request__unpack)
      .pointee
    guard let clock = message.clock, let push = message.push else {
      throw .malformedMessage("OpenRunRequest with a clock and push settings")
    }
    var ages: [SimDuration] = []
    for age in column(message.fresh_within_us, message.n_fresh_within_us) {
      ages.append(try WireBounds.span("fresh_within_us", age))
    }
    return Self(
      runID: text(message.run_id), hashKey: message.hash_key, seed: message.seed,
      clock: try RunClock(clock.pointee), phones: message.phones,
      push: try PushTermsTable.terms(push.pointee),
      cohorts: try values(message.cohorts, message.n_cohorts, CohortTerms.init),
      freshWithin: ages,
      rollouts: try values(message.rollouts, message.n_rollouts, RolloutTerms.init),
      outages: try values(message.outages, message.n_outages, OutageTerms.init))
  }
}

/// How scenario time runs on the wall while the run is live.
package struct RunClock: Equatable, Sendable {
  /// Is the scenario instant at which the run goes live.
  package var scenarioStart: SimInstant
  /// Is the scenario instant at which the phase `measure` begins.
  package var measureStart: SimInstant
  /// Is the scenario instant at which the phase `measure` ends and `drain` begins.
  package var measureEnd: SimInstant
  /// Scenario seconds per wall second.
  package var speed: Double
  /// From the receipt of `OpenRun` to the live start.
  package var startsIn: WallDuration

  /// Makes a clock from its instants, its speed and the wall time to its start.
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

  /// The speeds at which a run can be told to go.
  private static let speeds = 0.001...1_000_000

  init(_ message: Flotilla__V1__RunClock) throws(WireError) {
    self.init(
      scenarioStart: try WireBounds.clock("scenario_start_us", message.scenario_start_us),
      measureStart: try WireBounds.clock("measure_start_us", message.measure_start_us),
      measureEnd: try WireBounds.clock("measure_end_us", message.measure_end_us),
      speed: try WireBounds.number("speed", message.speed, in: Self.speeds),
      startsIn: try WireBounds.span(
        "starts_in_wall_us", message.starts_in_wall_us, from: -WireBounds.span))
  }

  func message(in arena: Arena) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__RunClock> {
    let message = try arena.make(flotilla__v1__run_clock__init)
    message.pointee.scenario_start_us = scenarioStart.microseconds
    message.pointee.measure_start_us = measureStart.microseconds
    message.pointee.measure_end_us = measureEnd.microseconds
    message.pointee.speed = speed
    message.pointee.starts_in_wall_us = startsIn.microseconds
    return message
  }
}

/// A cohort as the collector needs it: its name and the settings it hands out.
package struct CohortTerms: Equatable, Sendable {
  /// Is the cohort's name in the scenario.
  package var name: String
  /// Holds the settings that the cohort's phones are handed before any rollout.
  package var settings: TrackerSettings

  /// Makes the terms of a cohort.
  package init(name: String, settings: TrackerSettings) {
    self.name = name
    self.settings = settings
  }

  init(_ message: Flotilla__V1__Cohort) throws(WireError) {
    self.init(name: text(message.name), settings: try TrackerSettings(message.settings))
  }

  func message(in arena: Arena) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__Cohort> {
    let message = try arena.make(flotilla__v1__cohort__init)
    message.pointee.name = try arena.string(name)
    message.pointee.settings = try settings.message(in: arena)
    return message
  }
}

/// Newer settings for a part of the phones, handed out from an instant on (HY2).
package struct RolloutTerms: Equatable, Sendable {
  /// Is the scenario instant from which the settings are handed out.
  package var at: SimInstant
  /// nil: every cohort.
  package var cohort: UInt32?
  /// 0 ... 1
  package var share: Double
  /// Holds the settings that are handed out; their version is higher than that of every earlier
  /// rollout.
  package var settings: TrackerSettings

  /// Makes a rollout of `settings` to a share of one cohort, or of every cohort.
  package init(at: SimInstant, cohort: UInt32?, share: Double, settings: TrackerSettings) {
    self.at = at
    self.cohort = cohort
    self.share = share
    self.settings = settings
  }

  init(_ message: Flotilla__V1__Rollout) throws(WireError) {
    self.init(
      at: try WireBounds.instant("rollouts.at_us", message.at_us),
      cohort: message.cohort == 0 ? nil : message.cohort - 1,
      share: try WireBounds.number("rollouts.share", message.share, in: 0...1),
      settings: try TrackerSettings(message.settings))
  }

  func message(in arena: Arena) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__Rollout> {
    let message = try arena.make(flotilla__v1__rollout__init)
    message.pointee.at_us = at.microseconds
    message.pointee.cohort = cohort.map { $0 + 1 } ?? 0
    message.pointee.share = share
    message.pointee.settings = try settings.message(in: arena)
    return message
  }
}

/// The tracker settings that a server may change on a phone (HY2); the version grows.
package struct TrackerSettings: Equatable, Sendable {
  /// Grows with each change; 0 where the message carried no settings.
  package var version: UInt32
  /// Is how long GPS stays on after the first fix of a wake (HY1); zero where the policy has no
  /// bursts.
  package var gpsDuration: SimDuration
  /// Is the least time between two bursts of GPS (HY1).
  package var minInterval: SimDuration
  /// Is the time between two uploads of the policy's sender.
  package var sendInterval: SimDuration
  /// Zero: no region is kept.
  package var regionRadius: Distance
  /// Is the largest number of fixes of one batch.
  package var maxFixes: UInt32

  /// Makes settings from their parts.
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

  /// Those of a message that may leave them out.
  init(_ message: UnsafeMutablePointer<Flotilla__V1__TrackerSettings>?) throws(WireError) {
    guard let message = message?.pointee else {
      self.init()
      return
    }
    self.init(
      version: message.version,
      gpsDuration: try WireBounds.span("settings.gps_duration_us", message.gps_duration_us),
      minInterval: try WireBounds.span("settings.min_interval_us", message.min_interval_us),
      sendInterval: try WireBounds.span("settings.send_interval_us", message.send_interval_us),
      regionRadius: .meters(
        try WireBounds.number(
          "settings.region_radius_meters", message.region_radius_meters, in: WireBounds.meters)),
      maxFixes: message.max_fixes)
  }

  func message(
    in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__TrackerSettings> {
    let message = try arena.make(flotilla__v1__tracker_settings__init)
    message.pointee.version = version
    message.pointee.gps_duration_us = gpsDuration.microseconds
    message.pointee.min_interval_us = minInterval.microseconds
    message.pointee.send_interval_us = sendInterval.microseconds
    message.pointee.region_radius_meters = regionRadius.meters
    message.pointee.max_fixes = maxFixes
    return message
  }
}

/// Where the collector is in a run.
package enum RunState: UInt32, CaseIterable, Sendable {
  case idle, open, draining

  init(_ message: Flotilla__V1__RunState) { self = RunState(rawValue: message.rawValue) ?? .idle }
  var message: Flotilla__V1__RunState { Flotilla__V1__RunState(rawValue: rawValue) }
}

/// How an upload's payload is encoded.
package enum Encoding: UInt32, CaseIterable, Sendable {
  case identity, zstd, packed, rows, rowsGzip, rowsZstd
}

/// The collector's answer: its clock, its state and what it can decode.
package struct OpenRunReply: WireMessage, Equatable {
  /// The collector's own monotonic clock.
  package var wall: WallInstant
  /// Says where the collector is in the run.
  package var state: RunState
  /// The store already knew this run.
  package var resumed: Bool
  /// Lists the payload encodings that the collector decodes.
  package var encodings: [Encoding]
  /// Number of the dictionary that zstd payloads may name; 0: none.
  package var dictionary: UInt32

  /// Makes a reply from its parts.
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

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__open_run_reply__init)
    message.pointee.wall_us = wall.microseconds
    message.pointee.state = state.message
    message.pointee.resumed = resumed ? 1 : 0
    message.pointee.n_encodings = encodings.count
    message.pointee.encodings = try arena.copy(
      encodings.map { Flotilla__V1__Encoding(rawValue: $0.rawValue) })
    message.pointee.dictionary = dictionary
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message and skips encodings that this version does not know; throws
  /// `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "OpenRunReply", flotilla__v1__open_run_reply__unpack)
      .pointee
    return Self(
      wall: try WireBounds.instant("wall_us", message.wall_us), state: RunState(message.state),
      resumed: message.resumed != 0,
      encodings: column(message.encodings, message.n_encodings)
        .compactMap { Encoding(rawValue: $0.rawValue) }, dictionary: message.dictionary)
  }
}
