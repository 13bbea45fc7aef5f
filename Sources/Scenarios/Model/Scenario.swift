package import SimulationCore
package import Telemetry

/// One validated scenario: every default filled in, every unit resolved, every policy found.
///
/// A plain value. The reader makes it from YAML; the fleet, the collector and the report read it.
package struct Scenario: Equatable, Sendable {
  /// The name that runs and reports use for the scenario.
  package var name: String
  /// The sentence that the run's report answers.
  package var question: String
  /// What kind of sentence answers it.
  package var answers: Answer
  /// Seeds every draw of the run; equal seeds make equal worlds.
  package var seed: UInt64
  /// The instant at which the scenario goes live.
  package var start: SimInstant
  /// Scenario time lived live: ramp and measure together.
  package var duration: SimDuration
  /// Scenario time lived in virtual time before `start`.
  package var warmStart: SimDuration
  /// Scenario seconds per wall second while live.
  package var speed: Double
  /// The lengths of ramp and drain.
  package var phases: Phases
  /// Where the people live, how they move, and what event takes place.
  package var city: City
  /// How many phones there are and what they are like.
  package var fleet: FleetSettings
  /// The settings of silent pushes.
  package var push: PushSettings
  /// The settings of the server that is measured.
  package var collector: CollectorSettings
  /// How phones connect to the collector.
  package var connections: ConnectionMode
  /// How phones write the batches that they upload.
  package var encoding: BatchEncoding
  /// How long an upload takes on an ideal network.
  package var network: NetworkModel
  /// The faults that are injected on purpose.
  package var faults: [Fault]
  /// The service levels that the run must reach to pass.
  package var slo: ServiceLevels
  /// The policies in use; a cohort names one by its index here.
  package var policies: [Policy]
  /// New settings from the server, in the order of their instants.
  package var rollouts: [Rollout] = []
  /// The recordings in use; a cohort's replay names them by their indices here.
  package var recordings: [Recording] = []
  /// How all phones err.
  package var sensors = Named(name: "standard", value: SensorProfile.standard)
  /// nil: the phases are as they were written.
  package var shortened: ShortenedPhases?

  /// The lengths of the phases round the measured time, in scenario time.
  package struct Phases: Equatable, Sendable {
    /// The first part of `duration`, whose samples are kept out of the verdict.
    package var ramp: SimDuration
    /// The longest time after `duration` in which what is in flight may finish.
    package var drain: SimDuration
  }

  /// The summer time of a city (TZ1).
  package struct SummerTime: Equatable, Sendable, BitwiseCopyable {
    /// How far the clocks are put forward.
    package var shift: SimDuration
    /// The instant at which they are put forward.
    package var from: SimInstant
    /// The instant at which they are put back.
    package var until: SimInstant
  }

  /// Describes the place of the scenario and its people.
  package struct City: Equatable, Sendable {
    /// The latitude of the centre in degrees, -80 ... 80.
    package var centreLatitude: Double
    /// The longitude of the centre in degrees, -180 ... 180.
    package var centreLongitude: Double
    /// Homes lie within this distance of the centre; nil: in the open country round it.
    package var radius: Distance?
    /// The offset of the city's clocks from UTC, outside summer time.
    package var utcOffset: SimDuration
    /// When the city's clocks are put forward; nil: they are not.
    package var summerTime: SummerTime? = nil
    /// How the city's people live and travel.
    package var people = PeopleProfile.standard
    /// Where all spectators go; nil: nothing takes place.
    package var event: CityEvent? = nil

    /// Converts between instants and the city's own clock.
    package var clock: CivilClock {
      guard let summer = summerTime else { return CivilClock(utcOffset: utcOffset) }
      return CivilClock(
        utcOffset: utcOffset, summerShift: summer.shift, from: summer.from, until: summer.until)
    }

    /// How far out homes lie, with a radius or without: what a map has to show.
    package var extent: Distance { radius ?? .kilometers(40) }
  }

  /// The instant at which the measured time begins, after the ramp.
  package var measureStart: SimInstant { start + phases.ramp }
  /// The instant at which the measured time ends and the drain begins.
  package var measureEnd: SimInstant { start + duration }
  /// Converts between instants and the city's own clock.
  package var clock: CivilClock { city.clock }
  /// Maps degrees to a plane in metres round the city's centre.
  package var projection: Projection {
    Projection(centreLatitude: city.centreLatitude, centreLongitude: city.centreLongitude)
  }
}

/// What a scenario asks for, and so what the first sentence of its report says.
package enum Answer: String, CaseIterable, Sendable {
  /// What one collector served, or what the fleet asks of one.
  case capacity
  /// How old the newest positions are, and why.
  case freshness
  /// Whom a silent push brings back, and what stops the rest.
  case wake
  /// What happened when an outage had ended.
  case storm
  /// How the cohorts differ.
  case cohorts
}

/// A match, a concert: a crowd that comes, stays and leaves at once.
package struct CityEvent: Equatable, Sendable {
  /// Of the venue, degrees; nil: the city's centre.
  package var place: [Double]?
  /// The instant at which the event begins.
  package var from: SimInstant
  /// The instant at which the event ends; later than `from`.
  package var until: SimInstant
  /// Everybody's place lies within this distance of the venue.
  package var radius: Distance
  /// People arrive spread evenly over this long before `from` …
  package var arrivals: SimDuration
  /// … and leave spread evenly over this long after `until`.
  package var departures: SimDuration
}

/// How a live fleet uses connections to the collector.
package enum ConnectionMode: Equatable, Sendable {
  /// A woken phone connects, uploads, reads the ack and closes.
  case perUpload
  /// One connection a phone, opened at its first upload.
  case perPhone
  /// `n` connections that all phones share.
  case pooled(Int)
}

/// How long a phone's upload takes on an ideal network, from the first packet to the ack, as the
/// app perceives it: floor + exponential of `mean`. Scenario time.
package struct NetworkModel: Equatable, Sendable {
  /// The distribution of an exchange's length over one kind of data path.
  package struct Path: Equatable, Sendable {
    /// The least time from the first packet to the ack.
    package var floor = SimDuration.zero
    /// The mean of the exponential time on top of `floor`.
    package var mean = SimDuration.zero
  }
  /// The path over the cellular network.
  package var cellular = Path()
  /// The path over Wi-Fi.
  package var wifi = Path()
  /// The deadline of a call. Wall time on the wire, the same number of scenario seconds on the
  /// phone.
  package var deadline = WallDuration.zero
  /// Of an exchange, the share that is over when the server has the batch.
  package var uplinkShare = 0.0
  /// How long the phone's system takes to say that there is no data path.
  package var offlineAnswer = SimDuration.zero

  /// How much of an exchange is over when the server has the batch, in whole microseconds.
  package func uplink(of exchange: SimDuration) -> SimDuration {
    .microseconds(Int64((Double(exchange.microseconds) * uplinkShare).rounded(.down)))
  }
}

/// Something that goes wrong on purpose.
package struct Fault: Equatable, Sendable {
  /// The kind of a fault; it decides which other fields mean anything.
  package enum Kind: Equatable, Sendable {
    /// Phones lose their data path; `lasts` is scenario time.
    case networkOutage
    /// The server answers every call UNAVAILABLE and pushes nobody; `lasts` is scenario time.
    case serverOutage
    /// The push provider answers every request 503; `lasts` is scenario time.
    case providerOutage
    /// The collector process is stopped (SIGSTOP) and continued; `lastsWall` is wall time.
    case collectorStall
    /// The collector process is killed (SIGKILL); a collector that `load` started is restarted.
    case collectorKill
    /// The generator's event loop sleeps; `lastsWall` is wall time. Makes a run invalid on purpose.
    case generatorStall
    /// What goes over the wire comes later. The wire's faults are done by a proxy between the
    /// uploads and the collector of a live run, for `lastsWall`; `share` is that of connections.
    case wireDelay
    /// Nothing passes for a time.
    case wireStall
    /// Connections are reset in mid-frame.
    case wireCut
    /// One direction of a connection is swallowed; it stays open.
    case wireHalfOpen
    case wireThrottle
    /// Bytes are changed.
    case wireFlip

    /// Whether it is done to a collector that the run has started.
    package var isOfServer: Bool {
      switch self {
      case .serverOutage, .providerOutage, .collectorStall, .collectorKill: true
      case .networkOutage, .generatorStall, .wireDelay, .wireStall, .wireCut, .wireHalfOpen,
        .wireThrottle, .wireFlip:
        false
      }
    }

    /// Whether it is done to connections, and only where there are any.
    package var isOfWire: Bool {
      switch self {
      case .networkOutage, .serverOutage, .providerOutage, .collectorStall, .collectorKill,
        .generatorStall:
        false
      case .wireDelay, .wireStall, .wireCut, .wireHalfOpen, .wireThrottle, .wireFlip: true
      }
    }
  }

  /// What the wire's faults are like; each kind reads its own. Wall time.
  package struct Wire: Equatable, Sendable {
    /// Of `wireDelay`: this much later, and up to `jitter` more.
    package var latency = WallDuration.zero
    /// The most that `wireDelay` adds to `latency`.
    package var jitter = WallDuration.zero
    /// Of `wireCut`: the reset comes after at most so many bytes of one direction.
    package var bytes = 0
    /// Of `wireThrottle`.
    package var bytesPerSecond = 0.0
    /// Of `wireFlip`, for each byte.
    package var probability = 0.0

    /// Makes the figures of a fault that is not of the wire: all zero.
    package init() {}
  }

  /// What goes wrong.
  package var kind: Kind
  /// The instant at which the fault begins.
  package var at: SimInstant
  /// The length of a fault that lasts scenario time; zero for the other kinds.
  package var lasts: SimDuration
  /// The length of a fault that lasts wall time; zero for the other kinds.
  package var lastsWall: WallDuration
  /// nil: every cohort.
  package var cohort: Int?
  /// The share of the cohort's phones that is hit, 0 ... 1.
  package var share: Double
  /// The figures of a fault of the wire; all zero for the other kinds.
  package var wire = Wire()

  /// One that lasts scenario time and hits everybody.
  package static func outage(_ kind: Kind, at: SimInstant, lasts: SimDuration) -> Fault {
    Fault(kind: kind, at: at, lasts: lasts, lastsWall: .zero, cohort: nil, share: 1)
  }
}

/// New settings that the server hands out while the fleet runs (HY2).
///
/// A phone hears of them in the answer to its next upload, or when it registers.
package struct Rollout: Equatable, Sendable {
  /// The instant from which the server hands the settings out.
  package var at: SimInstant
  /// Index into `Scenario.policies`.
  package var policy: Int
  /// nil: every cohort.
  package var cohort: Int?
  /// The share of the cohort's phones, 0 ... 1; the same phones come first in every rollout.
  package var share: Double
}

extension Scenario {
  /// Returns whether a phone of this cohort can answer a push: by the policy that it has, or by one
  /// that a rollout gives it.
  package func answersPushes(cohort: Int) -> Bool {
    let rolledOut = rollouts.filter { $0.cohort == nil || $0.cohort == cohort }.map(\.policy)
    return ([fleet.cohorts[cohort].policy] + rolledOut)
      .contains { policies[$0].settings.onPush.takesPosition }
  }
}

/// The phones that a share is of: all, those the server can reach by push, or those whose
/// truth moves.
package enum Population: String, CaseIterable, Sendable { case installed, reachable, moving }

/// What the run must reach for the verdict `pass`. nil: not asked for.
package struct ServiceLevels: Equatable, Sendable {
  /// A service level for freshness: the least `fresh(within)` of a population.
  package struct Share: Equatable, Sendable {
    /// The population that the share is of.
    package var of: Population
    /// The greatest age of a fix that counts as fresh.
    package var within: SimDuration
    /// 0 ... 1
    package var share: Double
  }
  /// A service level for location: the least `located(within)` of a population.
  package struct Located: Equatable, Sendable {
    /// The population that the share is of.
    package var of: Population
    /// The greatest distance between the newest fix and the truth that counts.
    package var within: Distance
    /// The least share of phone-time, 0 ... 1.
    package var share: Double
  }
  /// The greatest 99th percentile of response, in wall time.
  package var responseP99: WallDuration?
  /// The greatest number of fixes acknowledged but not held by the collector.
  package var lost: Int?
  /// Of the fixes generated, 0 ... 1.
  package var undelivered: Double?
  /// Of the requests to a target, 0 ... 1: the greatest share that fails. nil: 0.01.
  package var failed: Double?
  /// Of the fixes sent to a target, 0 ... 1: the least share that it says to have. nil: 0.99.
  package var stored: Double?
  /// The least share of phone-time with a fix that is young enough.
  package var freshness: Share?
  /// The least share of phone-time in which the newest fix is near enough to the truth.
  package var located: Located?
  /// Of the eligible pushes, 0 ... 1.
  package var answered: Double?
}
