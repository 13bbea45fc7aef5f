internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Synchronization

struct ReplayPlayer {
  let replay: RunReplay
  private(set) var scene: Scene
  /// The row that is shown next.
  private(set) var row = 0
  private var sums = LatencyHistograms()

  init(_ replay: RunReplay, speed: Double) {
    self.replay = replay
    scene = Scene(replay.opening)
    scene.role = .replay(speed: speed, isPaused: false)
  }

  var isAtEnd: Bool { row >= replay.rows }

  mutating func step() throws {
    guard !isAtEnd else { return }
    do { scene.take(try replay.snapshot(row, adding: &sums)) } catch {
      throw CommandError(exit: .badInput, message: "latency.hlog: \(error)")
    }
    row += 1
  }

  mutating func jump(to target: Int) throws {
    let target = max(1, min(replay.rows, target))
    if target < row {
      let role = scene.role
      scene = Scene(replay.opening)
      scene.role = role
      sums = LatencyHistograms()
      row = 0
    }
    while row < target { try step() }
  }

  /// Returns the last frame of the run, with its reasons in the log.
  func last() throws -> Scene {
    var player = self
    try player.jump(to: replay.rows)
    for reason in replay.record.reasons { player.scene.say(reason) }
    return player.scene
  }

  mutating func set(speed: Double, isPaused: Bool) {
    scene.role = .replay(speed: speed, isPaused: isPaused)
  }
}

final class ReplayWatcher {
  private struct Wishes {
    var speed: Double
    var isPaused = false
    /// The number of tenths of the run to jump, forward or back.
    var jump = 0
  }

  private var player: ReplayPlayer
  private let display: WatchDisplay
  private var web: ReplayWeb?
  private let wishes: Shared
  private static let speeds = 0.01...10_000

  private final class Shared: Sendable {
    let wishes: Mutex<Wishes>
    init(_ wishes: Wishes) { self.wishes = Mutex(wishes) }
  }

  init(_ replay: RunReplay, _ options: WatchOptions, web: ReplayWeb?, _ console: Console) {
    self.web = web
    player = ReplayPlayer(replay, speed: options.speed)
    let wishes = Shared(Wishes(speed: options.speed))
    self.wishes = wishes
    display = WatchDisplay(
      replay.opening, role: .replay(speed: options.speed, isPaused: false), options, console,
      line: Self.line, onKey: { key in wishes.wishes.withLock { Self.obey(key, &$0) } })
    if let web { display.announce(web.page) }
  }

  private static func obey(_ key: Unicode.Scalar, _ wishes: inout Wishes) -> Bool {
    switch key {
    case " ", "f": wishes.isPaused.toggle()
    case "+", "=": wishes.speed = min(speeds.upperBound, wishes.speed * 2)
    case "-": wishes.speed = max(speeds.lowerBound, wishes.speed / 2)
    case "<", ",": wishes.jump -= 1
    case ">", ".": wishes.jump += 1
    default: return false
    }
    return true
  }

  func run() throws -> ExitCode {
    defer {
      display.close()
      web?.end()
    }
    while !display.isDone {
      let (wish, jump) = wishes.wishes.withLock { wishes in
        defer { wishes.jump = 0 }
        return (wishes, wishes.jump)
      }
      player.set(speed: wish.speed, isPaused: wish.isPaused)
      if jump != 0 {
        let tenth = max(1, player.replay.rows / 10)
        try player.jump(to: player.row + jump * tenth)
      } else if !wish.isPaused, !player.isAtEnd {
        try player.step()
        if player.isAtEnd { for reason in player.replay.record.reasons { display.say(reason) } }
      } else if !display.isScreen {
        return .pass
      }
      display.show(player.scene)
      web?.show(player)
      rest(wish)
    }
    return .pass
  }

  /// Waits for the next row. A key ends the wait, since the key may request another row.
  private func rest(_ wish: Wishes) {
    if wish.isPaused || player.isAtEnd {
      return display.wait(seconds: display.isScreen ? 3_600 : 0)
    }
    let pause = player.replay.pause(after: player.row - 1) / wish.speed
    // A shorter pause is faster than a screen can show.
    if pause > 0.001 { display.wait(seconds: pause) }
  }

  @Sendable private static func line(_ snapshot: Snapshot) -> String {
    let rates = snapshot.rates ?? .init()
    let p99 = snapshot.latency?.response.text(.p99).replacing(" ", with: "") ?? "-"
    let fresh = snapshot.freshness?.reachable.share.map {
      Figure.percent($0).replacing(" ", with: "")
    }
    return [
      snapshot.progress.scenarioTime, snapshot.progress.phase,
      "\(Int(((snapshot.progress.share ?? 0) * 100).rounded()))%",
      "offered=\(Figure.plain((rates.offered ?? 0).rounded()))/s",
      "acked=\(Figure.plain(rates.acknowledged.rounded()))/s",
      "failed=\(Figure.plain(rates.failed.rounded()))/s", "p99=\(p99)",
      "inflight=\(rates.inFlight)", "fresh=\(fresh ?? "-")",
      "pushes=\(snapshot.pushes?.requested ?? 0)",
    ].joined(separator: " ")
  }
}

/// The live page of a replay, which sends rows and instants once, up to the current row.
struct ReplayWeb {
  let page: LiveWeb
  private let replay: RunReplay
  private let report: URL
  private var row = 0
  private var frames: ArraySlice<PhoneFrame> = []

  /// Starts to listen; returns nil without an address.
  static func open(
    _ options: WatchOptions, _ replay: RunReplay, _ console: Console
  ) throws -> ReplayWeb? {
    let first = LivePage(
      replay.opening, utcOffsetSeconds: replay.record.scenario.utcOffsetSeconds ?? 0,
      outages: replay.record.storm ?? [], hasMap: replay.phones != nil)
    return try LiveWeb.open(options.web, first, console).map { page in
      ReplayWeb(page, replay, report: RunReplay.report(of: URL(fileURLWithPath: options.target)))
    }
  }

  private init(_ page: LiveWeb, _ replay: RunReplay, report: URL) {
    (self.page, self.replay, self.report) = (page, replay, report)
    guard let phones = replay.phones, let (first, others) = phones.frames else { return }
    frames = others[...]
    page.show(.began(first) { number in phones.days.first { $0.phone == number } })
  }

  mutating func show(_ player: ReplayPlayer) {
    let rows = (row..<max(row, player.row)).map(replay.csv)
    row += rows.count
    page.show(player.scene.snapshot, rows: rows)
    guard row > 0 else { return }
    // The last instant may be a moment later than the last row.
    let now = row == replay.rows ? .infinity : replay.scenarioSeconds(row - 1)
    while let next = frames.first, Double(next.at) <= now {
      frames.removeFirst()
      page.show(.moved(next, isKept: true))
    }
  }

  func end() { page.end(replay.record.verdict, report: report, "The replay has ended.") }
}
