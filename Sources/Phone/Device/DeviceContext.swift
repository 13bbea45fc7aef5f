internal import Mobility
package import Scenarios
package import SimulationCore
internal import Synchronization
internal import Telemetry

extension Device {
  /// What the systems of many phones share and do not change.
  ///
  /// It is not copyable, since its 1,000 bytes or so would otherwise be copied for each event.
  package struct Context: ~Copyable, Sendable {
    /// Keeps the compiler from lending a copy: a value with a member that cannot be loaded is
    /// passed by its address.
    private let anchor = Mutex(())
    /// The scenario's seed, which keys all draws.
    package let seed: UInt64
    /// The profile of the phones' operating system, with its rules.
    package let profile: OSProfile
    /// The profile of the service for significant changes.
    package let significantChange: SignificantChangeProfile
    /// The manifest of the installed app: its Info.plist and its habits.
    package let app: AppManifest
    /// How the app sends its batches.
    package let send: SendSettings
    /// SF3: Whether the app's manager pauses in the background and declares vehicle navigation.
    package let pausesForVehicles: Bool
    /// How long fixes of the standard service may accumulate before they are evaluated.
    package let pace: SimDuration
    package let maker: FixMaker
    /// How the phones' batteries are charged and emptied.
    package let battery: BatteryConditions
    /// The conditions under which silent pushes pass.
    package let push: PushConditions
    /// What owners decide about location after the first prompt.
    package let permission: PermissionConditions
    /// Round which places the app keeps regions; nil: round none.
    package let placeRule: PlaceRule?
    /// Whether the policy keeps a region round the last fix.
    package let keepsRegion: Bool
    package let places: PlaceBook?
    package let memory: MemoryConditions

    package init(
      seed: UInt64, profile: OSProfile, significantChange: SignificantChangeProfile,
      policy: PolicySettings, maker: FixMaker, battery: BatteryConditions,
      push: consuming PushConditions, permission: PermissionConditions, places: PlaceBook? = nil,
      memory: MemoryConditions
    ) {
      self.seed = seed
      self.profile = profile
      self.significantChange = significantChange
      app = policy.app
      send = policy.send
      let use = policy.background.service
      pausesForVehicles = use.pausesAutomatically && use.activityType == .automotive
      pace = Self.pace(policy)
      self.maker = maker
      self.battery = battery
      self.push = push
      self.permission = permission
      placeRule = policy.places
      keepsRegion = policy.regionRadius != nil
      self.places = places
      self.memory = memory
    }

    /// The interval of evaluation. An upload starts no earlier than its fixes are evaluated, so an
    /// app that sends every fix gets each one in time.
    private static func pace(_ policy: PolicySettings) -> SimDuration {
      guard case .everything = policy.background.filter.rule else { return .minutes(1) }
      return min(.minutes(1), max(StandardService.interval, policy.send.interval))
    }
  }
}
