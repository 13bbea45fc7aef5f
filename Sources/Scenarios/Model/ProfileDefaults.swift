internal import SimulationCore

// The profiles that a scenario without any has: what `scenarios/profiles` spells out as `ios17`,
// `modern` and `modern2022`.

extension OSProfile {
  /// Is the OS profile of iOS 17, as `scenarios/profiles/os/ios17.yaml` spells it out.
  package static var standard: OSProfile {
    OSProfile(system: .ios(.standard), significantChange: .standard)
  }
}

extension SignificantChangeProfile {
  /// "Usually up to 1 km" (rule book 2.1); latency Exp(60–90 s), C3.
  package static var standard: SignificantChangeProfile {
    SignificantChangeProfile(
      triggerMedian: .meters(650), triggerSigma: 0.27, triggerFloor: .meters(500),
      latencyMean: .seconds(75), gapMin: .seconds(300), spuriousPerHour: 0.3, unmovedEvery: nil,
      cachedAgeMedian: .minutes(20), cachedAgeSigma: 1.76, cachedAgeMax: .hours(24),
      wifiShare: 0.5, withoutCells: 4, scanEveryInVehicle: .minutes(5), scanEvery: .minutes(15))
  }
}

extension RegionProfile {
  /// Holds the default figures of region monitoring; `ServiceSchema` has their sources.
  package static var standard: RegionProfile {
    RegionProfile(
      radiusMin: .meters(100), cushion: .meters(100), dwell: .seconds(20), promptShare: 0.95,
      promptShareTerminated: 0.6, promptMedian: .seconds(6), promptMedianWithoutWifi: .seconds(18),
      promptSigma: 0.8, lateLook: .minutes(20), lateMax: .hours(3), missed: 0.01,
      afterBoot: .minutes(3), most: 20)
  }
}

extension VisitProfile {
  /// Holds the default figures of visit monitoring; `ServiceSchema` has their sources.
  package static var standard: VisitProfile {
    VisitProfile(
      arrivalTold: TimeBand(.minutes(4), .minutes(12)),
      departureTold: TimeBand(.minutes(3), .minutes(8)), departureDistance: .meters(300),
      withoutSignificantChange: 0.6)
  }
}

extension FirstFixProfile {
  /// Holds the default times to a first fix; `ServiceSchema` has their sources.
  package static var standard: FirstFixProfile {
    FirstFixProfile(
      hotWithin: .minutes(30), warmWithin: .hours(4),
      hot: TimeBand(.seconds(1), .seconds(2)), warm: TimeBand(.seconds(3), .seconds(6)),
      cold: TimeBand(.seconds(10), .seconds(30)),
      hotAlone: TimeBand(.seconds(5), .seconds(22)),
      warmAlone: TimeBand(.seconds(22), .seconds(45)),
      coldAlone: TimeBand(.minutes(2), .minutes(4)),
      wifi: TimeBand(.seconds(1), .seconds(3)), again: TimeBand(.seconds(1), .seconds(3)),
      indoorFactor: 1.5, indoorBlind: 0.9, indoorFailure: 0.05, indoorRetry: .seconds(15),
      oldPoint: 0.3, oldPointAge: .seconds(15))
  }
}

extension MotionProfile {
  /// Holds the default figures of the motion coprocessor; `ServiceSchema` has their sources.
  package static var standard: MotionProfile {
    MotionProfile(lag: TimeBand(.seconds(5), .seconds(20)), confusion: 0.05)
  }
}

extension BackgroundSessionProfile {
  /// Holds the default figures of background sessions; `ServiceSchema` has their sources.
  package static var standard: BackgroundSessionProfile {
    BackgroundSessionProfile(
      firstDelay: .seconds(60), delayMax: .hours(4), startMedian: .seconds(20), startSigma: 1.2,
      discretionaryInBackground: true, discretionOnCharger: .minutes(30),
      discretionOnWifi: .hours(5), discretionOnCellular: .hours(24), timeout: .hours(7 * 24))
  }
}

extension EnergyProfile {
  /// iPhone 13, 12.41 Wh (rule book section 3, column modern2022).
  ///
  /// `coarse` and `filteredCallbacks` are not the table's 15 and 26 mW, but what the section's own
  /// checks need (C at 110 mW, B 38 mW below A at its 60 mW a callback): fitted on C4, which
  /// therefore proves nothing. The Wi-Fi's `send` makes a small batch cost its 0.3 J.
  package static var standard: EnergyProfile {
    EnergyProfile(
      batteryWattHours: 12.41,
      battery: BatteryProfile(
        chargerMilliwatts: 6_200, reserve: 0.01, bootsAt: 0.03, warnsAt: 0.2,
        lowPowerEndsAt: 0.8, lowPowerSaves: 0.4),
      idleMilliwatts: 40, backgroundMilliwatts: 60, screenMilliwatts: 800,
      satelliteMilliwatts: 150, coarseMilliwatts: 48, callbacksMilliwatts: 40,
      filteredCallbacksMilliwatts: 22, motionMilliwatts: 1, wifiScanMillijoules: 300,
      wakeMillijoules: 1_000, hundredMeterScanSeconds: 10, hundredMeterSatelliteShare: 0.3,
      cellular: RadioProfile(
        promotionSeconds: 0.2601, promotionMilliwatts: 1_210.7, tailSeconds: 10,
        tailMilliwatts: 500, baseMilliwatts: 901.6, perMegabitUpMilliwatts: 306.9,
        megabitsPerSecondUp: 5, sendMillijoules: 0),
      wifi: RadioProfile(
        promotionSeconds: 0.079, promotionMilliwatts: 124, tailSeconds: 0.238,
        tailMilliwatts: 119, baseMilliwatts: 132.86, perMegabitUpMilliwatts: 283.17,
        megabitsPerSecondUp: 20, sendMillijoules: 260))
  }

  /// iPhone 7, 7.45 Wh, with the LTE of 2012 (rule book section 3, column legacy2015).
  package static var legacy2015: EnergyProfile {
    EnergyProfile(
      batteryWattHours: 7.45,
      battery: BatteryProfile(
        chargerMilliwatts: 4_000, reserve: 0.01, bootsAt: 0.03, warnsAt: 0.2,
        lowPowerEndsAt: 0.8, lowPowerSaves: 0.4),
      idleMilliwatts: 40, backgroundMilliwatts: 60, screenMilliwatts: 900,
      satelliteMilliwatts: 350, coarseMilliwatts: 48, callbacksMilliwatts: 60,
      filteredCallbacksMilliwatts: 22, motionMilliwatts: 1, wifiScanMillijoules: 600,
      wakeMillijoules: 1_500, hundredMeterScanSeconds: 10, hundredMeterSatelliteShare: 0.3,
      cellular: RadioProfile(
        promotionSeconds: 0.2601, promotionMilliwatts: 1_210.7, tailSeconds: 11.576,
        tailMilliwatts: 1_060, baseMilliwatts: 1_288.04, perMegabitUpMilliwatts: 438.39,
        megabitsPerSecondUp: 5, sendMillijoules: 0),
      wifi: RadioProfile(
        promotionSeconds: 0.079, promotionMilliwatts: 124, tailSeconds: 0.238,
        tailMilliwatts: 119, baseMilliwatts: 132.86, perMegabitUpMilliwatts: 283.17,
        megabitsPerSecondUp: 20, sendMillijoules: 410))
  }
}
