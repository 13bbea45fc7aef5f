package import SimulationCore

// How the location services of a phone behave. Keys of an OS profile; every figure's
// source, confidence and range stand in `ServiceSchema`, its value in `ProfileDefaults`.

/// Region monitoring (RG1–RG7, RG9; rule book 2.1).
package struct RegionProfile: Equatable, Sendable, BitwiseCopyable {
  /// Smaller radii behave as this one (RG1).
  package var radiusMin: Distance
  /// Beyond the radius, before an exit counts.
  package var cushion: Distance
  /// How long the phone must have been beyond the border.
  package var dwell: SimDuration
  /// Is the share of the crossings that are told at once, of an app that runs or is suspended
  /// (RG6).
  package var promptShare: Double
  /// Is the same of an app whose process has ended (RG7).
  package var promptShareTerminated: Double
  /// Of the log-normal time until a prompt crossing is told, where Wi-Fi is heard.
  package var promptMedian: SimDuration
  /// Is the median of that time where no Wi-Fi is heard.
  package var promptMedianWithoutWifi: SimDuration
  /// Is the σ of that time, of its logarithm.
  package var promptSigma: Double
  /// Is the mean of the exponential time until the system looks again without a reason (RG6).
  package var lateLook: SimDuration
  /// Is the longest time until it looks again.
  package var lateMax: SimDuration
  /// Share of the crossings that are never told, although they last.
  package var missed: Double
  /// Is the time after a start of the phone in which no region is looked at.
  package var afterBoot: SimDuration
  /// Is the most regions of an app, of all kinds together (RG9).
  package var most: Int
}

/// A time that lies evenly between two ends.
package struct TimeBand: Equatable, Sendable, BitwiseCopyable {
  /// Is the shortest time that is drawn.
  package var min: SimDuration
  /// Is the longest time that is drawn, no less than `min`.
  package var max: SimDuration

  /// Makes the band from the shortest time to the longest.
  package init(_ min: SimDuration, _ max: SimDuration) {
    self.min = min
    self.max = max
  }
}

/// Visit monitoring (VI1–VI3, SL7; rule book 2.1).
package struct VisitProfile: Equatable, Sendable, BitwiseCopyable {
  /// After the arrival, at stays that last as long; after the departure.
  package var arrivalTold: TimeBand
  /// Is the time from a departure until it is reported.
  package var departureTold: TimeBand
  /// A departure is told no nearer to the place than this.
  package var departureDistance: Distance
  /// Share of the visits that are noticed while significant changes are off (SL7).
  package var withoutSignificantChange: Double
}

/// The standard service's way to its first fix (SF2, NO3, NO4; rule book 2.1).
package struct FirstFixProfile: Equatable, Sendable, BitwiseCopyable {
  /// A start is hot when a position is known for less than this …
  package var hotWithin: SimDuration
  /// … and warm within this; else cold.
  package var warmWithin: SimDuration
  /// Time to first fix with the network's help …
  package var hot: TimeBand
  /// Is the time to first fix after a warm start with the network's help.
  package var warm: TimeBand
  /// Is the time to first fix after a cold start with the network's help.
  package var cold: TimeBand
  /// … and without it, in airplane mode (NO4).
  package var hotAlone: TimeBand
  /// Is the time to first fix after a warm start in airplane mode.
  package var warmAlone: TimeBand
  /// Is the time to first fix after a cold start in airplane mode.
  package var coldAlone: TimeBand
  /// A position from Wi-Fi.
  package var wifi: TimeBand
  /// Until the first fix in new surroundings, of a service that goes on.
  package var again: TimeBand
  /// Satellites take so many times as long indoors.
  package var indoorFactor: Double
  /// Share of the starts indoors that hear no satellite.
  package var indoorBlind: Double
  /// Share of the attempts indoors that find no position at all …
  package var indoorFailure: Double
  /// … after which the phone tries again.
  package var indoorRetry: SimDuration
  /// Share of the starts that begin with where the phone was last (NO3) …
  package var oldPoint: Double
  /// … unless it was there no longer ago than this.
  package var oldPointAge: SimDuration
}

/// What the motion coprocessor tells, and when (AC5; rule book section 4).
package struct MotionProfile: Equatable, Sendable, BitwiseCopyable {
  /// From the begin of an activity until it is told.
  package var lag: TimeBand
  /// Share of the activities that are taken for another.
  package var confusion: Double
}

/// When the system sends what an app has handed to a background URLSession (NW1–NW3).
package struct BackgroundSessionProfile: Equatable, Sendable, BitwiseCopyable {
  /// A task made in the background waits this long after the system has resumed the app once for an
  /// answer, twice as long after two, …
  package var firstDelay: SimDuration
  /// … and never longer than this.
  package var delayMax: SimDuration
  /// Is the median of the log-normal time to a task's start beside that.
  package var startMedian: SimDuration
  /// Is the σ of that time, of its logarithm.
  package var startSigma: Double
  /// Whether every task that is made in the background is discretionary.
  package var discretionaryInBackground: Bool
  /// Is the mean wait of a discretionary task on Wi-Fi and on a charger.
  package var discretionOnCharger: SimDuration
  /// Is its mean wait on Wi-Fi without a charger.
  package var discretionOnWifi: SimDuration
  /// Is its mean wait without Wi-Fi.
  package var discretionOnCellular: SimDuration
  /// Is `timeoutIntervalForResource`, after which the system gives a task up.
  package var timeout: SimDuration
}
