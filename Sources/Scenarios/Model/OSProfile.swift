package import Core

/// The profile of an OS generation, read from `scenarios/profiles/os/NAME.yaml`.
package struct OSProfile: Equatable, Sendable, BitwiseCopyable {
  package var system = PhoneSystem()
  package var significantChange = SignificantChangeProfile()
  package var regions = RegionProfile()
  package var visits = VisitProfile()
  package var firstFix = FirstFixProfile()
  package var motion = MotionProfile()
  package var backgroundSession = BackgroundSessionProfile()
}

/// The significant-change service, read from `scenarios/profiles/significant-change/NAME.yaml`.
package struct SignificantChangeProfile: Equatable, Sendable, BitwiseCopyable {
  package var triggerMedian = Distance.meters(0)
  package var triggerSigma = 0.0
  package var triggerFloor = Distance.meters(0)
  package var latencyMean = SimDuration.zero
  package var gapMin = SimDuration.zero
  package var spuriousPerHour = 0.0
  package var cellEdges = 0.0
  package var unmovedEvery: SimDuration?
  package var cachedAgeMedian = SimDuration.zero
  package var cachedAgeSigma = 0.0
  package var cachedAgeMax = SimDuration.zero
  /// The share of changes reported with a Wi-Fi position; the rest have a cell's position (SL10).
  package var wifiShare = 0.0
  package var withoutCells = 0.0
  package var scanEveryInVehicle = SimDuration.zero
  package var scanEvery = SimDuration.zero
}
