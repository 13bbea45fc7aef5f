import Core
import Figures
import TestSupport
import Testing
@testable import Report

@Suite("Frames", .quick)
struct FrameTests {
  static let small = Size(columns: 80, rows: 24)
  static let large = Size(columns: 200, rows: 60)

  @Test("a live run fills 80 × 24")
  func standard() throws {
    try Golden.check(Layout.frame(Scenes.live(), Self.small), "live-80x24")
  }

  @Test("a live run has room for curves at 200 × 60")
  func wide() throws {
    try Golden.check(Layout.frame(Scenes.live(), Self.large), "live-200x60")
  }

  @Test("a live run is condensed to a line a panel at 60 × 15")
  func condensed() throws {
    try Golden.check(
      Layout.frame(Scenes.live(), Size(columns: 60, rows: 15)), "live-60x15")
  }

  @Test("a tall and narrow terminal gives its rows to curves, pushes and the log")
  func tall() throws {
    try Golden.check(
      Layout.frame(Scenes.live(), Size(columns: 100, rows: 45)), "live-100x45")
  }

  @Test("a smaller terminal shows the size that is needed")
  func tooSmall() throws {
    try Golden.check(
      Layout.frame(Scenes.live(), Size(columns: 40, rows: 10)), "too-small-40x10")
  }

  @Test("the warm start says that nothing is sent yet")
  func warmStart() throws {
    try Golden.check(Layout.frame(Scenes.warmStart(), Self.small), "warm-start-80x24")
  }

  @Test("a collector alone shows what it stores and what it cannot know")
  func collector() throws {
    try Golden.check(Layout.frame(Scenes.collector(), Self.small), "collector-80x24")
    try Golden.check(Layout.frame(Scenes.collector(), Self.large), "collector-200x60")
  }

  @Test("a user's push sender has a line among the pushes")
  func sender() {
    var scene = Scenes.live()
    var sender = Snapshot.SenderRates()
    sender.requestsPerSecond = 120
    sender.accepted = 4_711
    sender.refused = ["410 Unregistered": 12, "400 BadPriority": 5]
    sender.faults = 9
    scene.snapshot.sender = sender
    let large = Layout.frame(scene, Self.large).text
    #expect(large.contains("sender 120/s  accepted 4,711  refused 17  faults 9"), "\(large)")
    #expect(Layout.frame(scene, Self.small).text.contains("sender 120/s"))
  }

  @Test("savings by compression are shown by kind of message, the greatest first")
  func saved() {
    var scene = Scenes.live()
    scene.snapshot.wire?.saved = ["restore": 421_000, "upload": 3_900_000, "pushes": 2_050]
    let large = Layout.frame(scene, Self.large).text
    #expect(large.contains("saved upload 3.72 MiB  restore 411 KiB  pushes 2 KiB"), "\(large)")
    let small = Layout.frame(scene, Self.small).text
    #expect(small.contains("per fix 18.1 B  saved upload 3.72 MiB"), "\(small)")
    #expect(small.contains("+2"))
  }

  @Test("names of several collectors are separate from their usage")
  func collectors() {
    var scene = Scenes.live()
    for name in ["collector 1", "collector 2"] {
      scene.snapshot.processes.append(.init(name: name, cores: 0.13, residentBytes: 30_000_000))
    }
    let text = Layout.frame(scene, Self.large).text
    #expect(text.contains(#/collector 2 +0\.13 cores/#), "\(text)")
    #expect(text.contains(#/generator +0\.42 cores/#))
  }

  @Test("several generators have a row each with rate, lag, CPU and memory, the latest first")
  func generators() {
    var scene = Scenes.live()
    let (name, lags): (String, [Int64?]) = ("generator", [90, 1_300_000, nil, 4_000])
    scene.snapshot.processes =
      lags.enumerated().map { number, lag in
        var process = Snapshot.ProcessLoad(
          name: number == 0 ? name : "\(name) \(number + 1)", cores: 0.25,
          residentBytes: 100 << 20)
        process.sending = .init(batchesPerSecond: 1_200, lagMaxMicroseconds: lag)
        return process
      } + [.init(name: "collector", cores: 0.5, residentBytes: 1 << 20)]
    for size in [Self.large, Self.small] {
      let text = Layout.frame(scene, size).text
      #expect(text.contains(#/generator 2 +1,200 +1\.3 s +0\.25 +100 MiB/#), "\(text)")
      let rows = text.split(separator: "\n").filter { $0.contains("1,200 ") }
      #expect(rows.first?.contains("generator 2") == true)
      // Their sum is on the collector's line.
      #expect(text.contains(#/generators +1 cores +400 MiB/#))
      #expect(text.contains(#/collector +0\.5 cores/#))
    }
    #expect(Layout.frame(scene, Self.large).text.contains(#/generator 3 +1,200 +— /#))
    #expect(Layout.frame(scene, Self.small).text.contains("+2"), "two more than have room")
  }

  @Test("help is drawn over the middle; frozen and stopping are shown in the last line")
  func overlays() throws {
    var scene = Scenes.live()
    scene.showsHelp = true
    scene.isFrozen = true
    try Golden.check(Layout.frame(scene, Self.small), "help-80x24")
    scene.showsHelp = false
    scene.isFrozen = false
    scene.isStopping = true
    #expect(Layout.frame(scene, Self.small).text.contains("STOPPING"))
  }

  @Test("without UTF-8 every cell is ASCII and the words stay")
  func ascii() throws {
    var frame = Layout.frame(Scenes.live(), Self.small)
    frame.reduceToASCII()
    let text = frame.text
    #expect(!text.unicodeScalars.contains { !$0.isASCII })
    #expect(!text.dropLast(80).contains("?"), "a glyph has no stand-in")
    try Golden.check(frame, "ascii-80x24")
  }

  @Test(
    "a frame of any size is drawn, with exactly that number of cells",
    arguments: [1, 20, 59, 60, 79, 80, 81, 129, 130, 200, 300])
  func anySize(columns: Int) {
    for rows in [1, 2, 14, 15, 23, 24, 25, 39, 40, 49, 60, 100] {
      for scene in [Scenes.live(), Scenes.warmStart(), Scenes.collector()] {
        let frame = Layout.frame(scene, Size(columns: columns, rows: rows))
        #expect(frame.cells.count == columns * rows)
      }
    }
  }

  @Test("colour is never the only signal: the state of a run has a word")
  func wordsBesideTones() {
    let words = Outlook.Standing.allCases.map(\.rawValue)
    #expect(Set(words).count == words.count)
    for standing in Outlook.Standing.allCases {
      var scene = Scenes.live()
      scene.snapshot.outlook.standing = standing
      #expect(Layout.frame(scene, Self.small).text.contains(standing.rawValue))
    }
  }

  @Test("a log line cannot move the cursor or shift other columns")
  func hostileText() {
    var scene = Scenes.live()
    scene.say("bell \u{7} escape \u{1B}[2J wide 漢 combining e\u{301} tab \t end")
    let text = Layout.frame(scene, Self.small).text
    #expect(text.contains("bell ? escape ?[2J wide ? combining e? tab ? end"))
  }
}

@Suite("Scene", .quick)
struct SceneTests {
  @Test("a late generator is named before an SLO that it may have broken")
  func generatorFirst() {
    var latency = RunRecord.Latency()
    latency.response.generatorBound = ["p99"]
    let outlook = Outlook(
      levels: [.atMost(50, 90, name: "responseP99", unit: "µs")], latency: latency)
    #expect(outlook.standing == .generatorBound)
  }

  @Test("an SLO that only the end can decide is not counted as missed")
  func openPromises() {
    let lost = ServiceLevelResult.atMost(0, nil, name: "lost", unit: "fixes")
    #expect(Outlook(levels: [lost], latency: .init()).standing == .early)
    let kept = ServiceLevelResult.atMost(0.01, 0, name: "undelivered", unit: "share")
    let outlook = Outlook(levels: [lost, kept], latency: .init())
    #expect(outlook.standing == .onCourse)
    #expect(outlook.reason == "1 SLO met so far, 1 open.")
  }

  @Test("a missed SLO is shown with its value and its limit")
  func missed() {
    let outlook = Outlook(
      levels: [.atMost(50_000, 61_200, name: "responseP99", unit: "µs")], latency: .init())
    #expect(outlook.standing == .missing)
    #expect(outlook.reason == "response p99 61.2 ms, limit 50 ms")
  }

  @Test("curves and log keep only as much as a screen can show")
  func bounded() {
    var scene = Scenes.live()
    for second in 0..<2_000 { scene.take(Scenes.warmStart().snapshot); scene.say("\(second)") }
    #expect(scene.history.acknowledged.count == 90)
    #expect(scene.log.count == 200)
    #expect(scene.log.last == "1999")
  }

  @Test("the frame rate stops at its limits")
  func refresh() {
    #expect(RefreshRate.step(from: 4, by: 1) == 8)
    #expect(RefreshRate.step(from: 16, by: 1) == 16)
    #expect(RefreshRate.step(from: 0.5, by: -1) == 0.5)
  }

  @Test(
    "a screen needs a terminal that can place its cursor",
    arguments: [
      (true, true, "xterm-256color", true), (true, true, "dumb", false), (true, true, "", false),
      (false, true, "xterm", false), (true, false, "xterm", false),
    ])
  func obstacle(input: Bool, output: Bool, term: String, canShow: Bool) {
    let facts = TerminalFacts(isInputTerminal: input, isOutputTerminal: output, term: term)
    #expect((facts.obstacle == nil) == canShow)
  }

  @Test("block elements need UTF-8 and a font that has them")
  func glyphs() {
    func facts(_ term: String, _ codeset: String) -> TerminalFacts {
      TerminalFacts(isInputTerminal: true, isOutputTerminal: true, term: term, codeset: codeset)
    }
    #expect(!facts("xterm-256color", "UTF-8").needsASCII)
    #expect(!facts("xterm-256color", "utf8").needsASCII)
    #expect(facts("xterm-256color", "ANSI_X3.4-1968").needsASCII)
    #expect(facts("linux", "UTF-8").needsASCII)
  }
}
