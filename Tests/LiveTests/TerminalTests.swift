import Foundation
import LiveSupport
import TestSupport
import Testing

/// The program in a real terminal: its effects, and the state after it.
@Suite("Terminal", .needs(.tmux), .live, .timeLimit(.minutes(10)))
struct TerminalTests {
  @Test(
    "starts, resizes, freezes and quits, and restores the terminal",
    arguments: [
      ("xterm-256color", (200, 60, 80, 24)), ("linux", (80, 24, 200, 60)),
      ("linux", (200, 60, 80, 24)),
    ])
  func session(term: String, sizes: (Int, Int, Int, Int)) async throws {
    try await Dashboard.session(term, sizes)
  }

  @Test("a dumb terminal gets lines, and Ctrl-C drains")
  func dumb() async throws {
    try await Dashboard.inPane(term: "dumb", columns: 200, rows: 60) { pane in
      let before = try await pane.modes
      try pane.start()
      try await pane.shows("offered=")
      #expect(await !pane.screen.contains("Verdict so far"))
      try await pane.type("C-c")
      try await pane.shows("left=130")
      try await Dashboard.expectBack(pane, to: before)
    }
  }

  @Test(
    "NO_COLOR and FLOTILLA_NO_COLOR leave no colour on the screen",
    arguments: [
      ("", true), ("NO_COLOR=1", false), ("FLOTILLA_NO_COLOR=1", false),
      ("FLOTILLA_NO_COLOR=0", true),
    ])
  func colors(variable: String, isColorful: Bool) async throws {
    try await Dashboard.inPane(Dashboard.run, extra: variable) { pane in
      try pane.start()
      try await pane.shows("ramp  ", "Verdict so far", "quit")
      // SGR 30 … 37 choose a colour; 39 is the terminal's own.
      let styled = await pane.styled
      let hasColors = (0...7).contains { styled.contains("[3\($0)m") }
      #expect(hasColors == isColorful)
      pane.signal(SIGTERM)
      try await pane.shows("left=130")
    }
  }

  @Test("a run whose phones were opened on the screen ends by itself, and is verified")
  func browsed() async throws {
    let command = """
      '\(Program.url.path)' load city --phones 200 --speed 60 --duration 30min \
      --set phases.ramp=1min --set warmStart=1h --out "$OUT/run" \
      \(Trial.patient.map { "--set \($0)" }.joined(separator: " "))
      """
    try await Dashboard.inPane(command) { pane in
      let before = try await pane.modes
      try pane.start()
      try await pane.shows("measure  ", "c cohorts")
      // All keys at once: the run ends by itself, however slow the test is.
      try await pane.type("c Down Enter j Enter p 1 2 Enter p 7 Enter")
      try await pane.shows("phone 7 ")
      try await pane.shows("left=")
      try await Dashboard.expectBack(pane, to: before)
      let verdict = try RunFiles(folder: pane.folder["run"]).record.verdict
      #expect(verdict != "interrupted" && verdict != "loss")
    }
  }

  @Test("SIGTERM drains, reports and restores the terminal")
  func termination() async throws {
    try await Dashboard.inPane { pane in
      let before = try await pane.modes
      try pane.start()
      try await pane.shows("ramp  ")
      pane.signal(SIGTERM)
      try await pane.shows("left=130")
      try await Dashboard.expectBack(pane, to: before)
    }
  }

  @Test("a second Ctrl-C quits immediately, and restores the terminal")
  func secondInterrupt() async throws {
    try await Dashboard.inPane { pane in
      let before = try await pane.modes
      try pane.start()
      try await pane.shows("ramp  ")
      pane.signal(SIGINT)
      pane.signal(SIGTERM)
      try await pane.shows("left=130")
      try await Dashboard.expectBack(pane, to: before)
    }
  }

  @Test("it restores the terminal when suspended, and redraws when continued")
  func suspension() async throws {
    try await Dashboard.inPane { pane in
      let before = try await pane.modes
      try pane.start()
      try await pane.shows("ramp  ", "Verdict so far")
      let pid = try #require(pane.pid)
      let during = try await pane.modes
      #expect(during != before)
      pane.signal(SIGTSTP)
      // The terminal is restored before the program stops: a SIGCONT in between is lost.
      try await pane.waits("it is suspended") { try await ProcessTable.isStopped(pid) }
      try await Dashboard.expectBack(pane, to: before)
      #expect(await !pane.screen.contains("Verdict so far"))
      pane.signal(SIGCONT)
      try await pane.shows("Verdict so far")
      pane.signal(SIGSTOP)
      try await pane.waits("it is stopped") { try await ProcessTable.isStopped(pid) }
      try await pane.resetModes()
      pane.signal(SIGCONT)
      try await pane.waits("it has the terminal") { try await pane.modes == during }
      try await pane.shows("Verdict so far")
      try await pane.type("q")
      try await pane.shows("left=130")
      try await Dashboard.expectBack(pane, to: before)
    }
  }

  @Test(
    "a crash restores the terminal, and keeps its exit status",
    arguments: [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE])
  func crash(number: Int32) async throws {
    try await Dashboard.inPane { pane in
      let before = try await pane.modes
      try pane.start()
      try await pane.shows("ramp  ")
      let pid = try #require(pane.pid)
      // Standard error of a library goes to the log, and does not damage the frame.
      try await Shell.run("echo 'last words' >> /proc/\(pid)/fd/2")
      try await pane.shows("last words", "Verdict so far")
      pane.signal(number)
      try await pane.shows("left=\(128 + number)", "last words")
      try await Dashboard.expectBack(pane, to: before)
    }
  }

  @Test("after a hang-up of the terminal, the run drains and writes its record")
  func hangUp() async throws {
    try await Dashboard.inPane { pane in
      try pane.start()
      try await pane.shows("ramp  ")
      let pid = try #require(pane.pid)
      try await pane.hangUp()
      try await eventually("the run ends") { try await !ProcessTable.isAlive(pid) }
      #expect(try RunFiles(folder: pane.folder["run"]).record.verdict == "interrupted")
    }
  }

  @Test("a separate collector has a screen, and q stops it")
  func collector() async throws {
    let command = """
      '\(Program.url.path)' collect --listen 127.0.0.1:0 --store-path "$OUT/store.sqlite"
      """
    try await Dashboard.inPane(command) { pane in
      let before = try await pane.modes
      try pane.start()
      try await pane.shows("no run is open yet")
      try await pane.type("q")
      try await pane.shows("left=0")
      try await Dashboard.expectBack(pane, to: before)
    }
  }
}
