import Core
import Figures
import TestSupport
import Testing
@testable import Report

@Suite("Frames of a watcher", .quick)
struct WatchFrameTests {
  static let smallest = Size(columns: 60, rows: 15)

  /// Half-way through a record.
  static func replay() -> Scene {
    var scene = Scenes.live()
    scene.role = .replay(speed: 4, isPaused: false)
    scene.snapshot.phones = nil
    scene.snapshot.wire?.connects = nil
    scene.snapshot.outlook = Outlook(.recorded, "verdict pass.")
    return scene
  }

  static func silentCollector() -> Scene {
    var scene = Scenes.collector()
    scene.role = .watched
    scene.snapshot.outlook = Outlook(
      .silent, "figures are 12 s old, next try in 4 s: connection refused")
    return scene
  }

  @Test("the smallest screen in ASCII names every line, without overlaps")
  func smallest() throws {
    for (name, scene) in [
      ("watch-silent-60x15", Self.silentCollector()), ("watch-replay-60x15", Self.replay()),
    ] {
      var frame = Layout.frame(scene, Self.smallest)
      frame.reduceToASCII()
      try Golden.check(frame, name)
      let lines = frame.text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.allSatisfy { $0.unicodeScalars.count <= 60 })
      #expect(frame.text.unicodeScalars.allSatisfy { $0.isASCII })
    }
  }

  @Test("a collector that does not answer is reported, with the age of its figures")
  func silence() {
    let text = Layout.frame(Self.silentCollector(), Size(columns: 80, rows: 24)).text
    #expect(text.contains("No answer — figures are 12 s old, next try in 4 s"))
    #expect(!text.contains("Verdict so far"))
  }

  @Test("keys and help are for a watcher: the watched run continues when the screen ends")
  func keys() {
    var scene = Self.replay()
    #expect(Layout.frame(scene, Self.smallest).text.contains("speed, 4 ×   < > jump"))
    scene.role = .replay(speed: 0.5, isPaused: true)
    #expect(Layout.frame(scene, Self.smallest).text.contains("space resume  + - speed, 0.5 ×"))
    scene.showsHelp = true
    for role in [Scene.Role.watched, scene.role] {
      scene.role = role
      let help = Layout.frame(scene, Size(columns: 80, rows: 24)).text
      #expect(help.contains("q      quit"))
      #expect(!help.contains("drain"))
    }
    scene.showsHelp = false
    #expect(
      Layout.frame(scene, Size(columns: 80, rows: 24)).text
        .contains("Not recorded per second."))
  }

  @Test("a page has no keys and no empty end, and is ASCII on request")
  func page() {
    let page = Layout.page(Scenes.collector(), Size(columns: 80, rows: 24), isASCII: true)
    #expect(!page.contains("q quit"))
    #expect(!page.hasSuffix("\n"))
    #expect(page.unicodeScalars.allSatisfy { $0.isASCII })
    #expect(page.hasPrefix(" flotilla collect"))
    #expect(
      Layout.page(Scenes.collector(), Self.smallest, isASCII: false).split(separator: "\n").count
        <= 15)
  }

  @Test("the denominator of a share is whole or missing")
  func wholeNumbers() {
    var scene = Scenes.live()
    scene.snapshot.pushes?.eligible = 12_345
    let text = Layout.frame(scene, Size(columns: 80, rows: 24)).text
    #expect(!text.contains(" of 12,3") || text.contains(" of 12,345"))
    scene.snapshot.pushes?.requested = 1_234_567
    #expect(!Layout.frame(scene, Size(columns: 80, rows: 24)).text.contains(" of 12"))
  }
}
