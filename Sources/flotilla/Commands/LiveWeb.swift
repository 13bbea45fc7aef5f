internal import Collector
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios
internal import Synchronization
internal import Transport

/// The live page of a run or of a collector (`--web`). Whoever shows something only enqueues it.
final class LiveWeb: Sendable {
  private struct Last: Sendable {
    var snapshot: Snapshot
    var notes: [String] = []
  }

  private let server: PageServer
  private let needsToken: Bool
  private let last: Mutex<Last>
  private let queue = DispatchQueue(label: "flotilla.web", qos: .utility)
  private static let notesMax = 8
  /// For the end of a run to reach its browsers.
  private static let endLimit = WallDuration.seconds(2)
  private static let variable = "FLOTILLA_WEB_TOKEN"

  /// Listens; returns nil without an address.
  ///
  /// - Parameter token: `run.webToken`; nil for the environment's.
  static func open(
    _ endpoint: Endpoint?, _ first: Snapshot, utcOffsetSeconds: Double = 0, token: String? = nil,
    _ console: Console
  ) throws(CommandError) -> LiveWeb? {
    guard let endpoint else { return nil }
    let token = token ?? console.surroundings.environment[variable]
    if let token, !RunSettings.isWebToken(token) {
      throw CommandError(
        exit: .usage,
        message: "\(variable): write 16 to 128 letters, digits, '-', '.', '_' or '~', as "
          + "'openssl rand -hex 16' prints.")
    }
    do throws(TransportError) {
      let isOpen = try !Endpoint.isOnlyReachableHere(endpoint.host)
      if token != nil || !isOpen {
        return try LiveWeb(endpoint, first, utcOffsetSeconds: utcOffsetSeconds, token: token)
      }
    } catch {
      throw CommandError(exit: error.exit, message: "--web: \(error).")
    }
    throw CommandError(
      exit: .usage,
      message: "--web \(endpoint): other machines reach this address, so it needs a token: set "
        + "\(variable), or run.webToken of a load; 'openssl rand -hex 16' makes one.")
  }

  /// "web      http://127.0.0.1:8088/"
  var line: String { "web      \(server.address)\(needsToken ? "?token=(yours)" : "")" }

  private init(
    _ endpoint: Endpoint, _ first: Snapshot, utcOffsetSeconds: Double, token: String?
  ) throws(TransportError) {
    last = Mutex(Last(snapshot: first))
    needsToken = token != nil
    server = try PageServer(
      endpoint, token: token,
      epoch: "\(ProcessInfo.processInfo.processIdentifier)-\(UnixInstant.now().microseconds)",
      page: LivePage(first, utcOffsetSeconds: utcOffsetSeconds).html(.installed))
    show(first, row: nil)
  }

  func show(_ progress: RunProgress) {
    switch progress {
    case .virtual(let snapshot): show(snapshot, row: nil)
    case .live(let interval): show(interval.snapshot, row: interval.row)
    case .phones: break
    case .note(let text):
      let snapshot = last.withLock { last in
        last.notes = (last.notes + [text]).suffix(Self.notesMax)
        return last.snapshot
      }
      show(snapshot, row: nil)
    }
  }

  /// Shows a collector.
  func show(_ snapshot: Snapshot) {
    let row =
      snapshot.rates == nil
      ? nil : TimelineRow(snapshot, atUnixSeconds: UnixInstant.now().seconds)
    show(snapshot, row: row)
  }

  /// Shows that a collector does not answer.
  func show(_ outlook: Outlook) {
    var snapshot = last.withLock { $0.snapshot }
    snapshot.outlook = outlook
    show(snapshot, row: nil)
  }

  private func show(_ snapshot: Snapshot, row: TimelineRow?) {
    let notes = last.withLock { last in
      last.snapshot = snapshot
      return last.notes
    }
    queue.async { [server] in
      server.send(row: row?.csv, state: LivePage.state(snapshot, notes: notes))
    }
  }

  /// Sends the report of a run that has ended.
  func end(_ verdict: Verdict, report: URL?) {
    let page = report.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
    end(line: LivePage.end("The run has ended.", verdict: verdict, report: page))
  }

  /// Sends that there is nothing more to show.
  func end(_ words: String) { end(line: LivePage.end(words, verdict: nil, report: nil)) }

  private func end(line: String) {
    queue.sync {}
    server.end(line, within: Self.endLimit)
    server.close()
  }
}
