package import Core

/// A tracker's named settings. The same state machine runs every policy.
package struct Policy: Equatable, Sendable {
  package var name: String
  package var description: String
  package var settings: PolicySettings
  /// The policy that Android phones have in place of this one, in a mixed fleet; nil for this one.
  package var androidPolicy: String?
}

/// The settings that a tracker and its phone read, as a trivial type that a million phones share.
package struct PolicySettings: Equatable, Sendable, BitwiseCopyable {
  /// A version that grows with each update by the server (HY2).
  package var version: UInt32
  package var app: AppManifest
  /// Whether the significant-change service is on (SL1).
  package var significantChange: Bool
  /// Whether visit monitoring is on (VI1).
  package var visits: Bool
  /// The radius of the region around the last fix, at least 100 m (RG1); nil for no region.
  package var regionRadius: Distance?
  /// The places that the app monitors with regions (RG5); nil for none.
  package var places: PlaceRule?
  /// The behaviour while the app is in use (HY2).
  package var foreground: TrackerMode
  /// The behaviour while the app is not in use (HY2).
  package var background: TrackerMode
  package var send: SendSettings
  package var outbox: OutboxSettings
  package var onPush: PushResponse
  /// The background refreshes that the app requests (BR2); nil if it requests none.
  package var refresh: RefreshUse?
  /// The processing tasks that the app requests (BR5); nil if it requests none.
  package var processing: ProcessingUse?
  /// The events that the app sends beside its fixes.
  package var events = EventUse()
  /// What the app uses on Android only.
  package var android = AndroidUse.none
}

/// What a tracker uses on Android; iOS has none of it.
package struct AndroidUse: Equatable, Sendable, BitwiseCopyable {
  /// When the app runs a foreground service (AFG1).
  package enum Service: String, CaseIterable, Sendable, BitwiseCopyable {
    case never
    /// While the app locates.
    case locating
    case always
  }

  /// What the app declares its foreground service to be for (AFG6, AFG8).
  package enum ServiceType: String, CaseIterable, Sendable, BitwiseCopyable {
    case location
    /// Six hours a day.
    case dataSync
    /// Three minutes.
    case shortService
  }

  package var service: Service
  package var serviceType = ServiceType.location
  /// Whether the app requests locations in the background by a pending intent (ABL1, ABL6).
  package var backgroundLocations: Bool
  /// The period of the app's periodic work, at which it takes and sends a position; nil for none
  /// (AWM1).
  package var work: SimDuration?
  /// The alarm at which the app takes and sends a position, in place of work; nil for none (AAL1).
  package var alarm: AlarmUse?
  /// Whether the app starts after the phone's start (ABO2) and after an update (ALC10).
  package var startsOnBoot: Bool
  /// Whether the app asks to be exempt from battery optimisation (ADZ8).
  package var asksExemption: Bool
  /// The least time between two positions that other apps cause; nil for the request's interval
  /// (ABL4).
  package var fastest: SimDuration?
  /// The interval of positions that a batched request in the background brings together; nil for
  /// the newest position alone (ABL2).
  package var batch: SimDuration?
  /// The time in a place after which its fence tells the entry; nil for at once (AGF5).
  package var loitering: SimDuration?
  /// Whether fences that are set tell at once that the phone is inside (AGF5).
  package var initialTrigger = false
  package var motion = MotionSign.off
  /// AFG10: Whether the app keeps the processor awake while its foreground service runs.
  package var wakeLock = false
  /// AFC14: Whether the app answers pushes in jobs, which do not run in Doze.
  package var pushJobs = false

  /// How the app learns that the phone moves.
  package enum MotionSign: String, CaseIterable, Sendable, BitwiseCopyable {
    /// By the motion activity of `rest.sign`, if at all.
    case off
    /// By the significant-motion sensor, while the app runs (AAR3).
    case sensor
    /// By activity transitions, which also start the app (AAR2).
    case transitions
  }

  /// The time between two runs of work, or between two alarms; nil without both.
  package var period: SimDuration? { work ?? alarm?.every }

  package static var none: AndroidUse {
    AndroidUse(
      service: .never, backgroundLocations: false, work: nil, startsOnBoot: false,
      asksExemption: false)
  }
}

package struct AlarmUse: Equatable, Sendable, BitwiseCopyable {
  package var every: SimDuration
  /// Whether the app asks for exact alarms (AAL3).
  package var exact: Bool
  /// Whether the alarm fires in Doze, too (AAL2).
  package var whileIdle: Bool

  package static var standard: AlarmUse {
    AlarmUse(every: .minutes(15), exact: false, whileIdle: true)
  }
}

extension Scenario {
  package var sendsEvents: Bool { !events.isEmpty }

  /// The kinds of events that a policy sends.
  package var events: EventUse.Kinds {
    policies.reduce(into: []) { $0.formUnion($1.settings.events.kinds) }
  }
}

/// The events that an app sends, each in a request, and the size of their outbox.
package struct EventUse: Equatable, Sendable, BitwiseCopyable {
  package struct Kinds: OptionSet, Hashable, Sendable, BitwiseCopyable {
    @usableFromInline package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    // Other modules would call the members of `OptionSet` through a witness table.
    @inlinable package var isEmpty: Bool { rawValue == 0 }
    @inlinable package func contains(_ kind: Kinds) -> Bool {
      rawValue & kind.rawValue == kind.rawValue
    }

    /// Entering, leaving or dwelling in a region of `places`.
    package static let regions = Kinds(rawValue: 1)
    package static let visits = Kinds(rawValue: 2)
    package static let motion = Kinds(rawValue: 4)
    /// The first launch after a start of the phone.
    package static let boot = Kinds(rawValue: 8)
    package static let permission = Kinds(rawValue: 16)
    package static let opened = Kinds(rawValue: 32)

    /// Every kind with its key.
    package static let named: [(name: String, kind: Kinds)] = [
      ("regions", .regions), ("visits", .visits), ("motion", .motion), ("boot", .boot),
      ("permission", .permission), ("opened", .opened),
    ]

    package static let all = named.reduce(into: Kinds()) { $0.insert($1.kind) }

    /// The keys of the kinds, such as `regions, visits`.
    package var text: String {
      Self.named.filter { contains($0.kind) }.map(\.name).joined(separator: ", ")
    }
  }

  package var kinds: Kinds = []
  /// The maximum number of waiting events; a full outbox evicts the oldest event.
  package var capacity: UInt8 = 100

  package init() {}

  package subscript(kind: Kinds) -> Bool {
    get { kinds.contains(kind) }
    set { if newValue { kinds.insert(kind) } else { kinds.remove(kind) } }
  }
}

package struct RefreshUse: Equatable, Sendable, BitwiseCopyable {
  /// The minimum time from a request to the refresh.
  package var every: SimDuration
  package var response: PushResponse

  package static var standard: RefreshUse { RefreshUse(every: .minutes(15), response: .burst) }
}

package struct ProcessingUse: Equatable, Sendable, BitwiseCopyable {
  /// The minimum time from a request to the task.
  package var every: SimDuration
  package var response: PushResponse
  /// Whether the task runs on the charger only (`requiresExternalPower`).
  package var needsCharger: Bool

  package static var standard: ProcessingUse {
    ProcessingUse(every: .minutes(15), response: .burst, needsCharger: false)
  }
}

package struct FixFilter: Equatable, Sendable, BitwiseCopyable {
  package enum Reference: String, CaseIterable, Sendable, BitwiseCopyable {
    /// The last fix that the app kept, in any process, so that small steps add up.
    case kept
    /// The last fix that the system delivered to this process, kept or not, as in the source of
    /// EF1. At one fix per second, the filter keeps only the first fix.
    case delivered
  }
  /// The test of a fix against the reference; d is their distance and Δt the time between them.
  package enum Rule: Equatable, Sendable, BitwiseCopyable {
    case everything
    /// EF1: drop a fix if Δt < `time` or d < `distance`.
    case minimum(time: SimDuration, distance: Distance)
    /// Keep a fix if Δt ≥ `time`, d ≥ `distance` or the course has turned by `turn` degrees, as
    /// Traccar and OwnTracks' move mode do. A `turn` of 360 has no effect.
    case either(time: SimDuration, distance: Distance, turn: Double)
    /// HY5: keep the first fix, and any fix with Δt ≥ `time`, accuracy ≤ `accuracyRatio` × last, d
    /// ≥ `dramatic`, or d ≥ `distance` and no worse accuracy.
    case significant(
      time: SimDuration, accuracyRatio: Double, dramatic: Distance, distance: Distance)
  }
  package var rule: Rule
  /// The maximum age of a kept fix; older fixes are dropped (SL5, NO3).
  package var maxAge: SimDuration
  /// The maximum accuracy radius of a kept fix; nil for no limit.
  package var maxAccuracy: Distance?
  package var against = Reference.kept
}

package struct SendSettings: Equatable, Sendable, BitwiseCopyable {
  /// The minimum time between two uploads; zero sends at every wake.
  package var interval: SimDuration
  /// The maximum number of fixes per batch, 1 ... 10,000; at most the outbox's capacity.
  package var maxFixes: Int
  /// Whether the app uploads at the end of a burst, even before `interval` has passed (HY1).
  package var afterBurst: Bool
  /// Whether the app holds a background task while it sends (LC7, HY6).
  package var backgroundTask: Bool
  /// The backoff after the first failed attempt, before the full jitter is drawn.
  package var backoffBase: SimDuration
  /// The longest backoff before the jitter is drawn; no less than `backoffBase`.
  package var backoffCap: SimDuration
  package var session = UploadSession.standard
  /// Whether the system chooses when a background session sends (`isDiscretionary`, NW3).
  package var isDiscretionary = false
  /// Whether the app uploads on cellular networks as well as Wi-Fi (`allowsCellularAccess`, NW4).
  package var allowsCellular = true
}

package enum UploadSession: String, CaseIterable, Sendable, BitwiseCopyable {
  /// Uploads end when the app's run time ends (LC3).
  case standard = "default"
  /// The system uploads in a separate process, without the app (NW1).
  case background
}

package struct OutboxSettings: Equatable, Sendable, BitwiseCopyable {
  /// The maximum number of fixes; a full outbox evicts the oldest fix (reason `capacity`).
  package var capacity: Int
}

/// What the app does when a silent push wakes it (SP2).
package enum PushResponse: String, CaseIterable, Sendable, BitwiseCopyable {
  /// The app runs a burst of the standard service, then sends.
  case burst
  /// The app takes the location manager's cached location, then sends.
  case cached
  case nothing

  /// Whether a push makes the phone take a new position, as it must to answer the push.
  package var takesPosition: Bool {
    switch self {
    case .burst: true
    case .cached, .nothing: false
    }
  }
}
