package import Core
package import Scenarios

package enum OSCommand: Sendable, BitwiseCopyable {
  /// `requestAlwaysAuthorization` or `requestWhenInUseAuthorization` (AU1–AU6).
  case requestAuthorization(AuthorizationRequest)
  case startStandard(ServiceRequest)
  case stopStandard
  case startSignificantChange
  case stopSignificantChange
  case startVisits
  case stopVisits
  case startMotionActivity
  /// Replaces the app's one monitored region. Radii below 100 m behave as 100 m (RG1).
  case monitorRegion(centre: Coordinate, radius: Distance)
  case stopMonitoringRegion
  /// Replaces the monitored places by all places of the app, or by the places nearest to the last
  /// known position (RG9, RG10).
  case monitorPlaces(near: Coordinate?)
  case stopMonitoringPlaces
  case setTimer(AppTimer, at: SimInstant)
  case cancelTimer(AppTimer)
  case beginBackgroundTask
  case endBackgroundTask
  case blockMainThread(SimDuration)
  /// Appends the fix to the outbox on disk, which survives the app's death (HY4).
  case persist(Fix)
  /// Removes from the full outbox the oldest fix that is in no batch, which follows the first
  /// `after` fixes. The number is fixed here, since a later command of the event may cut a batch.
  case evictOldest(after: UInt16)
  case upload(sequence: UInt32, count: UInt16)
  /// Removes the first `count` fixes from the outbox, because the server has them or will never
  /// accept them.
  case forget(count: UInt16, UploadResult)
  /// Sends the oldest waiting event.
  case uploadEvent
  /// Removes the oldest waiting event.
  case forgetEvent(UploadResult)
}

package struct ServiceRequest: Sendable, Equatable, BitwiseCopyable {
  package var accuracy: DesiredAccuracy
  package var distanceFilter: DistanceFilter
  /// PT1, PT4: `pausesLocationUpdatesAutomatically`.
  package var pausesAutomatically: Bool
  /// `activityType`, which the system uses to decide on a pause (PT1, PT4).
  package var activityType: ActivityType
  /// AU7, AU8: `allowsBackgroundLocationUpdates`.
  package var allowsBackground: Bool
  package var showsIndicator: Bool
  /// The distance or time after which deferred fixes are delivered (DF1); nil without deferral.
  package var deferral: Deferral?
  /// Whether the app iterates over `CLLocationUpdate.liveUpdates` (LU1).
  package var isLive: Bool
  /// LA3: Whether the app calls `requestLocation`, which delivers one position.
  package var isSingle: Bool
  /// AFL2: The time between two positions; nil on iOS, whose services deliver one each second.
  package var interval: SimDuration?

  /// The time between two positions.
  var every: SimDuration { interval ?? StandardService.interval }

  package init(_ use: ServiceUse, _ app: AppManifest, isSingle: Bool = false) {
    self.isSingle = isSingle
    accuracy = use.accuracy
    distanceFilter = use.distanceFilter
    pausesAutomatically = use.pausesAutomatically
    activityType = use.activityType
    allowsBackground = app.allowsBackgroundUpdates
    showsIndicator = app.showsIndicator
    deferral = use.deferral
    isLive = use.liveUpdates
    interval = isSingle && use.interval != nil ? .seconds(1) : use.interval
  }
}

/// The app's commands at one event, in order, stored inline and reused to avoid allocations.
package struct CommandList: Sendable {
  private typealias Storage = InlineArray<24, OSCommand>
  private var storage: Storage
  package private(set) var count = 0

  /// The capacity of the list: twice the largest number of commands seen at one event.
  package static var capacity: Int { Storage.count }

  package init() { storage = InlineArray(repeating: .stopStandard) }

  package mutating func removeAll() { count = 0 }

  /// Appends a command; traps beyond the capacity of 24.
  package mutating func append(_ command: OSCommand) {
    precondition(
      count < Self.capacity, "a tracker answered one event with more than \(count) commands")
    storage[count] = command
    count += 1
  }

  /// The getter is mutating although it changes nothing, because the compiler would otherwise copy
  /// the whole list for each command.
  package subscript(index: Int) -> OSCommand { mutating get { storage[index] } }
}
