package import SimulationCore

// How the location services of a phone behave. Keys of an OS profile, which has the values.

/// Region monitoring (RG1–RG7, RG9; rule book 2.1).
package struct RegionProfile: Equatable, Sendable, BitwiseCopyable {
  /// Smaller radii behave as this one (RG1).
  package var radiusMin = Distance.meters(0)
  /// Beyond the radius, before an exit counts.
  package var cushion = Distance.meters(0)
  /// How long the phone must have been beyond the border.
  package var dwell = SimDuration.zero
  /// The share of the crossings that are told at once, of an app that runs or is suspended
  /// (RG6).
  package var promptShare = 0.0
  /// The same of an app whose process has ended (RG7).
  package var promptShareTerminated = 0.0
  /// Of the log-normal time until a prompt crossing is told, where Wi-Fi is heard.
  package var promptMedian = SimDuration.zero
  /// The median of that time where no Wi-Fi is heard.
  package var promptMedianWithoutWifi = SimDuration.zero
  /// The σ of that time, of its logarithm.
  package var promptSigma = 0.0
  /// The mean of the exponential time until the system looks again without a reason (RG6).
  package var lateLook = SimDuration.zero
  /// The longest time until it looks again.
  package var lateMax = SimDuration.zero
  /// Share of the crossings that are never told, although they last.
  package var missed = 0.0
  /// The time after a start of the phone in which no region is looked at.
  package var afterBoot = SimDuration.zero
  /// The most regions of an app, of all kinds together (RG9).
  package var most = 0
}

/// A time that lies evenly between two ends.
package struct TimeBand: Equatable, Sendable, BitwiseCopyable {
  /// The shortest time that is drawn.
  package var min = SimDuration.zero
  /// The longest time that is drawn, no less than `min`.
  package var max = SimDuration.zero

  /// Makes the band from the shortest time to the longest.
  package init(_ min: SimDuration = .zero, _ max: SimDuration = .zero) {
    self.min = min
    self.max = max
  }
}

/// Visit monitoring (VI1–VI3, SL7; rule book 2.1).
package struct VisitProfile: Equatable, Sendable, BitwiseCopyable {
  /// After the arrival, at stays that last as long; after the departure.
  package var arrivalTold = TimeBand()
  /// The time from a departure until it is reported.
  package var departureTold = TimeBand()
  /// A departure is told no nearer to the place than this.
  package var departureDistance = Distance.meters(0)
  /// Share of the visits that are noticed while significant changes are off (SL7).
  package var withoutSignificantChange = 0.0
}

/// The standard service's way to its first fix (SF2, NO3, NO4; rule book 2.1).
package struct FirstFixProfile: Equatable, Sendable, BitwiseCopyable {
  /// A start is hot when a position is known for less than this …
  package var hotWithin = SimDuration.zero
  /// … and warm within this; else cold.
  package var warmWithin = SimDuration.zero
  /// Time to first fix with the network's help …
  package var hot = TimeBand()
  /// The time to first fix after a warm start with the network's help.
  package var warm = TimeBand()
  /// The time to first fix after a cold start with the network's help.
  package var cold = TimeBand()
  /// … and without it, in airplane mode (NO4).
  package var hotAlone = TimeBand()
  /// The time to first fix after a warm start in airplane mode.
  package var warmAlone = TimeBand()
  /// The time to first fix after a cold start in airplane mode.
  package var coldAlone = TimeBand()
  /// A position from Wi-Fi.
  package var wifi = TimeBand()
  /// Until the first fix in new surroundings, of a service that goes on.
  package var again = TimeBand()
  /// Satellites take so many times as long indoors.
  package var indoorFactor = 0.0
  /// Share of the starts indoors that hear no satellite.
  package var indoorBlind = 0.0
  /// Share of the attempts indoors that find no position at all …
  package var indoorFailure = 0.0
  /// … after which the phone tries again.
  package var indoorRetry = SimDuration.zero
  /// Share of the starts that begin with where the phone was last (NO3) …
  package var oldPoint = 0.0
  /// … unless it was there no longer ago than this.
  package var oldPointAge = SimDuration.zero
}

/// What the motion coprocessor tells, and when (AC5; rule book section 4).
package struct MotionProfile: Equatable, Sendable, BitwiseCopyable {
  /// From the begin of an activity until it is told.
  package var lag = TimeBand()
  /// Share of the activities that are taken for another.
  package var confusion = 0.0
}

/// When the system sends what an app has handed to a background URLSession (NW1–NW3).
package struct BackgroundSessionProfile: Equatable, Sendable, BitwiseCopyable {
  /// A task made in the background waits this long after the system has resumed the app once for an
  /// answer, twice as long after two, …
  package var firstDelay = SimDuration.zero
  /// … and never longer than this.
  package var delayMax = SimDuration.zero
  /// The median of the log-normal time to a task's start beside that.
  package var startMedian = SimDuration.zero
  /// The σ of that time, of its logarithm.
  package var startSigma = 0.0
  /// Whether every task that is made in the background is discretionary.
  package var discretionaryInBackground = false
  /// The mean wait of a discretionary task on Wi-Fi and on a charger.
  package var discretionOnCharger = SimDuration.zero
  /// Is its mean wait on Wi-Fi without a charger.
  package var discretionOnWifi = SimDuration.zero
  /// Is its mean wait without Wi-Fi.
  package var discretionOnCellular = SimDuration.zero
  /// Is `timeoutIntervalForResource`, after which the system gives a task up.
  package var timeout = SimDuration.zero
}
