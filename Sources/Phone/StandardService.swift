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

  /// Decided at each start: deep inside a building even the best accuracy comes from Wi-Fi.
  private var isDeepInside = false

  package static let interval = SimDuration.seconds(1)

  package init() {}

  /// AC2: satellites below 100 m asked; otherwise Wi-Fi positions, which are mostly better than
  /// asked.
  package var source: PositionSource {
    switch accuracy {
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
    while lastTick + Self.interval <= limit {
      lastTick += Self.interval
      let surroundings = segment.surroundings(at: lastTick)
      if surroundings == .tunnel && source == .satellites { continue }
      let place = maker.measured(at: lastTick, segment, source, surroundings, phone)
      if hasDelivered && distanceFilterMeters > 0
        && place.distanceSquared(to: lastDelivered) < distanceFilterMeters * distanceFilterMeters
      {
        continue
      }
      hasDelivered = true
      lastDelivered = place
      return maker.fix(place, at: lastTick, segment, source, surroundings, phone)
    }
    return nil
  }
}

/// Turns the truth into what a phone would report.
package struct FixMaker: Sendable {
  package let error: PositionError
  package let projection: Projection

  package init(seed: UInt64, projection: Projection) {
    error = PositionError(seed: seed)
    self.projection = projection
  }

  package func measured(
    at t: SimInstant, _ segment: Segment, _ source: PositionSource, _ surroundings: Surroundings,
    _ phone: PhoneID
  ) -> PlanePoint {
    segment.position(at: t) + error.offset(at: t, phone: phone, source, surroundings)
  }

  package func fix(
    _ place: PlanePoint, at t: SimInstant, _ segment: Segment, _ source: PositionSource,
    _ surroundings: Surroundings, _ phone: PhoneID
  ) -> Fix {
    let motion = segment.velocity(at: t)
    let knowsMotion = source == .satellites && motion.metersPerSecond > 0.3
    return Fix(
      coordinate: projection.coordinate(of: place), time: FixTime(t),
      accuracyMeters: error.reportedAccuracy(at: t, phone: phone, source, surroundings),
      speedDecimetersPerSecond: source == .satellites
        ? Int16(min(3_000, (motion.metersPerSecond * 10).rounded())) : -1,
      courseDegrees: knowsMotion ? Int16(motion.courseDegrees.rounded()) % 360 : -1)
  }

  /// A single position from Wi-Fi or cells, as significant changes and visits bring it.
  package func coarseFix(at t: SimInstant, _ segment: Segment, wifi: Bool, _ phone: PhoneID) -> Fix
  {
    let surroundings = segment.surroundings(at: t)
    // In towns a significant change brings a Wi-Fi position; without any, a cell's (rule book 2.1).
    let source: PositionSource = wifi || surroundings != .tunnel ? .wifi : .cell
    let place = measured(at: t, segment, source, surroundings, phone)
    return fix(place, at: t, segment, source, surroundings, phone)
  }
}
