/// Values in `scenarios/profiles/sensors`; metres are standard deviations per axis by default.
package struct SensorProfile: Equatable, Sendable, BitwiseCopyable {
  package var satellites = Spread()
  package var wifi = Spread()
  package var cell = 0.0
  package var cellOpen = 0.0
  package var networks = Networks()
  package var moving = Moving()
  package var rest = Rest()
  package var leaps = Leaps()
  package var reported = Reported()
  package var settling = Settling()
  package var reduced = Reduced()

  package struct Spread: Equatable, Sendable, BitwiseCopyable {
    package var open = 0.0
    package var street = 0.0
    package var indoor = 0.0
    package var tunnel = 0.0
  }

  /// The share of places or times with a Wi-Fi network of known position; elsewhere cells serve.
  package struct Networks: Equatable, Sendable, BitwiseCopyable {
    package var open = 0.0
    package var street = 0.0
    package var indoor = 0.0
    package var tunnel = 0.0
    package var slotSeconds = 0.0
  }

  package struct Moving: Equatable, Sendable, BitwiseCopyable {
    package var streetCorrelationSeconds = 0.0
    package var openCorrelationSeconds = 0.0
    package var unevenness = 0.0
    package var phoneUnevenness = 0.0
    package var acrossTrackBias = 0.0
    package var tunnelHoldSeconds = 0.0
  }

  package struct Rest: Equatable, Sendable, BitwiseCopyable {
    package var correlationSeconds = 0.0
    package var creep = 0.0
    package var placeUnevenness = 0.0
    package var stayUnevenness = 0.0
    package var minuteUnevenness = 0.0
    package var jitter = 0.0
    package var stillnessMin = 0.0
    package var stillnessMax = 0.0
    package var longestHoldSeconds = 0.0
    /// The number of halvings of `longestHoldSeconds`; all hold lengths are equally frequent.
    package var holdHalvings = 0
  }

  package struct Leaps: Equatable, Sendable, BitwiseCopyable {
    package var perHourAtRest = 0.0
    package var metersMin = 0.0
    package var metersMax = 0.0
    package var secondsMin = 0.0
    package var secondsMax = 0.0
    package var admittedMeters = 0.0
    package var slotSeconds = 0.0
  }

  package struct Reported: Equatable, Sendable, BitwiseCopyable {
    /// A factor on the radius that contains 68 % of the errors. Phones report a slightly larger
    /// radius, so that an uncertain radius still contains 68 %.
    package var caution = 0.0
    package var unevenness = 0.0
    /// The accuracies that Wi-Fi and cell positions report: the smallest step of the source that
    /// contains 68 % of its errors, or the largest step.
    package var wifiFineMeters = 0.0
    package var wifiMeters = 0.0
    package var wifiCoarseMeters = 0.0
    package var cellFineMeters = 0.0
    package var cellMeters = 0.0
    package var cellCoarseMeters = 0.0
    package var moodSeconds = 0.0
    package var satelliteMetersMin = 0.0
    package var satelliteMetersMax = 0.0
    package var courseFrom = 0.0
    package var speedMax = 0.0
  }

  /// The larger errors of the first 10 to 20 fixes after a start (size: confidence A).
  package struct Settling: Equatable, Sendable, BitwiseCopyable {
    package var meters = 0.0
    package var seconds = 0.0
  }

  /// Positions with precise location off: the nearest place of interest, a few times an hour.
  package struct Reduced: Equatable, Sendable, BitwiseCopyable {
    package var placeSpacingMeters = 0.0
    package var intervalSeconds = 0.0
    package var accuracyMeters = 0.0
  }
}
