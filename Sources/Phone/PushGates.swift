/// What a phone's system looks at when a silent push has reached it.
package struct PushSituation: Equatable, Sendable, BitwiseCopyable {
  package var isForceQuit = false
  package var isForeground = false
  /// Low Power Mode; also when the push is one that may not wake anything.
  package var lowPower = false
  package var refreshOff = false
  /// Nobody has opened the app for a week: it is starved of its pushes (rule book 2.2).
  package var isUnopened = false

  package init() {}
}

/// What a phone does with a silent push that has reached it, first gate first.
package enum PushGate: UInt8, Sendable, BitwiseCopyable {
  case open
  case forceQuit
  case lowPower
  case refreshOff
  case throttled

  /// LC11 force-quit, BR1 Background App Refresh, and the budget, in the order in which outcomes
  /// are charged. An app in the foreground gets its push whatever the settings.
  ///
  /// - Parameter grants: whether the budget has a token; asked only when all else is open.
  package static func decide(_ phone: PushSituation, grants: () -> Bool) -> PushGate {
    if phone.isForceQuit { return .forceQuit }
    if phone.isForeground { return .open }
    if phone.lowPower { return .lowPower }
    if phone.refreshOff { return .refreshOff }
    if phone.isUnopened { return .throttled }
    return grants() ? .open : .throttled
  }
}
