enum MovementReference {
  /// The shares of weekday person trips by start hour, for all ages (US National Household Travel
  /// Survey 2001).
  static let tripsByHour = [
    0.00322, 0.00163, 0.00110, 0.00065, 0.00452, 0.01213, 0.03335, 0.07996, 0.06365, 0.04647,
    0.05384, 0.06409, 0.07127, 0.06246, 0.07402, 0.09080, 0.08255, 0.08734, 0.05538, 0.04165,
    0.03171, 0.02111, 0.01101, 0.00607,
  ]

  /// The lower bounds of `leavingShares`, in hours after midnight.
  static let leavingHours = [
    0.0, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 10, 11, 12, 16,
  ]

  /// The shares of commuters by the time of leaving home for work (US Census 2000).
  static let leavingShares = [
    0.0342, 0.0300, 0.0455, 0.0870, 0.1077, 0.1501, 0.1584, 0.1087, 0.0528, 0.0549, 0.0228, 0.0114,
    0.0683, 0.0683,
  ]

  static func leavingSlot(_ hour: Double) -> Int {
    (leavingHours.lastIndex { $0 <= hour }) ?? 0
  }
}
