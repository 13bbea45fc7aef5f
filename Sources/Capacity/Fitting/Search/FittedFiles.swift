package import Core
internal import Foundation

/// Writes the fit as the files of a scenario.
///
///     FOLDER/NAME.yaml                      the scenario that names the other two
///     FOLDER/policies/NAME.yaml             what the trackers do
///     FOLDER/profiles/sensors/NAME.yaml     what the phones report
package struct FittedFiles: Sendable {
  package var name: String
  package var source: String
  package var candidate: FitCandidate
  package var start: FitStart
  package var sensors: SensorEstimate
  package var window: Range<SimInstant>
  package var clock: CivilClock
  /// The centre of the simulated town; nil for the standard town of scenarios.
  package var centre: (latitude: Double, longitude: Double)?
  package var phones: Int
  package var seed: UInt64

  package init(
    name: String, source: String, candidate: FitCandidate, start: FitStart,
    sensors: SensorEstimate, window: Range<SimInstant>, clock: CivilClock,
    centre: (latitude: Double, longitude: Double)?, phones: Int, seed: UInt64
  ) {
    self.name = name
    self.source = source
    self.candidate = candidate
    self.start = start
    self.sensors = sensors
    self.window = window
    self.clock = clock
    self.centre = centre
    self.phones = phones
    self.seed = seed
  }

  package var all: [String: String] {
    [
      "\(name).yaml": scenario, "policies/\(name).yaml": policy,
      "profiles/sensors/\(name).yaml": profile,
    ]
  }

  // MARK: The scenario

  /// The duration of the scenario: at least an hour and, as simulated weeks repeat, at most a week.
  package var duration: SimDuration {
    min(.hours(168), max(.hours(1), window.upperBound - window.lowerBound))
  }

  private var scenario: String {
    let place = centre.map {
      "centre: [\(Self.number($0.latitude)), \(Self.number($0.longitude))], "
    }
    let network = start.network.map { network in
      let terms =
        "{ floor: \(Self.duration(network.floor)), mean: \(Self.duration(network.mean)) }"
      return "\nnetwork: { cellular: \(terms), wifi: \(terms) }"
    }
    return """
      # Fleet fitted to \(source) by flotilla fit. All phones of a log report: all have Always
      # permission, and no push is sent.
      scenario: \(name)
      question: How close is a simulated fleet to the log?
      answers: freshness
      seed: \(seed)
      start: \(localText(window.lowerBound))
      duration: \(duration.microseconds / 60_000_000)min
      warmStart: 6h
      speed: 60
      phases: { ramp: 0s, drain: 5min }
      city: { \(place ?? "")radius: 12km, utcOffset: \(CivilText.offsetText(clock.utcOffset)) }
      sensors: \(name)\(network ?? "")
      fleet:
        phones: \(phones)
        cohorts:
          - { name: commuters, share: 70%, mobility: commuter, policy: \(name) }
          - { name: at-home,   share: 30%, mobility: homebody, policy: \(name) }
        phone:
          always: 100%
          whenInUse: 0%
          provisionalDenied: 0%
          reducedAccuracy: \(Self.percent(start.reduced))
          forceQuit: 0%
          offline: \(Self.percent(candidate.offline))
          switchedOff: \(Self.percent(candidate.switchedOff))
      push: { scheduler: none }

      """
  }

  // MARK: The policy

  private var policy: String {
    let what =
      switch candidate.service {
      case .continuous: "the standard service all the time"
      case .moving: "the standard service while the phone moves"
      case .bursts: "a burst of the standard service with each wake"
      case .wakes: "significant changes, visits and a region"
      }
    let isWoken =
      switch candidate.service {
      case .continuous, .moving: false
      case .bursts, .wakes: true
      }
    return """
      # Policy fitted to \(source) by flotilla fit.
      name: \(name)
      description: Fitted to a log, \(what)
      version: 1
      app: { showsIndicator: true }
      significantChange: true
      visits: \(isWoken)
      regionRadius: \(isWoken ? "100m" : "none")
      foreground:
      \(mode)
      background:
      \(mode)
      send:
        interval: \(Self.duration(candidate.sendSeconds))
        maxFixes: \(candidate.maxFixes)
        backgroundTask: true
        backoffBase: 5s
        backoffCap: 5min
      outbox: { capacity: 5000 }
      onPush: burst

      """
  }

  private var mode: String {
    let service =
      switch candidate.service {
      case .continuous, .moving: "continuous"
      case .bursts: "{ burst: { for: 20s, minInterval: \(Self.duration(candidate.seconds)) } }"
      case .wakes: "off"
      }
    let rest =
      switch candidate.service {
      case .moving:
        """

          rest:
            sign: { still: { time: 5min, within: 50m } }
            standard: off
            regionRadius: 200m
        """
      case .continuous, .bursts, .wakes: ""
      }
    return """
        standard: \(service)
        accuracy: \(candidate.accuracy.rawValue)
        distanceFilter: none
        pausesAutomatically: false
        filter: { rule: \(rule), maxAge: 5min, maxAccuracy: none }\(rest)
      """
  }

  private var rule: String {
    guard candidate.seconds > 1.5 || candidate.meters != nil else { return "everything" }
    let meters = candidate.meters.map(Self.distance) ?? "100km"
    let seconds = Self.duration(candidate.seconds)
    return "{ either: { time: \(seconds), distance: \(meters), turn: 360 } }"
  }

  // MARK: The profile

  private var profile: String {
    var lines = sensors.steps.map { "  \($0.key): \(Self.distance($0.meters))" }
    if let caution = sensors.caution { lines.append("  caution: \(Self.number(caution))") }
    let reported = lines.isEmpty ? "" : "reported:\n" + lines.joined(separator: "\n") + "\n"
    return """
      # Reported accuracies of \(source), fitted by flotilla fit; the rest is as in standard.
      name: \(name)
      description: Reported accuracies of a log
      base: standard
      \(reported)
      """
  }

  // MARK: Words

  static func duration(_ seconds: Double) -> String {
    let milliseconds = Int((seconds * 1_000).rounded())
    return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
  }

  static func distance(_ meters: Double) -> String { "\(number(meters))m" }

  private static func percent(_ share: Double) -> String {
    "\(number((share * 1_000).rounded() / 10))%"
  }

  /// Returns a number with at most five decimals, without trailing zeros.
  static func number(_ value: Double) -> String {
    let text = String(format: "%.5f", locale: Locale(identifier: "en_US_POSIX"), value)
    let short = text.reversed().drop { $0 == "0" }
    return String((short.first == "." ? short.dropFirst() : short).reversed())
  }

  private func localText(_ instant: SimInstant) -> String {
    let minute: Int64 = 60_000_000
    return CivilText.text(SimInstant(microseconds: instant.microseconds / minute * minute), clock)
  }
}
