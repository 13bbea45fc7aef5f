internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios
internal import Synchronization
internal import Transport

/// The live page of a run or of a collector (`--web`). Functions only enqueue, and do not wait.
final class LiveWeb: Sendable {
  private struct Last: Sendable {
    var snapshot: Snapshot
    var notes: [String] = []
  }

  /// Answers a browser's question about a phone's day, on the server's thread.
  private final class Days: Sendable {
    private struct Known {
      var day: @Sendable (Int) -> PhoneSample.Day? = { _ in nil }
      /// The last answer for each phone, so that the run is asked at most once per second.
      var texts: [Int: (at: WallInstant, text: String)] = [:]
    }
    private let known = Mutex(Known())

    func set(_ day: @escaping @Sendable (Int) -> PhoneSample.Day?) {
      known.withLock { $0 = Known(day: day) }
    }

    func text(_ phone: Int) -> String? {
      known.withLock { known in
        let now = MonotonicClock.now
        if let last = known.texts[phone], now - last.at < .seconds(1) { return last.text }
        guard let day = known.day(phone) else { return nil }
        let text = LivePage.day(day)
        known.texts[phone] = (now, text)
        return text
      }
    }
  }

  private let server: PageServer
  private let days: Days
  private let needsToken: Bool
  private let last: Mutex<Last>
  private let queue = DispatchQueue(label: "flotilla.web", qos: .utility)
  private static let notesMax = 8
  /// The longest wait for browsers to receive the end of a run.
  private static let endLimit = WallDuration.seconds(2)
  private static let variable = "FLOTILLA_WEB_TOKEN"

  /// Starts to listen; returns nil without an address.
  /// - Parameter token: The value of `run.webToken`; nil for the environment's token.
  static func open(
    _ endpoint: Endpoint?, _ page: LivePage, token: String? = nil, _ console: Console
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
        return try LiveWeb(endpoint, page, token: token)
      }
    } catch {
      throw CommandError(exit: error.exit, message: "--web: \(error).")
    }
    throw CommandError(
      exit: .usage,
      message: "--web \(endpoint): other machines reach this address, so it needs a token: set "
        + "\(variable), or run.webToken of a load; 'openssl rand -hex 16' makes one.")
  }

  /// The line with the address: "web      http://127.0.0.1:8088/".
  var line: String { "web      \(server.address)\(needsToken ? "?token=(yours)" : "")" }

  private init(
    _ endpoint: Endpoint, _ page: LivePage, token: String?
  ) throws(TransportError) {
    let days = Days()
    self.days = days
    last = Mutex(Last(snapshot: page.first))
    needsToken = token != nil
    server = try PageServer(
      endpoint, token: token,
      epoch: "\(ProcessInfo.processInfo.processIdentifier)-\(UnixInstant.now().microseconds)",
      page: page.html(.installed), phone: days.text)
    show(page.first, rows: [])
  }

  var isWatched: Bool { server.browsers > 0 }

  func show(_ progress: RunProgress) {
    switch progress {
    case .virtual(let snapshot): show(snapshot, rows: [])
    case .live(let interval): show(interval.snapshot, rows: [interval.row.csv])
    case .phones(let phones): show(phones)
    case .note(let text):
      let snapshot = last.withLock { last in
        last.notes = (last.notes + [text]).suffix(Self.notesMax)
        return last.snapshot
      }
      show(snapshot, rows: [])
    }
  }

  func show(_ phones: PhoneProgress) {
    switch phones {
    case .began(let sample, let day):
      days.set(day)
      queue.async { [server] in server.send(map: LivePage.map(sample), isKept: true) }
    case .moved(let frame, let isKept):
      queue.async { [server] in server.send(map: LivePage.map(frame), isKept: isKept) }
    case .ended(let ended):
      // From now on answers come from `ended`, so that the fleet can be freed.
      days.set { number in ended.first { $0.phone == number } }
    }
  }

  func show(_ snapshot: Snapshot) {
    let row = TimelineRow(snapshot, atUnixSeconds: UnixInstant.now().seconds)
    show(snapshot, rows: snapshot.rates == nil ? [] : [row.csv])
  }

  /// Shows that a collector does not answer.
  func show(_ outlook: Outlook) {
    var snapshot = last.withLock { $0.snapshot }
    snapshot.outlook = outlook
    show(snapshot, rows: [])
  }

  /// - Parameter rows: The timeline's rows since the last snapshot.
  func show(_ snapshot: Snapshot, rows: [String]) {
    let notes = last.withLock { last in
      last.snapshot = snapshot
      return last.notes
    }
    queue.async { [server] in
      let state = LivePage.state(snapshot, notes: notes)
      for row in rows.dropLast() { server.send(row: row, state: state) }
      server.send(row: rows.last, state: state)
    }
  }

  /// Sends the report of a run that has ended.
  func end(_ verdict: Verdict, report: URL?, _ words: String = "The run has ended.") {
    let page = report.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
    end(line: LivePage.end(words, verdict: verdict, report: page))
  }

  /// Tells the browsers that nothing follows.
  func end(_ words: String) { end(line: LivePage.end(words, verdict: nil, report: nil)) }

  private func end(line: String) {
    queue.sync {}
    server.end(line, within: Self.endLimit)
    server.close()
  }
}
