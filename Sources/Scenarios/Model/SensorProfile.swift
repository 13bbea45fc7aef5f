/// The values of a sensor profile; a value in metres is by default a standard deviation per axis.
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

  /// The shares of places or times with a known Wi-Fi network; cells locate the phone elsewhere.
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
    /// The number of times the longest hold is halved; all resulting lengths are equally likely.
    package var holdHalvings = 0
  }

  package struct Leaps: Equatable, Sendable, BitwiseCopyable {
    package var perHourAtRest = 0.0
    package var metersMin = 0.0
    package var metersMax = 0.0
    package var secondsMin = 0.0
    package var secondsMax = 0.0
    package var admittedMeters = 0.0
    package var misplaced = 0.0
    package var slotSeconds = 0.0
  }

  package struct Reported: Equatable, Sendable, BitwiseCopyable {
    /// A factor on the radius that contains 68 % of the errors. Phones report a slightly larger
    /// radius, so that uncertain radii still contain 68 %.
    package var caution = 0.0
    package var unevenness = 0.0
    /// The accuracies that Wi-Fi and cell positions report: the smallest of the source's three
    /// values that contains 68 % of the errors, or the largest value.
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

  /// The additional error of the first 10 to 20 fixes after a start, of an assumed size.
  package struct Settling: Equatable, Sendable, BitwiseCopyable {
    package var meters = 0.0
    package var seconds = 0.0
  }

  /// Positions without precise location, each at a nearby place of interest, a few times an hour.
  package struct Reduced: Equatable, Sendable, BitwiseCopyable {
    package var placeSpacingMeters = 0.0
    package var intervalSeconds = 0.0
    package var accuracyMeters = 0.0
  }
}
