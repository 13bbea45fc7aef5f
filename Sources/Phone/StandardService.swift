package import Mobility
package import Scenarios
package import SimulationCore
package import Telemetry

extension Purpose {
  static let timeToFirstFix = Purpose(rawValue: 240)
  static let indoorFailure = Purpose(rawValue: 241)
}

/// The standard location service: on or off, an accuracy, a distance filter, one fix a second.
///
/// Fixes are evaluated lazily, in one tight loop, up to the phone's next event, so a burst is one
/// event and not twenty.
package struct StandardService: Sendable, BitwiseCopyable {
  package var isOn = false
  package var accuracy = DesiredAccuracy.best
  /// Metres; negative: `kCLDistanceFilterNone`.
  package var distanceFilterMeters = -1.0
  package var startedAt = SimInstant.distantPast
  /// Time to first fix has passed by then; `.distantFuture` when there will be none.
  package var firstFixAt = SimInstant.distantFuture
  package var lastTick = SimInstant.distantPast
  package var lastDelivered = PlanePoint(x: 0, y: 0)
  package var hasDelivered = false
  /// Started in the foreground or from a significant change: keeps the app running in the
  /// background (AU7, rule book section 0); otherwise only the background task does.
  package var keepsAppAlive = false

  /// Precise location is off, whatever accuracy was asked for (rule book 2.1).
  package var isReduced = false

  /// Decided at each start: deep inside a building even the best accuracy comes from Wi-Fi.
  private var isDeepInside = false

  package static let interval = SimDuration.seconds(1)

  package init() {}

  /// AC2: satellites below 100 m asked; otherwise Wi-Fi positions, which are mostly better than
  /// asked.
  package var source: PositionSource {
    if isReduced { return .reduced }
    return switch accuracy {
    case .best, .tenMeters: isDeepInside ? .wifi : .satellites
    case .hundredMeters, .kilometer, .threeKilometers: .wifi
    }
  }

  /// SF2 and rule book 2.1: hot 1–2 s when a position is known for less than 30 min, warm 3–6 s
  /// within 4 h, else cold 10–30 s; half as long again indoors. Of the starts indoors 90 % see no
  /// satellite and make do with Wi-Fi within 1–3 s, and one in twenty finds nothing (A).
  package mutating func start(
    _ request: ServiceRequest, now: SimInstant,
    lastKnown: SimInstant, surroundings: Surroundings, keepsAppAlive: Bool, seed: UInt64,
    phone: PhoneID
  ) {
    accuracy = request.accuracy
    switch request.distanceFilter {
    case .none: distanceFilterMeters = -1
    case .atLeast(let distance): distanceFilterMeters = distance.meters
    case .max: distanceFilterMeters = 1e9
    }
    if isOn { return }
    isOn = true
    hasDelivered = false
    startedAt = now
    self.keepsAppAlive = keepsAppAlive
    var draw = Draw(seed: seed, phone: phone.rawValue, .timeToFirstFix, now.microseconds)
    let age = now - lastKnown
    isDeepInside = false
    let seconds =
      age < .minutes(30)
      ? draw.uniform(1, 2) : age < .hours(4) ? draw.uniform(3, 6) : draw.uniform(10, 30)
    let wifiSeconds = draw.uniform(1, 3)
    firstFixAt = now + SimDuration(seconds: source == .wifi ? wifiSeconds : seconds)
    switch surroundings {
    case .open, .street: break
    case .indoor:
      isDeepInside = draw.chance(0.9)
      firstFixAt = now + SimDuration(seconds: source == .wifi ? wifiSeconds : 1.5 * seconds)
      if draw.chance(0.05) { firstFixAt = .distantFuture }
    case .tunnel:
      if source == .satellites { firstFixAt = .distantFuture }
    }
    lastTick = firstFixAt - Self.interval
  }

  package mutating func stop() {
    isOn = false
    firstFixAt = .distantFuture
  }

  /// LC9: the service dies with the process.
  package mutating func processDied() { stop() }

  /// The next tick at or before `limit` on which a fix is delivered, past the distance filter.
  package mutating func nextFix(
    upTo limit: SimInstant, segment: Segment, maker: FixMaker, phone: PhoneID
  ) -> Fix? {
    guard isOn else { return nil }
    let source = source
    while true {
      let tick = nextTick(maker, phone)
      guard tick <= limit else { return nil }
      lastTick = tick
      guard let seen = maker.sighting(at: tick, segment, source, phone, since: firstFixAt) else {
        continue
      }
      if hasDelivered && distanceFilterMeters > 0
        && seen.place.distanceSquared(to: lastDelivered)
          < distanceFilterMeters * distanceFilterMeters
      {
        continue
      }
      hasDelivered = true
      lastDelivered = seen.place
      return maker.fix(seen, at: tick, source, phone)
    }
  }

  /// A second after the last; with precise location off a few times an hour.
  private func nextTick(_ maker: FixMaker, _ phone: PhoneID) -> SimInstant {
    isReduced && hasDelivered
      ? maker.nextReduced(after: lastTick, phone) : lastTick + Self.interval
  }
}
