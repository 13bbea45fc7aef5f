internal import Core
internal import Phone

enum AccuracyMeasures {
  static var all: [ClaimMeasure] {
    significantChange + cells + satellites + hits + visitsAndExits + sensors + indoors
  }

  // MARK: Fleets

  static let legacyChanges = FleetPlan(policy: "significant-change", system: "ios7").with {
    $0.significantChange = "legacy"
    $0.phones = 60
  }

  /// Returns a fleet with one fix per second all day, so that a few phones give many fixes.
  static func continuous(
    _ place: FleetPlan.Place = .city, _ system: String, policy: String = "owntracks-move"
  ) -> FleetPlan {
    FleetPlan(place, policy: policy, system: system).with {
      $0.phones = 10
      $0.warmStart = "2h"
    }
  }

  /// The seconds between the sampled fixes, since errors within a minute are similar.
  private static let often = 60

  private static func changes(_ place: FleetPlan.Place, _ system: String) -> FleetPlan {
    FleetPlan(place, policy: "significant-change", system: system).with {
      $0.phones = 100
      $0.phone = ["wifiOnTheWay=0%"]
    }
  }

  // MARK: Significant changes

  private static var significantChange: [ClaimMeasure] {
    let nights = FleetPlan(policy: "significant-change", system: "ios17").with {
      $0.phones = 100
      $0.start = "2026-03-03T22:00"
      $0.duration = "9h"
    }
    return [
      ClaimMeasure(
        "A-slc-reports-500",
        .phones(legacyChanges) { $0.fixes { $0.manager == .imprecise ? $0.reported : nil } },
        .median),
      ClaimMeasure(
        "A-slc-reports-1200",
        .phones(legacyChanges.with { $0.phone = ["wifiOnTheWay=0%"] }) { phone in
          phone.share { fix in
            guard fix.manager == .imprecise, fix.segment.isMoving else { return nil }
            return fix.reported >= 1_200
          }
        }, .share),
      ClaimMeasure(
        "A-night-slc-reports-441",
        .phones(nights) { phone in
          phone.fixes { fix in
            let isNight = phone.hour(fix.at) >= 23 || phone.hour(fix.at) < 6
            guard fix.manager == .imprecise, !fix.segment.isMoving, fix.segment.place == 0, isNight
            else { return nil }
            return fix.reported
          }
        }, .median),
    ]
  }

  // MARK: Sources

  private static var cells: [ClaimMeasure] {
    func part(
      _ place: FleetPlan.Place, _ value: @escaping @Sendable (SeenFix) -> Double?
    ) -> ClaimPart {
      .phones(changes(place, "ios17")) { $0.fixes { $0.isFromCells ? value($0) : nil } }
    }
    return [
      ClaimMeasure(
        "A-cell-true-city",
        part(.city) { [.street, .indoor].contains($0.surroundings) ? $0.off : nil }, .median),
      ClaimMeasure(
        "A-cell-true-country", part(.country) { $0.surroundings == .open ? $0.off : nil }, .median),
      ClaimMeasure(
        "A-cell-reports-500-up",
        [
          ClaimCase("", [part(.city) { $0.reported }, part(.country) { $0.reported }]) {
            ClaimStatistic.median.value(of: $0[0] + $0[1])
          }
        ]),
    ]
  }

  private static var satellites: [ClaimMeasure] {
    let drive = ClaimMeasure(
      "A-drive-95-within-10",
      .phones(continuous(.country, "ios17")) { phone in
        phone.share(every: 20) { fix in
          guard fix.manager == .standard, fix.segment.isMoving, fix.segment.mode == .car,
            fix.isOutdoors
          else { return nil }
          return fix.off <= 10
        }
      }, .share)
    // Stays outdoors are in the open, also in towns.
    func outdoorsAtRest(
      _ system: String, _ holds: @escaping @Sendable (SeenFix) -> Bool = { _ in true }
    ) -> ClaimPart {
      .phones(continuous(.city, system)) { phone in
        phone.fixes(every: often) { fix in
          !fix.segment.isMoving && fix.isOutdoors && holds(fix) ? fix.off : nil
        }
      }
    }
    return [
      drive,
      ClaimMeasure(
        "A-agps-at-rest-8",
        outdoorsAtRest("ios7") {
          $0.isFromSatellites && $0.segment.duration >= .minutes(20)
        }, .median),
      ClaimMeasure(
        "A-urban-mean-7-to-13",
        outdoorsAtRest("ios12") { $0.manager == .standard && $0.source != .cached }, .mean),
      ClaimMeasure(
        "A-best-reported-5",
        .phones(continuous(.city, "ios7")) { phone in
          phone.fixes(every: 20) { fix in
            fix.isFromSatellites && fix.surroundings == .open ? fix.reported : nil
          }
        }, .quantile(0.05)),
      ClaimMeasure(
        "A-indoor-standard-65",
        .phones(continuous(.city, "ios15")) { phone in
          phone.fixes(every: often) { fix in
            fix.manager == .standard && !fix.segment.isMoving && fix.surroundings == .indoor
              ? fix.reported : nil
          }
        }, .median),
    ]
  }

  private static var hits: [ClaimMeasure] {
    let everything = continuous(.city, "ios15")
    func cells(_ place: FleetPlan.Place) -> ClaimPart {
      .phones(changes(place, "ios17").with { $0.phone += ["wifiAtStays=0%"] }) { phone in
        phone.share { $0.isFromCells ? $0.isHit : nil }
      }
    }
    return [
      ClaimMeasure(
        "A-hit-satellites-52",
        .phones(everything) { $0.share(every: often) { $0.isFromSatellites ? $0.isHit : nil } },
        .share),
      ClaimMeasure(
        "A-hit-wifi-7",
        .phones(changes(.city, "ios17")) { $0.share { $0.isFromWifi ? $0.isHit : nil } }, .share),
      ClaimMeasure(
        "A-hit-cell-35",
        [
          ClaimCase("", [cells(.city), cells(.country)]) {
            ClaimStatistic.share.value(of: $0[0] + $0[1])
          }
        ]),
    ]
  }

  // MARK: Indoors

  private static var indoors: [ClaimMeasure] {
    @Sendable func error(_ fix: SeenFix) -> Double? {
      fix.manager == .standard && !fix.segment.isMoving && fix.surroundings == .indoor
        ? fix.off : nil
    }
    let modern = continuous(.city, "ios17")
    return [
      ClaimMeasure("A-window-median", .phones(modern) { $0.fixes(every: often, error) }, .median),
      ClaimMeasure(
        "A-window-largest",
        .phones(modern) { phone in
          var largest: [Int: Double] = [:]
          _ = phone.fixes(every: 10) { fix in
            guard let error = error(fix) else { return nil }
            let halfHour = Int((fix.at - phone.start).seconds / 1_800)
            largest[halfHour] = max(largest[halfHour] ?? 0, error)
            return nil
          }
          return PhoneFigures(values: largest.sorted { $0.key < $1.key }.map(\.value))
        }, .median),
    ]
  }

  // MARK: Visits, exits and sensors

  static let weekWithRegion = FleetPlan(
    .city, policy: "{ base: owntracks-significant, regionRadius: 100m }", system: "ios12"
  ).with {
    $0.phones = 50
    $0.duration = "168h"
  }

  private static var visitsAndExits: [ClaimMeasure] {
    [
      ClaimMeasure(
        "A-visit-reports-66",
        .phones(LatencyMeasures.visits("ios17")) { phone in
          phone.fixes { $0.manager == nil ? $0.reported : nil }
        }, .median),
      ClaimMeasure(
        "A-exit-fix-65",
        .phones(FleetPlan(.city, policy: "hybrid", system: "ios15")) { phone in
          PhoneFigures(values: phone.exits.compactMap(\.reported))
        }, .median),
      ClaimMeasure(
        "A-false-exit-reports-1000",
        .phones(weekWithRegion) { phone in
          PhoneFigures(values: phone.exits.filter { !$0.segment.isMoving }.compactMap(\.reported))
        }, .median),
    ]
  }

  private static var sensors: [ClaimMeasure] {
    let pausing = "{ base: owntracks-move, background: { pausesAutomatically: true } }"
    // Only an opening of the app ends a pause (PT2), so that the app of this tracker is opened as
    // often as in the default mix.
    let leftOn = continuous(.city, "ios15", policy: pausing).with {
      $0.phone = ["sessionsPerDay=8"]
    }
    return [
      ClaimMeasure(
        "S-moving-reports-6",
        .phones(continuous(.city, "ios15")) { phone in
          phone.fixes(every: 20) { fix in
            fix.manager == .standard && fix.segment.isMoving && fix.isOutdoors ? fix.reported : nil
          }
        }, .median),
      ClaimMeasure(
        "S-stay-false-exits",
        .phones(weekWithRegion) { phone in
          let home = phone.exits.count { !$0.segment.isMoving && $0.segment.place == 0 }
          return PhoneFigures(values: [Double(home) / (phone.hours / 24)])
        }, .quantile(0.98)),
      ClaimMeasure(
        "S-indoor-trust",
        .phones(
          continuous(.city, "ios17").with {
            $0.start = "2026-03-03T22:00"
            $0.duration = "9h"
            $0.phones = 30
          }
        ) { phone in
          phone.fixes(every: 10) { fix in
            !fix.segment.isMoving && fix.surroundings == .indoor && fix.off > 100
              ? fix.reported : nil
          }
        }, .median),
      ClaimMeasure(
        "S-rest-fixes-10000",
        .phones(leftOn) { phone in
          let rests = phone.segments.filter { !$0.isMoving && $0.place == 0 }
          let days = rests.reduce(0) {
            $0 + (min($1.end, phone.end) - max($1.start, phone.start)).seconds / 86_400
          }
          let fixes = phone.fixes {
            $0.manager == .standard && !$0.segment.isMoving && $0.segment.place == 0 ? 1 : nil
          }
          return PhoneFigures(part: Double(fixes.values.count), whole: days)
        }, .share),
    ]
  }
}
