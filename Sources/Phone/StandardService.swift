package import Mobility
package import Scenarios
package import SimulationCore
package import Telemetry

/// The standard location service: on or off, an accuracy, a distance filter, one fix a second.
///
/// Fixes are evaluated lazily, in one tight loop, up to the phone's next event, so a burst is one
/// event and not twenty.
package struct StandardService: Sendable, BitwiseCopyable {
  /// Positions are looked for.
  package private(set) var isOn = false
  /// The app has started it and not stopped it; it may be paused, or suspended with its app.
  package private(set) var isWanted = false
  /// PT2: paused, and whoever starts it again gets nothing; lifted by the system.
  package var isPaused = false
  /// Is `pausesLocationUpdatesAutomatically` of the last request (PT1).
  package private(set) var pausesAutomatically = false
  /// Is `activityType` of the last request (PT4).
  package private(set) var activityType = ActivityType.other
  /// Is `allowsBackgroundLocationUpdates` of the last request (AU7).
  package private(set) var allowsBackground = false
  /// Is `showsBackgroundLocationIndicator` of the last request (AU8).
  package private(set) var showsIndicator = false
  /// NO4: started in airplane mode.
  package private(set) var isAlone = false
  /// DF1; zero: none.
  package private(set) var deferral: (meters: Float, seconds: Float) = (0, 0)
  /// Metres; negative: `kCLDistanceFilterNone`.
  package var distanceFilterMeters = -1.0
  /// Is when the service last began to look for a position.
  package var startedAt = SimInstant.distantPast
  /// Time to first fix has passed by then; `.distantFuture` when there will be none.
  package var firstFixAt = SimInstant.distantFuture
  /// Is the instant of the last evaluated tick, delivered or not.
  package var lastTick = SimInstant.distantPast
  /// Is the place of the last delivered fix, from which the distance filter counts.
  package var lastDelivered = PlanePoint(x: 0, y: 0)
  /// Is `desiredAccuracy` of the last request.
  package var accuracy = DesiredAccuracy.best
  /// Decided at each start: deep inside a building even the best accuracy comes from Wi-Fi.
  private var isDeepInside = false
  /// Is true once a fix was delivered since the service last began to run.
  package var hasDelivered = false
  /// AU7: started in the foreground or from a significant change, by an app that may locate in the
  /// background: keeps the app running there; otherwise only the background task does.
  package var keepsAppAlive = false

  /// Precise location is off, whatever accuracy was asked for (rule book 2.1).
  package var isReduced = false

  /// `CLLocationDistanceMax` for all that happens on Earth.
  private static let maxMeters = 1e9
  /// Is the time between two ticks: one second.
  package static let interval = SimDuration.seconds(1)

  /// Makes a service that is off and was never asked for.
  package init() {}

  /// AC2: satellites below 100 m asked; otherwise Wi-Fi positions, which are mostly better than
  /// asked.
  package var source: PositionSource {
    if isReduced { return .reduced }
    if isAlone { return .satellites }
    return switch accuracy {
    case .best, .tenMeters: isDeepInside ? .wifi : .satellites
    case .hundredMeters, .kilometer, .threeKilometers: .wifi
    }
  }

  /// The satellites' receiver runs, whether or not it hears them.
  package var asksSatellites: Bool {
    guard !isReduced else { return false }
    return switch accuracy {
    case .best, .tenMeters: true
    case .hundredMeters, .kilometer, .threeKilometers: isAlone
    }
  }

  /// The running service takes over new settings; one that is off is ready to run with them.
  ///
  /// - Parameter defers: the system has deferred updates (DF1).
  package mutating func configure(_ request: ServiceRequest, defers: Bool = false) {
    isWanted = true
    accuracy = request.accuracy
    switch request.distanceFilter {
    case .none: distanceFilterMeters = -1
    case .atLeast(let distance): distanceFilterMeters = distance.meters
    case .max: distanceFilterMeters = Self.maxMeters
    }
    pausesAutomatically = request.pausesAutomatically
    activityType = request.activityType
    allowsBackground = request.allowsBackground
    showsIndicator = request.showsIndicator
    deferral = (0, 0)
    // DF1: satellites and no filter, or the call fails.
    if let wish = request.deferral, defers, distanceFilterMeters < 0 {
      switch accuracy {
      case .best, .tenMeters: deferral = (Float(wish.distance.meters), Float(wish.time.seconds))
      case .hundredMeters, .kilometer, .threeKilometers: break
      }
    }
  }

  /// SF2 and rule book 2.1: hot, warm or cold, by how long ago a position was known; longer
  /// indoors. Of the starts indoors most see no satellite and make do with Wi-Fi, and some find
  /// nothing.
  ///
  /// - Parameter isAlone: in airplane mode satellites are all there is, and nobody says where they
  ///   are (NO4).
  package mutating func start(
    _ request: ServiceRequest, now: SimInstant,
    lastKnown: SimInstant, surroundings: Surroundings, keepsAppAlive: Bool, isAlone: Bool = false,
    defers: Bool = false, _ profile: FirstFixProfile, seed: UInt64, phone: PhoneID
  ) {
    configure(request, defers: defers)
    self.keepsAppAlive = keepsAppAlive
    if isOn { return }
    run(
      now: now, lastKnown: lastKnown, surroundings: surroundings, isAlone: isAlone, profile,
      seed: seed, phone: phone)
  }

  /// Begins to look for a position; also after a pause or a suspension, with the same settings.
  package mutating func run(
    now: SimInstant, lastKnown: SimInstant, surroundings: Surroundings, isAlone: Bool,
    _ profile: FirstFixProfile, seed: UInt64, phone: PhoneID
  ) {
    isOn = true
    hasDelivered = false
    startedAt = now
    self.isAlone = isAlone
    isDeepInside = false
    var draw = Draw(seed: seed, phone: phone.rawValue, .timeToFirstFix, now.microseconds)
    let times = profile.time(age: now - lastKnown, isAlone: isAlone)
    let seconds = draw.seconds(within: times)
    let wifiSeconds = draw.seconds(within: profile.wifi)
    firstFixAt = now + SimDuration(seconds: source == .wifi ? wifiSeconds : seconds)
    switch surroundings {
    case .open, .street: break
    case .indoor:
      isDeepInside = draw.chance(profile.indoorBlind)
      firstFixAt =
        now + SimDuration(seconds: source == .wifi ? wifiSeconds : profile.indoorFactor * seconds)
      if draw.chance(profile.indoorFailure) || isAlone && isDeepInside {
        firstFixAt = .distantFuture
      }
    case .tunnel:
      if source == .satellites { firstFixAt = .distantFuture }
    }
    lastTick = firstFixAt - Self.interval
  }

  /// A service that goes on finds other surroundings: it may see the sky again, or lose it.
  ///
  /// - Returns: whether it has to look for a position again.
  package mutating func surroundingsChanged(
    to surroundings: Surroundings, now: SimInstant, _ profile: FirstFixProfile, seed: UInt64,
    phone: PhoneID
  ) -> Bool {
    let (before, wasBlind) = (source, firstFixAt == .distantFuture)
    var draw = Draw(seed: seed, phone: phone.rawValue, .indoorFailure, now.microseconds)
    isDeepInside = surroundings == .indoor && draw.chance(profile.indoorBlind)
    let isBlind = isAlone && isDeepInside || surroundings == .tunnel && source == .satellites
    guard wasBlind || isBlind || source != before else { return false }
    firstFixAt = isBlind ? .distantFuture : now + draw.time(within: profile.again)
    lastTick = firstFixAt - Self.interval
    return true
  }

  /// The system lets it rest; the app has not stopped it.
  package mutating func halt() {
    isOn = false
    keepsAppAlive = false
    firstFixAt = .distantFuture
    // Of no meaning until it runs again, and nothing to keep until then.
    startedAt = .distantPast
    lastTick = .distantPast
    lastDelivered = PlanePoint(x: 0, y: 0)
  }

  /// Stops the service at the app's request; nothing resumes it by itself.
  package mutating func stop() {
    halt()
    isWanted = false
  }

  /// DF1: fixes are collected now, not delivered; the first one comes at once.
  package var isDeferring: Bool { isOn && hasDelivered && deferral.seconds > 0 }

  /// LC9: the service dies with the process.
  package mutating func processDied() { stop() }

  /// `nextFix` of a caller that remembers nothing.
  package mutating func nextFix(
    upTo limit: SimInstant, segment: Segment, maker: FixMaker, phone: PhoneID
  ) -> Fix? {
    var memory = SightingMemory()
    return nextFix(upTo: limit, segment: segment, maker: maker, phone: phone, &memory)
  }

  /// The next tick at or before `limit` on which a fix is delivered, past the distance filter.
  ///
  /// - Parameter memory: of the sighting before; whosever it was.
  package mutating func nextFix(
    upTo limit: SimInstant, segment: borrowing Segment, maker: borrowing FixMaker, phone: PhoneID,
    _ memory: inout SightingMemory
  ) -> Fix? {
    guard isOn else { return nil }
    if isSilenced {
      let ticks = (limit - lastTick).microseconds / Self.interval.microseconds
      lastTick += Self.interval * max(0, ticks)
      return nil
    }
    let source = source
    while true {
      let tick = nextTick(maker, phone)
      guard tick <= limit else { return nil }
      lastTick = tick
      guard
        let seen = maker.sighting(
          at: tick, segment, source, phone, since: firstFixAt, &memory)
      else { continue }
      if hasDelivered && distanceFilterMeters > 0
        && seen.place.distanceSquared(to: lastDelivered)
          < distanceFilterMeters * distanceFilterMeters
      {
        continue
      }
      hasDelivered = true
      lastDelivered = seen.place
      return maker.fix(seen, at: tick, source, phone, &memory)
    }
  }

  /// AC5: behind `CLLocationDistanceMax` nothing follows the first fix, so nobody need look.
  package var isSilenced: Bool { hasDelivered && distanceFilterMeters >= Self.maxMeters }

  /// A second after the last; with precise location off a few times an hour.
  private func nextTick(_ maker: borrowing FixMaker, _ phone: PhoneID) -> SimInstant {
    isReduced && hasDelivered
      ? maker.nextReduced(after: lastTick, phone) : lastTick + Self.interval
  }
}

extension FirstFixProfile {
  /// How long satellites take to a first fix when a position is known for `age`.
  func time(age: SimDuration, isAlone: Bool) -> TimeBand {
    switch (age < hotWithin, age < warmWithin) {
    case (true, _): isAlone ? hotAlone : hot
    case (false, true): isAlone ? warmAlone : warm
    case (false, false): isAlone ? coldAlone : cold
    }
  }
}
