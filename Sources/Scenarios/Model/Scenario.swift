package import Core

/// One validated scenario: every default filled in, every unit resolved, every policy found.
package struct Scenario: Equatable, Sendable {
  package var name: String
  package var question: String
  package var answers: Answer
  /// The random seed; equal seeds give equal runs.
  package var seed: UInt64
  package var start: SimInstant
  /// The length of the live part in simulated time, ramp included.
  package var duration: SimDuration
  /// The warm-up before `start`, in simulated time.
  package var warmStart: SimDuration
  /// Simulated seconds per wall-clock second in the live part.
  package var speed: Double
  package var phases: Phases
  package var city: City
  package var fleet: FleetSettings
  package var push: PushSettings
  package var collector: CollectorSettings
  package var connections: ConnectionMode
  package var encoding: BatchEncoding
  package var network: NetworkModel
  package var faults: [Fault]
  package var slo: ServiceLevels
  /// The policies in use; a cohort refers to one by its index.
  package var policies: [Policy]
  /// New settings from the server, in the order of their instants.
  package var rollouts: [Rollout] = []
  /// The recordings in use; a cohort's replay refers to them by index.
  package var recordings: [Recording] = []
  package var run = RunSettings()
  package var sensors = Named(name: "standard", value: SensorProfile.standard)
  /// nil: the phases are as written.
  package var shortened: ShortenedPhases?

  package struct Phases: Equatable, Sendable {
    /// The first part of `duration`, whose samples do not count for the verdict.
    package var ramp: SimDuration
    /// The longest time after `duration` in which what is in flight may finish.
    package var drain: SimDuration
  }

  /// The summer time of a city (TZ1).
  package struct SummerTime: Equatable, Sendable, BitwiseCopyable {
    package var shift: SimDuration
    package var from: SimInstant
    package var until: SimInstant
  }

  package struct City: Equatable, Sendable {
    /// Degrees, -80 ... 80.
    package var centreLatitude: Double
    /// Degrees, -180 ... 180.
    package var centreLongitude: Double
    /// Homes lie within this distance of the centre; nil: in open country around it.
    package var radius: Distance?
    /// The offset of the city's clocks from UTC, outside summer time.
    package var utcOffset: SimDuration
    package var summerTime: SummerTime? = nil
    package var people = PeopleProfile.standard
    /// The destination of all spectators; nil: none.
    package var event: CityEvent? = nil

    package var clock: CivilClock {
      guard let summer = summerTime else { return CivilClock(utcOffset: utcOffset) }
      return CivilClock(
        utcOffset: utcOffset, summerShift: summer.shift, from: summer.from, until: summer.until)
    }

    /// The radius of a map, also without `radius`.
    package var extent: Distance { radius ?? .kilometers(40) }
  }

  package var measureStart: SimInstant { start + phases.ramp }
  package var measureEnd: SimInstant { start + duration }
  package var clock: CivilClock { city.clock }
  package var projection: Projection {
    Projection(centreLatitude: city.centreLatitude, centreLongitude: city.centreLongitude)
  }
}

package enum Answer: String, CaseIterable, Sendable {
  case capacity
  case freshness
  case wake
  case storm
  case cohorts
}

package struct CityEvent: Equatable, Sendable {
  /// The venue in degrees; nil: the city's centre.
  package var place: [Double]?
  package var from: SimInstant
  package var until: SimInstant
  /// All places lie within this distance of the venue.
  package var radius: Distance
  /// Arrivals are uniform over this time before `from`.
  package var arrivals: SimDuration
  /// Departures are uniform over this time after `until`.
  package var departures: SimDuration
}

package enum ConnectionMode: Equatable, Sendable {
  case perUpload
  /// One connection per phone, opened at its first upload.
  case perPhone
  case pooled(Int)
}

/// The duration of an upload on an ideal network, from the first packet to the ack, as the app sees
/// it: floor + exponential of `mean`. Simulated time.
package struct NetworkModel: Equatable, Sendable {
  package struct Path: Equatable, Sendable {
    /// The minimum time from the first packet to the ack.
    package var floor = SimDuration.zero
    /// The mean of the exponential time on top of `floor`.
    package var mean = SimDuration.zero
  }
  package var cellular = Path()
  package var wifi = Path()
  /// The deadline of a call: wall-clock time on the wire, as many simulated seconds on the phone.
  package var deadline = WallDuration.zero
  /// The share of an exchange that has passed when the server has the batch.
  package var uplinkShare = 0.0
  /// The time until the phone's system reports that there is no data path.
  package var offlineAnswer = SimDuration.zero

  /// The part of an exchange until the server has the batch, in whole microseconds.
  package func uplink(of exchange: SimDuration) -> SimDuration {
    .microseconds(Int64((Double(exchange.microseconds) * uplinkShare).rounded(.down)))
  }
}

package struct Fault: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// Phones lose their data path; `lasts` is simulated time.
    case networkOutage
    /// The server answers every call UNAVAILABLE and sends no pushes; `lasts` is simulated time.
    case serverOutage
    /// The push provider answers every request 503; `lasts` is simulated time.
    case providerOutage
    case collectorStall
    case collectorKill
    /// The generator's event loop sleeps; `lastsWall` is wall-clock time. Makes a run invalid on purpose.
    case generatorStall
    /// Delays data on the wire. Wire faults are injected by a proxy between the uploads and the
    /// collector of a live run, for `lastsWall`; `share` is that of connections.
    case wireDelay
    case wireStall
    /// Connections are reset in mid-frame.
    case wireCut
    /// One direction of a connection is discarded; it stays open.
    case wireHalfOpen
    case wireThrottle
    case wireFlip

    package var isOfServer: Bool {
      switch self {
      case .serverOutage, .providerOutage, .collectorStall, .collectorKill: true
      case .networkOutage, .generatorStall, .wireDelay, .wireStall, .wireCut, .wireHalfOpen,
        .wireThrottle, .wireFlip:
        false
      }
    }

    /// Whether the target is connections, if there are any.
    package var isOfWire: Bool {
      switch self {
      case .networkOutage, .serverOutage, .providerOutage, .collectorStall, .collectorKill,
        .generatorStall:
        false
      case .wireDelay, .wireStall, .wireCut, .wireHalfOpen, .wireThrottle, .wireFlip: true
      }
    }
  }

  /// The parameters of wire faults; each kind reads its own. Wall-clock time.
  package struct Wire: Equatable, Sendable {
    /// The least delay of `wireDelay`; up to `jitter` is added.
    package var latency = WallDuration.zero
    package var jitter = WallDuration.zero
    /// For `wireCut`: the reset comes after at most this many bytes of one direction.
    package var bytes = 0
    /// For `wireThrottle`.
    package var bytesPerSecond = 0.0
    /// For `wireFlip`, per byte.
    package var probability = 0.0
  }

  package var kind: Kind
  package var at: SimInstant
  /// The length of a fault in simulated time; zero for the other kinds.
  package var lasts: SimDuration
  /// The length of a fault in wall-clock time; zero for the other kinds.
  package var lastsWall: WallDuration
  package var cohort: Int?
  /// The share of the cohort's phones that is hit, 0 ... 1.
  package var share: Double
  package var wire = Wire()

  package static func outage(_ kind: Kind, at: SimInstant, lasts: SimDuration) -> Fault {
    Fault(kind: kind, at: at, lasts: lasts, lastsWall: .zero, cohort: nil, share: 1)
  }
}

/// New settings that a phone gets at its next upload's answer, or when it registers (HY2).
package struct Rollout: Equatable, Sendable {
  package var at: SimInstant
  /// Index into `Scenario.policies`.
  package var policy: Int
  package var cohort: Int?
  /// The share of the cohort's phones, 0 ... 1; the same phones come first in every rollout.
  package var share: Double
}

extension Scenario {
  /// Whether a phone of this cohort can answer a push, by its policy or one from a rollout.
  package func answersPushes(cohort: Int) -> Bool {
    let rolledOut = rollouts.filter { $0.cohort == nil || $0.cohort == cohort }.map(\.policy)
    return ([fleet.cohorts[cohort].policy] + rolledOut)
      .contains { policies[$0].settings.onPush.takesPosition }
  }
}

package enum Population: String, CaseIterable, Sendable { case installed, reachable, moving }

/// Required for the verdict `pass`. nil: not required.
package struct ServiceLevels: Equatable, Sendable {
  /// A service level for freshness: the least `fresh(within)` of a population.
  package struct Share: Equatable, Sendable {
    package var of: Population
    package var within: SimDuration
    package var share: Double
  }
  /// A service level for location: the least `located(within)` of a population.
  package struct Located: Equatable, Sendable {
    package var of: Population
    package var within: Distance
    /// The minimum share of phone-time, 0 ... 1.
    package var share: Double
  }
  package var responseP99: WallDuration?
  package var lost: Int?
  /// The maximum share, 0 ... 1.
  package var undelivered: Double?
  /// The maximum share of requests to a target that fail, 0 ... 1. nil: 0.01.
  package var failed: Double?
  /// The minimum share of fixes sent to a target that it reports as stored, 0 ... 1. nil: 0.99.
  package var stored: Double?
  package var freshness: Share?
  /// The minimum share of phone-time in which the newest fix is near enough to the truth.
  package var located: Located?
  /// The minimum share, 0 ... 1.
  package var answered: Double?
}
