package import Core

/// When one phone's app sends, keeps and drops fixes. The type is pure: events, instants and a
/// random number come in, and effects go out.
///
///          ┌── fixes, timer, launch ──▶ sends ── stored, duplicate ──▶ idle, or sends on
///     idle ┤                             ├── refused ─▶ throws away, sends on
///          └── not registered ─▶ registers  └── failed, unanswered ─▶ waits, halts, throws away
package struct AppRetry: Sendable {
  /// The state of one phone, in 24 bytes.
  package struct State: Equatable, Sendable, BitwiseCopyable {
    /// The instant of the app's next timer; `distantFuture` for none.
    package internal(set) var wakeAt = WallInstant.distantFuture
    /// The instant before which only `onward` requests are sent.
    var intervalAt = WallInstant.distantPast
    /// The number of fixes in the request in flight; 0 if none is in flight.
    package internal(set) var inFlight: UInt16 = 0
    /// The number of consecutive failures.
    package internal(set) var failures: UInt16 = 0
    /// Whether the app waits after a failure.
    package internal(set) var isHalted = false
    package internal(set) var isRegistering = false
    /// Whether the phone is registered; also true if the target needs no registration.
    package internal(set) var isRegistered: Bool

    package init(needsRegistration: Bool) { isRegistered = !needsRegistration }
  }

  package enum Event: Equatable, Sendable {
    case fixes
    case launched
    case timer
    case answered(Answer)
    /// The request timed out, or the connection failed.
    case unanswered
    case registered(Answer)
  }

  package enum Drop: Equatable, Sendable {
    case refused
    /// The request reached the maximum number of attempts.
    case attempts
    case notTried
  }

  package enum Form: Equatable, Sendable { case upload, backlog }

  package struct Effects: Equatable, Sendable {
    /// The number of oldest fixes that the server took or the app dropped.
    package var removed = 0
    /// The reason why the `removed` fixes were dropped; nil if the server took them.
    package var drop: Drop?
    /// The number of fixes after `removed` that the app drops in favour of newer fixes.
    package var superseded = 0
    package var registers = false
    /// The request to send with the oldest fixes; nil for none.
    package var sends: Form?
    /// The number of fixes in the request that `sends` names.
    package var count = 0
    /// When the event `timer` is due; nil for no change.
    package var wakeAt: WallInstant?
  }

  package let rule: RetryRule
  private let upload: FixesPerRequest
  private let backlog: (over: Int, fixes: FixesPerRequest)?
  private let occasion: Registration.Occasion?

  package init(_ target: Target) {
    rule = target.retry
    upload = target.upload.fixes
    backlog = target.upload.backlog.map { ($0.over, $0.fixes) }
    occasion = target.register?.once
  }

  package var start: State { State(needsRegistration: occasion != nil) }

  /// - Parameter waiting: the number of fixes on the phone, including fixes in flight.
  /// - Parameter chance: uniform in [0, 1).
  package func handle(
    _ event: Event, _ state: inout State, waiting: Int, at now: WallInstant, chance: Double
  ) -> Effects {
    var effects = Effects()
    switch event {
    case .fixes:
      if rule.on == .location { state.isHalted = false }
      makeRoom(state, waiting, &effects)
    case .launched:
      if occasion == .launch { state.isRegistered = false }
      if rule.on != .interval { state.isHalted = false }
    case .timer:
      guard state.wakeAt <= now else { return effects }
      state.isHalted = false
    case .answered(let answer): take(answer, &state, waiting, now, chance, &effects)
    case .unanswered: fail(nil, &state, now, chance, &effects)
    case .registered(let answer): register(answer, &state, now, chance, &effects)
    }
    let left = waiting - effects.removed - effects.superseded
    let isOnward = effects.removed > 0
    if maySend(state, left: left, isOnward: isOnward, now, &effects) {
      send(&state, left: left, now, &effects)
    }
    if let wakeAt = effects.wakeAt { state.wakeAt = wakeAt }
    return effects
  }

  private func makeRoom(_ state: State, _ waiting: Int, _ effects: inout Effects) {
    guard rule.buffer > 0, state.failures > 0, state.inFlight == 0 else { return }
    effects.superseded = max(0, waiting - rule.buffer)
  }

  private func take(
    _ answer: Answer, _ state: inout State, _ waiting: Int, _ now: WallInstant, _ chance: Double,
    _ effects: inout Effects
  ) {
    switch answer.outcome {
    case .stored, .duplicate, .partly: remove(nil, &state, &effects)
    case .refused: remove(.refused, &state, &effects)
    case .retry, .failed:
      if answer.isUnauthorized, rule.on401 == .register, occasion != nil {
        state.inFlight = 0
        state.isRegistered = false
        state.isHalted = false
        return
      }
      var after: WallDuration?
      if case .retry(let wait) = answer.outcome { after = wait }
      fail(after, &state, now, chance, &effects)
    }
  }

  private func remove(_ drop: Drop?, _ state: inout State, _ effects: inout Effects) {
    effects.removed = Int(state.inFlight)
    effects.drop = drop
    state.inFlight = 0
    state.failures = 0
    state.isHalted = false
    effects.wakeAt = .distantFuture
  }

  private func fail(
    _ after: WallDuration?, _ state: inout State, _ now: WallInstant, _ chance: Double,
    _ effects: inout Effects
  ) {
    let failures = min(state.failures &+ 1, .max - 1)
    if rule.on == .never { return remove(.notTried, &state, &effects) }
    if rule.attempts > 0, Int(failures) >= rule.attempts {
      return remove(.attempts, &state, &effects)
    }
    state.inFlight = 0
    state.failures = failures
    state.isHalted = true
    switch rule.on {
    case .backoff: effects.wakeAt = now + (after ?? wait(failures, chance))
    case .interval: effects.wakeAt = max(state.intervalAt, now + (after ?? .zero))
    case .location, .never: effects.wakeAt = after.map { now + $0 } ?? .distantFuture
    }
  }

  /// Returns the backoff after f failures, `first` × `factor`ᶠ⁻¹, at most `longest`, ± jitter.
  package func wait(_ failures: UInt16, _ chance: Double) -> WallDuration {
    var wait = Double(rule.first.microseconds)
    let longest = Double(rule.longest.microseconds)
    var left = failures
    while left > 1, wait < longest {
      wait *= rule.factor
      left -= 1
      if rule.factor <= 1 { break }
    }
    let jittered = min(wait, longest) * (1 + rule.jitter * (2 * chance - 1))
    return .microseconds(Int64(jittered.rounded()))
  }

  private func register(
    _ answer: Answer, _ state: inout State, _ now: WallInstant, _ chance: Double,
    _ effects: inout Effects
  ) {
    state.isRegistering = false
    switch answer.outcome {
    case .stored, .duplicate:
      state.isRegistered = true
      state.isHalted = false
      state.failures = 0
    case .retry(let after):
      halt(after, &state, now, chance, &effects)
    case .refused, .failed, .partly: halt(nil, &state, now, chance, &effects)
    }
  }

  /// Waits after a failed registration, which the app retries after a backoff and never gives up.
  private func halt(
    _ after: WallDuration?, _ state: inout State, _ now: WallInstant, _ chance: Double,
    _ effects: inout Effects
  ) {
    state.failures = min(state.failures &+ 1, .max - 1)
    state.isHalted = true
    effects.wakeAt = now + (after ?? wait(state.failures, chance))
  }

  private func maySend(
    _ state: State, left: Int, isOnward: Bool, _ now: WallInstant, _ effects: inout Effects
  ) -> Bool {
    guard left > 0, state.inFlight == 0, !state.isRegistering, !state.isHalted else { return false }
    guard isOnward else {
      if now < state.intervalAt {
        effects.wakeAt = state.intervalAt
        return false
      }
      return true
    }
    let goesOn =
      switch rule.onward {
      case .all: true
      case .wholeRequests: left >= size(of: left)
      case .none: false
      }
    if !goesOn, rule.every > .zero { effects.wakeAt = max(state.intervalAt, now) }
    return goesOn
  }

  private func send(
    _ state: inout State, left: Int, _ now: WallInstant, _ effects: inout Effects
  ) {
    guard state.isRegistered else {
      state.isRegistering = true
      effects.registers = true
      effects.wakeAt = .distantFuture
      return
    }
    let (form, fixes) = request(while: left)
    switch fixes {
    case .newest:
      effects.superseded += left - 1
      effects.count = 1
    case .upTo(let most): effects.count = min(left, most)
    }
    effects.sends = form
    effects.wakeAt = .distantFuture
    state.inFlight = UInt16(clamping: effects.count)
    state.intervalAt = rule.every > .zero ? now + rule.every : .distantPast
  }

  private func request(while left: Int) -> (form: Form, fixes: FixesPerRequest) {
    guard let backlog, left > backlog.over else { return (.upload, upload) }
    return (.backlog, backlog.fixes)
  }

  private func size(of left: Int) -> Int {
    switch request(while: left).fixes {
    case .newest: 1
    case .upTo(let most): most
    }
  }
}
