internal import Collector
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Run
internal import Synchronization
internal import Transport

final class CollectDisplay: Sendable {
  private let server: CollectorServer
  private let options: CollectOptions
  private let console: Console
  private let form = Mutex(SnapshotForm.nothing)
  private let watch = Mutex(CollectorWatch())
  private let web: LiveWeb?
  private let isClosed = Mutex(false)
  private let waiter = Waiter()

  init(
    _ server: CollectorServer, _ options: CollectOptions, web: LiveWeb?, _ console: Console
  ) {
    self.server = server
    self.web = web
    self.options = options
    self.console = console
  }

  /// Prints the address first, because the parent process reads it from the first line.
  func begin(address: String, admin: String?) {
    if options.interface != .json {
      console.line("listening on \(address)")
      if let admin { console.line("admin on http://\(admin)") }
      if let web { console.line(web.line) }
    }
    let detail = address + ", " + options.storeAddress.words
    let form = form(detail)
    self.form.withLock { $0 = form }
    if case .nothing = form, web == nil { return }
    Thread.detachNewThread { [self] in
      waiter.takeTurns {
        guard !isClosed.withLock({ $0 }) else { return nil }
        server.look { [weak self] reply, problem in
          self?.show(CollectorAccount(reply, problem: problem), detail)
        }
        return MonotonicClock.now + .seconds(1)
      }
    }
  }

  private func form(_ detail: String) -> SnapshotForm {
    if options.interface == .json { return .json(JSONLines(console)) }
    if options.isQuiet || options.interface == .none { return .nothing }
    let first = Snapshot(source: .collect, name: "no run yet", detail: detail)
    let server = server
    let screen = ScreenOpening.screen(first, options.interface, console) { server.stop("q") }
    return screen.map(SnapshotForm.screen) ?? .lines
  }

  /// Called on the collector's loop; returns at once.
  private func show(_ account: CollectorAccount, _ detail: String) {
    let snapshot = watch.withLock { $0.snapshot(of: account, detail: detail) }
    web?.show(snapshot)
    form.withLock { $0 }.show(snapshot) {
      if snapshot.rates != nil { console.line(Self.line(snapshot)) }
    }
  }

  func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    waiter.wake()
    if !wasClosed { web?.end("The collector has ended.") }
    console.lowerScreen()
  }

  static func line(_ snapshot: Snapshot) -> String {
    let rates = snapshot.rates ?? .init()
    let batches = snapshot.batches ?? .init()
    let p99 = snapshot.latency?.response.text(.p99).replacing(" ", with: "") ?? "-"
    return [
      snapshot.progress.scenarioTime.replacing(" ", with: ""), snapshot.progress.phase,
      "stored=\(Figure.plain(rates.acknowledged.rounded()))/s",
      "failed=\(Figure.plain(rates.failed.rounded()))/s", "ingest99=\(p99)",
      "waiting=\(rates.inFlight)", "batches=\(batches.distinct)",
      "duplicate=\(batches.duplicate)", "rejected=\(batches.rejected)",
      "connections=\(snapshot.wire?.connections ?? 0)",
      "pushes=\(snapshot.pushes?.requested ?? 0)",
    ].joined(separator: " ")
  }
}
