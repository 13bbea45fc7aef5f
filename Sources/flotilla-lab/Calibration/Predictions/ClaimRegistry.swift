enum ClaimRegistry {
  static let measures: [ClaimMeasure] =
    AccuracyMeasures.all + LatencyMeasures.all + BackgroundMeasures.all + MovementMeasures.all
    + EnergyMeasures.all + PushMeasures.all + PlaceMeasures.all

  static func reason(_ id: String) -> String {
    reasons[id] ?? "nobody has bound it to a measure yet"
  }

  private static let reasons: [String: String] = Dictionary(
    uniqueKeysWithValues: missing.flatMap { reason, ids in ids.map { ($0, reason) } })

  /// What the model, or a scenario, would need; the ids of the claims that wait for it.
  static let missing: [(reason: String, ids: [String])] = [
    (
      "other apps draw one power, and have no radio of their own",
      ["E-network-background-share"]
    ),
    ("energy profiles have no price of a weak signal", ["E-weak-signal-night"]),
    ("energy profiles have no 5G radio", ["E-5g-lifetime-loss", "E-5g-radio-power"]),
    (
      "no simulated person is at one outdoor place on seven days with the app open",
      ["A-small-radius-lies"]
    ),
    ("the system grants no background refresh", ["B-fetch-1-to-2", "B-fetch-9-to-10"]),
    (
      "the scheduler asks at even spacing, and messages come in clusters",
      ["P-slot-overwritten-share"]
    ),
    ("no app is ever uninstalled", ["P-uninstalled-ios"]),
  ]
}
