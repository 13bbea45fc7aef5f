package import SimulationCore

/// One validated scenario: every default filled in, every unit resolved, every policy found.
///
/// A plain value. The reader makes it from YAML; the fleet, the collector and the report read it.
package struct Scenario: Equatable, Sendable {
  package var name: String
  /// The sentence that the run's report answers.
  package var question: String
  /// What kind of sentence answers it.
  package var answers: Answer
  package var seed: UInt64
  package var start: SimInstant
  /// Scenario time lived live: ramp and measure together.
  package var duration: SimDuration
  /// Scenario time lived in virtual time before `start`.
  package var warmStart: SimDuration
  /// Scenario seconds per wall second while live.
  package var speed: Double
  package var phases: Phases
  package var city: City
  package var fleet: FleetSettings
  package var push: PushSettings
  package var collector: CollectorSettings
  package var connections: ConnectionMode
  package var network: NetworkModel
  package var faults: [Fault]
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

  package struct Phases: Equatable, Sendable {
    /// The first part of `duration`, whose samples are kept out of the verdict.
    package var ramp: SimDuration
    /// The longest time after `duration` in which what is in flight may finish.
    package var drain: SimDuration
  }

  package struct City: Equatable, Sendable {
    package var centreLatitude: Double
    package var centreLongitude: Double
    /// Homes lie within this distance of the centre; nil: in the open country round it.
    package var radius: Distance?
    package var utcOffset: SimDuration
    package var people = PeopleProfile.standard
    /// Where all spectators go; nil: nothing takes place.
    package var event: CityEvent? = nil

    /// How far out homes lie, with a radius or without: what a map has to show.
    package var extent: Distance { radius ?? .kilometers(40) }
  }

  package var measureStart: SimInstant { start + phases.ramp }
  package var measureEnd: SimInstant { start + duration }
  package var clock: CivilClock { CivilClock(utcOffset: city.utcOffset) }
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
  package var from: SimInstant
  package var until: SimInstant
  /// Everybody's place lies within this distance of the venue.
  package var radius: Distance
  /// People arrive spread evenly over this long before `from` …
  package var arrivals: SimDuration
  /// … and leave spread evenly over this long after `until`.
  package var departures: SimDuration
}

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
  package struct Path: Equatable, Sendable {
    package var floor: SimDuration
    package var mean: SimDuration
  }
  package var cellular: Path
  package var wifi: Path
  /// The deadline of a call. Wall time on the wire, the same number of scenario seconds on the
  /// phone.
  package var deadline: WallDuration
  /// Of an exchange, the share that is over when the server has the batch.
  package var uplinkShare: Double
  /// How long the phone's system takes to say that there is no data path.
  package var offlineAnswer: SimDuration

  /// How much of an exchange is over when the server has the batch, in whole microseconds.
  package func uplink(of exchange: SimDuration) -> SimDuration {
    .microseconds(Int64((Double(exchange.microseconds) * uplinkShare).rounded(.down)))
  }
}

/// Something that goes wrong on purpose.
package struct Fault: Equatable, Sendable {
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
    package var jitter = WallDuration.zero
    /// Of `wireCut`: the reset comes after at most so many bytes of one direction.
    package var bytes = 0
    /// Of `wireThrottle`.
    package var bytesPerSecond = 0.0
    /// Of `wireFlip`, for each byte.
    package var probability = 0.0

    package init() {}
  }

  package var kind: Kind
  package var at: SimInstant
  package var lasts: SimDuration
  package var lastsWall: WallDuration
  /// nil: every cohort.
  package var cohort: Int?
  /// The share of the cohort's phones that is hit, 0 ... 1.
  package var share: Double
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
  package var at: SimInstant
  /// Index into `Scenario.policies`.
  package var policy: Int
  /// nil: every cohort.
  package var cohort: Int?
  /// The share of the cohort's phones, 0 ... 1; the same phones come first in every rollout.
  package var share: Double
}

package enum Population: String, CaseIterable, Sendable { case installed, reachable, moving }

/// What the run must reach for the verdict `pass`. nil: not asked for.
package struct ServiceLevels: Equatable, Sendable {
  package struct Share: Equatable, Sendable {
    package var of: Population
    package var within: SimDuration
    /// 0 ... 1
    package var share: Double
  }
  package struct Located: Equatable, Sendable {
    package var of: Population
    package var within: Distance
    package var share: Double
  }
  package var responseP99: WallDuration?
  package var lost: Int?
  /// Of the fixes generated, 0 ... 1.
  package var undelivered: Double?
  package var freshness: Share?
  package var located: Located?
  /// Of the eligible pushes, 0 ... 1.
  package var answered: Double?
}
