import Core
import Scenarios
@testable import Phone

/// Runs one app on a timeline: seconds since midnight of one day, commands as words.
///
/// Performs the tracker's requests as an operating system would, and counts them.
struct Timeline {
  static let midnight = SimInstant(microseconds: 1_772_409_600_000_000)

  var tracker = TrackerStateMachine()
  var settings: PolicySettings
  let seed: UInt64
  let phone: PhoneID
  private(set) var pool = OutboxPool()
  private(set) var outbox = OutboxHandle()
  private(set) var openTasks = 0
  /// The last request to the standard service; nil while it is off.
  private(set) var standard: String?
  private(set) var deferral: Deferral?
  private(set) var regions = 0
  private(set) var timers: [AppTimer: SimInstant] = [:]
  /// (sequence, fixes) of every requested upload.
  private(set) var uploads: [Upload] = []
  private(set) var mostCommands = 0
  private var list = CommandList()

  struct Upload: Equatable {
    var sequence: UInt32
    var fixes: [Fix]
  }

  init(
    _ policy: PolicySettings = .standard, seed: UInt64 = 1, phone: UInt32 = 1,
    _ change: (inout PolicySettings) -> Void = { _ in }
  ) {
    var policy = policy
    change(&policy)
    settings = policy
    self.seed = seed
    self.phone = PhoneID(rawValue: phone)
  }

  static func second(_ s: Double) -> SimInstant { midnight + SimDuration(seconds: s) }

  var standardIsOn: Bool { standard != nil }

  /// Delivers one event and returns the tracker's answer in words.
  @discardableResult
  mutating func notify(_ event: OSEvent, at second: Double) -> [String] {
    list.removeAll()
    if case .timer(let timer) = event { timers[timer] = nil }
    let context = TrackerStateMachine.Context(settings: settings, seed: seed)
    tracker.handle(event, of: phone, now: Self.second(second), context, into: &list)
    mostCommands = max(mostCommands, list.count)
    return (0..<list.count).map { perform(list[$0]) }
  }

  /// Delivers a fix of the standard manager at each of these seconds.
  mutating func fixes(at seconds: [Double], x: Double = 0) {
    for s in seconds { notify(.location(.at(s, x: x), .standard), at: s) }
  }

  /// Ends the process; the disk's content is kept.
  mutating func die() {
    openTasks = 0
    standard = nil
    timers.removeAll()
  }

  func timer(_ timer: AppTimer) -> Double? {
    timers[timer].map { ($0 - Self.midnight).seconds }
  }

  var waiting: [Fix] {
    var fixes: [Fix] = []
    pool.forEach(first: Int(outbox.count), of: outbox) { fixes.append($0) }
    return fixes
  }

  private static func text(_ filter: DistanceFilter) -> String {
    switch filter {
    case .none: ""
    case .atLeast(let distance): " \(Int(distance.meters)) m"
    case .max: " max"
    }
  }

  private mutating func perform(_ command: OSCommand) -> String {
    switch command {
    case .requestAuthorization(let wish): return "asks for \(wish)"
    case .startStandard(let request):
      var text = request.accuracy.rawValue + Self.text(request.distanceFilter)
      if let interval = request.interval, interval > .seconds(1) {
        text += " each \(Int(interval.seconds)) s"
      }
      standard = text
      deferral = request.deferral
      return "standard on \(text)"
    case .stopStandard:
      standard = nil
      return "standard off"
    case .startSignificantChange: return "significant on"
    case .stopSignificantChange: return "significant off"
    case .startVisits: return "visits on"
    case .stopVisits: return "visits off"
    case .startMotionActivity: return "motion on"
    case .stopMonitoringRegion: return "no region"
    case .monitorPlaces: return "places"
    case .stopMonitoringPlaces: return "no places"
    case .blockMainThread(let time): return "blocks \(Int(time.seconds)) s"
    case .monitorRegion(_, let radius):
      regions += 1
      return "region \(Int(radius.meters)) m"
    case .setTimer(let timer, let at):
      timers[timer] = at
      return "\(timer) timer"
    case .cancelTimer(let timer):
      timers[timer] = nil
      return "no \(timer) timer"
    case .beginBackgroundTask:
      openTasks += 1
      return "task begins"
    case .endBackgroundTask:
      openTasks -= 1
      return "task ends"
    case .persist(let fix):
      pool.append(fix, to: &outbox)
      return "keep"
    case .evictOldest(let cut):
      pool.remove(at: Int(cut), from: &outbox)
      return "evict"
    case .upload(let sequence, let count):
      var fixes: [Fix] = []
      pool.forEach(first: Int(count), of: outbox) { fixes.append($0) }
      uploads.append(Upload(sequence: sequence, fixes: fixes))
      return "send \(sequence): \(count)"
    case .forget(let count, _):
      pool.dropFirst(Int(count), from: &outbox)
      return "forget \(count)"
    case .uploadEvent: return "send event"
    case .forgetEvent: return "forget event"
    }
  }
}

extension Fix {
  /// Makes a fix at a second of the timeline, `x` metres east of the town's centre.
  static func at(_ second: Double, x: Double = 0, accuracy: UInt16 = 10) -> Fix {
    Fix(
      coordinate: Flatland.projection.coordinate(of: PlanePoint(x: x, y: 0)),
      time: FixTime(Timeline.second(second)), accuracyMeters: accuracy,
      speedDecimetersPerSecond: -1, courseDegrees: -1)
  }
}

enum Flatland {
  static let projection = Projection(centreLatitude: 52.52, centreLongitude: 13.405)
}

extension PolicySettings {
  /// Tracks by significant changes only in the background; a push may still request a burst.
  static var significantOnly: PolicySettings {
    var policy = PolicySettings.standard
    policy.regionRadius = nil
    policy.background.service.pattern = .off
    return policy
  }

  /// Keeps the standard service always on.
  static var continuous: PolicySettings {
    var policy = PolicySettings.standard
    policy.background.service.pattern = .continuous
    return policy
  }
}

extension Visit {
  static func ended(_ fix: Fix) -> Visit {
    Visit(fix: fix, arrival: .distantPast, departure: fix.time.instant)
  }
}
