package import Core
package import Phone
package import Push

package enum TraceEvent: Sendable {
  package enum Edge: Sendable {
    case offline, switchedOff, airplane, forceQuit, lookedAt
    /// The phone is on a charger, in Low Power Mode, empty, or first unlocked since a restart.
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
  /// A fix for the app, its error in metres, and whether the tracker kept it.
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
  /// No push was sent: the server is down in the scenario.
  case serverDown
  /// No push was sent: the phone never registered, or did so without Always or a valid token.
  case unreachable(Authorization, tokenIsValid: Bool)
  case asked
  case refused(status: Int)
  case onItsWay
  case kept(StorageGate)
  case arrived
  case phone(Device.PushStep)
  case ended(WakeOutcome)
}

/// Records the events of one phone of a fleet, in order. `@unchecked Sendable`: only the shard that
/// owns the phone writes, and other threads read only when the fleet has stopped.
package final class PhoneTrace: @unchecked Sendable {
  package enum Scope: Sendable {
    case everything
    /// The events that the system delivers to the app, without fixes; this takes half the time.
    case deliveries
  }

  package let phone: PhoneID
  let scope: Scope
  package private(set) var entries: [(at: SimInstant, what: TraceEvent)] = []
  /// The source of each entry that is a fix; nil for other entries.
  package private(set) var sources: [FixSource?] = []
  /// The steps of pushes for one position on request, in order, which `entries` lacks.
  package private(set) var requestSteps: [(at: SimInstant, step: RequestStep)] = []
  /// The owner of the recordings that the segments of `entries` point into.
  fileprivate var context: FleetContext?
  private var state: AppProcess.State?
  private var outbox = 0
  private var cause: StaleCause?
  private let entriesMax: Int
  /// Whether entries beyond `entriesMax` were left out.
  package private(set) var isCut = false

  package init(phone: PhoneID, _ scope: Scope = .everything, entriesMax: Int = .max) {
    self.phone = phone
    self.scope = scope
    self.entriesMax = entriesMax
  }

  /// A copy that other threads may read; make it on the queue of the phone's shard.
  package var copy: PhoneTrace {
    let copy = PhoneTrace(phone: phone, scope, entriesMax: entriesMax)
    (copy.entries, copy.sources, copy.requestSteps) = (entries, sources, requestSteps)
    (copy.context, copy.isCut) = (context, isCut)
    return copy
  }

  func note(_ what: TraceEvent, _ source: FixSource? = nil, at now: SimInstant) {
    guard entries.count < entriesMax else {
      isCut = true
      return
    }
    entries.append((now, what))
    sources.append(source)
  }

  /// Sets the state before the first entry, for a trace that begins during a run.
  func begin(_ state: AppProcess.State, outbox: Int, cause: StaleCause) {
    (self.state, self.outbox, self.cause) = (state, outbox, cause)
  }

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
      .regionsRefused, .silentPush, .messagesDiscarded, .refreshed, .processing, .timer,
      .backgroundTimeExpiring, .uploadFinished, .authorizationChanged, .motionActivity,
      .standardPaused, .settingsChanged:
      return note(.delivered(event), at: now)
    }
    guard scope == .everything else { return }
    let place = projection.point(of: fix.coordinate)
    let off = truth.position(at: fix.time.instant).distance(to: place)
    note(.fix(fix, manager, offMeters: off, isKept: isKept), source, at: now)
  }
}

struct ShardTraces {
  /// A bit per phone of the shard, which every event reads; empty if no phone is traced.
  private var isTraced: [UInt64] = []
  private var traces: [Int: PhoneTrace] = [:]

  init(_ traces: [PhoneTrace], phones range: Range<Int>, _ context: FleetContext) {
    for trace in traces where range.contains(Int(trace.phone.rawValue)) {
      let place = Int(trace.phone.rawValue) - range.lowerBound
      trace.context = context
      if isTraced.isEmpty { isTraced = [UInt64](repeating: 0, count: (range.count + 63) / 64) }
      isTraced[place >> 6] |= 1 << UInt64(place & 63)
      self.traces[place] = trace
    }
  }

  subscript(i: Int) -> PhoneTrace? {
    guard !isTraced.isEmpty, isTraced[i >> 6] & 1 << UInt64(i & 63) != 0 else { return nil }
    return traces[i]
  }
}
