import Foundation
import Phone
import Scenarios

/// Reads the policies of the repository's own files.
enum Shipped {
  static let names = [
    "background-upload", "duty-cycle", "elastic", "foreground-correction", "hybrid", "motion-gated",
    "owntracks-move",
    "owntracks-significant", "places", "places-events", "radar-continuous", "radar-efficient",
    "radar-responsive",
    "significant-change", "traccar", "live-updates",
  ]

  /// - Parameter changes: of the policy's keys, as `--set` has them after its name.
  static func policy(_ name: String, _ changes: String...) throws -> PolicySettings {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let library = ScenarioLibrary(folders: [root.appendingPathComponent("scenarios").path])
    let settings =
      ["fleet.cohorts[0].policy=\(name)"] + changes.map { "policies[\(name)].\($0)" }
    let city = try library.load("city", settings: settings.map { ScenarioChange($0) })
    return city.policies[city.fleet.cohorts[0].policy].settings
  }

  /// Makes an app with one of them, opened by its user at second 0 and left at second `left`.
  static func app(_ name: String, leftAt left: Double? = nil) throws -> Timeline {
    var app = Timeline(try policy(name))
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    if let left { app.notify(.enteredBackground, at: left) }
    return app
  }
}
