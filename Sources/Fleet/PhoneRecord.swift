internal import Mobility
internal import Phone
internal import PushService
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Tracker

/// One phone, assembled: a person's movement, the operating system, and one app with its tracker.
///
/// A plain value in contiguous storage; no heap object, no timer, no reference.
struct PhoneRecord: Sendable, BitwiseCopyable {
  let cohort: UInt8
  /// What the owner would grant at most, and what the app may do now.
  let user: Authorization
  var authorization: Authorization
  let traits: PhoneTraits
  let id: PhoneID

  // world
  var segment: Segment
  var isOnWifi = false
  var offline = Window.never
  var switchedOff = Window.never
  var airplane = Window.never
  var forceQuit = Window.never
  var session = Window.never

  // operating system
  var process = AppProcess()
  var services = LocationServices()
  var standard = StandardService()
  /// What `CLLocationManager.location` holds.
  var lastKnown: Fix?

  // app
  var tracker = TrackerStateMachine()
  /// Index of the settings that the tracker reads, and of the rollout that brought them, counted
  /// from 1; 0: installed with them. Both survive the app's death (HY4).
  var policy: UInt8
  var rollout: UInt8 = 0
  var outbox = OutboxHandle()
  var upload = UploadState()
  /// A bit for each `AppTimer` that came due while the app was suspended (LC2).
  var overdueTimers: UInt8 = 0
  /// What else it hears when it runs again.
  var unheard = Unheard()

  // push
  var pushes: PushState
  var provider = ProviderSlot()
  var openPush = OpenPush()

  // accounts
  var held = HeldFix()
  /// Up to here the accounts of freshness are closed.
  var mark = SimInstant.distantPast
  var world = HashChain()
  var behaviour = HashChain()
  var energy = EnergyAccount()

  var due = DueSlots()

  // Inlined: called out of line they would get a copy of the whole record.
  @inline(__always) var tokenIsValid: Bool { !traits.contains(.deadToken) }
  @inline(__always) var refreshIsOff: Bool { traits.contains(.refreshOff) }
  @inline(__always) var isReachable: Bool { authorization == .always && tokenIsValid }

  /// Nothing goes out or comes in: no path, airplane mode (NO4), or neither SIM nor Wi-Fi (NO5).
  @inline(__always) func isCutOff(at t: SimInstant) -> Bool {
    offline.contains(t) || airplane.contains(t) || traits.contains(.withoutSIM) && !isOnWifi
  }

  /// AU7: a standard service that keeps its app running in the background, unless the system finds
  /// that it hides (iOS 16.4; rule book section 0).
  @inline(__always) func serviceHoldsApp(_ os: OSProfile) -> Bool {
    standard.isOn && standard.keepsAppAlive && !(os.suspendsHiddenStandard && standardHides)
  }

  /// Beside significant changes, with a filter or an accuracy of 1 km and worse, and no indicator.
  /// When In Use always shows one, and has no significant changes.
  @inline(__always) private var standardHides: Bool {
    guard authorization == .always, services.significantChangeIsOn, !standard.showsIndicator else {
      return false
    }
    switch standard.accuracy {
    case .best, .tenMeters, .hundredMeters: return standard.distanceFilterMeters > 0
    case .kilometer, .threeKilometers: return true
    }
  }
}

/// What happened while the app did not run, and is told when it does.
struct Unheard: OptionSet, Sendable, BitwiseCopyable {
  let rawValue: UInt8
  static let authorization = Unheard(rawValue: 1)
  static let motion = Unheard(rawValue: 2)
}

/// The phone's one upload at a time.
struct UploadState: Sendable, BitwiseCopyable {
  /// Grows by one an attempt the tracker asks for; keys the network time.
  var attempt: UInt32 = 0
  /// The newest batch that was ever cut.
  var lastCut: UInt32 = 0
  var perceivedAt = SimInstant.distantPast
  /// The newest fix of the batch in flight, and where it lies.
  var newest = FixTime(centiseconds: .min)
  var newestPlace = Coordinate(latitudeE6: 0, longitudeE6: 0)
  var isInFlight = false
  /// The answer on its way brings these newer settings: a rollout's number; 0: none (HY2).
  var newRollout: UInt8 = 0
  var result = UploadResult.acknowledged
  /// The app was suspended while it waited: it learns at its next wake that nobody knows.
  var answerIsLost = false
  /// The app has told the server its authorization and token since its launch.
  var isRegistered = false
}

/// The newest fix that the collector holds.
struct HeldFix: Sendable, BitwiseCopyable {
  var time = SimInstant.distantPast
  var place = Coordinate(latitudeE6: 0, longitudeE6: 0)
  var isNever: Bool { time == .distantPast }
}

/// What the phone's system keeps of silent pushes, whoever they were.
struct PushState: Sendable, BitwiseCopyable {
  /// Since when the app runs for nothing but a push; `distantFuture`: it does not.
  var runsSince = SimInstant.distantFuture
  /// Of the app, or of its location push extension: a scenario has pushes of one kind.
  var budget: PushBudget
  var usedSatellites = false
  /// What keeps the one push that is held on the phone; `open`: none is.
  var heldBy = PushGate.open

  init(_ kind: PushRequest.Kind, _ push: PhonePushSettings, now: SimInstant) {
    let capacity =
      switch kind {
      case .background, .alert: push.bucketCapacity
      case .location: push.extensionCapacity
      }
    budget = PushBudget(capacity: capacity, now: now)
  }
}

/// The last push that the server asked for, and how far it came.
struct OpenPush: Sendable, BitwiseCopyable {
  enum Stage: UInt8, Sendable, BitwiseCopyable {
    case none
    case inTransit
    /// At the provider.
    case stored
    /// On the phone.
    case held
    /// The app runs because of it; no fix yet.
    case woken
    /// A fix of its wake waits for the server.
    case fixTaken
  }
  var id: UInt64 = 0
  var requestedAt = SimInstant.distantPast
  var fixTime = FixTime(centiseconds: .max)
  var stage = Stage.none
  /// The first gate of the phone that stopped it; `open`: none did.
  var stoppedBy = PushGate.open
  /// The last push ended at a gate of the phone and no report has come since.
  var wasGated = false
}
