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
  /// The owners who watch other phones; nil for none.
  package var viewers: ViewerSettings?
  /// The policies in use, to which cohorts refer by index.
  package var policies: [Policy]
  /// The rollouts of new settings from the server, in the order of time.
  package var rollouts: [Rollout] = []
  /// The recordings in use, to which cohorts' replays refer by index.
  package var recordings: [Recording] = []
  package var run = RunSettings()
  package var sensors = Named(name: "standard", value: SensorProfile.standard)
  /// The shortened ramp and drain; nil if both are as written.
  package var shortened: ShortenedPhases?

  package struct Phases: Equatable, Sendable {
    /// The first part of `duration`, whose samples do not count for the verdict.
    package var ramp: SimDuration
    /// The maximum simulated time after `duration` in which uploads in flight may end.
    package var drain: SimDuration
  }

  /// The summer time of a city (TZ1).
  package struct SummerTime: Equatable, Sendable, BitwiseCopyable {
    package var shift: SimDuration
    package var from: SimInstant
    package var until: SimInstant
  }

  package struct City: Equatable, Sendable {
    /// The latitude of the centre in degrees, -80 ... 80.
    package var centreLatitude: Double
    /// The longitude of the centre in degrees, -180 ... 180.
    package var centreLongitude: Double
    /// The maximum distance of homes from the centre; nil for homes in open country around it.
    package var radius: Distance?
    /// The offset of the city's clocks from UTC, outside summer time.
    package var utcOffset: SimDuration
    package var summerTime: SummerTime? = nil
    package var people = PeopleProfile.standard
    /// The destination of all spectators; nil for a city without an event.
    package var event: CityEvent? = nil

    package var clock: CivilClock {
      guard let summer = summerTime else { return CivilClock(utcOffset: utcOffset) }
      return CivilClock(
        utcOffset: utcOffset, summerShift: summer.shift, from: summer.from, until: summer.until)
    }

    /// The radius of a map of the city, which is 40 km if `radius` is nil.
    package var extent: Distance { radius ?? .kilometers(40) }
  }

  package var measureStart: SimInstant { start + phases.ramp }
  package var measureEnd: SimInstant { start + duration }
  package var clock: CivilClock { city.clock }
  /// Whether phones send the uploads of a log. Such phones have no modelled battery or network.
  package var replaysUploads: Bool { recordings.contains { !$0.uploads.isEmpty } }
  /// The files of the log whose uploads phones send; nil if phones are simulated.
  package var logFiles: [String]? {
    guard replaysUploads, case .recorded(let replay)? = fleet.cohorts.first?.mobility else {
      return nil
    }
    return replay.gpx
  }
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
  /// The latitude and longitude of the venue in degrees; nil for the city's centre.
  package var place: [Double]?
  package var from: SimInstant
  package var until: SimInstant
  /// The maximum distance between the venue and a spectator at the event.
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

/// The duration of an upload on an ideal network, from the first packet to the acknowledgement, in
/// simulated time: `floor` plus an exponentially distributed time with mean `mean`.
package struct NetworkModel: Equatable, Sendable {
  package struct Path: Equatable, Sendable {
    /// The minimum time from the first packet to the ack.
    package var floor = SimDuration.zero
    /// The mean of the exponential time on top of `floor`.
    package var mean = SimDuration.zero
  }
  package var cellular = Path()
  package var wifi = Path()
  /// The time limit of a call, in wall-clock time on the wire and simulated time on the phone.
  package var deadline = WallDuration.zero
  /// The share of an exchange that has passed when the server has the batch, 0 ... 1.
  package var uplinkShare = 0.0
  /// The simulated time until the phone's system reports that there is no data path.
  package var offlineAnswer = SimDuration.zero

  /// Returns the part of an exchange until the server has the batch, in whole microseconds.
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
    /// The generator's event loop sleeps for `lastsWall`, to make a run invalid on purpose.
    case generatorStall
    /// Delays data on the wire. In a live run, a proxy before the collector injects every wire
    /// fault for `lastsWall` into a `share` of the connections.
    case wireDelay
    case wireStall
    /// Resets connections in mid-frame.
    case wireCut
    /// Discards the data of one direction; the connection stays open.
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

    /// Whether the fault hits connections on the wire.
    package var isOfWire: Bool {
      switch self {
      case .networkOutage, .serverOutage, .providerOutage, .collectorStall, .collectorKill,
        .generatorStall:
        false
      case .wireDelay, .wireStall, .wireCut, .wireHalfOpen, .wireThrottle, .wireFlip: true
      }
    }
  }

  /// The parameters of wire faults, in wall-clock time; a kind reads only its own parameters.
  package struct Wire: Equatable, Sendable {
    /// The minimum delay of `wireDelay`, to which up to `jitter` is added.
    package var latency = WallDuration.zero
    package var jitter = WallDuration.zero
    /// The maximum number of bytes in one direction before `wireCut` resets the connection.
    package var bytes = 0
    /// The data rate that `wireThrottle` allows.
    package var bytesPerSecond = 0.0
    /// The probability that `wireFlip` changes a byte, 0 ... 1.
    package var probability = 0.0
  }

  package var kind: Kind
  package var at: SimInstant
  /// The duration in simulated time; zero for faults that have `lastsWall`.
  package var lasts: SimDuration
  /// The duration in wall-clock time; zero for faults that have `lasts`.
  package var lastsWall: WallDuration
  /// The indices of the affected cohorts; nil for all.
  package var cohorts: [Int]?
  /// The share of the cohort's phones, or of connections, that the fault hits, 0 ... 1.
  package var share: Double
  package var wire = Wire()

  package static func outage(_ kind: Kind, at: SimInstant, lasts: SimDuration) -> Fault {
    Fault(kind: kind, at: at, lasts: lasts, lastsWall: .zero, cohorts: nil, share: 1)
  }
}

/// New settings, which a phone gets with the answer to an upload or a registration (HY2).
package struct Rollout: Equatable, Sendable {
  package var at: SimInstant
  /// The index into `Scenario.policies`.
  package var policy: Int
  package var cohort: Int?
  /// The share of the cohort's phones, 0 ... 1. Every rollout begins with the same phones.
  package var share: Double
}

extension Scenario {
  /// Returns whether the cohort's policy, or that of a rollout to the cohort, can answer a push.
  package func answersPushes(cohort: Int) -> Bool {
    policies.indices.contains {
      policies[$0].settings.onPush.takesPosition && hasPolicy($0, cohort: cohort)
    }
  }

  /// Returns whether the cohort has the policy from the start, or by a rollout.
  package func hasPolicy(_ policy: Int, cohort: Int) -> Bool {
    fleet.cohorts[cohort].policy == policy
      || rollouts.contains { $0.policy == policy && ($0.cohort ?? cohort) == cohort }
  }
}

package enum Population: String, CaseIterable, Sendable { case installed, reachable, moving }

/// The service levels that the verdict `pass` requires; by default, nil sets no requirement.
package struct ServiceLevels: Equatable, Sendable {
  /// A service level for freshness: the minimum `fresh(within)` of a population.
  package struct Share: Equatable, Sendable {
    package var of: Population
    package var within: SimDuration
    package var share: Double
  }
  /// A service level for location: the minimum `located(within)` of a population.
  package struct Located: Equatable, Sendable {
    package var of: Population
    package var within: Distance
    /// The minimum share of phone-time, 0 ... 1.
    package var share: Double
  }
  package var responseP99: WallDuration?
  package var lost: Int?
  /// The maximum share of fixes that were evicted or refused, 0 ... 1.
  package var undelivered: Double?
  /// The maximum share of requests to a target that fail, 0 ... 1; nil for 0.01.
  package var failed: Double?
  /// The minimum share of fixes sent to a target that it reports as stored, 0 ... 1; nil for 0.99.
  package var stored: Double?
  package var freshness: Share?
  /// The level for the share of phone-time in which the newest fix is near enough to the truth.
  package var located: Located?
  /// The minimum share of judged pushes that are answered, 0 ... 1.
  package var answered: Double?
}
