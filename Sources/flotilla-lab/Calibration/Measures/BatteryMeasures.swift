internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

/// The battery use of a phone's day without a tracker: idling, the screen and other apps.
enum BatteryMeasures {
  static var all: [ClaimMeasure] { days + shares + screenOn + iPhone13 + later + cells }

  // MARK: Days without a tracker

  /// Returns a day from 7 to 24 h on a full battery, uncharged, with an app that starts nothing.
  private static func day(_ phone: [String] = []) -> FleetPlan {
    FleetPlan(policy: PushMeasures.quiet, system: "ios8").with {
      $0.energy = "legacy2015"
      $0.start = "2026-03-03T07:00"
      $0.warmStart = "0s"
      $0.duration = "17h"
      $0.phone = FleetPlan.uncharged + phone
      $0.traced = nil
      $0.metersEvery = .hours(1)
    }
  }

  private static var days: [ClaimMeasure] {
    [
      ClaimMeasure(
        "E-day-without-tracker-iphone6plus", .phones(day()) { $0.dischargePercent }, .median),
      ClaimMeasure(
        "E-low-power-mode-saving",
        [
          ClaimCase(
            "",
            ["100%", "0%"].map { share in
              .phones(day(["lowPower=\(share)"])) { $0.dischargePercent }
            }
          ) { parts in EnergyMeasures.medianRatio(parts[0], parts[1]).map { 100 * (1 - $0) } }
        ]),
    ]
  }

  // MARK: Shares of a day

  private static var shares: [ClaimMeasure] {
    func city(_ energy: String?) -> FleetPlan {
      FleetPlan(.city, policy: "hybrid", system: "ios17").with {
        $0.energy = energy
        $0.phones = 200
        $0.isHealthy = false
        $0.traced = nil
        $0.metersEvery = .hours(24)
      }
    }
    return [
      ClaimMeasure(
        "E-screen-time-usa-2023",
        .phones(city(nil)) { PhoneFigures(values: [24 * $0.litShare]) }, .mean),
      ClaimMeasure(
        "E-screen-off-share",
        EnergyMeasures.profiles.map { energy in
          ClaimCase(energy, .phones(city(energy)) { $0.dayUse.screenDark.percent }, .share)
        }),
      ClaimMeasure(
        "E-background-apps-share",
        .phones(city(nil)) { $0.dayUse.inBackground.percent }, .share),
    ]
  }

  // MARK: The screen always on

  private static let lit = [
    "nights.sleepUntil=7h", "battery.screenTime=16h", "battery.screenTimeSigma=0",
    "weakSignal=0%",
  ]
  /// BT8: `reading` loads web pages only. `mixed` is video, games, camera and apps in equal parts.
  private static let reading = lit + ["battery.demanding=0%"]
  private static let mixed = lit + ["battery.demanding=50%"]

  /// The app settings for a small transfer every 30 s, with almost no location.
  private static let transfers: String = {
    let mode = """
      { standard: { dutyCycle: { on: 1s, period: 30s } }, accuracy: kilometer, \
      filter: { rule: everything } }
      """
    return """
      { base: duty-cycle, foreground: \(mode), background: \(mode), \
      send: { interval: 0s, maxFixes: 200 } }
      """
  }()

  /// The radio that the phone uses at home, at work and on the way.
  private enum Browsing { case wifi, lte, newRadio }

  private static func browsing(_ energy: String, _ radio: Browsing) -> ClaimPart {
    .phones(browsingPlan(energy, radio)) { $0.hoursToEmpty }
  }

  private static func browsingPlan(_ energy: String, _ radio: Browsing) -> FleetPlan {
    morning(transfers, energy).with {
      $0.system = "ios12"
      $0.phone += reading + over(radio)
    }
  }

  private static func over(_ radio: Browsing) -> [String] {
    let wifi = radio == .wifi ? "100%" : "0%"
    let newRadio = radio == .newRadio ? "100%" : "0%"
    return ["wifiAtStays=\(wifi)", "wifiOnTheWay=\(wifi)", "newRadio=\(newRadio)"]
  }

  private static func morning(_ policy: String, _ energy: String) -> FleetPlan {
    FleetPlan(policy: policy, system: "ios15").with {
      $0.energy = energy
      $0.start = "2026-03-03T07:00"
      $0.warmStart = "0s"
      $0.duration = "3h"
      $0.phones = 12
      $0.phone = FleetPlan.uncharged
      $0.traced = nil
      $0.metersEvery = .minutes(30)
    }
  }

  private static func untracked(
    _ id: String, _ phone: [String], _ energy: String = "modern2022"
  ) -> ClaimMeasure {
    let plan = morning(PushMeasures.quiet, energy).with { $0.phone += phone }
    return ClaimMeasure(id, .phones(plan) { $0.hoursToEmpty }, .median)
  }

  /// The measures on phones of other years, by power because their batteries differ.
  private static var later: [ClaimMeasure] {
    let powers = ["16pro", "15pro", "14", "14pro"].map { phone in
      ClaimMeasure(
        "E-browsing-watts-\(phone)",
        .phones(browsingPlan("modern2022", .newRadio)) { phone in
          let battery = phone.prices.profile.batteryWattHours
          return PhoneFigures(values: phone.hoursToEmpty.values.map { battery / $0 })
        }, .median)
    }
    return powers + [
      untracked("E-mixed-hours-iphone13-2022", mixed),
      untracked("E-mixed-hours-se-2022", mixed, "{ base: modern2022, batteryWattHours: 7.82 }"),
    ]
  }

  private static var iPhone13: [ClaimMeasure] {
    [
      ClaimMeasure(
        "E-iphone13-browsing-hours", browsing("modern2022", .newRadio), .median),
      untracked("E-iphone13-mixed-hours", mixed),
      untracked(
        "E-iphone13-day-of-five-hours",
        ["nights.sleepUntil=7h", "battery.screenTime=5h", "battery.screenTimeSigma=0"]),
    ]
  }

  private static var screenOn: [ClaimMeasure] {
    let navigation = EnergyClaims.always(
      "accuracy: best, distanceFilter: none", send: "interval: 30s, maxFixes: 200")
    let driving = EnergyMeasures.byDay(navigation, "ios17", "modern2022", .country).with {
      $0.phones = 24
      $0.phone += ["wifiOnTheWay=0%"]
    }
    return [
      ClaimMeasure(
        "E-screen-on-lte-hours",
        browsing("{ base: modern2022, batteryWattHours: 10.8 }", .lte), .median),
      ClaimMeasure(
        "E-lte-against-wifi-browsing",
        [
          ClaimCase("", [.lte, .wifi].map { browsing("legacy2015", $0) }) {
            EnergyMeasures.medianRatio($0[0], $0[1])
          }
        ]),
      ClaimMeasure(
        "E-navigation-hour",
        .phones(driving) { $0.litPercentAnHour(while: .riding(.car)) }, .median),
    ]
  }
}

// MARK: - Signal and 5G

extension BatteryMeasures {
  fileprivate static var cells: [ClaimMeasure] {
    let night = FleetPlan(policy: PushMeasures.quiet, system: "ios17").with {
      $0.start = "2026-03-03T23:00"
      $0.warmStart = "0s"
      $0.duration = "8h"
      $0.phone = FleetPlan.uncharged + ["weakSignal=100%", "nights.sleepUntil=8h"]
      $0.traced = nil
      $0.metersEvery = .hours(1)
    }
    let uploads = [Browsing.newRadio, .lte].map { radio in
      ClaimPart.phones(
        FleetPlan(policy: "hybrid", system: "ios17").with {
          $0.energy = "modern2022"
          $0.phone = over(radio) + ["weakSignal=0%"]
          $0.traced = nil
        }
      ) { PhoneFigures(values: [$0.transmissionJoules]) }
    }
    let battery = "{ base: modern2022, batteryWattHours: 10.8 }"
    return [
      ClaimMeasure(
        "E-weak-signal-night",
        .phones(night) { phone in
          PhoneFigures(values: phone.dischargePercent.values.map { $0 / 8 })
        }, .median),
      ClaimMeasure(
        "E-5g-lifetime-loss",
        [
          ClaimCase("", [.newRadio, .lte].map { browsing(battery, $0) }) { parts in
            EnergyMeasures.medianRatio(parts[0], parts[1]).map { 100 * (1 - $0) }
          }
        ]),
      ClaimMeasure(
        "E-5g-radio-power",
        [ClaimCase("", uploads) { EnergyMeasures.medianRatio($0[0], $0[1]) }]),
    ]
  }
}

extension LivedPhone {
  fileprivate var transmissionJoules: Double {
    Double(fleet.fleet.energies()[number].transmission) / 1e6
  }

  var dischargePercent: PhoneFigures {
    guard let first = fleet.charges.first, let last = fleet.charges.last else {
      return PhoneFigures()
    }
    return PhoneFigures(values: [100 * (first[number].share - last[number].share)])
  }

  /// The hours from full to empty, extrapolated from the loss until the last reading with charge.
  var hoursToEmpty: PhoneFigures {
    guard let step = fleet.metersEvery, let first = fleet.charges.first,
      let place = fleet.charges.lastIndex(where: { !$0[number].isEmpty }), place > 0
    else { return PhoneFigures() }
    let gone = first[number].share - fleet.charges[place][number].share
    guard gone > 0 else { return PhoneFigures() }
    return PhoneFigures(values: [step.seconds / 3_600 * Double(place) / gone])
  }

  struct DayUse {
    var screenDark: PhoneFigures
    var inBackground: PhoneFigures
  }

  /// The use of a day, computed from screen time and other apps, without Low Power Mode.
  var dayUse: DayUse {
    let profile = prices.profile
    let (idle, apps) = (profile.idleMilliwatts, profile.backgroundMilliwatts)
    let (awake, lit) = (awakeShare, litShare)
    let screen =
      lit > 0 ? awake * (Double(fleet.usageMilliwatts[number]) - apps) / lit : 0
    let tracking = 1_000 * trackingWatts
    let whole = idle + awake * apps + lit * screen + tracking
    return DayUse(
      screenDark: PhoneFigures(part: whole - lit * (idle + apps + screen + tracking), whole: whole),
      inBackground: PhoneFigures(part: awake * apps + tracking, whole: whole))
  }

  var litShare: Double {
    let battery = fleet.fleet.context.battery(cohort)
    return awakeShare * battery.screenShare(of: PhoneID(rawValue: UInt32(number)))
  }

  var awakeShare: Double {
    let mix = fleet.scenario.fleet.cohorts[cohort].phone ?? fleet.scenario.fleet.phone
    let minutes = Int64(((end - start).seconds / 60).rounded())
    let awake = (0..<minutes).count { minute in
      let time = clock.timeOfDay(at: start + .minutes(minute))
      return mix.nights.sleepUntil <= time && time < mix.nights.begin
    }
    return Double(awake) / Double(max(1, minutes))
  }
}
