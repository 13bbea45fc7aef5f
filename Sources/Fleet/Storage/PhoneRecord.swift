internal import Mobility
internal import Phone
internal import PushService
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Tracker

/// Is one phone as a whole: a person's movement, the operating system, and one app with its
/// tracker.
///
/// It is a plain value in contiguous storage, without heap objects, timers or references.
struct PhoneRecord: Sendable, BitwiseCopyable {
  /// The system comes first, since the phone's number must lie in the first word of a record.
  var os: PhoneOS

  // app
  var tracker = TrackerStateMachine()
  let cohort: UInt8
  /// Index of the settings that the tracker reads, and of the rollout that brought them, counted
  /// from 1; 0: installed with them. Both survive the app's death.
  var policy: UInt8
  var rollout: UInt8 = 0
  /// Is true if the last push met a closed gate and no report has come since.
  var pushWasGated = false
  /// LC16: Counts how often the app was installed anew; the phone's epoch grows with it.
  var reinstalls: UInt8 = 0
  /// LC16: Is true from the deletion of the app until it is there again.
  var isRemoved = false
  /// LC16: Is true from the deletion until the server has the token of the new installation.
  var hasOldToken = false
  var outbox = OutboxHandle()
  var upload = UploadState()

  // push
  var provider = ProviderSlot()
  /// Is the last push that the server requested, with its stage.
  var delivery = PushDelivery()

  // accounts
  var stored = StoredFix()
  /// Is the instant up to which the accounts of freshness are closed.
  var mark = SimInstant.distantPast
  var world = HashChain()
  var behaviour = HashChain()
  var energy = EnergyAccount()

  // These are inlined, since a call would copy the whole record.
  @inline(__always) var id: PhoneID { os.id }
  @inline(__always) var traits: PhoneTraits { os.traits }
  @inline(__always) var authorization: Authorization { os.authorization }
  @inline(__always) var segment: Segment { os.segment }
  @inline(__always) var switchedOff: Window { os.switchedOff }
  @inline(__always) var process: AppProcess { os.process }
  @inline(__always) var standard: StandardService { os.standard }
  @inline(__always) var lastKnown: Fix? { os.lastKnown }
  @inline(__always) var refreshIsOff: Bool { traits.contains(.refreshOff) }
  @inline(__always) var tokenIsValid: Bool { os.tokenIsValid }
  @inline(__always) var isReachable: Bool { os.isReachable }
  @inline(__always) func isCutOff(at t: SimInstant) -> Bool { os.isCutOff(at: t) }
}

// These read the phone's system for the fleet, and are inlined as above.
extension PhoneOS {
  @inline(__always) var tokenIsValid: Bool { !traits.contains(.deadToken) }

  /// Is true if the server can expect fixes and can reach the phone.
  @inline(__always) var isReachable: Bool { authorization == .always && tokenIsValid }
}

/// Is the state of the phone's upload; there is one at a time.
struct UploadState: Sendable, BitwiseCopyable {
  /// Grows by one with each attempt of the tracker, and keys the network time.
  var attempt: UInt32 = 0
  /// Is the newest batch that was ever cut.
  var lastCut: UInt32 = 0
  var perceivedAt = SimInstant.distantPast
  /// Holds the newest fix of the batch in flight, and its position.
  var newest = FixTime(centiseconds: .min)
  var newestPlace = Coordinate(latitudeE6: 0, longitudeE6: 0)
  var isInFlight = false
  /// Is the rollout whose newer settings come with the answer on its way; 0 if none.
  var newRollout: UInt8 = 0
  var result = UploadResult.acknowledged
  /// Is true if the app was suspended while it waited; its next wake reports the result as unknown.
  var answerIsLost = false
  /// Is true if the app has registered its authorization and token with the server since its
  /// launch.
  var isRegistered = false
  /// Is true if the last upload to which the server answers brought the token of a new
  /// installation.
  var bringsToken = false
}

/// Is the newest fix that the collector holds.
struct StoredFix: Sendable, BitwiseCopyable {
  var time = SimInstant.distantPast
  var place = Coordinate(latitudeE6: 0, longitudeE6: 0)
  var isNever: Bool { time == .distantPast }
}
