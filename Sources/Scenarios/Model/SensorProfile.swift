/// How far phones err, and how they show it. `scenarios/profiles/sensors` has the values.
///
/// Metres are standard deviations per axis unless a name says otherwise.
package struct SensorProfile: Equatable, Sendable, BitwiseCopyable {
  /// The error of a position from satellites, by surroundings.
  package var satellites = Spread()
  /// The error of a position from Wi-Fi, by surroundings.
  package var wifi = Spread()
  /// The error of a position from cells, in towns.
  package var cell = 0.0
  /// The same in open country, where cells are larger.
  package var cellOpen = 0.0
  /// Where a phone hears Wi-Fi networks whose places are known.
  package var networks = Networks()
  /// How errors develop while the phone moves.
  package var moving = Moving()
  /// How positions of a phone at rest scatter and repeat.
  package var rest = Rest()
  /// How often and how far positions leap away.
  package var leaps = Leaps()
  /// Which accuracy, speed and course the phone reports.
  package var reported = Reported()
  /// How much worse the first fixes after a start are.
  package var settling = Settling()
  /// What an app gets with precise location off.
  package var reduced = Reduced()

  /// An error by surroundings.
  package struct Spread: Equatable, Sendable, BitwiseCopyable {
    /// The standard deviation per axis under the open sky, in metres.
    package var open = 0.0
    /// The standard deviation per axis between houses, in metres.
    package var street = 0.0
    /// The standard deviation per axis in buildings, in metres.
    package var indoor = 0.0
    /// The standard deviation per axis below ground, in metres.
    package var tunnel = 0.0
  }

  /// Says in which share of places or of times a phone hears a Wi-Fi network whose place is known.
  /// Where it hears none, a position comes from cells.
  package struct Networks: Equatable, Sendable, BitwiseCopyable {
    /// The share of the time in open country, 0 ... 1.
    package var open = 0.0
    /// The share of the time between houses, 0 ... 1.
    package var street = 0.0
    /// The share of the stays in buildings, 0 ... 1.
    package var indoor = 0.0
    /// The share of the time below ground, 0 ... 1.
    package var tunnel = 0.0
    /// Is for how long a phone on its way hears the same, in seconds.
    package var slotSeconds = 0.0
  }

  /// How errors of a moving phone are correlated and how they differ between phones.
  package struct Moving: Equatable, Sendable, BitwiseCopyable {
    /// The time within which errors change between houses, in seconds.
    package var streetCorrelationSeconds = 0.0
    /// The time within which errors change in the open, in seconds.
    package var openCorrelationSeconds = 0.0
    /// Good minutes and bad ones: the standard deviation of the logarithm of the spread.
    package var unevenness = 0.0
    /// Good phones and poor ones, likewise.
    package var phoneUnevenness = 0.0
    /// How far a make errs to one side of the track.
    package var acrossTrackBias = 0.0
    /// How long a network position stays where it was underground, between two stations.
    package var tunnelHoldSeconds = 0.0
  }

  /// A phone at rest stands still, creeps, and now and then strays and comes back.
  package struct Rest: Equatable, Sendable, BitwiseCopyable {
    /// The time within which positions creep, in seconds.
    package var correlationSeconds = 0.0
    /// Of the creep, in the median stay and minute.
    package var creep = 0.0
    /// The standard deviation of the logarithm of a network position's spread between stays.
    package var placeUnevenness = 0.0
    /// Logarithms' deviations, between stays and between the minutes of one.
    package var stayUnevenness = 0.0
    /// The standard deviation of the creep's logarithm between the minutes of one stay.
    package var minuteUnevenness = 0.0
    /// Of each new position on top of the creep, in the median stay.
    package var jitter = 0.0
    /// The share of a stay's time in which positions are held lies evenly between the two.
    package var stillnessMin = 0.0
    /// The share of the time in which the stillest stay's positions are held, 0 ... 1.
    package var stillnessMax = 0.0
    /// A held position lasts so long, or a half of it, a quarter, … after so many halvings.
    package var longestHoldSeconds = 0.0
    /// The number of halvings of `longestHoldSeconds`; a hold lasts each of the lengths equally
    /// often.
    package var holdHalvings = 0
  }

  /// Positions of another tower or of an access point that moved.
  package struct Leaps: Equatable, Sendable, BitwiseCopyable {
    /// The mean number of leaps in an hour of rest.
    package var perHourAtRest = 0.0
    /// The least distance of a leap; the logarithm of the distance is uniform.
    package var metersMin = 0.0
    /// The greatest distance of a leap.
    package var metersMax = 0.0
    /// The shortest time that a position stays away, in seconds.
    package var secondsMin = 0.0
    /// The longest time that a position stays away, in seconds; no more than `slotSeconds`.
    package var secondsMax = 0.0
    /// From so far away on the phone says that it has a cell's position.
    package var admittedMeters = 0.0
    /// At most one in every so many seconds.
    package var slotSeconds = 0.0
  }

  /// Which accuracy, speed and course a phone reports beside a position.
  package struct Reported: Equatable, Sendable, BitwiseCopyable {
    /// Times the radius that holds 68 % of the errors: phones are a little careful, so that as
    /// many true errors lie within what is reported although that itself is uncertain.
    package var caution = 0.0
    /// The logarithm of the report is off by up to so much, evenly.
    package var unevenness = 0.0
    /// Positions from networks are reported in steps: each is told with the least step of its
    /// source that holds 68 % of such errors, or with the greatest.
    package var wifiFineMeters = 0.0
    /// What phones mostly report of Wi-Fi (rule book 2.1, quanta).
    package var wifiMeters = 0.0
    /// The greatest accuracy radius that is reported of a position from Wi-Fi.
    package var wifiCoarseMeters = 0.0
    /// The least that is reported of a position from cells.
    package var cellFineMeters = 0.0
    /// The accuracy that is reported of a usual position from cells.
    package var cellMeters = 0.0
    /// The greatest accuracy radius that is reported of a position from cells.
    package var cellCoarseMeters = 0.0
    /// For how long the report is off by the same.
    package var moodSeconds = 0.0
    /// With satellites phones claim no better, and call what is worse Wi-Fi.
    package var satelliteMetersMin = 0.0
    /// The worst accuracy that is reported of a position from satellites.
    package var satelliteMetersMax = 0.0
    /// Metres a second: from here on a course is told; no higher speed is told.
    package var courseFrom = 0.0
    /// The highest speed that is reported, in metres a second.
    package var speedMax = 0.0
  }

  /// The first 10 to 20 fixes after a start are worse (rule book 2.1; the size A).
  package struct Settling: Equatable, Sendable, BitwiseCopyable {
    /// The standard deviation that the first fix adds, per axis in metres.
    package var meters = 0.0
    /// The time in which the added error falls to 1/e, in seconds; it ends after five of them.
    package var seconds = 0.0
  }

  /// With precise location off: places of interest within 1 to 20 km, a few times an hour, 2,500 m
  /// of accuracy (rule book 2.1).
  package struct Reduced: Equatable, Sendable, BitwiseCopyable {
    /// The spacing of the grid that has one place of interest in each cell, in metres.
    package var placeSpacingMeters = 0.0
    /// The time between two positions, in seconds.
    package var intervalSeconds = 0.0
    /// The accuracy that is reported of them, in metres.
    package var accuracyMeters = 0.0
  }
}
