internal import Core
internal import Phone

/// The claims of `scenarios/claims/android.yaml` but those about pushes.
///
/// A claim has the profile of its maker, or else of its version or the nearest one. Nothing is
/// missing or switched off on a phone of one user. Few phones are on a charger at night, and none
/// in the claims about nights.
enum AndroidMeasures {
  static var all: [ClaimMeasure] {
    hourly + energy + gaps + nights + services + fences + trips + work + alarms + accuracy
      + AndroidPushMeasures.all
  }

  // MARK: Fleets

  /// Returns a profile with no parts missing, and with other rules of Android.
  static func phone(_ base: String, _ rules: String...) -> String {
    let all = ["locationOff: 0%", "withoutPlay: 0%", "accuracyOff: 0%"] + rules
    return "{ base: \(base), android: { \(all.joined(separator: ", ")) } }"
  }

  static func fleet(
    _ policy: String, _ system: String, in place: FleetPlan.Place = .claims
  ) -> FleetPlan {
    FleetPlan(place, policy: policy, system: system).with {
      $0.energy = "android2022"
      $0.phones = 24
      $0.phone = ["chargesAtNight=0%"]
    }
  }

  /// Returns phones that are full in the evening and lie at home without a charger, and so doze.
  static func night(_ policy: String, _ system: String) -> FleetPlan {
    fleet(policy, system).with {
      $0.start = "2026-03-03T22:00"
      $0.warmStart = "2h"
      $0.duration = "9h"
      $0.phone = FleetPlan.uncharged
    }
  }

  /// Returns a policy with another request, and with other keys of a mode and of the policy.
  private static func asking(
    _ base: String, every time: String, _ mode: String = "", more keys: String = ""
  ) -> String {
    let mode = "{ standard: { polled: { every: \(time), timeout: 5s } }\(mode) }"
    return "{ base: \(base), foreground: \(mode), background: \(mode)\(keys) }"
  }

  // MARK: A position each hour

  /// APM1: Up to Android 9 an owner who lets the app locate lets it do so all the time.
  private static var hourly: [ClaimMeasure] {
    func month(_ policy: String, _ system: String, _ phone: [String] = []) -> FleetPlan {
      FleetPlan(.country, policy: policy, system: system).with {
        $0.phones = 14
        $0.isHealthy = false
        $0.phone = ["sessionsPerDay=1"] + phone
        $0.duration = "720h"
      }
    }
    let work = "{ base: worker-15min, android: { work: 1h, asksExemption: true } }"
    let android = month(
      work, "{ base: android11, android: { exempt: 100% } }", ["always=85%", "whenInUse=0%"]
    ).with { $0.energy = "android2022" }
    let both = [android, month("significant-change", "ios12")]
    return [
      ClaimMeasure(
        "B-android-hourly",
        .phones(android) { PhoneFigures(values: $0.locatedHoursADay) }, .mode),
      ClaimMeasure(
        "B-android-over-ios",
        [
          ClaimCase(
            "",
            both.map { plan in
              .phones(plan) { PhoneFigures(part: Double($0.locatedHours.count), whole: $0.hours) }
            }
          ) { Sample.ratio(BackgroundMeasures.odds($0[0]), BackgroundMeasures.odds($0[1])) }
        ]),
      ClaimMeasure(
        "B-none-at-all",
        [
          ClaimCase(
            "",
            both.map { plan in
              .phones(plan) { PhoneFigures(part: $0.locatedHours.isEmpty ? 1 : 0, whole: 1) }
            }
          ) { ClaimStatistic.share.value(of: $0[0] + $0[1]) }
        ]),
    ]
  }

  // MARK: Energy

  private static var energy: [ClaimMeasure] {
    func measured(_ policy: String, _ system: String, every step: SimDuration) -> FleetPlan {
      fleet(policy, system).with {
        $0.phone = FleetPlan.uncharged
        $0.warmStart = "0s"
        $0.traced = nil
        $0.metersEvery = step
      }
    }
    let scanning = [
      asking(
        "traccar-android", every: "5min",
        more: ", send: { interval: 24h, maxFixes: 4000 }, android: { wakeLock: false }"),
      PushMeasures.quiet,
    ].map { policy in
      measured(policy, phone("android11"), every: .hours(1)).with {
        $0.start = "2026-03-03T07:00"
        $0.duration = "17h"
      }
    }
    let nexus5 = measured(PushMeasures.quiet, phone("android11"), every: .hours(1)).with {
      $0.energy = "{ base: android2017, batteryWattHours: 8.7 }"
    }
    let night = nexus5.with {
      $0.start = "2026-03-03T23:00"
      $0.duration = "7h"
    }
    let unused = nexus5.with {
      $0.duration = "96h"
      $0.phone += ["battery.screenTime=0h", "battery.unlocksPerDay=1"]
    }
    let precise = fleet(
      asking(
        "home-assistant-android", every: "5s", ", accuracy: best",
        more: """
          , android: { service: always, backgroundLocations: false, batch: none, fastest: 2.5s }
          """),
      phone("android14")
    ).with {
      $0.phones = 2
      $0.traced = nil
    }
    return [
      ClaimMeasure(
        "E-android-scans-12",
        [
          ClaimCase("", scanning.map { .phones($0) { $0.hoursToEmpty } }) { parts in
            EnergyMeasures.medianRatio(parts[0], parts[1]).map { 100 * (1 - $0) }
          }
        ]),
      ClaimMeasure("E-nexus5-doze", .phones(night) { $0.idlePercentAnHour }, .median),
      ClaimMeasure(
        "E-nexus5-sim",
        .phones(unused) { PhoneFigures(values: $0.hoursToEmpty.values.map { 100 / $0 }) }, .median),
      ClaimMeasure("E-android-day-10-20", .phones(precise) { $0.trackingPercentADay }, .median),
    ]
  }
}

// MARK: - Requests and their gaps

extension AndroidMeasures {
  /// Returns the day of a driver with another app that locates in front, or without one.
  private static func drive(
    _ policy: String, _ system: String, _ phone: [String] = []
  ) -> FleetPlan {
    fleet(policy, system, in: .country).with {
      $0.phones = 6
      $0.start = "2026-03-03T06:00"
      $0.warmStart = "2h"
      $0.duration = "14h"
      $0.phone += phone
    }
  }

  fileprivate static let move = drive(
    asking("owntracks-android-move", every: "15s"), phone("android14")
  ).with { $0.phones = 3 }

  fileprivate static var gaps: [ClaimMeasure] {
    let intent = fleet(
      "{ base: home-assistant-android, places: none, android: { work: none, batch: none } }",
      phone("android14")
    ).with {
      $0.phones = 60
      $0.duration = "72h"
    }
    let navigator = drive(
      asking("owntracks-android-significant", every: "120s", ", distanceFilter: 1km"),
      phone("android14", "othersLocate: 100%"),
      ["battery.screenTime=16h", "battery.screenTimeSigma=0"])
    let filtered = fleet(
      asking("owntracks-android-significant", every: "5min", ", distanceFilter: 100m"),
      phone("android14"))
    let minute = fleet(asking("traccar-android", every: "60s"), phone("android11")).with {
      $0.phones = 6
    }
    return [
      ClaimMeasure(
        "L-android-intent-10min",
        .phones(intent) { PhoneFigures(values: $0.gapsOnTheWay().map { $0 / 60 }) }, .median),
      ClaimMeasure(
        "L-android-owntracks-drive",
        .phones(navigator) { PhoneFigures(values: $0.gapsOnTheWay(by: .car)) }, .median),
      ClaimMeasure(
        "L-android-owntracks-move", .phones(move) { PhoneFigures(values: $0.gaps) }, .median),
      ClaimMeasure(
        "B-android-owntracks-gap",
        .phones(filtered) { phone in
          let (from, to) = (phone.start + .hours(8), phone.start + .hours(22))
          guard phone.segments.contains(where: { $0.isMoving && $0.end > from && $0.start < to })
          else { return PhoneFigures() }
          return PhoneFigures(values: [phone.longestGap(from: from, to: to) / 60])
        }, .median),
      ClaimMeasure(
        "L-android-gap-17min",
        .phones(minute) { phone in
          PhoneFigures(values: [phone.longestGap(from: phone.start, to: phone.end)])
        }, .median),
    ]
  }

  fileprivate static var nights: [ClaimMeasure] {
    func logged(_ system: String) -> FleetPlan {
      night("{ base: gpslogger, android: { asksExemption: false } }", phone(system))
    }
    return [
      ClaimMeasure(
        "L-android-night-gaps",
        .phones(logged("android11")) { phone in
          PhoneFigures(values: [phone.longestGap(from: phone.start, to: phone.end)])
        }, .median),
      // Owners go to sleep at about eleven.
      ClaimMeasure(
        "S-android-identical",
        .phones(logged("android14")) { $0.repeated(from: 1, to: 6) }, .share),
    ]
  }

  private static let oppo = "android14-oppo"

  /// AOE4, AOE5: The services that makers end.
  fileprivate static var services: [ClaimMeasure] {
    let dark = fleet("owntracks-android-significant", phone(oppo, "othersLocate: 0%")).with {
      $0.phones = 40
      $0.phone += ["sessionsPerDay=1"]
    }
    func left(_ maker: String) -> ClaimPart {
      .phones(
        fleet("traccar-android", phone(maker, "exempt: 100%")).with {
          $0.start = "2026-03-03T08:00"
          $0.warmStart = "0s"
        }
      ) { $0.minutesToLastFix }
    }
    let logger = fleet(asking("gpslogger", every: "40s"), phone(oppo)).with {
      $0.phones = 12
      $0.start = "2026-03-03T08:00"
      $0.duration = "12h"
      $0.phone += ["sessionsPerDay=8"]
    }
    return [
      ClaimMeasure("B-android-screen-off", .phones(dark) { $0.darkFixesOnTheWay }, .share),
      ClaimMeasure("B-android-silent-10-30", left(oppo), .median),
      ClaimMeasure(
        "B-android-service-60min",
        [
          ClaimCase("", [left("android14-huawei"), left("android14-samsung")]) {
            ClaimStatistic.median.value(of: $0[0] + $0[1])
          }
        ]),
      ClaimMeasure(
        "L-android-first-gap", .phones(logger) { PhoneFigures(values: $0.gapsAtLeaving) }, .median),
    ]
  }
}

// MARK: - Fences, trips and work

extension AndroidMeasures {
  fileprivate static var fences: [ClaimMeasure] {
    let used = fleet("places-android", phone("android11")).with { $0.duration = "48h" }
    let unopened = ["android14", "android14-samsung", "android14-xiaomi"].map { maker in
      ClaimCase(
        maker,
        .phones(
          fleet("places-android", phone(maker)).with {
            $0.phones = 16
            $0.warmStart = "72h"
            $0.duration = "48h"
          }
        ) { phone in
          phone.told {
            $0.isEntry && $0.delay != nil
          } of: {
            $0.isEntry
          }
        }, .share)
    }
    // ADZ9: With Battery Saver a phone is in deep Doze on the way, too.
    let dozing = fleet(
      "{ base: places-android, android: { asksExemption: true } }",
      phone("android14-samsung", "exempt: 100%")
    ).with {
      $0.phones = 40
      $0.warmStart = "2h"
      $0.phone = FleetPlan.uncharged + ["lowPower=100%"]
    }
    func exits(inTheMorning isMorning: Bool) -> ClaimPart {
      .phones(used) { phone in
        phone.told {
          $0.isTold(within: 10)
        } of: {
          !$0.isEntry
            && isMorning == ($0.place == 0 && (4..<11).contains(phone.hour($0.at)))
        }
      }
    }
    return [
      ClaimMeasure(
        "L-android-entry",
        .phones(used) { PhoneFigures(values: $0.crossings.filter(\.isEntry).compactMap(\.delay)) },
        .median),
      ClaimMeasure("B-android-entry-3-days", unopened),
      ClaimMeasure(
        "L-android-night-exit",
        [
          ClaimCase("", [exits(inTheMorning: true), exits(inTheMorning: false)]) {
            Sample.ratio(
              ClaimStatistic.share.value(of: $0[0]), ClaimStatistic.share.value(of: $0[1]))
          }
        ]),
      ClaimMeasure(
        "L-android-fence-doze",
        .phones(dozing) { phone in
          phone.told {
            $0.isTold(within: 5)
          } of: {
            $0.isEntry && !phone.isUsed(from: $0.at - .minutes(1), to: $0.at)
          }
        }, .share),
    ]
  }

  fileprivate static var trips: [ClaimMeasure] {
    // Most rides and walks are of another length.
    func companion(_ system: String) -> FleetPlan {
      fleet("home-assistant-android", phone(system), in: .city).with { $0.duration = "72h" }
    }
    return [
      ClaimMeasure(
        "L-android-short-ride",
        .phones(companion("android14")) { phone in
          phone.unseen { !$0.mode.isByForce && (.minutes(3)...(.minutes(7))).contains($0.duration) }
        }, .share),
      ClaimMeasure(
        "L-android-walk",
        .phones(companion("android11")) { phone in
          phone.unseen { $0.mode == .walk && $0.duration >= .minutes(45) }
        }, .share),
    ]
  }

  fileprivate static var work: [ClaimMeasure] {
    let maker = fleet("worker-15min", phone(oppo)).with {
      $0.phone += ["sessionsPerDay=6"]
    }
    let resting = night("{ base: worker-15min, android: { work: 1h } }", phone("android11")).with {
      $0.phones = 40
      $0.duration = "11h"
    }
    return [
      ClaimMeasure(
        "L-android-work-1h", .phones(maker) { PhoneFigures(values: $0.darkWorkGaps) }, .median),
      ClaimMeasure(
        "L-android-work-doubling",
        .phones(resting) { PhoneFigures(values: $0.workGapRatios) }, .median),
    ]
  }

  fileprivate static var alarms: [ClaimMeasure] {
    func alarm(every time: String, _ system: String) -> FleetPlan {
      let alarm = "alarm: { every: \(time), exact: false, whileIdle: true }"
      return fleet("{ base: worker-15min, android: { work: none, \(alarm) } }", system)
    }
    // Before Android 8, which hardly a phone of the study had, locations in the background had no
    // limit (ABL1).
    let scans = alarm(every: "5min", phone("android9", "backgroundEvery: 1min"))
    return [
      ClaimMeasure(
        "B-android-scans-55", .phones(scans) { $0.located(inSlotsOf: .minutes(5)) }, .share),
      ClaimMeasure(
        "L-android-heartbeat-late",
        .phones(alarm(every: "60s", phone("android14"))) { phone in
          let gaps = phone.darkWorkGaps
          return PhoneFigures(part: Double(gaps.count { $0 > 5 }), whole: Double(gaps.count))
        }, .share),
    ]
  }

  // MARK: Accuracy

  fileprivate static var accuracy: [ClaimMeasure] {
    let week = fleet(asking("owntracks-android-move", every: "5min"), phone("android11")).with {
      $0.phones = 2
      $0.duration = "168h"
    }
    return [
      ClaimMeasure(
        "A-android-floor-3m",
        .phones(move) { phone in
          PhoneFigures(values: phone.fixes { $0.reported }.values.min().map { [$0] } ?? [])
        }, .median),
      ClaimMeasure("A-android-25m-barcelona", .phones(week) { $0.fixes { $0.reported } }, .median),
    ]
  }
}

extension LivedPhone {
  /// Returns the share of crossings of fences that hold, of those that are meant.
  fileprivate func told(
    _ holds: (FenceCrossing) -> Bool, of isMeant: (FenceCrossing) -> Bool
  ) -> PhoneFigures {
    let meant = crossings.filter(isMeant)
    return PhoneFigures(part: Double(meant.count(where: holds)), whole: Double(meant.count))
  }

  /// The number of hours with a fix on each day.
  fileprivate var locatedHoursADay: [Double] {
    let located = locatedHours
    return (0..<Int(hours / 24)).map { day in
      Double((24 * day..<24 * (day + 1)).count { located.contains($0) })
    }
  }
}
