package import Core

// The parameters of location services. OS profiles set the values; `ServiceSchema` explains them.

/// Region monitoring (RG1–RG7, RG9, RG11).
package struct RegionProfile: Equatable, Sendable, BitwiseCopyable {
  package var radiusMin = Distance.meters(0)
  package var cushion = Distance.meters(0)
  package var cushionLocating = Distance.meters(0)
  package var dwell = SimDuration.zero
  /// The share of crossings reported at once, to an app that runs or is suspended (RG6).
  package var promptShare = 0.0
  package var promptShareTerminated = 0.0
  package var promptMedian = SimDuration.zero
  package var promptMedianWithoutWifi = SimDuration.zero
  package var promptSigma = 0.0
  package var lateLook = SimDuration.zero
  package var lateMax = SimDuration.zero
  package var missed = 0.0
  package var missedByMonitor = 0.0
  /// The time from adding a condition to CLMonitor's first evaluation (CM6).
  package var monitorEvaluation = SimDuration.zero
  /// The share of events that CLMonitor reports twice (CM3).
  package var monitorCopies = 0.0
  /// The share of background launches after which CLMonitor reports nothing for a while (CM4).
  package var monitorDeaf = 0.0
  package var monitorDeafFor = SimDuration.zero
  /// The share of position jumps at rest that a check sees, on average over places (RG11).
  package var leapsSeen = 0.0
  package var afterBoot = SimDuration.zero
  package var most = 0
}

package struct TimeBand: Equatable, Sendable, BitwiseCopyable {
  package var min = SimDuration.zero
  package var max = SimDuration.zero
}

/// Visit monitoring (VI1–VI3, SL7).
package struct VisitProfile: Equatable, Sendable, BitwiseCopyable {
  package var arrivalTold = TimeBand()
  package var departureTold = TimeBand()
  package var departureDistance = Distance.meters(0)
  package var withoutSignificantChange = 0.0
}

/// The time from a start of the standard service to the first fix, the age of the fix that comes
/// with a wake, and the end of single requests (SF2, NO3, NO4, LA1, LA3).
package struct FirstFixProfile: Equatable, Sendable, BitwiseCopyable {
  package var hotWithin = SimDuration.zero
  package var warmWithin = SimDuration.zero
  package var hot = TimeBand()
  package var warm = TimeBand()
  package var cold = TimeBand()
  package var hotAlone = TimeBand()
  package var warmAlone = TimeBand()
  package var coldAlone = TimeBand()
  package var wifi = TimeBand()
  package var again = TimeBand()
  package var indoorFactor = 0.0
  package var indoorBlind = 0.0
  package var indoorFailure = 0.0
  package var indoorRetry = SimDuration.zero
  package var oldPoint = 0.0
  package var oldPointAge = SimDuration.zero
  package var wakeAge = SimDuration.zero
  package var wakeAgeSigma = 0.0
  package var wakeAgeMax = SimDuration.zero
  package var requestTime = SimDuration.zero
  /// The reported accuracy at which a single request for the best accuracy ends early.
  package var requestBest = Distance.meters(0)
}

package struct MotionProfile: Equatable, Sendable, BitwiseCopyable {
  package var lag = TimeBand()
  package var restLag = TimeBand()
  package var confusion = 0.0
}

/// When the system sends the tasks of a background URLSession (NW1–NW3).
package struct BackgroundSessionProfile: Equatable, Sendable, BitwiseCopyable {
  /// The delay of a background task once the system has resumed the app for one response; each
  /// further resume doubles the delay.
  package var firstDelay = SimDuration.zero
  package var delayMax = SimDuration.zero
  package var startMedian = SimDuration.zero
  package var startSigma = 0.0
  package var discretionaryInBackground = false
  package var discretionOnCharger = SimDuration.zero
  package var discretionOnWifi = SimDuration.zero
  package var discretionOnCellular = SimDuration.zero
  package var timeout = SimDuration.zero
}
