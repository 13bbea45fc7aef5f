internal import Core
internal import Fleet
internal import Push

enum PushMeasures {
  static var all: [ClaimMeasure] { alerts + returns + silent + budgets + spells }

  // MARK: Fleets

  static let quiet = app("onPush: cached")
  /// AFC14: As `quiet`, in a job.
  static let quietInJob = app("onPush: cached, android: { pushJobs: true }")
  /// An app that answers a push with a single request at best accuracy.
  static let single = app("onPush: burst, background: { standard: off, accuracy: best }")
  /// An app that answers a push with a burst of positions at best accuracy.
  static let asked = app(
    """
    onPush: burst, background: { standard: { burst: { for: 5s, minInterval: 0s } }, \
    accuracy: best }
    """)
  /// An app that runs for about 11 s per push, without GPS.
  private static let busy = app(
    """
    onPush: burst, background: { standard: { burst: { for: 9s, minInterval: 0s } }, \
    accuracy: hundredMeters }
    """)

  /// An app that answers a push with a new position from Wi-Fi, and uploads it at once.
  static let short = app(
    """
    onPush: burst, background: { standard: { burst: { for: 1s, minInterval: 0s } }, \
    accuracy: hundredMeters }, send: { interval: 0s }
    """)

  private static func app(_ rest: String) -> String {
    "{ base: hybrid, significantChange: false, visits: false, regionRadius: none, \(rest) }"
  }

  static func every(_ spacing: String, within: String, _ more: [String] = []) -> [String] {
    [
      "scheduler=fixed", "silentAfter=1min", "within=\(within)", "windows=[]",
      "spacing=\(spacing)", "sweep=10s", "accuracyLimit=5km",
    ] + more
  }

  /// The settings of phones that accept every push, to measure the transport alone.
  private static let openGates = [
    "phone.window.grants=1000", "phone.window.every=1min", "phone.dayRunTime=0s",
    "phone.dayData=0B",
  ]
  private static let alert = ["request.type=alert", "request.priority=10"]

  private static func fleet(
    _ system: String, _ push: [String], app: String = quiet, _ phone: [String] = []
  ) -> FleetPlan {
    FleetPlan(policy: app, system: system).with {
      $0.phones = 60
      $0.push = push
      $0.phone = phone
    }
  }

  // MARK: Alerts

  private static var alerts: [ClaimMeasure] {
    func plan(_ phone: [String]) -> FleetPlan {
      fleet("ios17", every("1min", within: "1min", alert + openGates), phone).with {
        $0.duration = "12h"
      }
    }
    let wifi = plan(["wifiAtStays=100%", "wifiOnTheWay=100%"])
    let cell = plan(["wifiAtStays=0%", "wifiOnTheWay=0%"]).with { $0.phones = 150 }
    let throttled = fleet("ios17", every("30s", within: "30s", alert)).with {
      $0.duration = "6h"
    }
    return [
      ClaimMeasure("P-alert-latency-wifi-mean", .phones(wifi) { $0.wakeSeconds }, .mean),
      ClaimMeasure("P-alert-latency-logintc", .phones(wifi) { $0.wakeSeconds }, .mean),
      ClaimMeasure("P-alert-latency-cell-mean", .phones(cell) { $0.wakeSeconds }, .mean),
      ClaimMeasure(
        "P-alert-latency-cell-tail",
        .phones(cell) { phone in
          let seconds = phone.pushes.compactMap(\.seconds)
          return PhoneFigures(
            part: 100 * Double(seconds.count { $0 > 100 }), whole: Double(seconds.count))
        }, .share),
      ClaimMeasure(
        "P-alert-unthrottled", .phones(throttled) { $0.woken(within: 60).percent }, .share),
      ClaimMeasure("P-voip-latency-mean", .phones(plan([])) { $0.wakeSeconds }, .mean),
      ClaimMeasure("P-voip-latency-p95", .phones(plan([])) { $0.wakeSeconds }, .quantile(0.95)),
    ]
  }

  // MARK: Stored pushes

  private static var returns: [ClaimMeasure] {
    let off = fleet(
      "ios17", every("10min", within: "10min", alert + openGates), ["switchedOff=20%"])
    let offline = fleet(
      "ios12", every("10min", within: "10min"),
      ["offline=30%", "windows.offline=6h", "sessionsPerDay=24"]
    ).with { $0.duration = "48h" }
    return [
      ClaimMeasure(
        "P-switch-on-stored",
        .phones(off) { PhoneFigures(values: $0.returns(from: .switchedOff, lasting: .zero)) },
        .median),
      ClaimMeasure(
        "P-after-boot-or-outage-wait",
        .phones(offline) { PhoneFigures(values: $0.returns(from: .offline, lasting: .hours(1))) },
        .median),
    ]
  }

  // MARK: Silent pushes

  private static var silent: [ClaimMeasure] {
    let quarter = fleet("ios8", every("15min", within: "15min"), ["sessionsPerDay=10"]).with {
      $0.phones = 20
      $0.duration = "168h"
    }
    let half = fleet("ios26", every("30min", within: "30min"), app: asked, ["sessionsPerDay=6"])
    let third = fleet("ios15", every("20min", within: "20min"), app: busy, ["sessionsPerDay=20"])
    let battery = fleet(
      "ios12", every("15min", within: "10min"), FleetPlan.uncharged + ["sessionsPerDay=6"])
    return [
      ClaimMeasure(
        "P-silent-every-15min-delivered", .phones(quarter) { $0.woken(within: 900).percent },
        .share),
      ClaimMeasure(
        "P-silent-every-30min-answered", .phones(half) { $0.answered.percent }, .share),
      ClaimMeasure(
        "P-silent-hourly-minute",
        .phones(fleet("ios17", every("1h", within: "1h"), ["sessionsPerDay=6"])) {
          $0.woken(within: 60)
        }, .share),
      ClaimMeasure("P-silent-wakes-an-hour", .phones(third) { $0.wakes() }, .share),
      ClaimMeasure("P-push-run-time-a-day", .phones(third) { $0.pushRunMinutes }, .share),
      ClaimMeasure(
        "P-within-5s-or-never",
        .phones(battery) { phone in
          let seconds = phone.pushes.compactMap(\.seconds).filter { $0 <= 600 }
          return PhoneFigures(
            part: 100 * Double(seconds.count { $0 <= 5 }), whole: Double(seconds.count))
        }, .share),
    ]
  }

  // MARK: Budgets

  private static var budgets: [ClaimMeasure] {
    let hourly = every("1h", within: "1h")
    // Initial charges are evenly distributed, and phones are not charged.
    let emptying = fleet(
      "ios15", hourly, FleetPlan.uncharged + ["battery.chargeLeast=0.1", "sessionsPerDay=6"]
    ).with {
      $0.phones = 100
      $0.warmStart = "2h"
      $0.metersEvery = .minutes(10)
    }
    let unused = fleet("ios12", hourly, ["unopened=100%", "chargesAtNight=100%"]).with {
      $0.duration = "72h"
    }
    let endlessRun = app(
      """
      onPush: burst, background: { standard: { burst: { for: 60s, minInterval: 0s } }, \
      accuracy: hundredMeters }
      """)
    let endless = ["phone.window.grants=1000", "phone.window.every=1min"]
    return [
      ClaimMeasure(
        "P-battery-below-20",
        [
          ClaimCase(
            "", [true, false].map { below in .phones(emptying) { $0.wakes(below: below) } }
          ) { parts in
            let share = ClaimStatistic.share
            guard let below = share.value(of: parts[0]), let above = share.value(of: parts[1]),
              above > 0
            else { return nil }
            return 100 * below / above
          }
        ]),
      ClaimMeasure(
        "P-low-power-mode-none",
        .phones(fleet("ios15", hourly, ["lowPower=100%", "sessionsPerDay=6"])) {
          $0.wokenInBackground(within: 3_600).percent
        }, .share),
      ClaimMeasure("P-unused-phone-a-day", .phones(unused) { $0.wakes(perHours: 24) }, .share),
      ClaimMeasure(
        "P-completion-never-called",
        .phones(fleet("ios15", every("30min", within: "30min"), app: endlessRun)) {
          $0.woken(within: 1_800).percent
        }, .share),
      ClaimMeasure(
        "P-wakes-that-exhaust-a-day",
        .phones(fleet("ios17", every("1min", within: "1min", endless), app: short)) {
          $0.wakes(perHours: 24)
        }, .share),
    ]
  }

  // MARK: Spells

  private static var spells: [ClaimMeasure] {
    let minute = fleet("ios12", every("1min", within: "1min"), FleetPlan.uncharged)
    let burst = fleet("ios12", every("10s", within: "10s"), FleetPlan.uncharged).with {
      $0.warmStart = "0s"
      $0.duration = "10min"
      $0.start = "2026-03-03T12:00"
    }
    let location = fleet("ios17", every("5min", within: "5min", ["request.type=location"])).with {
      $0.duration = "72h"
    }
    return [
      ClaimMeasure(
        "P-lumps-on", .phones(minute) { PhoneFigures(values: $0.spells(every: .minutes(1)).on) },
        .median),
      ClaimMeasure(
        "P-lumps-off",
        .phones(minute) { PhoneFigures(values: $0.spells(every: .minutes(1)).off) }, .median),
      ClaimMeasure(
        "P-burst-of-six",
        .phones(burst) { phone in
          let six = phone.pushes.prefix(6)
          return PhoneFigures(
            part: 100 * Double(six.count { $0.isWoken(within: 60) }), whole: Double(six.count))
        }, .share),
      ClaimMeasure(
        "P-location-push-outage",
        .phones(location) { phone in
          PhoneFigures(values: phone.spells(every: .minutes(5)).off.map { $0 / 60 })
        }, .median),
    ]
  }
}

extension PhoneFigures {
  var percent: PhoneFigures { PhoneFigures(values: values, part: 100 * part, whole: whole) }
}

extension LivedPhone {
  var answered: PhoneFigures {
    var figures = PhoneFigures()
    for ending in fleet.fleet.pushEndings()
    where ending.phone.rawValue == UInt32(number) && ending.outcome != .pending {
      figures.note(ending.outcome == .caused)
    }
    return figures
  }
}
