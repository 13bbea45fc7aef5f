enum ClaimRegistry {
  static let measures: [ClaimMeasure] =
    AccuracyMeasures.all + LatencyMeasures.all + BackgroundMeasures.all + MovementMeasures.all
    + EnergyMeasures.all + PushMeasures.all + PlaceMeasures.all

  static func reason(_ id: String) -> String {
    reasons[id] ?? "not bound to a measure yet"
  }

  private static let reasons: [String: String] = Dictionary(
    uniqueKeysWithValues: missing.flatMap { reason, ids in ids.map { ($0, reason) } })

  /// What the model or a scenario lacks, with the ids of the affected claims.
  static let missing: [(reason: String, ids: [String])] = [
    (
      "other apps have constant power and no radio",
      ["E-network-background-share"]
    ),
    ("energy profiles do not model weak signals", ["E-weak-signal-night"]),
    ("energy profiles do not model 5G", ["E-5g-lifetime-loss", "E-5g-radio-power"]),
    (
      "no simulated person is at one outdoor place with the app open on seven days",
      ["A-small-radius-lies"]
    ),
    ("the model has no background refresh", ["B-fetch-1-to-2", "B-fetch-9-to-10"]),
    (
      "the scheduler pushes at even intervals, but messages arrive in clusters",
      ["P-slot-overwritten-share"]
    ),
    ("the model has no uninstallation of apps", ["P-uninstalled-ios"]),
  ]
}
