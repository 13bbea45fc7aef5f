enum ClaimRegistry {
  static let measures: [ClaimMeasure] =
    AccuracyMeasures.all + LatencyMeasures.all + BackgroundMeasures.all + MovementMeasures.all
    + EnergyMeasures.all + PushMeasures.all + PlaceMeasures.all + AndroidMeasures.all

  static func reason(_ id: String) -> String {
    reasons[id] ?? "not bound to a measure yet"
  }

  private static let reasons: [String: String] = Dictionary(
    uniqueKeysWithValues: missing.flatMap { reason, ids in ids.map { ($0, reason) } })

  /// The reasons why claims cannot be measured, each with the ids of its claims.
  static let missing: [(reason: String, ids: [String])] = [
    (
      "other apps have constant power and no radio",
      ["E-network-background-share"]
    ),
    (
      "no simulated person is at one outdoor place with the app open on seven days",
      ["A-small-radius-lies"]
    ),
    (
      "the scheduler pushes at even intervals, but messages arrive in clusters",
      ["P-slot-overwritten-share"]
    ),
    ("the model has no uninstallation of apps", ["P-uninstalled-ios"]),
    ("it is the profile's own 'regions.monitorEvaluation'", ["L-monitor-first-state"]),
    ("no event shows when a monitor's silence begins", ["L-monitor-deaf"]),
    (
      "they are the push endpoint's own limits",
      [
        "P-live-activity-starts", "P-live-activity-interval",
      ]
    ),
    ("the model has no beacons", ["B-beacon-starts"]),
    ("the model has no map of cellular coverage", ["B-no-cell-1"]),
    (
      "attempts to connect on cellular never fail while a phone is online",
      [
        "L-cellular-failures-4g"
      ]
    ),
    ("screen-ons are no events of a phone", ["E-screen-ons-usa-2024"]),
    ("energy profiles do not differ by system", ["E-ios26-runtime"]),
    ("nobody works at home", ["M-work-at-home-usa-2022", "M-work-at-home-scotland-2024"]),
    (
      "an app of the model sends at an event or in its periodic work, but sets no single job",
      ["L-android-event-to-send", "L-android-event-to-send-worst"]
    ),
    ("the power of an idle phone does not depend on Doze", ["E-nexus5-doze-ratio"]),
  ]
}
