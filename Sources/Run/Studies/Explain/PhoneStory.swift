package import Core
internal import Figures
internal import Fleet
internal import Foundation
internal import Phone
internal import Scenarios

/// The simulated history of one phone as lines about true position, phone, tracker, fixes, uploads
/// and pushes.
package struct PhoneStory {
  let scenario: Scenario
  let context: FleetContext
  let phone: PhoneID
  let cohort: Int
  /// The phone's trace, which owns the recordings that its segments point into.
  let trace: PhoneTrace
  let begin: SimInstant
  let end: SimInstant
  package let wasStopped: Bool

  /// Simulates the whole fleet, since pushes depend on the server's other phones.
  /// - Precondition: `plan.scenario` has a phone of this number.
  package init(
    _ plan: RunPlan, phone: PhoneID, progress: @escaping (RunProgress) -> Void,
    shouldStop: @escaping () -> Bool
  ) {
    precondition(
      Int(phone.rawValue) < plan.scenario.fleet.phones, "phone \(phone.rawValue) is not installed")
    var plan = plan
    let trace = PhoneTrace(phone: phone)
    plan.trace = trace
    let outcome = Simulation(plan).run(progress: progress, shouldStop: shouldStop)
    let scenario = plan.scenario
    self.init(
      scenario, FleetContext(scenario), trace, from: scenario.start - scenario.warmStart,
      wasStopped: outcome.record.verdict == .interrupted)
  }

  /// Describes what was recorded from `begin` on.
  ///
  /// - Parameter now: the end of the description; nil for the instant of the last entry.
  init(
    _ scenario: Scenario, _ context: FleetContext, _ trace: PhoneTrace, from begin: SimInstant,
    until now: SimInstant? = nil, wasStopped: Bool = false
  ) {
    self.scenario = scenario
    self.context = context
    self.trace = trace
    self.begin = begin
    self.wasStopped = wasStopped
    phone = trace.phone
    cohort = context.cohort(of: Int(trace.phone.rawValue))
    end = min(
      scenario.measureEnd, max(scenario.start, now ?? trace.entries.last?.at ?? scenario.start))
  }

  var requestSteps: [(at: SimInstant, step: RequestStep)] { trace.requestSteps }

  var entries: [(at: SimInstant, what: TraceEvent)] { trace.entries }

  // MARK: Lines

  /// A description of the phone, then a line for each event. A date precedes each day's first line.
  package var lines: [String] { [introduction] + told.map(\.text) }

  struct Line {
    var at: SimInstant
    var text: String
    /// The indices of the entries that the line describes.
    var entries: [Int] = []
  }

  var told: [Line] {
    var lines: [Line] = []
    var day: Int32?
    var dropped: [(at: SimInstant, fix: Fix, entry: Int)] = []
    func say(_ at: SimInstant, _ who: String, _ what: String, _ entries: [Int]) {
      let today = scenario.clock.day(at: at)
      if today != day {
        let date = String(ClockText.text(at, scenario.clock).prefix(10))
        lines.append(Line(at: at, text: date))
        day = today
      }
      let text = "\(time(at))  \(who.padding(toLength: 8, withPad: " ", startingAt: 0))\(what)"
      lines.append(Line(at: at, text: text, entries: entries))
    }
    func flushDropped() {
      guard let first = dropped.first else { return }
      say(first.at, "fix", Self.text(dropped.map(\.fix), time), dropped.map(\.entry))
      dropped.removeAll()
    }
    for (place, (at, what)) in entries.enumerated() {
      if case .fix(let fix, _, _, isKept: false) = what {
        dropped.append((at, fix, place))
        continue
      }
      guard let line = line(what, trace.sources[place]) else { continue }
      flushDropped()
      say(at, line.who, line.what, [place])
    }
    flushDropped()
    return lines
  }

  var system: SystemKind { scenario.fleet.cohorts[cohort].os.value.system.kind }

  var introduction: String {
    let habits = context.habits(cohort)
    let authorization =
      switch habits.authorization(of: phone) {
      case .always: "Always"
      case .whenInUse: "When In Use"
      case .denied: "no"
      case .notDetermined: "undetermined"
      }
    let refresh =
      switch system {
      case .iOS: ", Background App Refresh \(habits.backgroundRefreshIsOff(phone) ? "off" : "on")"
      case .android: ""
      }
    let cohort = scenario.fleet.cohorts[cohort]
    return "Phone \(phone.rawValue) of \(scenario.name), seed \(scenario.seed): cohort "
      + "\(cohort.name), policy \(scenario.policies[cohort.policy].name), \(cohort.os.name), "
      + "\(authorization) permission, push token \(habits.tokenIsValid(phone) ? "valid" : "dead")"
      + "\(refresh)."
  }

  func time(_ at: SimInstant) -> String {
    String(ClockText.text(at, scenario.clock).dropFirst(11))
  }

  /// Returns the line of an entry; nil if other lines cover the entry.
  func line(_ what: TraceEvent, _ source: FixSource?) -> (who: String, what: String)? {
    switch what {
    case .truth(let segment, let wifi): ("truth", text(segment) + (wifi ? ", on Wi-Fi" : ""))
    case .edge(let edge, let begins): Self.text(edge, begins).map { ("phone", $0) }
    case .process(let state): ("phone", Self.text(state))
    case .authorized(let now): ("phone", "location permission: \(now)")
    case .crashed(let reason): ("phone", "app ends: " + Self.text(reason))
    case .delivered(let event): line(event)
    case .fix(let fix, let manager, let off, isKept: let isKept):
      ("fix", Self.text(fix, manager, source, off) + (isKept ? ", kept" : ", dropped"))
    case .command(let command): line(command)
    case .outbox(let count): ("outbox", count == 1 ? "1 fix waits" : "\(count) fixes wait")
    case .pushRequested: ("push", "the server requests a report")
    case .pushEnded(let outcome): ("push", "ends: \(outcome.rawValue)")
    case .stored(let newest): ("server", "newest fix is of \(time(newest))")
    case .cause: nil
    case .consent(let step): ("phone", Self.text(step))
    case .live: ("run", "warm start over; connections are dropped, counting begins")
    case .region(let step, let place): ("phone", Self.text(step, place))
    }
  }

  private static func text(_ edge: TraceEvent.Edge, _ begins: Bool) -> String? {
    switch (edge, begins) {
    case (.offline, true): "data path lost"
    case (.offline, false): "data path back"
    case (.switchedOff, true): "switched off"
    case (.switchedOff, false): "switched on"
    case (.charger, true): "on a charger"
    case (.charger, false): "off the charger"
    case (.lowPower, true): "battery low, owner turns Low Power Mode on"
    case (.lowPower, false): "battery charged, Low Power Mode goes off"
    case (.batteryEmpty, true): "battery empty, switches itself off"
    case (.batteryEmpty, false): "charged, starts; no app runs before the first unlock"
    case (.firstUnlock, false): "restarts; only a significant change starts the app now"
    case (.firstUnlock, true): "unlocked for the first time since its start"
    case (.endedForMemory, _): "needs memory, ends the app"
    case (.updated, _): "installs a new version of the app"
    case (.reinstalled, true): "owner deletes the app, its outbox is lost"
    case (.reinstalled, false): "app reinstalled, with a new token"
    case (.airplane, true): "in airplane mode"
    case (.airplane, false): "airplane mode over"
    case (.forceQuit, true): "owner force-quits the app"
    case (.forceQuit, false): nil
    case (.lookedAt, true): "owner opens the app"
    case (.lookedAt, false): "owner leaves the app"
    }
  }

  private static func text(_ step: ConsentStep) -> String {
    switch step {
    case .secondPromptWaits: "Always is provisional: the second prompt waits for an unlock"
    case .secondPrompt(let answer): "second prompt, its owner answers: \(answer)"
    case .reminder(isTakenBack: true): "reminder with a map, its owner revokes Always"
    case .reminder(isTakenBack: false): "reminder with a map, its owner keeps Always"
    case .onceLapsed: "Allow Once is over"
    case .settings(let choice): "owner chooses in Settings: \(choice)"
    case .precise(let isOn): "owner switches precise location \(isOn ? "on" : "off")"
    }
  }

  private static func text(_ step: RegionStep, _ place: UInt8?) -> String {
    let region = place.map { "the region around \(text(place: $0))" } ?? "the region"
    return switch step {
    case .unnoticed: "crosses the border of \(region) unnoticed until the system's next check"
    case .undone: "is back across the border of \(region) before the system's check; no callback"
    case .missed: "crosses the border of \(region), and the system never reports it"
    case .dropped:
      "drops \(region): the app was launched for it and did not open its monitor"
    case .refused: "does not monitor \(region): the app has reached the limit"
    }
  }

  private static func text(place: UInt8) -> String {
    switch place {
    case 0: "home"
    case 1: "work"
    default: "place \(place - 1)"
    }
  }

  private static func text(_ reason: CrashReason) -> String {
    switch reason {
    case .backgroundModeMissing: "background updates without the background mode"
    case .watchdog: "its main thread did not answer"
    case .backgroundTimeOver: "a background task exceeded its time"
    }
  }

  private static func text(_ state: AppProcess.State) -> String {
    switch state {
    case .notRunning: "app not running"
    case .suspended: "app suspended"
    case .background: "app runs in the background"
    case .foreground: "app in the foreground"
    }
  }

  private func line(_ event: OSEvent) -> (who: String, what: String)? {
    switch event {
    case .launched(.user): ("phone", "app launched by its owner")
    case .launched(.location): ("phone", "app launched for a location")
    case .launched(.push): ("phone", "app launched for a push")
    case .launched(.upload): ("phone", "app launched for the end of its upload")
    case .launched(.refresh): ("phone", "app launched for a background task")
    case .launched(.system): ("phone", "app launched by the system")
    // These have no line: the process event covers them, and fixes are listed separately.
    case .becameActive, .enteredBackground, .location: nil
    case .regionExited(.imprecise, _): ("phone", "left the region")
    case .regionExited(.standard, _): nil
    case .placeEntered(let place, _): ("phone", "arrived at " + Self.text(place: place))
    case .placeExited(let place, _): ("phone", "left " + Self.text(place: place))
    case .regionsRefused(let count):
      ("phone", "\(count) region\(count == 1 ? " is" : "s are") not monitored: over the limit")
    case .visit(let visit): ("phone", visit.hasEnded ? "visit ends" : "visit begins")
    case .authorizationChanged: nil  // Noted when it changes.
    case .motionActivity(let activity):
      ("phone", activity.map { "moves: \($0)" } ?? "moves, activity unknown")
    case .standardPaused: ("phone", "standard service paused: nothing moves")
    case .settingsChanged: ("tracker", "new settings from the server")
    case .silentPush: ("push", "wakes the app")
    case .messagesDiscarded: ("push", "tells the app that its messages were discarded")
    case .refreshed: ("phone", "background refresh")
    case .processing: ("phone", "background processing")
    case .timer(.stopStandard): ("tracker", "burst over")
    case .timer(.send): ("tracker", "time to send")
    case .timer(.restart): ("tracker", "time to restart the standard service")
    case .timer(.still): ("tracker", "nothing moved: at rest")
    case .backgroundTimeExpiring: ("phone", "background time runs out")
    case .uploadFinished(let result): ("upload", Self.text(result))
    }
  }

  private static func text(_ request: ServiceRequest) -> String {
    switch request.distanceFilter {
    case .none: request.accuracy.rawValue
    case .atLeast(let distance): "\(request.accuracy.rawValue), every \(Int(distance.meters)) m"
    case .max: "\(request.accuracy.rawValue), with no distance filter"
    }
  }

  private static func text(_ result: UploadResult) -> String {
    switch result {
    case .acknowledged: "acknowledged"
    case .refused: "refused permanently"
    case .failed: "failed"
    case .offline: "no data path"
    case .connectionLost: "unknown: the app did not run when the answer came"
    }
  }

  private func line(_ command: OSCommand) -> (who: String, what: String)? {
    switch command {
    case .requestAuthorization(let wish): ("tracker", "asks its user for permission: \(wish)")
    case .startStandard(let request) where request.isLive: ("tracker", "starts live updates")
    case .startStandard(let request):
      ("tracker", "starts the standard service, " + Self.text(request))
    case .stopStandard: ("tracker", "stops the standard service")
    case .startSignificantChange: ("tracker", "starts significant changes")
    case .stopSignificantChange: ("tracker", "stops significant changes")
    case .startVisits: ("tracker", "starts visits")
    case .stopVisits: ("tracker", "stops visits")
    case .startMotionActivity: ("tracker", "starts motion activity")
    case .stopMonitoringRegion: ("tracker", "stops its region")
    case .monitorPlaces: ("tracker", "monitors its places")
    case .stopMonitoringPlaces: ("tracker", "stops monitoring its places")
    case .blockMainThread(let time): ("tracker", "blocks its main thread for \(time.seconds) s")
    case .monitorRegion(_, let radius): ("tracker", "region of \(Int(radius.meters)) m here")
    case .setTimer(.stopStandard, let at): ("tracker", "burst to end at \(time(at))")
    case .setTimer(.restart, let at): ("tracker", "standard service again at \(time(at))")
    case .setTimer(.still, let at): ("tracker", "at rest if nothing moves until \(time(at))")
    case .setTimer(.send, let at): ("tracker", "next send at \(time(at))")
    case .beginBackgroundTask: ("tracker", "begins a background task")
    case .endBackgroundTask: ("tracker", "ends its background task")
    case .evictOldest: ("outbox", "full: drops the oldest fix")
    case .upload(let sequence, let count):
      ("upload", "batch \(sequence) with \(count) fix\(count == 1 ? "" : "es")")
    case .uploadEvent: ("upload", "the oldest event")
    case .cancelTimer, .persist, .forget, .forgetEvent: nil  // Seen by what follows from them.
    }
  }

  // MARK: Words

  func text(_ segment: Segment) -> String {
    let lasts = Self.text(min(segment.end, end) - max(segment.start, begin))
    let isRecorded = context.track(of: phone, cohort: cohort) != nil
    guard segment.isMoving else {
      let place = isRecorded ? "" : " at \(Self.place(segment.place))"
      return "stays\(place), \(lasts)"
    }
    let way = String(format: "%.1f km", segment.trackLength / 1_000)
    if isRecorded { return "on a recorded track, \(way), \(lasts)" }
    return "leaves for \(Self.place(segment.place)), \(segment.mode), \(way), \(lasts)"
  }

  private static func place(_ number: UInt16) -> String {
    switch number {
    case 0: "home"
    case 1: "work"
    default: "place \(number)"
    }
  }

  private static func text(
    _ fix: Fix, _ manager: Manager?, _ source: FixSource?, _ off: Double
  ) -> String {
    let service =
      switch manager {
      case .standard: "standard service"
      case .imprecise: "significant change"
      case nil: "visit"
      }
    return String(
      format: "%.6f, %.6f ± %d m, %d m off (%@)", fix.coordinate.latitude,
      fix.coordinate.longitude, Int(fix.accuracyMeters), Int(off.rounded()),
      (source.map { "\(service), \(text($0))" } ?? service) as NSString)
  }

  private static func text(_ source: FixSource) -> String {
    switch source {
    case .satellites: "from satellites"
    case .wifi: "from Wi-Fi"
    case .cell: "from a cell"
    case .reduced: "without precise location"
    case .cached: "from the system's cache"
    }
  }

  private static func text(_ dropped: [Fix], _ time: (SimInstant) -> String) -> String {
    let worst = dropped.map(\.accuracyMeters).max() ?? 0
    if dropped.count == 1 { return "1 fix ± \(worst) m, dropped by the filter" }
    let last = dropped[dropped.count - 1].time.instant
    return
      "\(dropped.count) fixes until \(time(last)), ± \(worst) m or better, dropped by the filter"
  }

  static func text(_ span: SimDuration) -> String {
    let seconds = span.microseconds / 1_000_000
    if seconds < 60 { return "\(seconds) s" }
    let minutes = seconds / 60
    return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}
