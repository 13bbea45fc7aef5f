package import Core
package import Phone

package enum TraceEvent: Sendable {
  package enum Edge: Sendable {
    case offline, switchedOff, airplane, forceQuit, lookedAt
    /// The battery: on a charger, in Low Power Mode, empty, and unlocked afterwards.
    case charger, lowPower, batteryEmpty, firstUnlock
    case endedForMemory, updated
    case reinstalled
  }

  case truth(Segment, wifi: Bool)
  case edge(Edge, begins: Bool)
  case process(AppProcess.State)
  case authorized(Authorization)
  case crashed(CrashReason)
  case delivered(OSEvent)
  /// A fix for the app: its error in metres, and whether the tracker kept it.
  case fix(Fix, Manager?, offMeters: Double, isKept: Bool)
  case command(OSCommand)
  case outbox(Int)
  case pushRequested
  case pushEnded(WakeOutcome)
  case stored(SimInstant)
  case cause(StaleCause)
  case live
  case region(RegionStep, place: UInt8?)
  case consent(ConsentStep)
}

package enum RequestStep: Equatable, Sendable {
  /// No push: the server is down in the scenario.
  case serverDown
  /// No push: the phone never registered, or with less than Always or without a token.
  case unreachable(Authorization, tokenIsValid: Bool)
  case asked
  case refused(status: Int)
  case onItsWay
  case kept
  case arrived
  case phone(Device.PushStep)
  case ended(WakeOutcome)
}

/// Records the events of one phone of a fleet, in order. `@unchecked Sendable`: only the shard that
/// owns the phone writes, and other threads read only when the fleet has stopped.
package final class PhoneTrace: @unchecked Sendable {
  package let phone: PhoneID
  package private(set) var entries: [(at: SimInstant, what: TraceEvent)] = []
  package private(set) var sources: [Int: FixSource] = [:]
  /// The steps of pushes for one position on request, in order. They are not in `entries`.
  package private(set) var requestSteps: [(at: SimInstant, step: RequestStep)] = []
  /// Owns the recordings that the segments of `entries` point into.
  fileprivate var context: FleetContext?
  private var state: AppProcess.State?
  private var outbox = 0
  private var cause: StaleCause?

  package init(phone: PhoneID) { self.phone = phone }

  func note(_ what: TraceEvent, at now: SimInstant) { entries.append((now, what)) }

  func note(_ step: RequestStep, at now: SimInstant) { requestSteps.append((now, step)) }

  func noteState(_ state: AppProcess.State, outbox: Int, cause: StaleCause, at now: SimInstant) {
    if state != self.state { note(.process(state), at: now) }
    if outbox != self.outbox { note(.outbox(outbox), at: now) }
    if cause != self.cause { note(.cause(cause), at: now) }
    self.state = state
    self.outbox = outbox
    self.cause = cause
  }
}

extension PhoneTrace {
  func noteDelivery(
    _ event: OSEvent, _ source: FixSource, isKept: Bool, _ truth: Segment,
    _ projection: Projection, at now: SimInstant
  ) {
    let (fix, manager): (Fix, Manager?)
    switch event {
    case .location(let delivered, let from): (fix, manager) = (delivered, from)
    case .visit(let visit):
      note(.delivered(event), at: now)
      (fix, manager) = (visit.fix, nil)
    case .launched, .becameActive, .enteredBackground, .regionExited, .placeEntered, .placeExited,
      .regionsRefused, .silentPush, .timer, .backgroundTimeExpiring, .uploadFinished,
      .authorizationChanged, .motionActivity, .standardPaused, .settingsChanged:
      return note(.delivered(event), at: now)
    }
    sources[entries.count] = source
    let place = projection.point(of: fix.coordinate)
    let off = truth.position(at: fix.time.instant).distance(to: place)
    note(.fix(fix, manager, offMeters: off, isKept: isKept), at: now)
  }
}

struct ShardTraces {
  private let traces: [PhoneTrace?]

  init(_ traces: [PhoneTrace], phones range: Range<Int>, _ context: FleetContext) {
    let own = traces.filter { range.contains(Int($0.phone.rawValue)) }
    for trace in own { trace.context = context }
    var places = [PhoneTrace?](repeating: nil, count: own.isEmpty ? 0 : range.count)
    for trace in own { places[Int(trace.phone.rawValue) - range.lowerBound] = trace }
    self.traces = places
  }

  subscript(i: Int) -> PhoneTrace? { traces.isEmpty ? nil : traces[i] }
}
