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
  /// First, since the phone's number lies in the first word of a record.
  var os: PhoneOS

  // app
  var tracker = TrackerStateMachine()
  let cohort: UInt8
  /// Index of the settings that the tracker reads, and of the rollout that brought them, counted
  /// from 1; 0: installed with them. Both survive the app's death.
  var policy: UInt8
  var rollout: UInt8 = 0
  var outbox = OutboxHandle()
  var upload = UploadState()

  // push
  var pushes: PushState
  var provider = ProviderSlot()
  /// The last push that the server asked for, and how far it came.
  var delivery = PushDelivery()

  // accounts
  var stored = StoredFix()
  /// Up to here the accounts of freshness are closed.
  var mark = SimInstant.distantPast
  var world = HashChain()
  var behaviour = HashChain()
  var energy = EnergyAccount()

  // Inlined: called out of line they would get a copy of the whole record.
  @inline(__always) var id: PhoneID { os.id }
  @inline(__always) var traits: PhoneTraits { os.traits }
  @inline(__always) var authorization: Authorization { os.authorization }
  @inline(__always) var segment: Segment { os.segment }
  @inline(__always) var switchedOff: Window { os.switchedOff }
  @inline(__always) var process: AppProcess { os.process }
  @inline(__always) var standard: StandardService { os.standard }
  @inline(__always) var lastKnown: Fix? { os.lastKnown }
  @inline(__always) var due: DueSlots {
    _read { yield os.due }
    _modify { yield &os.due }
  }
  @inline(__always) var refreshIsOff: Bool { traits.contains(.refreshOff) }
  @inline(__always) var tokenIsValid: Bool { os.tokenIsValid }
  @inline(__always) var isReachable: Bool { os.isReachable }
  @inline(__always) func isCutOff(at t: SimInstant) -> Bool { os.isCutOff(at: t) }
}

// What the fleet asks of a phone's system. Inlined, as above.
extension PhoneOS {
  @inline(__always) var tokenIsValid: Bool { !traits.contains(.deadToken) }

  /// The server can expect fixes, and can reach the phone.
  @inline(__always) var isReachable: Bool { authorization == .always && tokenIsValid }

  /// Nothing goes out or comes in: no path, airplane mode, or neither SIM nor Wi-Fi.
  @inline(__always) func isCutOff(at t: SimInstant) -> Bool {
    offline.contains(t) || airplane.contains(t) || traits.contains(.withoutSIM) && !isOnWifi
  }
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
  /// The answer on its way brings these newer settings: a rollout's number; 0: none.
  var newRollout: UInt8 = 0
  var result = UploadResult.acknowledged
  /// The app was suspended while it waited: it learns at its next wake that nobody knows.
  var answerIsLost = false
  /// The app has told the server its authorization and token since its launch.
  var isRegistered = false
}

/// The newest fix that the collector holds.
struct StoredFix: Sendable, BitwiseCopyable {
  var time = SimInstant.distantPast
  var place = Coordinate(latitudeE6: 0, longitudeE6: 0)
  var isNever: Bool { time == .distantPast }
}
