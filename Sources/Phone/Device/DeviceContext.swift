package import Core
package import Scenarios
internal import Synchronization

extension Device {
  /// The immutable state that the systems of many phones share. The type is noncopyable, since
  /// about 1,000 bytes would otherwise be copied for each event.
  package struct Context: ~Copyable, Sendable {
    /// Keeps the compiler from passing a copy, since a value with a noncopyable member is passed by
    /// its address.
    private let anchor = Mutex(())
    package let seed: UInt64
    package let profile: OSProfile
    /// Whether the phones run Android. Stored, since asking the profile copies Android's rules.
    package let isAndroid: Bool
    package let significantChange: SignificantChangeProfile
    /// SF3: Whether the app's manager pauses in the background and declares vehicle navigation.
    package let pausesForVehicles: Bool
    /// How long fixes of the standard service may accumulate before they are evaluated.
    package let pace: SimDuration
    /// The same, for fixes of a request that Android holds.
    package let heldPace: SimDuration
    /// How late positions that are sent seldom are evaluated, at most.
    static let lateness = SimDuration.minutes(10)
    package let maker: FixMaker
    package let battery: BatteryConditions
    package let push: PushConditions
    package let permission: PermissionConditions
    package let places: PlaceBook?
    package let memory: MemoryConditions
    package let policy: TrackerStateMachine.Context
    package let prices: EnergyPrices
    package let clocks: PhoneClocks
    package let path: DataPath
    package let course: Course

    package init(
      seed: UInt64, profile: OSProfile, significantChange: SignificantChangeProfile,
      policy: PolicySettings, maker: FixMaker, battery: BatteryConditions,
      push: consuming PushConditions, permission: PermissionConditions, places: PlaceBook? = nil,
      memory: MemoryConditions, prices: EnergyPrices, clocks: PhoneClocks, path: DataPath,
      course: Course
    ) {
      self.seed = seed
      self.profile = profile
      isAndroid = profile.system.isAndroid
      self.significantChange = significantChange
      let use = policy.background.service
      pausesForVehicles = use.pausesAutomatically && use.activityType == .automotive
      pace = Self.pace(policy)
      heldPace = Self.heldPace(policy)
      self.maker = maker.on(profile.system)
      self.battery = battery
      self.push = push
      self.permission = permission
      self.places = places
      self.memory = memory
      self.policy = TrackerStateMachine.Context(
        settings: isAndroid ? policy.onAndroid : policy.onIOS, seed: seed)
      self.prices = prices
      self.clocks = clocks
      self.path = path
      self.course = course
    }

    /// Returns the interval at which fixes are evaluated. An upload starts no earlier than its
    /// fixes are evaluated, so an app that sends every fix gets a short interval.
    private static func pace(_ policy: PolicySettings) -> SimDuration {
      guard case .everything = policy.background.filter.rule else { return .minutes(1) }
      return min(.minutes(1), max(StandardService.interval, policy.send.interval))
    }

    /// An app that sends seldom gets the fixes of some minutes at once.
    private static func heldPace(_ policy: PolicySettings) -> SimDuration {
      guard case .everything = policy.background.filter.rule else { return .minutes(1) }
      return min(Self.lateness, policy.send.interval)
    }
  }
}

/// The locations of a cohort's people.
package enum Course: Sendable {
  case agenda(Town, MobilityKind)
  case recorded(RecordedTrack)

  package var track: RecordedTrack? {
    switch self {
    case .agenda: nil
    case .recorded(let track): track
    }
  }

  package func segment(of phone: PhoneID, at instant: SimInstant) -> Segment {
    switch self {
    case .agenda(let town, let kind):
      Life(town: town, phone: phone.rawValue, kind: kind).segment(at: instant)
    case .recorded(let track): track.segment(at: instant)
    }
  }
}
