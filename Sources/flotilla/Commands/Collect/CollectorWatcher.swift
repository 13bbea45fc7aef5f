internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run

struct CollectorWatcher {
  private let collector: RemoteCollector
  private let display: WatchDisplay
  /// The backoff of retries, in seconds. The last pause repeats.
  private static let pauses = [1.0, 2, 4, 8, 15]

  /// Polls the collector once. A wrong address is reported before the screen opens.
  init(
    _ collector: RemoteCollector, _ options: WatchOptions, web: LiveWeb?, _ console: Console
  ) throws(RemoteCollectorError) {
    self.collector = collector
    let first = try collector.look()
    display = WatchDisplay(
      first, role: .watched, options, console, web: web, line: { CollectDisplay.line($0) })
  }

  func run() -> ExitCode {
    defer { display.close() }
    var answered = RunSupport.monotonic()
    var failures = 0
    display.wait(seconds: 1)
    while !display.isDone {
      do throws(RemoteCollectorError) {
        let snapshot = try collector.look()
        if failures > 0 { display.say("the collector answers again") }
        failures = 0
        answered = RunSupport.monotonic()
        display.show(snapshot)
        display.wait(seconds: 1)
      } catch {
        if failures == 0 { display.say("no answer: \(error.reason)") }
        let pause = Self.pauses[min(failures, Self.pauses.count - 1)]
        failures += 1
        persist(pause, since: (RunSupport.monotonic() - answered).seconds, error)
      }
    }
    return .pass
  }

  /// Shows the age of the figures each second during a pause.
  private func persist(_ pause: Double, since age: Double, _ problem: RemoteCollectorError) {
    let isScreen = display.isScreen
    for second in 0..<(isScreen ? Int(pause) : 1) where !display.isDone {
      let left = Int(pause) - second
      let old = Int(age.rounded()) + second
      display.show(
        Outlook(
          .silent, "figures \(old) s old, retrying in \(left) s: \(problem.reason)"))
      display.wait(seconds: isScreen ? 1 : pause)
    }
  }
}
