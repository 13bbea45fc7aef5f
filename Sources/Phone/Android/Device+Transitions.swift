internal import Core
internal import Scenarios

// Activity transitions of Play services, and the significant-motion sensor.

extension Device {
  /// AAR1: Whether sensor data is being classified: while the phone moves, and until it is known to
  /// lie still.
  @inline(__always) var classifiesMotion: Bool {
    segment.isMoving || due[.motion] < .distantFuture
  }

  /// AAR2: Registers activity transitions, if the policy asks for them. Returns whether they were
  /// registered before.
  mutating func hasTransitions(_ context: borrowing Context) -> Bool {
    guard context.policy.settings.android.motion == .transitions,
      !android.flags.contains(.withoutPlay)
    else { return false }
    return !android.flags.insert(.transitions).inserted
  }

  /// AGF6: A start of the phone removes registrations, as it removes fences.
  mutating func forgetTransitions() {
    guard android.flags.contains(.transitions) else { return }
    android.flags.remove(.transitions)
    due[.motion] = .distantFuture
  }

  /// AAR2, AAR3: Schedules the next transition, or event of the sensor. Returns whether the policy
  /// uses one of them.
  mutating func armTransitions(_ now: SimInstant, _ context: borrowing Context) -> Bool {
    guard let rules = context.profile.system.android else { return false }
    let band: TimeBand
    switch context.policy.settings.android.motion {
    case .off: return false
    case .sensor:
      due[.motion] = .distantFuture
      guard process.receivesMotion, segment.isMoving else { return true }
      band = rules.sensorNoticed
    case .transitions:
      due[.motion] = .distantFuture
      guard android.flags.contains(.transitions) else { return true }
      band = segment.noticed(rules)
    }
    var draw = Draw(seed: context.seed, phone: id.rawValue, .transition, now.microseconds)
    due[.motion] = now + draw.time(within: band)
    return true
  }

  /// AAR2: Tells a transition to the app, which it starts. AAR3: The sensor knows no kinds of motion,
  /// and reaches a running app only. Returns whether the policy uses one of them.
  mutating func tellTransition(_ context: borrowing Context, _ out: inout Effects) -> Bool {
    switch context.policy.settings.android.motion {
    case .off: return false
    case .sensor: notify(.motionActivity(.walking), context, &out)
    case .transitions:
      guard android.flags.contains(.transitions), wake(.location, context, &out) else {
        return true
      }
      notify(.motionActivity(motion(context)), context, &out)
    }
    return true
  }
}

extension Segment {
  fileprivate func noticed(_ rules: borrowing AndroidRules) -> TimeBand {
    guard isMoving else { return rules.stillNoticed }
    return switch mode {
    case .walk, .bicycle: rules.footNoticed
    case .bus, .tram, .car, .rail: rules.vehicleNoticed
    }
  }
}
