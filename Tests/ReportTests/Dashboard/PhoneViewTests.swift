import Core
import Figures
import TestSupport
import Testing

@testable import Report

extension Scenes {
  /// The live run with views that these keys have opened.
  static func browsed(_ keys: String, _ answer: PhoneAnswer.Content? = nil) -> Scene {
    var scene = live()
    scene.snapshot.cohorts = [
      .init("commuters", fresh: 0.931, policy: "balanced", system: "ios-17", phones: 3_000),
      .init("cyclists", fresh: 0.87, policy: "eager", system: "ios-17", phones: 1_500),
      .init("homebodies", fresh: nil, policy: "balanced", system: "ios-18", phones: 500),
    ]
    for key in keys.unicodeScalars { _ = scene.navigation.handle(key, scene.choice) }
    if let answer, let question = scene.navigation.question {
      scene.navigation.take(PhoneAnswer(question, at: "08:10:00", answer))
    }
    return scene
  }

  static func phone(_ number: Int) -> PhoneFacts {
    var phone = PhoneFacts(number)
    (phone.cohort, phone.policy, phone.system) = ("commuters", "balanced", "ios-17")
    phone.permission = .always
    phone.app = number % 3 == 0 ? .suspended : .notRunning
    phone.newest = .init(ago: .seconds(Int64(number % 97) * 61), clock: "07:28:10")
    if number % 2 == 0 { phone.cause = StaleCause.allCases[number / 2 % 16] }
    phone.outboxFixes = number * 7 % 1_400
    phone.batteryPercent = 100 - number % 100
    return phone
  }

  static func page(_ count: Int, next: Int) -> PhoneAnswer.Content {
    var page = PhonePage(0..<5_000, next: next)
    page.phones = (0..<count).map { phone(342 + $0 * 84) }
    return .page(page)
  }

  static var opened: PhoneFacts {
    var phone = phone(342)
    phone.cause = .forceQuit
    phone.newest = .init(ago: .seconds(2_510), clock: "07:28:10")
    phone.isMoving = true
    phone.outboxFixes = 12
    phone.inFlightFixes = 5
    phone.isInLowPowerMode = true
    phone.batteryPercent = 17
    phone.batteryAt = .init(ago: .seconds(20), clock: "08:09:40")
    phone.wake = .init("region exit", at: .init(ago: .seconds(3_720), clock: "07:08:00"))
    phone.push = .init("throttled", at: .init(ago: .seconds(2_520), clock: "07:28:00"))
    return phone
  }
}

@Suite("Views of cohorts and phones", .quick)
struct PhoneViewTests {
  static let small = Size(columns: 80, rows: 24)
  static let views: [(name: String, scene: Scene)] = [
    ("cohorts", Scenes.browsed("cj")),
    ("cohort", Scenes.browsed("c\r", Scenes.page(20, next: 1_950))),
    ("states", Scenes.browsed("sjj")),
    ("phones", Scenes.browsed("sjj\r", Scenes.page(20, next: 1_950))),
    ("phone", Scenes.browsed("p342\r", .phone(Scenes.opened))),
    ("phone-number", Scenes.browsed("p34")),
  ]

  @Test("each view fits 80 × 24", arguments: views.map(\.name))
  func standard(name: String) throws {
    let scene = try #require(Self.views.first { $0.name == name }).scene
    try Golden.check(Layout.frame(scene, Self.small), "\(name)-80x24")
  }

  @Test("a phone and a page have room for the log at 120 × 40")
  func large() throws {
    for name in ["phone", "phones"] {
      let scene = try #require(Self.views.first { $0.name == name }).scene
      try Golden.check(
        Layout.frame(scene, Size(columns: 120, rows: 40)), "\(name)-120x40")
    }
  }

  @Test("20 phones of a page are all shown at 80 × 24, and the chosen one on a smaller screen")
  func wholePage() {
    let scene = Scenes.browsed("s\r", Scenes.page(20, next: 1_950))
    let last = "\(342 + 19 * 84)"
    #expect(Layout.frame(scene, Self.small).text.contains(last))
    var least = scene
    #expect(!Layout.frame(least, Layout.least).text.contains(last))
    for _ in 0..<19 { _ = least.navigation.handle("j", least.choice) }
    #expect(Layout.frame(least, Layout.least).text.contains("▸    \(last)"))
  }

  @Test("a search that goes on says how far it is, and one that found nothing says so")
  func search() {
    let searching = Scenes.browsed("s\r", Scenes.page(2, next: 2_000))
    #expect(
      Layout.frame(searching, Size(columns: 100, rows: 24)).text.contains("2,000 of 5,000 searched")
    )
    #expect(
      Layout.frame(Scenes.browsed("s\r", Scenes.page(0, next: 5_000)), Self.small).text
        .contains("No such phone."))
    #expect(Layout.frame(Scenes.browsed("s\r"), Self.small).text.contains("Asking the phones"))
    var page = PhonePage(0..<2_500, next: 2_500)
    page.isPart = true
    #expect(
      Layout.frame(Scenes.browsed("s\r", .page(page)), Self.small).text
        .contains("Phones 0 to 2499 only; other processes have the rest."))
    #expect(
      Layout.frame(Scenes.browsed("p7\r", .elsewhere), Self.small).text
        .contains("Another process of this run simulates this phone"))
  }

  @Test("a record shows the cohorts that it has, and says that it has no phones")
  func replay() {
    var scene = WatchFrameTests.replay()
    scene.snapshot.cohorts = [.init("commuters", fresh: 0.5)]
    func text(_ keys: String) -> String {
      var scene = scene
      for key in keys.unicodeScalars { _ = scene.navigation.handle(key, scene.choice) }
      return Layout.frame(scene, Self.small).text
    }
    #expect(text("c").contains("commuters"))
    #expect(text("p12\r").contains("A record has no single phones."))
    #expect(text("s").contains("A record has no single phones."))
    #expect(text("s").hasSuffix("Esc back   c cohorts\n"), "there is nothing to open")
    scene.snapshot.cohorts = nil
    #expect(text("c").contains("This record has no figures of single cohorts."))
  }

  @Test("a collector, a simulation and a warm start say what they do not know")
  func unknown() {
    func text(_ scene: Scene, _ keys: String) -> String {
      var scene = scene
      for key in keys.unicodeScalars { _ = scene.navigation.handle(key, scene.choice) }
      return Layout.frame(scene, Self.small).text
    }
    let collector = WatchFrameTests.silentCollector()
    #expect(text(collector, "c").contains("A collector does not know which phones"))
    #expect(text(collector, "p12\r").contains("'flotilla ask HOST:PORT --phone N'"))
    #expect(text(Scenes.warmStart(), "s").contains("Phones can be opened once they are live."))
    #expect(text(Scenes.warmStart(), "c").contains("Cohorts are counted once"))
    var simulation = Scenes.live()
    simulation.snapshot.source = .simulate
    #expect(text(simulation, "p1\r").contains("Single phones are shown while a load runs."))
  }

  @Test("no view fails at any size, or in ASCII")
  func anySize() {
    for (_, scene) in Self.views {
      for columns in [60, 79, 80, 130, 200] {
        for rows in [15, 24, 40, 60] {
          var frame = Layout.frame(scene, Size(columns: columns, rows: rows))
          #expect(frame.cells.count == columns * rows)
          frame.reduceToASCII()
          #expect(!frame.text.contains { $0 == "?" } || frame.text.contains("? help"))
        }
      }
    }
  }

  @Test("the keys of each view stand in the last line", arguments: views.map(\.name))
  func keys(name: String) throws {
    let scene = try #require(Self.views.first { $0.name == name }).scene
    let text = Layout.frame(scene, Self.small).text
    let last = try #require(text.split(separator: "\n").last)
    #expect(last.contains(name == "phone-number" ? "Esc cancels" : "Esc back"))
  }
}
