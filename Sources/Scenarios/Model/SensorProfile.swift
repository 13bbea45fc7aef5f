/// How far phones err, and how they show it: the one place of every figure of the error model.
///
/// Metres are standard deviations per axis unless a name says otherwise. "Measured" means: on the
/// recorded phones and rides that `flotilla-lab calibrate` sets beside simulated ones; "A" marks an
/// assumption of the rule book or of this file.
package struct SensorProfile: Equatable, Sendable, BitwiseCopyable {
  /// Holds the error of a position from satellites, by surroundings.
  package var satellites = Spread(open: 2.6, street: 3.2, indoor: 12, tunnel: 60)
  /// Measured in the open world at about 74 m (median, 2009) and 35 m (network accuracy, 2016).
  package var wifi = Spread(open: 30, street: 30, indoor: 30, tunnel: 80)
  /// Measured in towns: medians of 94, 196, 361 and 600 m, on geometric average 251 m.
  package var cell = 210.0
  /// Is the same in open country, where cells are larger: measured, 1,560 m.
  package var cellOpen = 1_000.0
  /// Says where a phone hears Wi-Fi networks whose places are known.
  package var networks = Networks()
  /// Says how errors develop while the phone moves.
  package var moving = Moving()
  /// Says how positions of a phone at rest scatter and repeat.
  package var rest = Rest()
  /// Says how often and how far positions leap away.
  package var leaps = Leaps()
  /// Says which accuracy, speed and course the phone reports.
  package var reported = Reported()
  /// Says how much worse the first fixes after a start are.
  package var settling = Settling()
  /// Says what an app gets with precise location off.
  package var reduced = Reduced()

  /// Makes the profile of recorded phones, the default.
  package init() {}

  /// By surroundings. Measured moving: 2 to 3.4 m; indoors and in tunnels A.
  package struct Spread: Equatable, Sendable, BitwiseCopyable {
    /// Is the standard deviation per axis under the open sky, in metres.
    package var open: Double
    /// Is the standard deviation per axis between houses, in metres.
    package var street: Double
    /// Is the standard deviation per axis in buildings, in metres.
    package var indoor: Double
    /// Is the standard deviation per axis below ground, in metres.
    package var tunnel: Double
  }

  /// Says in which share of places or of times a phone hears a Wi-Fi network whose place is known.
  /// Where it hears none, a position comes from cells.
  package struct Networks: Equatable, Sendable, BitwiseCopyable {
    /// Is the share of the time in open country, 0 ... 1.
    package var open = 0.2
    /// Is the share of the time between houses, 0 ... 1.
    package var street = 0.95
    /// Is the share of the stays in buildings, 0 ... 1.
    package var indoor = 0.98
    /// Is the share of the time below ground, 0 ... 1.
    package var tunnel = 0.0
    /// Is for how long a phone on its way hears the same, in seconds.
    package var slotSeconds = 60.0
  }

  /// Says how errors of a moving phone are correlated and how they differ between phones.
  package struct Moving: Equatable, Sendable, BitwiseCopyable {
    /// Measured: 10 to 30 s between houses, 30 to 75 s in the open.
    package var streetCorrelationSeconds = 20.0
    /// Is the time within which errors change in the open, in seconds.
    package var openCorrelationSeconds = 50.0
    /// Good minutes and bad ones: standard deviation of the logarithm of the spread. Makes the
    /// reported accuracy's 95th percentile 2.5 times its median, as measured.
    package var unevenness = 0.5
    /// Good phones and poor ones, likewise. Measured: up to 5 m where others have 3.
    package var phoneUnevenness = 0.15
    /// A make errs to one side of the track. Measured: +2.7 and +4.2 m, -0.1 and -2.4 m.
    package var acrossTrackBias = 2.2
    /// Underground a network position stays where it was, for the time between two stations (A);
    /// measured in the metro: 45 m apart in the median, 1,870 m at the 95th percentile.
    package var tunnelHoldSeconds = 150.0
  }

  /// A phone at rest stands still, creeps, and now and then strays and comes back.
  ///
  /// Measured on 62 dwells: 68 % of a dwell's fixes within 2.1 m in the median (quartiles 0.8 and
  /// 4.3), 95 % within 7.6 m; 57 % repeat the one before; a step 0.29 m, 95th percentile 2.5 m.
  package struct Rest: Equatable, Sendable, BitwiseCopyable {
    /// Between the 51 s of all dwells, an hour each, and the 20 s of the short ones.
    package var correlationSeconds = 45.0
    /// Of the creep, in the median stay and minute.
    package var creep = 1.05
    /// Is the standard deviation of the logarithm of a network position's spread between stays.
    /// Reported in two users' logs: 37, 56, 76 and 108 m.
    package var placeUnevenness = 0.45
    /// Logarithms' deviations, between stays and between the minutes of one.
    package var stayUnevenness = 1.1
    /// Is the standard deviation of the creep's logarithm between the minutes of one stay.
    package var minuteUnevenness = 1.0
    /// Of each new position on top of the creep, in the median stay.
    package var jitter = 0.08
    /// The share of a stay's time in which positions are held lies evenly between the two.
    package var stillnessMin = 0.15
    /// Is the share of the time in which the stillest stay's positions are held, 0 ... 1.
    package var stillnessMax = 1.0
    /// A held position lasts so long, or a half of it, a quarter, … after so many halvings.
    package var longestHoldSeconds = 64.0
    /// Is the number of halvings of `longestHoldSeconds`; a hold lasts each of the lengths equally
    /// often.
    package var holdHalvings = 4
  }

  /// Positions of another tower or of an access point that moved.
  ///
  /// Measured: the farthest fix of a dwell of an hour is 61 m away in one of four, 1,761 m in one
  /// of twenty.
  package struct Leaps: Equatable, Sendable, BitwiseCopyable {
    /// Is the mean number of leaps in an hour of rest.
    package var perHourAtRest = 0.25
    /// Is the least distance of a leap; the logarithm of the distance is uniform.
    package var metersMin = 20.0
    /// Is the greatest distance of a leap.
    package var metersMax = 5_000.0
    /// Is the shortest time that a position stays away, in seconds.
    package var secondsMin = 20.0
    /// Is the longest time that a position stays away, in seconds; no more than `slotSeconds`.
    package var secondsMax = 90.0
    /// From so far away on the phone says that it has a cell's position (A).
    package var admittedMeters = 200.0
    /// At most one in every so many seconds.
    package var slotSeconds = 600.0
  }

  /// Says which accuracy, speed and course a phone reports beside a position.
  package struct Reported: Equatable, Sendable, BitwiseCopyable {
    /// Times the radius that holds 68 % of the errors: phones are a little careful, so that as
    /// many true errors lie within what is reported although that itself is uncertain.
    package var caution = 1.08
    /// The logarithm of the report is off by up to so much, evenly.
    package var unevenness = 0.75
    /// Positions from networks are reported in steps: each is told with the least step of its
    /// source that holds 68 % of such errors, or with the greatest.
    package var wifiFineMeters = 30.0
    /// Is what phones mostly report of Wi-Fi (rule book 2.1, quanta).
    package var wifiMeters = 65.0
    /// Is the greatest accuracy radius that is reported of a position from Wi-Fi.
    package var wifiCoarseMeters = 165.0
    /// Is the least that is reported of a position from cells.
    package var cellFineMeters = 500.0
    /// Is the accuracy that is reported of a usual position from cells.
    package var cellMeters = 1_414.0
    /// Is the greatest accuracy radius that is reported of a position from cells.
    package var cellCoarseMeters = 3_000.0
    /// For how long the report is off by the same.
    package var moodSeconds = 30.0
    /// With satellites phones claim no better, and call what is worse Wi-Fi.
    package var satelliteMetersMin = 3.0
    /// Is the worst accuracy that is reported of a position from satellites.
    package var satelliteMetersMax = 65.0
    /// Metres a second: from here on a course is told; no higher speed is told.
    package var courseFrom = 0.3
    /// Is the highest speed that is reported, in metres a second.
    package var speedMax = 300.0
  }

  /// The first 10 to 20 fixes after a start are worse (rule book 2.1; the size A).
  package struct Settling: Equatable, Sendable, BitwiseCopyable {
    /// Is the standard deviation that the first fix adds, per axis in metres.
    package var meters = 6.0
    /// Is the time in which the added error falls to 1/e, in seconds; it ends after five of them.
    package var seconds = 5.0
  }

  /// With precise location off: places of interest within 1 to 20 km, a few times an hour, 2,500 m
  /// of accuracy (rule book 2.1).
  package struct Reduced: Equatable, Sendable, BitwiseCopyable {
    /// Is the spacing of the grid that has one place of interest in each cell, in metres.
    package var placeSpacingMeters = 4_000.0
    /// Is the time between two positions, in seconds.
    package var intervalSeconds = 1_200.0
    /// Is the accuracy that is reported of them, in metres.
    package var accuracyMeters = 2_500.0
  }

  /// What recorded phones do.
  package static let standard = SensorProfile()
}
