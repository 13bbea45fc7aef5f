package import Core
internal import Foundation
package import Scenarios

/// The standard location service. An event at the end of a period computes the period's fixes.
package struct StandardService: Sendable, BitwiseCopyable {
  package private(set) var isOn = false
  /// Whether the app has started the service and not stopped it, even if the service is paused or
  /// suspended with its app.
  package private(set) var isWanted = false
  /// PT2: Whether the service is paused. Opening the app ends a pause, and on some systems a new
  /// start of the service does too.
  package var isPaused = false
  /// `pausesLocationUpdatesAutomatically` of the last request (PT1).
  package private(set) var pausesAutomatically = false
  /// `activityType` of the last request (PT4).
  package private(set) var activityType = ActivityType.other
  /// `allowsBackgroundLocationUpdates` of the last request (AU7).
  package private(set) var allowsBackground = false
  /// `showsBackgroundLocationIndicator` of the last request (AU8).
  package private(set) var showsIndicator = false
  /// NO4: Whether satellites are the only source: the service was started in airplane mode.
  package private(set) var isAlone = false
  /// DF1: The distance and the time after which deferred fixes are delivered; zero for no deferral.
  package private(set) var deferral: (meters: Float, seconds: Float) = (0, 0)
  /// The distance filter in metres; a negative value is `kCLDistanceFilterNone`.
  package var distanceFilterMeters = -1.0
  package var startedAt = SimInstant.distantPast
  /// The instant of the first fix; `.distantFuture` if there will be none.
  package var firstFixAt = SimInstant.distantFuture
  /// The instant of the last computed tick, whether or not it delivered a fix.
  package var lastTick = SimInstant.distantPast
  package var lastDelivered = StoredPoint()
  package var accuracy = DesiredAccuracy.best
  /// Whether satellites are out of reach inside a building, so that networks give the position.
  private var isDeepInside = false
  package var hasDelivered = false
  /// AU7: Whether the service keeps the app running in the background, since an app that may locate
  /// there started the service in the foreground or after a significant change.
  package var keepsAppAlive = false

  /// Whether precise location is off, which overrides the requested accuracy (rules 2.1).
  package var isReduced = false
  /// LU1: Whether the positions go to live updates, which have no filter, pause at rest and resume
  /// automatically.
  package private(set) var isLive = false
  package var isAtRest = false
  /// AFL4: Whether the provider is not run, since the phone lies still in Doze. The last position is
  /// given again.
  package var isRepeating = false
  /// AFL2: The interval of a request of Android, in seconds; 0 on iOS.
  private var heldSeconds: UInt32 = 0
  /// LA2: The seconds from the first fix to the first fix of `source`, the requested source. Fixes
  /// in between come from networks. Negative if a single request delivers its fix later than that.
  private var finalAfter: Int16 = 0

  private static let maxMeters = 1e9
  package static let interval = SimDuration.seconds(1)

  /// The time between two positions: a second, or the interval of a request of Android (AFL2).
  package var every: SimDuration {
    heldSeconds == 0 ? Self.interval : .seconds(Int64(heldSeconds))
  }

  /// AFL2: Whether the system locates at intervals, and not all the time.
  package var isHeld: Bool { heldSeconds > 1 }

  /// AC2: The source of positions: satellites for a requested accuracy finer than 100 m, otherwise
  /// Wi-Fi. `nextFix` uses cells where no Wi-Fi is received. AFL1: On Android a request of low power
  /// uses cells only.
  package var source: PositionSource {
    if isReduced { return .reduced }
    if isAlone { return .satellites }
    return switch accuracy {
    case .best, .tenMeters: isDeepInside ? .wifi : .satellites
    case .hundredMeters: .wifi
    case .kilometer, .threeKilometers: heldSeconds > 0 ? .cell : .wifi
    }
  }

  private var usesNetworks: Bool { source == .wifi || source == .cell }

  package var asksSatellites: Bool {
    guard !isReduced else { return false }
    return switch accuracy {
    case .best, .tenMeters: true
    case .hundredMeters, .kilometer, .threeKilometers: isAlone
    }
  }

  /// Applies the request's settings, with deferred (DF1) or live updates (LU1) if available.
  package mutating func configure(
    _ request: ServiceRequest, defers: Bool = false, hasLiveUpdates: Bool = false
  ) {
    isWanted = true
    isLive = request.isLive && hasLiveUpdates
    isAtRest = false
    accuracy = request.accuracy
    switch request.distanceFilter {
    case .none: distanceFilterMeters = -1
    case .atLeast(let distance): distanceFilterMeters = distance.meters
    case .max: distanceFilterMeters = Self.maxMeters
    }
    if isLive { distanceFilterMeters = -1 }
    pausesAutomatically = request.pausesAutomatically && !isLive
    activityType = request.activityType
    allowsBackground = request.allowsBackground
    showsIndicator = request.showsIndicator
    heldSeconds = request.seconds
    // The first position of a search does not wait for an interval.
    if isHeld, isOn, !hasDelivered, lastTick < firstFixAt { lastTick = firstFixAt - every }
    deferral = (0, 0)
    // DF1: A call for deferral fails unless satellites are used and no distance filter is set.
    if let wish = request.deferral, defers, distanceFilterMeters < 0 {
      switch accuracy {
      case .best, .tenMeters: deferral = (Float(wish.distance.meters), Float(wish.time.seconds))
      case .hundredMeters, .kilometer, .threeKilometers: break
      }
    }
  }

  /// Begins the search for a position, after a start by the app, a pause or a suspension.
  ///
  /// SF2, AFL7 and rules 2.1: A start is hot, warm or cold, by the age of the last position, and takes
  /// longer indoors. Most indoor starts receive no satellite and use Wi-Fi or cells.
  ///
  /// LA2: Until satellites are found, positions come from networks, except in a tunnel.
  ///
  /// NO6: An attempt that finds nothing is repeated. In a tunnel the search for satellites takes as
  /// long as under the sky and delivers nothing before the phone leaves the tunnel.
  ///
  /// - Parameters:
  ///   - isAlone: whether satellites are the only source and come without assistance data, as in
  ///     airplane mode (NO4).
  ///   - mayUseNetwork: whether Wi-Fi or cells can give a position.
  package mutating func run(
    now: SimInstant, lastKnown: SimInstant, surroundings: Surroundings, spot: Int64, isAlone: Bool,
    mayUseNetwork: Bool, _ profile: FirstFixProfile, seed: UInt64, phone: PhoneID
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
    let (final, network): (SimInstant, SimInstant)
    switch surroundings {
    case .open, .street, .tunnel:
      final = now + SimDuration(seconds: usesNetworks ? wifiSeconds : seconds)
      network =
        surroundings == .tunnel ? .distantFuture : now + SimDuration(seconds: wifiSeconds)
    case .indoor:
      let isDeep = Self.isBlind(spot, profile, seed: seed, phone: phone)
      let failed = draw.attempts(failing: profile.indoorFailure)
      let delay = goInside(isDeep: isDeep, mayUseNetwork: mayUseNetwork, profile, &draw)
      let time = usesNetworks ? wifiSeconds : profile.indoorFactor * seconds
      final = profile.found(
        after: failed, delay, from: now + SimDuration(seconds: time))
      network = profile.found(after: failed, 0, from: now + SimDuration(seconds: wifiSeconds))
    }
    let isHelped = source == .satellites && mayUseNetwork && !isAlone
    firstFixAt = isHelped ? min(final, network) : final
    finalFixAt = final
    lastTick = firstFixAt - every
  }

  /// LA2: The instant of the first fix of the requested source.
  var finalFixAt: SimInstant {
    get { firstFixAt + .seconds(Int64(finalAfter)) }
    set { finalAfter = Int16(clamping: Int64((newValue - firstFixAt).seconds.rounded(.up))) }
  }

  /// LA3: Delays the next fix of a single request until a position is as accurate as requested, or
  /// until the time of the request is over.
  mutating func awaitAccuracy(
    from now: SimInstant, segment: borrowing Segment, maker: borrowing FixMaker,
    _ radios: Radios, _ profile: FirstFixProfile, phone: PhoneID
  ) {
    guard !isReduced, firstFixAt < .distantFuture else { return }
    let (end, wanted) = (now + profile.requestTime, profile.meters(ending: accuracy))
    let final = finalFixAt
    var tick = max(firstFixAt, lastTick + Self.interval)
    var memory = SightingMemory()
    while tick < end {
      if let source = provider(at: tick, segment, maker, radios, phone, &memory),
        let seen = maker.sighting(at: tick, segment, source, phone, since: final, &memory),
        Double(
          maker.error.reportedAccuracy(
            seen.estimate, at: tick, phone: phone, source, &memory.error)) <= wanted
      {
        break
      }
      tick += Self.interval
    }
    firstFixAt = tick
    finalFixAt = final
    lastTick = tick - Self.interval
  }

  /// NO7: Returns the requested source. Outdoors in its stay a phone finds satellites at any place.
  private func wanted(at tick: SimInstant, _ segment: borrowing Segment) -> PositionSource {
    guard isDeepInside, asksSatellites else { return source }
    switch segment.surroundings(at: tick) {
    case .indoor, .tunnel: return source
    case .open, .street: return .satellites
    }
  }

  /// LA2: Returns the source of the fix at a tick: networks until satellites are found. nil if the
  /// phone has no network.
  private func provider(
    at tick: SimInstant, _ segment: borrowing Segment, _ maker: borrowing FixMaker,
    _ radios: Radios, _ phone: PhoneID, _ memory: inout SightingMemory
  ) -> PositionSource? {
    let wanted = wanted(at: tick, segment)
    if wanted == .cell { return radios.contains(.cells) ? wanted : nil }
    let isEarly = wanted == .satellites && tick < finalFixAt
    return wanted == .wifi || isEarly
      ? maker.network(at: tick, segment, radios, phone, &memory) : wanted
  }

  /// Draws the reception inside a building. Returns the number of failing attempts; nil if all
  /// fail. Deep inside, without Wi-Fi or cells, each attempt draws the reception again.
  private mutating func goInside(
    isDeep: Bool, mayUseNetwork: Bool, _ profile: FirstFixProfile, _ draw: inout Draw
  ) -> Double? {
    let hasNetwork = mayUseNetwork && !isAlone
    isDeepInside = isDeep && hasNetwork
    guard isDeep, !hasNetwork else { return 0 }
    return draw.attempts(failing: profile.indoorBlind).map { $0 + 1 }
  }

  /// NO7: Returns whether an indoor place receives no satellite.
  private static func isBlind(
    _ spot: Int64, _ profile: FirstFixProfile, seed: UInt64, phone: PhoneID
  ) -> Bool {
    var draw = Draw(seed: seed, phone: phone.rawValue, .blindPlace, spot)
    return draw.chance(profile.indoorBlind)
  }

  /// - Returns: whether the service has to search for a position again.
  package mutating func surroundingsChanged(
    to surroundings: Surroundings, spot: Int64, now: SimInstant, mayUseNetwork: Bool,
    _ profile: FirstFixProfile, seed: UInt64, phone: PhoneID
  ) -> Bool {
    let before = source
    var draw = Draw(seed: seed, phone: phone.rawValue, .indoorFailure, now.microseconds)
    let isDeep =
      surroundings == .indoor
      && Self.isBlind(spot, profile, seed: seed, phone: phone)
    let delay = goInside(isDeep: isDeep, mayUseNetwork: mayUseNetwork, profile, &draw)
    // A start whose attempts all failed begins again.
    guard delay != 0 || source != before || firstFixAt == .distantFuture else { return false }
    firstFixAt = profile.found(
      after: 0, delay, from: now + draw.time(within: profile.again))
    finalAfter = 0
    // A held request goes on at its next tick.
    if isHeld, lastTick < .distantFuture - every { firstFixAt = max(firstFixAt, lastTick + every) }
    lastTick = firstFixAt - every
    return true
  }

  package mutating func halt() {
    isOn = false
    keepsAppAlive = false
    isRepeating = false
    firstFixAt = .distantFuture
    // These fields mean nothing until the service runs again, so they are reset.
    startedAt = .distantPast
    finalAfter = 0
    lastTick = .distantPast
    lastDelivered = StoredPoint()
  }

  package mutating func stop() {
    halt()
    isWanted = false
    isAtRest = false
  }

  /// DF1: Whether fixes after the first, which is delivered at once, are collected for later.
  package var isDeferring: Bool { isOn && hasDelivered && deferral.seconds > 0 }

  /// - Parameter newest: the time of the newest position.
  /// - Parameter patience: the time for which a position counts as new.
  package func findsNothing(
    from: SimInstant, to: SimInstant, newest: SimInstant, patience: SimDuration
  ) -> Bool {
    guard isOn, !isReduced, !isSilenced, !isDeferring else { return false }
    // Behind a distance filter, missing fixes may only mean that the phone does not move.
    guard !hasDelivered || distanceFilterMeters < 0 else { return false }
    let since = max(startedAt, newest)
    return since <= from && to - since > patience
  }

  /// - Parameter radios: the sources besides satellites.
  /// - Parameter memory: the previous sighting, which may be that of another phone.
  package mutating func nextFix(
    upTo limit: SimInstant, segment: borrowing Segment, maker: borrowing FixMaker,
    _ radios: Radios, phone: PhoneID, _ memory: inout SightingMemory
  ) -> Fix? {
    guard isOn else { return nil }
    if isSilenced {
      skip(to: limit)
      return nil
    }
    while true {
      let tick = nextTick(maker, phone)
      guard tick <= limit else { return nil }
      lastTick = tick
      guard let source = provider(at: tick, segment, maker, radios, phone, &memory),
        let seen = maker.sighting(
          at: tick, segment, source, phone, since: finalFixAt, &memory)
      else { continue }
      if hasDelivered && distanceFilterMeters > 0
        && seen.place.distanceSquared(to: lastDelivered.point)
          < distanceFilterMeters * distanceFilterMeters
      {
        var end = maker.unchanged(
          since: tick, segment, source, phone, since: finalFixAt, &memory)
        // NO7: The source changes with the surroundings.
        if isDeepInside {
          let change = segment.unchanged(from: tick)
          if change > tick { end = min(end, change) }
        }
        skip(to: min(limit, end - .microseconds(1)))
        continue
      }
      hasDelivered = true
      lastDelivered = StoredPoint(seen.place)
      return maker.fix(seen, at: tick, source, phone, &memory)
    }
  }

  /// Skips the ticks up to `instant`, which would repeat the last tick.
  mutating func skip(to instant: SimInstant) {
    let ticks = (instant - lastTick).microseconds / every.microseconds
    if ticks > 0 { lastTick += every * ticks }
  }

  /// AFL4: Returns the last position with a new time, without speed and course; nil if the request
  /// has a distance filter, which withholds it.
  mutating func repeated(_ last: Fix, upTo limit: SimInstant) -> Fix? {
    guard distanceFilterMeters < 0 else {
      skip(to: limit)
      return nil
    }
    hasDelivered = true
    lastTick += every
    var fix = last
    fix.time = FixTime(lastTick)
    (fix.speedDecimetersPerSecond, fix.courseDegrees) = (-1, -1)
    return fix
  }

  /// Returns until when a phone at rest surely delivers nothing, because of the distance filter;
  /// `now` if it may deliver at any time.
  func withheldUntil(
    from now: SimInstant, segment: borrowing Segment, maker: borrowing FixMaker, _ radios: Radios,
    phone: PhoneID
  ) -> SimInstant {
    var memory = SightingMemory()
    guard hasDelivered, distanceFilterMeters > 0,
      maker.error.isSettled(at: now, since: finalFixAt),
      let source = provider(at: now, segment, maker, radios, phone, &memory)
    else { return now }
    return maker.staysWithin(
      distanceFilterMeters, of: lastDelivered.point, from: now, segment, source, phone)
  }

  /// AC5: Whether no fix can follow, since the filter is `CLLocationDistanceMax` after a first fix.
  package var isSilenced: Bool { hasDelivered && distanceFilterMeters >= Self.maxMeters }

  private func nextTick(_ maker: borrowing FixMaker, _ phone: PhoneID) -> SimInstant {
    isReduced && hasDelivered
      ? maker.nextReduced(after: lastTick, phone, every: every) : lastTick + every
  }
}

extension ServiceRequest {
  fileprivate var seconds: UInt32 {
    interval.map { max(1, UInt32(clamping: $0.microseconds / 1_000_000)) } ?? 0
  }
}

extension FirstFixProfile {
  func time(age: SimDuration, isAlone: Bool) -> TimeBand {
    switch (age < hotWithin, age < warmWithin) {
    case (true, _): isAlone ? hotAlone : hot
    case (false, true): isAlone ? warmAlone : warm
    case (false, false): isAlone ? coldAlone : cold
    }
  }

  /// LA1: Returns the age of the position that a wake brings.
  func wakeAge(_ draw: Draw) -> SimDuration {
    var draw = draw
    return draw.time(median: wakeAge, sigma: wakeAgeSigma, most: wakeAgeMax)
  }

  /// LA3: Returns the reported accuracy, in metres, at which a single request ends.
  func meters(ending accuracy: DesiredAccuracy) -> Double {
    switch accuracy {
    case .best: requestBest.meters
    case .tenMeters: 10
    case .hundredMeters: 100
    case .kilometer: 1_000
    case .threeKilometers: 3_000
    }
  }

  func found(after failed: Double?, _ delay: Double?, from start: SimInstant) -> SimInstant {
    guard let failed, let delay else { return .distantFuture }
    return start + SimDuration(seconds: (failed + delay) * indoorRetry.seconds)
  }
}

extension Draw {
  mutating func attempts(failing p: Double) -> Double? {
    let u = 1 - uniform()
    guard p > 0 else { return 0 }
    guard p < 1 else { return nil }
    return (log(u) / log(p)).rounded(.down)
  }
}
