/// How far phones err, and how they show it. `scenarios/profiles/sensors` has the values.
///
/// Metres are standard deviations per axis unless a name says otherwise.
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

  /// An error by surroundings.
  package struct Spread: Equatable, Sendable, BitwiseCopyable {
    package var open = 0.0
    package var street = 0.0
    package var indoor = 0.0
    package var tunnel = 0.0
  }

  /// Says in which share of places or of times a phone hears a Wi-Fi network whose place is known.
  /// Where it hears none, a position comes from cells.
  package struct Networks: Equatable, Sendable, BitwiseCopyable {
    package var open = 0.0
    package var street = 0.0
    package var indoor = 0.0
    package var tunnel = 0.0
    package var slotSeconds = 0.0
  }

  /// How errors of a moving phone are correlated and how they differ between phones.
  package struct Moving: Equatable, Sendable, BitwiseCopyable {
    package var streetCorrelationSeconds = 0.0
    package var openCorrelationSeconds = 0.0
    package var unevenness = 0.0
    package var phoneUnevenness = 0.0
    package var acrossTrackBias = 0.0
    package var tunnelHoldSeconds = 0.0
  }

  /// A phone at rest stands still, creeps, and now and then strays and comes back.
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
    /// The number of halvings of `longestHoldSeconds`; a hold lasts each of the lengths equally
    /// often.
    package var holdHalvings = 0
  }

  /// Positions of another tower or of an access point that moved.
  package struct Leaps: Equatable, Sendable, BitwiseCopyable {
    package var perHourAtRest = 0.0
    package var metersMin = 0.0
    package var metersMax = 0.0
    package var secondsMin = 0.0
    package var secondsMax = 0.0
    package var admittedMeters = 0.0
    package var slotSeconds = 0.0
  }

  /// Which accuracy, speed and course a phone reports beside a position.
  package struct Reported: Equatable, Sendable, BitwiseCopyable {
    /// Times the radius that holds 68 % of the errors: phones are a little careful, so that as
    /// many true errors lie within what is reported although that itself is uncertain.
    package var caution = 0.0
    package var unevenness = 0.0
    /// Positions from networks are reported in steps: each is told with the least step of its
    /// source that holds 68 % of such errors, or with the greatest.
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

  /// The first 10 to 20 fixes after a start are worse (rule book 2.1; the size A).
  package struct Settling: Equatable, Sendable, BitwiseCopyable {
    package var meters = 0.0
    package var seconds = 0.0
  }

  /// With precise location off: places of interest within 1 to 20 km, a few times an hour, 2,500 m
  /// of accuracy (rule book 2.1).
  package struct Reduced: Equatable, Sendable, BitwiseCopyable {
    package var placeSpacingMeters = 0.0
    package var intervalSeconds = 0.0
    package var accuracyMeters = 0.0
  }
}
