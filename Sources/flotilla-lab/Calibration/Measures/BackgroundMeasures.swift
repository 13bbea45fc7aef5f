internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

enum BackgroundMeasures {
  static var all: [ClaimMeasure] {
    hours + coverage + pauses + endings + refreshes + [busyDay, wifi]
  }

  private static var hours: [ClaimMeasure] {
    let plan = FleetPlan(.country, policy: "significant-change", system: "ios12").with {
      $0.phones = 200
      $0.isHealthy = false
      $0.phone = ["sessionsPerDay=1"]
    }
    return [
      ClaimMeasure(
        "B-hours-located-2",
        .phones(plan) { PhoneFigures(values: [Double($0.locatedHours.count)]) }, .mode),
      ClaimMeasure(
        "B-night-odds-037",
        [
          ClaimCase(
            "",
            [true, false].map { isNight in .phones(plan) { $0.located(isNight: isNight) } }
          ) { Sample.ratio(odds($0[0]), odds($0[1])) }
        ]),
    ]
  }

  static func odds(_ phones: [PhoneFigures]) -> Double? {
    guard let share = ClaimStatistic.share.value(of: phones), share < 1 else { return nil }
    return share / (1 - share)
  }

  private static var coverage: [ClaimMeasure] {
    let day = FleetPlan(.city, policy: "elastic", system: "ios12").with {
      $0.phones = 100
      $0.isHealthy = false
    }
    let week = FleetPlan(.city, policy: "elastic", system: "ios15").with {
      $0.phones = 60
      $0.phone = ["sessionsPerDay=0.3"]
      $0.warmStart = "96h"
      $0.duration = "96h"
    }
    return [
      ClaimMeasure(
        "B-coverage-8h",
        .phones(day) { PhoneFigures(part: $0.coveredHours, whole: $0.hours / 24) }, .share),
      ClaimMeasure(
        "B-unopened-minus-19",
        [
          ClaimCase(
            "",
            [
              .phones(week) { $0.located(unopenedFor: .hours(72), to: .hours(24 * 365)) },
              .phones(week) { $0.located(unopenedFor: .zero, to: .hours(24)) },
            ]
          ) { parts in
            let (unopened, opened) = (parts[0], parts[1])
            let share = ClaimStatistic.share
            return Sample.ratio(share.value(of: unopened), share.value(of: opened)).map { 1 - $0 }
          }
        ]),
    ]
  }

  /// PT1: the time at rest until the system pauses the service.
  private static var pauses: [ClaimMeasure] {
    let pausing = """
      { base: traccar, significantChange: false, background: { pausesAutomatically: true } }
      """
    func measure(_ id: String, _ system: String, perHour units: Double) -> ClaimMeasure {
      let plan = FleetPlan(.city, policy: pausing, system: system).with {
        $0.phones = 24
        $0.phone = ["sessionsPerDay=6"]
      }
      return ClaimMeasure(
        id, .phones(plan) { PhoneFigures(values: $0.pauseHours.map { $0 * units }) }, .median)
    }
    return [
      measure("B-autopause-1h", "ios15", perHour: 1),
      measure("L-default-pause-ios17", "ios17", perHour: 60),
      measure("L-default-pause-ios18", "ios17", perHour: 60),
    ]
  }

  private static var busyDay: ClaimMeasure {
    let parts = [FleetPlan.Place.city, .country].map { place in
      let plan = FleetPlan(place, policy: "owntracks-significant", system: "ios26").with {
        $0.phones = 150
      }
      return ClaimPart.phones(plan) { phone in
        let segments = phone.segments
        let kilometers = segments.filter(\.isMoving).reduce(0) { $0 + $1.trackLength } / 1_000
        guard segments.count(where: { !$0.isMoving }) > 5, kilometers > 15 else {
          return PhoneFigures()
        }
        return PhoneFigures(values: [Double(phone.fixes { _ in 1 }.values.count)])
      }
    }
    return ClaimMeasure(
      "B-significant-busy-day",
      [ClaimCase("", parts) { ClaimStatistic.median.value(of: $0[0] + $0[1]) }])
  }

  /// BR2, BR5: The refreshes and processing tasks of an app that requests one each time it leaves
  /// the foreground.
  private static var refreshes: [ClaimMeasure] {
    let asking = "{ base: significant-change, refresh: { every: 15min, response: cached } }"
    func daily(_ id: String, opened times: Int) -> ClaimMeasure {
      let plan = FleetPlan(policy: asking, system: "ios12").with {
        $0.phone = ["sessionsPerDay=\(times)"]
        $0.warmStart = "24h"
        $0.duration = "72h"
      }
      return ClaimMeasure(
        id, .phones(plan) { PhoneFigures(values: [Double($0.refreshes) / ($0.hours / 24)]) },
        .median)
    }
    func never(
      _ id: String, _ system: String, _ policy: String,
      _ runs: @escaping @Sendable (LivedPhone) -> Int
    ) -> ClaimMeasure {
      let plan = FleetPlan(.city, policy: policy, system: system).with {
        $0.phones = 100
        $0.isHealthy = false
        $0.duration = "720h"
        $0.traced = .deliveries
      }
      return ClaimMeasure(
        id, .phones(plan) { PhoneFigures(part: runs($0) == 0 ? 1 : 0, whole: 1) }, .share)
    }
    let processing = asking.replacing("refresh", with: "processing")
    return [
      daily("B-fetch-1-to-2", opened: 1), daily("B-fetch-9-to-10", opened: 8),
      never("B-refresh-never-ios18", "ios17", asking, \.refreshes),
      never("B-refresh-never-ios26", "ios26", asking, \.refreshes),
      never("B-processing-never-ios18", "ios17", processing, \.processingTasks),
      never("B-processing-never-ios26", "ios26", processing, \.processingTasks),
    ]
  }

  private static var wifi: ClaimMeasure {
    let parts = [FleetPlan.Place.city, .country].map { place in
      ClaimPart.phones(
        FleetPlan(place, policy: "significant-change", system: "ios17").with {
          $0.phones = 100
          $0.isHealthy = false
        }
      ) { PhoneFigures(part: $0.wifiHours, whole: $0.hours) }
    }
    return ClaimMeasure(
      "B-wifi-62", [ClaimCase("", parts) { ClaimStatistic.share.value(of: $0[0] + $0[1]) }])
  }
}

extension BackgroundMeasures {
  /// LC13: how often, and how soon, the system ends a suspended app to free memory.
  private static var endings: [ClaimMeasure] {
    func used(_ system: String) -> FleetPlan {
      FleetPlan(.city, policy: "significant-change", system: system).with {
        $0.phones = 100
        $0.isHealthy = false
        $0.phone = ["sessionsPerDay=3"]
      }
    }
    return [
      // Takes the tenth of phones with the least memory, which varies by a random factor.
      ClaimMeasure(
        "B-killed-every-night",
        .phones(used("ios8")) { phone in
          let nights = phone.endingsForMemory.filter { !(6..<23).contains(phone.hour($0.at)) }
          return PhoneFigures(values: [Double(nights.count)])
        }, .quantile(0.9)),
      ClaimMeasure(
        "B-ended-within-12min",
        .phones(used("ios15")) { phone in
          let days = phone.endingsForMemory.filter { (7..<22).contains(phone.hour($0.at)) }
          return PhoneFigures(values: days.compactMap { $0.suspended.map { $0.seconds / 60 } })
        }, .quantile(0.25)),
      ClaimMeasure(
        "B-busy-app-ends",
        .phones(
          FleetPlan(.city, policy: "owntracks-move", system: "ios26").with {
            $0.phones = 20
            $0.isHealthy = false
          }
        ) { PhoneFigures(part: Double($0.endingsForMemory.count), whole: $0.hours / 24) }, .share),
    ]
  }
}

extension LivedPhone {
  fileprivate var endingsForMemory: [(at: SimInstant, suspended: SimDuration?)] {
    var found: [(at: SimInstant, suspended: SimDuration?)] = []
    var since: SimInstant?
    for (at, what) in entries {
      if case .process(let state) = what { since = state == .suspended ? since ?? at : nil }
      if case .edge(.endedForMemory, begins: _) = what {
        found.append((at, since.map { at - $0 }))
      }
    }
    return found
  }

  fileprivate var refreshes: Int {
    entries.count { if case .delivered(.refreshed) = $0.what { true } else { false } }
  }

  fileprivate var processingTasks: Int {
    entries.count { if case .delivered(.processing) = $0.what { true } else { false } }
  }

  var wifiHours: Double {
    var hours = 0.0
    var since: SimInstant?
    func close(at end: SimInstant) {
      if let since, end > start { hours += (end - max(since, start)).seconds / 3_600 }
    }
    for (at, what) in fleet.traces[number].entries where at < end {
      guard case .truth(_, let isOnWifi) = what else { continue }
      close(at: at)
      since = isOnWifi ? at : nil
    }
    close(at: end)
    return hours
  }

  var locatedHours: Set<Int> {
    var hours: Set<Int> = []
    for (at, what) in entries {
      if case .fix = what { hours.insert(Int((at - start).seconds / 3_600)) }
    }
    return hours
  }

  func located(isNight: Bool) -> PhoneFigures {
    let located = locatedHours
    var figures = PhoneFigures()
    for number in 0..<Int(hours) where (hour(start + .hours(Int64(number))) < 6) == isNight {
      figures.note(located.contains(number))
    }
    return figures
  }

  /// Returns the share of hours with a fix, among hours in which the app was unopened this long.
  func located(unopenedFor least: SimDuration, to most: SimDuration) -> PhoneFigures {
    let located = locatedHours
    let opened = fleet.traces[self.number].entries.compactMap { entry in
      if case .delivered(.becameActive) = entry.what { entry.at } else { nil }
    }
    // Counts the installation as an opening.
    let birth = start - fleet.scenario.warmStart
    var figures = PhoneFigures()
    for number in 0..<Int(hours) {
      let at = start + .hours(Int64(number))
      let unopened = at - (opened.last { $0 <= at } ?? birth)
      if least <= unopened, unopened < most { figures.note(located.contains(number)) }
    }
    return figures
  }

  /// The hours of the measured part that lie between two fixes at most five minutes apart.
  var coveredHours: Double {
    var sum = 0.0
    var last: SimInstant?
    for (at, what) in entries {
      guard case .fix = what else { continue }
      if let last, at - last <= .minutes(5) { sum += (at - last).seconds / 3_600 }
      last = at
    }
    return sum
  }

  /// The hours from coming to rest indoors to the automatic pause. The service must already run: a
  /// service started during a stay has waited for only a part of the stay.
  var pauseHours: [Double] {
    var found: [Double] = []
    var truth = truth
    var last = SimInstant.distantPast
    var rest: (start: SimInstant, isAsked: Bool)?
    for (at, what) in entries {
      let segment = truth.at(at)
      if segment.isMoving {
        rest = nil
      } else if rest?.start != segment.start {
        rest = (segment.start, segment.start - last <= .minutes(2))
      }
      if case .fix(_, .standard?, _, _) = what {
        last = at
      } else if case .delivered(.standardPaused) = what {
        if let stay = rest, stay.isAsked, segment.surroundings(at: at) == .indoor {
          found.append((at - stay.start).seconds / 3_600)
          rest?.isAsked = false
        }
      }
    }
    return found
  }
}
