internal import Core
internal import Scenarios

/// What Doze lets an app do at an instant (ADZ1–ADZ6, ADZ9).
struct Doze: Equatable, Sendable, BitwiseCopyable {
  enum Depth: UInt8, Sendable, BitwiseCopyable { case awake, light, deep }

  let depth: Depth
  /// The end of the present window or of the time without Doze, or the start of the next window.
  let until: SimInstant
  /// ADZ4: Whether work and pushes of normal priority wait.
  let isIdle: Bool

  static func awake(until: SimInstant) -> Doze {
    Doze(depth: .awake, until: until, isIdle: false)
  }

  /// Returns the state at `now`.
  ///
  /// - Parameters:
  ///   - screenOff: when the screen went off and no charger was connected.
  ///   - stillSince: since when the phone has not moved; nil while it moves.
  ///   - savesPower: whether Battery Saver is on, with which Doze begins at once (ADZ9).
  static func at(
    _ now: SimInstant, screenOff: SimInstant, stillSince: SimInstant?, savesPower: Bool,
    _ rules: borrowing AndroidRules
  ) -> Doze {
    if savesPower {
      let begin = screenOff + rules.lightAfter
      return now < begin ? .awake(until: begin) : deep(now, since: begin, rules)
    }
    if let stillSince {
      // ADZ3, ADZ6: After motion the check for stillness is shorter.
      let begin =
        stillSince > screenOff
        ? max(screenOff + rules.deepAfter, stillSince + rules.deepAgain)
        : screenOff + rules.deepAfter
      if now >= begin { return deep(now, since: begin, rules) }
    }
    // ADZ1, ADZ2: Light Doze also comes to a phone in motion.
    let begin = screenOff + rules.lightAfter
    guard now >= begin else { return .awake(until: begin) }
    return cycle(
      now, since: begin, .light, idle: rules.lightIdle, most: rules.lightIdleMax,
      window: rules.lightWindow)
  }

  /// ADZ5: Returns the state in deep Doze, whose idle times double.
  private static func deep(
    _ now: SimInstant, since begin: SimInstant, _ rules: borrowing AndroidRules
  ) -> Doze {
    cycle(
      now, since: begin, .deep, idle: rules.deepIdle, most: rules.deepIdleMax,
      window: rules.deepWindow)
  }

  private static func cycle(
    _ now: SimInstant, since begin: SimInstant, _ depth: Depth, idle: SimDuration,
    most: SimDuration, window: SimDuration
  ) -> Doze {
    let first = idle
    var (from, idle) = (begin, idle)
    while true {
      let opens = from + idle
      if now < opens { return Doze(depth: depth, until: opens, isIdle: true) }
      let closes = opens + window
      if now < closes { return Doze(depth: depth, until: closes, isIdle: false) }
      from = closes
      switch depth {
      case .awake, .light: idle = min(most, idle + first)
      case .deep: idle = min(most, idle * 2)
      }
      // Once the idle time no longer grows, whole cycles are skipped.
      if idle == most {
        let cycle = idle + window
        from = from + cycle * max(0, (now - from).microseconds / cycle.microseconds)
      }
    }
  }
}
