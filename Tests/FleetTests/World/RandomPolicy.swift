@testable import Scenarios
import Core

extension Purpose {
  static let randomWorld = Purpose(rawValue: 590)
}

extension Draw {
  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int(next() % UInt64(values.count))]
  }

  /// Whole seconds, so that a failing case reads well.
  mutating func seconds(_ range: ClosedRange<Int64>) -> SimDuration {
    .seconds(range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1)))
  }

  mutating func meters(_ low: Double, _ high: Double) -> Distance {
    .meters(uniform(low, high).rounded())
  }
}

extension PolicySettings {
  /// Draws any policy that a file could state, sensible or not, within the bounds of its keys.
  static func drawn(_ draw: inout Draw, app: AppManifest) -> PolicySettings {
    PolicySettings(
      version: 1, app: app, significantChange: draw.chance(0.7),
      visits: draw.chance(0.6),
      regionRadius: draw.chance(0.7) ? draw.meters(100, 1_500) : nil, foreground: .drawn(&draw),
      background: .drawn(&draw), send: .drawn(&draw),
      outbox: OutboxSettings(
        capacity: draw.pick([1, 2, 5, 50, 5_000, Int(draw.seconds(1...50).seconds)])),
      onPush: draw.pick(PushResponse.allCases))
  }
}

extension AppManifest {
  /// Draws a mostly valid manifest, since an app that may not locate tests little else.
  static func drawn(_ draw: inout Draw) -> AppManifest {
    AppManifest(
      request: draw.pick([
        .always, .always, .always, .whenInUseThenAlways, .whenInUse, .nothing,
      ]),
      whenInUseDescription: draw.chance(0.95), alwaysDescription: draw.chance(0.95),
      motionDescription: draw.chance(0.9), backgroundMode: draw.chance(0.85),
      allowsBackgroundUpdates: draw.chance(0.8), showsIndicator: draw.chance(0.5),
      mistakes: AppMistakes(
        leaksBackgroundTasks: draw.chance(0.15), ignoresExpiration: draw.chance(0.15),
        mainThreadWork: draw.chance(0.15) ? draw.seconds(0...15) : .zero,
        startsNothingAtLaunch: draw.chance(0.1)))
  }
}

extension TrackerMode {
  static func drawn(_ draw: inout Draw) -> TrackerMode {
    TrackerMode(
      service: .drawn(&draw), filter: .drawn(&draw),
      rest: draw.chance(0.4) ? .drawn(&draw) : nil)
  }
}

extension ServiceUse {
  static func drawn(_ draw: inout Draw) -> ServiceUse {
    let hasFilter = draw.chance(0.6)
    let filter = draw.chance(0.1) ? DistanceFilter.max : .atLeast(draw.meters(1, 300))
    return ServiceUse(
      pattern: .drawn(&draw), accuracy: draw.pick(DesiredAccuracy.allCases),
      distanceFilter: hasFilter ? filter : .none,
      elasticity: draw.chance(0.2) ? draw.uniform(0.5, 3) : 0,
      pausesAutomatically: draw.chance(0.3), activityType: draw.pick(ActivityType.allCases),
      deferral: draw.chance(0.2)
        ? Deferral(distance: draw.meters(50, 2_000), time: draw.seconds(30...900)) : nil)
  }
}

extension ServiceUse {
  /// Live updates are only requested without an end.
  mutating func takeLiveUpdates(_ draw: inout Draw) {
    guard draw.chance(0.4) else { return }
    pattern = .continuous
    liveUpdates = true
  }
}

extension PlaceRule {
  static func drawn(_ draw: inout Draw) -> PlaceRule {
    var rule = PlaceRule(
      radius: draw.meters(100, 1_000), others: draw.pick([0, 3, 17, 18, 25, 30]),
      choose: draw.pick(Choice.allCases))
    rule.interface = draw.pick(Interface.allCases)
    rule.opensMonitor = draw.chance(0.7)
    return rule
  }
}

extension ServiceUse.Pattern {
  static func drawn(_ draw: inout Draw) -> ServiceUse.Pattern {
    switch draw.next() % 10 {
    case 0, 1: return .off
    case 2: return .continuous
    case 3, 4:
      let period = draw.seconds(20...600)
      return .dutyCycle(
        on: SimDuration(microseconds: period.microseconds / draw.pick([2, 4, 8])),
        period: period)
    case 5, 6:
      return .polled(every: draw.seconds(30...900), timeout: draw.seconds(2...25))
    default:
      return .burst(duration: draw.seconds(1...60), minInterval: draw.seconds(0...900))
    }
  }
}

extension FixFilter {
  static func drawn(_ draw: inout Draw) -> FixFilter {
    let time = draw.seconds(0...600)
    let distance = draw.meters(0, 300)
    let rules: [FixFilter.Rule] = [
      .everything, .minimum(time: time, distance: distance),
      .either(time: time, distance: distance, turn: draw.uniform(10, 90)),
      .significant(
        time: time, accuracyRatio: draw.uniform(), dramatic: .meters(distance.meters * 5),
        distance: distance),
    ]
    var filter = FixFilter(
      rule: draw.pick(rules), maxAge: draw.seconds(1...1_800),
      maxAccuracy: draw.chance(0.3) ? draw.meters(10, 2_000) : nil)
    // From a copy, so that the rest of each world stays what it was before there was this key.
    var own = draw
    filter.against = own.pick([.kept, .kept, .delivered])
    return filter
  }
}

extension RestRule {
  static func drawn(_ draw: inout Draw) -> RestRule {
    let active = MotionActivities(rawValue: UInt8(draw.next() % 32))
    let signs: [RestRule.Sign] = [
      .motion(active: active), .motion(active: .moving),
      .still(time: draw.seconds(30...900), within: draw.meters(10, 200)),
    ]
    return RestRule(
      sign: draw.pick(signs), service: .drawn(&draw),
      regionRadius: draw.chance(0.5) ? draw.meters(100, 500) : nil)
  }
}

extension SendSettings {
  static func drawn(_ draw: inout Draw) -> SendSettings {
    let base = draw.seconds(1...120)
    // From a copy, so that the rest of each world stays what it was before there was this key.
    var own = draw
    let afterBurst = own.chance(0.7)
    let session: UploadSession = own.chance(0.2) ? .background : .standard
    let isDiscretionary = session == .background && own.chance(0.3)
    return SendSettings(
      interval: draw.pick([.zero, draw.seconds(1...60), draw.seconds(60...3_600)]),
      maxFixes: draw.pick([1, 2, 10, 200, 10_000]), afterBurst: afterBurst,
      backgroundTask: draw.chance(0.85),
      backoffBase: base, backoffCap: base * draw.pick([1, 4, 100]), session: session,
      isDiscretionary: isDiscretionary, allowsCellular: own.chance(0.85))
  }
}
