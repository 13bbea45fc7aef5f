import Foundation
import Testing

/// The real program in a real terminal: what it does to it, and how it leaves it.
@Suite(
  "Terminal", .serialized,
  .enabled(if: Pane.isThere, "tmux is missing: make deps-test installs it"),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: Program.path),
    "\(Program.path) is missing: swift build --product flotilla"),
  .timeLimit(.minutes(5)))
struct TerminalTests {
  /// A run of a minute, which ends earlier when asked to.
  static let run = """
    \(Program.path) load city --phones 200 --duration 1h --set warmStart=1h --out "$OUT/run"
    """

  func pane(
    _ command: String = Self.run, term: String = "xterm-256color", extra: String = "",
    columns: Int = 80, rows: Int = 24
  ) throws -> Pane {
    try Pane(
      command, environment: "CI= TERM=\(term) \(extra)", columns: columns, rows: rows)
  }

  @Test(
    "starts, resizes, freezes and quits, and leaves the terminal as it was",
    arguments: ["xterm-256color", "linux"], [(80, 24, 200, 60), (200, 60, 80, 24)])
  func session(term: String, sizes: (Int, Int, Int, Int)) throws {
    let pane = try pane(term: term, columns: sizes.0, rows: sizes.1)
    let before = pane.modes
    try pane.start()
    #expect(pane.shows("ramp  "))
    #expect(pane.screen.contains("Verdict so far"))
    #expect(pane.screen.contains("Promises") == (sizes.0 == 200))
    try pane.resize(columns: sizes.2, rows: sizes.3)
    #expect(pane.waits { pane.screen.contains("Promises") == (sizes.2 == 200) })
    try pane.resize(columns: 40, rows: 10)
    #expect(pane.shows("the dashboard needs 60"))
    try pane.resize(columns: sizes.0, rows: sizes.1)
    #expect(pane.shows("Verdict so far"))
    try pane.type("Space")
    #expect(pane.shows("FROZEN"))
    let frozen = pane.screen
    sleep(2)
    #expect(pane.screen == frozen)
    try pane.type("Space")
    #expect(pane.waits { !pane.screen.contains("FROZEN") })
    try pane.type("'?'")
    #expect(pane.shows("Help"))
    try pane.type("x")
    try pane.type("q")
    #expect(pane.shows("left=130"))
    #expect(pane.shows("verdict  interrupted"))
    #expect(pane.isRestored)
    #expect(pane.modes == before)
  }

  @Test("a dumb terminal gets lines, and Ctrl-C drains them too")
  func dumb() throws {
    let pane = try pane(term: "dumb", columns: 200, rows: 60)
    let before = pane.modes
    try pane.start()
    #expect(pane.shows("offered="))
    #expect(!pane.screen.contains("Verdict so far"))
    try pane.type("C-c")
    #expect(pane.shows("left=130"))
    #expect(pane.modes == before)
  }

  @Test(
    "NO_COLOR and --no-color leave no colour on the screen",
    arguments: [("", "", true), ("NO_COLOR=1", "", false), ("", "--no-color", false)])
  func colors(variable: String, option: String, isColorful: Bool) throws {
    let pane = try pane("\(Self.run) \(option)", extra: variable)
    try pane.start()
    #expect(pane.shows("Verdict so far"))
    // SGR 30 … 37 choose a colour; 39 is the terminal's own.
    let styled = pane.styled
    let hasColors = (0...7).contains { styled.contains("[3\($0)m") }
    #expect(hasColors == isColorful)
    pane.signal(SIGTERM)
    #expect(pane.shows("left=130"))
  }

  @Test("SIGTERM drains, reports and gives the terminal back")
  func termination() throws {
    let pane = try pane()
    let before = pane.modes
    try pane.start()
    #expect(pane.shows("ramp  "))
    pane.signal(SIGTERM)
    #expect(pane.shows("left=130"))
    #expect(pane.isRestored)
    #expect(pane.modes == before)
  }

  @Test("a second wish to stop ends it at once, and gives the terminal back")
  func secondInterrupt() throws {
    let pane = try pane()
    let before = pane.modes
    try pane.start()
    #expect(pane.shows("ramp  "))
    pane.signal(SIGINT)
    pane.signal(SIGTERM)
    #expect(pane.shows("left=130", within: 5))
    #expect(pane.isRestored)
    #expect(pane.modes == before)
  }

  @Test("suspended, it gives the terminal back; continued, it draws anew")
  func suspension() throws {
    let pane = try pane()
    let before = pane.modes
    try pane.start()
    #expect(pane.shows("ramp  "))
    pane.signal(SIGTSTP)
    #expect(pane.waits { pane.isRestored && pane.modes == before })
    #expect(!pane.screen.contains("Verdict so far"))
    pane.signal(SIGCONT)
    #expect(pane.shows("Verdict so far"))
    pane.signal(SIGSTOP)
    usleep(200_000)
    pane.signal(SIGCONT)
    usleep(500_000)
    #expect(pane.shows("Verdict so far"))
    try pane.type("q")
    #expect(pane.shows("left=130"))
    #expect(pane.isRestored)
    #expect(pane.modes == before)
  }

  @Test(
    "a crash gives the terminal back, and keeps its own exit",
    arguments: [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE])
  func crash(number: Int32) throws {
    let pane = try pane()
    let before = pane.modes
    try pane.start()
    #expect(pane.shows("ramp  "))
    let pid = try #require(pane.pid)
    // What a library says on standard error stands in the log, and does not tear the frame.
    try Shell.run("echo 'last words' >> /proc/\(pid)/fd/2")
    #expect(pane.shows("last words"))
    #expect(pane.screen.contains("Verdict so far"))
    pane.signal(number)
    #expect(pane.shows("left=\(128 + number)"))
    #expect(pane.screen.contains("last words"))
    #expect(pane.isRestored)
    #expect(pane.modes == before)
  }

  @Test("a terminal that hangs up ends in a drained record")
  func hangUp() throws {
    let pane = try pane()
    try pane.start()
    #expect(pane.shows("ramp  "))
    try pane.hangUp()
    let record = pane.folder.appendingPathComponent("run/run.json").path
    #expect(pane.waits { FileManager.default.fileExists(atPath: record) })
    let text = try String(contentsOfFile: record, encoding: .utf8)
    #expect(text.contains("\"verdict\" : \"interrupted\""))
    // The folder goes when the pane does.
    withExtendedLifetime(pane) {}
  }

  @Test("a collector on its own shows itself, and q stops it")
  func collector() throws {
    let pane = try pane(
      "\(Program.path) collect --listen 127.0.0.1:0 --store-path \"$OUT/store.sqlite\"")
    let before = pane.modes
    try pane.start()
    #expect(pane.shows("no run is open yet"))
    try pane.type("q")
    #expect(pane.shows("left=0"))
    #expect(pane.isRestored)
    #expect(pane.modes == before)
  }

  @Test("--ui json writes one object a line, and nothing else, on standard output")
  func json() throws {
    let text = try Shell.output(
      """
      \(Program.path) load city --phones 200 --duration 10min --set warmStart=1h --ui json \
      --out "$(mktemp -d)"; true
      """)
    let lines = text.split(separator: "\n")
    var types: [String] = []
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let type = try #require((object as? [String: Any])?["type"] as? String)
      types.append(type)
    }
    #expect(types.contains("interval"))
    #expect(types.last == "end")
  }
}

/// The program as the tests' build has made it.
enum Program {
  static let path = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent(".build/debug/flotilla").path
}
