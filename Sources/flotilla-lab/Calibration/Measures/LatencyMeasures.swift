internal import Core
internal import Phone

enum LatencyMeasures {
  static var all: [ClaimMeasure] {
    distances + exits + visitDelays + firstFixes + motion + [liveRest]
  }

  static func visits(_ system: String) -> FleetPlan {
    FleetPlan(.city, policy: "radar-efficient", system: system).with {
      $0.phones = 100
      $0.duration = "48h"
    }
  }

  // MARK: Significant changes

  private static var distances: [ClaimMeasure] {
    func part(_ place: FleetPlan.Place) -> ClaimPart {
      let plan = AccuracyMeasures.legacyChanges.with { $0.place = place }
      return .phones(plan) { PhoneFigures(values: $0.betweenChanges) }
    }
    func measure(_ id: String, _ statistic: ClaimStatistic) -> ClaimMeasure {
      ClaimMeasure(
        id,
        [
          ClaimCase("", [part(.city), part(.country)]) { statistic.value(of: $0[0] + $0[1]) }
        ])
    }
    return [measure("L-slc-median-1km", .median), measure("L-slc-90-5km", .quantile(0.9))]
  }

  // MARK: Regions

  private static var exits: [ClaimMeasure] {
    func running(_ system: String) -> FleetPlan {
      FleetPlan(
        policy: "{ base: owntracks-move, significantChange: true, regionRadius: 100m }",
        system: system
      ).with { $0.phones = 12 }
    }
    func beyond(_ id: String, _ system: String, _ statistic: ClaimStatistic) -> ClaimMeasure {
      ClaimMeasure(
        id,
        .phones(running(system)) { phone in
          PhoneFigures(
            values: phone.exits.compactMap { exit in
              guard exit.segment.isMoving, exit.segment.mode == .walk, let far = exit.distance
              else { return nil }
              return far - exit.radius
            })
        }, statistic)
    }
    let resting = """
      rest: { sign: { still: { time: 5min, within: 25m } }, standard: off, regionRadius: 100m }
      """
    let elastic = "{ base: elastic, foreground: { \(resting) }, background: { \(resting) } }"
    return [
      beyond("L-exit-beyond-60-70", "ios26", .median),
      beyond("L-exit-beyond-50-100", "ios17", .quantile(0.9)),
      ClaimMeasure(
        "L-exit-stationary-500",
        .phones(FleetPlan(.city, policy: elastic, system: "ios12").with { $0.phones = 60 }) {
          phone in
          PhoneFigures(
            values: phone.exits.filter { $0.process == .suspended }.compactMap(\.distance))
        }, .quantile(0.95)),
      ClaimMeasure(
        "L-exit-after-termination",
        .phones(
          FleetPlan(.city, policy: "hybrid", system: "ios17").with {
            $0.phones = 100
            $0.duration = "48h"
            $0.phone = ["forceQuit=50%", "forceQuitUses=100%", "sessionsPerDay=3"]
          }
        ) { phone in
          PhoneFigures(
            values: phone.exits.filter { $0.process == .notRunning }.compactMap {
              $0.delay.map { $0.seconds / 60 }
            })
        }, .quantile(0.95)),
    ]
  }

  // MARK: Visits

  private static var visitDelays: [ClaimMeasure] {
    [
      ClaimMeasure(
        "L-visit-arrival-12",
        .phones(visits("ios17")) {
          PhoneFigures(values: $0.visitDelays(stays: .minutes(30)).arrivals)
        }, .median),
      ClaimMeasure(
        "L-visit-departure-3",
        .phones(visits("ios17")) {
          PhoneFigures(values: $0.visitDelays(stays: .minutes(10)).departures)
        }, .median),
      ClaimMeasure(
        "L-visit-wait-30",
        .phones(visits("ios26")) {
          PhoneFigures(values: $0.visitDelays(stays: .hours(1)).arrivals)
        }, .quantile(0.9)),
    ]
  }

  // MARK: First fixes

  private static var firstFixes: [ClaimMeasure] {
    let woken = ["hybrid", "owntracks-significant"].map { policy in
      ClaimPart.phones(FleetPlan(.city, policy: policy, system: "ios15")) {
        PhoneFigures(values: $0.wakeFixAges)
      }
    }
    let asked = FleetPlan(policy: PushMeasures.single, system: "ios15").with {
      $0.phone = ["wifiAtStays=100%"]
      $0.push = PushMeasures.every("1h", within: "10min")
    }
    let opened = FleetPlan(policy: "foreground-correction", system: "ios15").with {
      $0.phone = ["sessionsPerDay=24"]
    }
    let cycle = FleetPlan(.city, policy: "duty-cycle", system: "ios12").with {
      $0.phones = 12
      $0.phone = ["sessionsPerDay=6"]
    }
    return [
      ClaimMeasure(
        "L-wake-fix-age",
        [ClaimCase("", woken) { ClaimStatistic.median.value(of: $0[0] + $0[1]) }]),
      ClaimMeasure(
        "L-request-10s", .phones(asked) { PhoneFigures(values: $0.answerSeconds) }, .median),
      ClaimMeasure(
        "L-start-first-callback-1s",
        .phones(opened) { PhoneFigures(values: $0.startSeconds(fresh: false)) }, .median),
      ClaimMeasure(
        "L-first-fix-tail-60",
        .phones(cycle) { PhoneFigures(values: $0.startSeconds(fresh: true)) }, .quantile(0.95)),
    ]
  }

  // MARK: Motion

  private static var liveRest: ClaimMeasure {
    let live = FleetPlan(.city, policy: "live-updates", system: "ios17").with {
      $0.phones = 24
      $0.phone = ["sessionsPerDay=6"]
    }
    return ClaimMeasure(
      "L-live-updates-rest", .phones(live) { PhoneFigures(values: $0.restFixMinutes) }, .median)
  }

  private static var motion: [ClaimMeasure] {
    let gated = FleetPlan(.city, policy: "motion-gated", system: "ios12").with { $0.phones = 24 }
    return [
      ClaimMeasure(
        "L-motion-start-lag", .phones(gated) { PhoneFigures(values: $0.motionLags.starts) },
        .median),
      ClaimMeasure(
        "L-motion-stop-lag", .phones(gated) { PhoneFigures(values: $0.motionLags.stops) }, .median),
    ]
  }
}
