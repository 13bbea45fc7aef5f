internal import SimulationCore

// The profiles that a scenario without any has: what `scenarios/profiles` spells out as `ios17`,
// `modern` and `modern2022`.

extension OSProfile {
  package static var standard: OSProfile {
    OSProfile(
      backgroundTaskBudget: .seconds(30), wakeGrace: .seconds(10), watchdog: .seconds(10),
      relaunchesAfterForceQuit: true, refreshOffBlocksLocationWakes: false, requiresRequest: true,
      hasProvisionalAlways: true, hasReducedAccuracy: true, suspendsHiddenStandard: true,
      defersUpdates: false, hasLocationPushExtension: true, pauseAfter: .minutes(15),
      pauseTrap: .strict, significantChange: .standard)
  }
}

extension SignificantChangeProfile {
  /// "Usually up to 1 km" (rule book 2.1); latency Exp(60–90 s), C3.
  package static var standard: SignificantChangeProfile {
    SignificantChangeProfile(
      triggerMedian: .meters(650), triggerSigma: 0.27, triggerFloor: .meters(500),
      latencyMean: .seconds(75), gapMin: .seconds(300), spuriousPerHour: 0.3, unmovedEvery: nil,
      cachedAgeMedian: .minutes(20), cachedAgeSigma: 1.76)
  }
}

extension EnergyProfile {
  /// iPhone 13, 12.41 Wh (rule book section 3, column modern2022).
  package static var standard: EnergyProfile {
    EnergyProfile(
      batteryWattHours: 12.41, idleMilliwatts: 40, screenMilliwatts: 800,
      satelliteMilliwatts: 150, coarseMilliwatts: 15, callbacksMilliwatts: 40,
      filteredCallbacksMilliwatts: 22, motionMilliwatts: 1, wifiScanMillijoules: 300,
      wakeMillijoules: 1_000, hundredMeterSatelliteShare: 0.3,
      cellular: RadioProfile(
        promotionSeconds: 0.2601, promotionMilliwatts: 1_210.7, tailSeconds: 10,
        tailMilliwatts: 500, baseMilliwatts: 901.6, perMegabitUpMilliwatts: 306.9,
        megabitsPerSecondUp: 5),
      wifi: RadioProfile(
        promotionSeconds: 0.079, promotionMilliwatts: 124, tailSeconds: 0.238,
        tailMilliwatts: 119, baseMilliwatts: 132.86, perMegabitUpMilliwatts: 283.17,
        megabitsPerSecondUp: 20))
  }
}
