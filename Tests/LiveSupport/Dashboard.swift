internal import Foundation
package import Testing

/// A load with a dashboard in a terminal.
package enum Dashboard {
  /// Runs for twelve minutes, all in the ramp, unless told to end.
  package static let run = """
    '\(Program.url.path)' load city --phones 200 --speed 60 --duration 12h --set phases.ramp=11h \
    --set warmStart=1h --out "$OUT/run" \
    \(Trial.patient.map { "--set \($0)" }.joined(separator: " "))
    """

  package static func inPane(
    _ command: String = run, term: String = "xterm-256color", extra: String = "",
    columns: Int = 80, rows: Int = 24, _ body: (Pane) async throws -> Void
  ) async throws {
    try await Pane.hold(
      command, environment: "CI= TERM=\(term) \(extra)", columns: columns, rows: rows, body)
  }

  /// The dashboard starts, resizes, freezes and quits, and restores the terminal.
  package static func session(
    _ term: String, _ sizes: (Int, Int, Int, Int), _ location: SourceLocation = #_sourceLocation
  ) async throws {
    try await inPane(term: term, columns: sizes.0, rows: sizes.1) { pane in
      let before = try await pane.modes
      try pane.start()
      try await pane.shows("ramp  ", "Verdict so far", "quit")
      #expect(await pane.screen.contains("SLOs so far") == (sizes.0 == 200))
      try await pane.resize(columns: sizes.2, rows: sizes.3)
      try await pane.shows("SLOs so far", sizes.2 == 200)
      try await pane.resize(columns: 40, rows: 10)
      try await pane.shows("the dashboard needs 60")
      try await pane.resize(columns: sizes.0, rows: sizes.1)
      try await pane.shows("Verdict so far", "quit")
      try await expectFreezes(pane)
      try await browse(pane)
      try await pane.type("'?'")
      try await pane.shows("Help")
      try await pane.type("x")
      try await pane.shows("Help", false)
      try await pane.type("q")
      try await pane.shows("left=130", "verdict  interrupted")
      try await expectBack(pane, to: before)
    }
  }

  private static func expectFreezes(_ pane: Pane) async throws {
    try await pane.type("Space")
    var frozen = ""
    // A frame seen twice is complete.
    try await pane.waits("the screen is frozen") {
      let screen = await pane.screen
      defer { frozen = screen }
      return screen.contains("FROZEN") && screen == frozen
    }
    // An interval is a second, with other figures.
    try await Task.sleep(for: .seconds(2))
    #expect(await pane.screen == frozen)
    try await pane.type("Space")
    try await pane.shows("FROZEN", false)
  }

  /// Opens a cohort, one of its phones, a list by state and a phone by its number, and goes back.
  package static func browse(_ pane: Pane) async throws {
    try await pane.type("c")
    try await pane.shows("fresh, of reachable", "commuters", "cyclists")
    try await pane.type("Down Enter")
    try await pane.shows("phones of cyclists", "why stale", "Esc back")
    try await pane.type("j Enter")
    try await pane.shows("phone 141", "cohort      cyclists", "last wake", "last push")
    try await pane.type("Escape")
    try await pane.shows("phones of cyclists", "why stale")
    try await pane.type("s j j Enter")
    try await pane.shows("phones of cyclists, stale", "why stale")
    try await pane.type("p 1 2 Enter")
    try await pane.shows("phone 12 ", "battery")
    try await pane.type("Escape")
    try await pane.shows("phones of cyclists, stale")
    try await pane.type("Escape")
    try await pane.shows("fresh, of reachable")
    try await pane.type("Escape")
    try await pane.shows("Acked batches/s", "c cohorts")
  }

  package static func expectBack(
    _ pane: Pane, to before: String, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let modes = try await pane.modes
    #expect(modes == before, sourceLocation: location)
    try await pane.waits("the normal screen is there, with its cursor") { await pane.isRestored }
  }
}
