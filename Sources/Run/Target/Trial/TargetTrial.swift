internal import Core
internal import Figures
internal import Transport
internal import Uploads
internal import Targets

/// Tests a target with one registration, one upload and one read-back of one phone.
package struct TargetTrial {
  /// The result of a trial, from best to worst.
  package enum Ending: Int, Comparable, Sendable {
    /// The upload was read back, or the target defines no read-back.
    case passed
    case failed
    /// A request had no answer.
    case unreachable

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  struct Sent {
    /// What was sent where, such as a method and a URL.
    var words: String
    var bytes: Int
    var end: TargetExchange
    var status: String?
    var excerpt: String?
    var serverText: String?
    var fields: String?

    init(_ words: String, bytes: Int, end: TargetExchange) {
      (self.words, self.bytes, self.end) = (words, bytes, end)
    }
  }

  struct Carrier {
    let programs: TargetPrograms
    let shown: (String, UploadContext) -> String
    /// Sends a request and waits for its end; nil if the target has no request of this kind.
    let send: (RequestKind, RequestProgram, UploadContext, AnswerRules) -> Sent?
    /// The database for read-backs; nil to use requests.
    var database: TargetDatabase?
    /// Why the read-back that the target defines is impossible; otherwise nil.
    var unasked: String?
    /// The verdict on an accepted request; nil if the read-back decides.
    var verdict: String?
    /// Whether rows are counted page by page. If so, an unreadable page ends the trial.
    var countsPages = false

    init(
      _ programs: TargetPrograms, shown: @escaping (String, UploadContext) -> String,
      send: @escaping (RequestKind, RequestProgram, UploadContext, AnswerRules) -> Sent?
    ) {
      (self.programs, self.shown, self.send) = (programs, shown, send)
    }
  }

  private let target: Target
  private let carrier: Carrier
  private var context: UploadContext
  private let pause: () -> Void
  /// Opens a viewer's connection, and returns what was sent, the success and why it failed; nil to
  /// open none.
  var watch: (() -> (sent: String, success: String, problem: String?)?)?
  package private(set) var lines: [String] = []
  package private(set) var ending = Ending.passed

  /// - Parameter pause: waits briefly, so that a server can store what it has acknowledged.
  init(
    _ target: Target, _ carrier: Carrier, _ context: UploadContext, pause: @escaping () -> Void
  ) {
    self.target = target
    self.carrier = carrier
    self.context = context
    self.pause = pause
  }

  static func context(
    _ target: Target, phone: UInt32, columns: [String], now: Int64
  ) -> UploadContext {
    let id = BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 1)
    var context = UploadContext(
      id, fixes: fixes(until: now, of: target)[...], columns: columns, now: now)
    context.span = now - 120_000_000...now + 60_000_000
    context.device.batteryPercent = 80
    context.device.isCharging = false
    context.device.motion = "walking"
    context.device.trigger = "timer"
    context.device.policy = "trial"
    context.device.os = "ios17"
    return context
  }

  /// Returns one fix, or two that differ by a minute and some metres if a request takes several.
  private static func fixes(until now: Int64, of target: Target) -> [Fix] {
    let isOne = target.upload.fixes == .newest || target.upload.fixes == .upTo(1)
    // Whole seconds, since some servers truncate times.
    let seconds = now / 1_000_000
    return (isOne ? 1..<2 : 0..<2).map { number in
      Fix(
        coordinate: Coordinate(
          latitudeE6: 52_520_000 + Int32(number) * 300, longitudeE6: 13_405_000),
        time: FixTime(centiseconds: (seconds - 60 + Int64(number) * 60) * 100),
        accuracyMeters: 12, speedDecimetersPerSecond: 14, courseDegrees: 0)
    }
  }

  /// Runs the steps in order, and skips the later steps after a failure.
  package mutating func run() {
    lines.append(Self.head(target))
    register()
    if ending == .passed { upload() }
    if ending == .passed { view() }
    if ending == .passed { readBack() }
    lines = lines.map { carrier.shown($0, context) }
  }

  // MARK: Steps

  private mutating func register() {
    var bare = context
    bare.fixes = []
    guard let sent = send(.registration, bare) else { return }
    // The answer to a registration may contain a token, so its content is not shown.
    let kept = judge("registration", sent, rules: target.registerAnswers.rules.count)
    guard ending == .passed else { return }
    for (name, value) in zip(target.keptNames, kept) {
      guard let value else { return fail("  the answer has no \(name), which the target keeps") }
      context.kept.append(value)
      lines.append("  kept \(name)")
    }
  }

  private mutating func upload() {
    guard let sent = send(.upload, context) else { return }
    _ = judge("upload", sent, rules: target.uploadAnswers.rules.count)
    if let fields = sent.fields { lines.append("  answered \(fields)") }
  }

  /// Reads the position as a viewer would. The server may store the upload later, so that an answer
  /// without a position is no failure.
  private mutating func view() {
    if target.isWatched {
      guard let (sent, success, problem) = watch?() else { return }
      lines += ["view       \(sent)", "  \(problem ?? success)"]
      if problem != nil { ending = .unreachable }
      return
    }
    var bare = context
    bare.fixes = []
    guard let sent = send(.view, bare), case .answered(_, let status, _) = sent.end.result else {
      return
    }
    do throws(ReadbackError) {
      lines.append("  \(status), \(Self.counts(try sent.end.readRows()))")
    } catch {
      lines.append("  \(status), no position: \(error)")
    }
  }

  /// The maximum number of reads, because a server may store an upload after acknowledging it.
  private static let readsMax = 10

  private mutating func readBack() {
    if let verdict = carrier.verdict { return lines.append("verdict    \(verdict)") }
    guard let readback = target.readback, carrier.unasked == nil || carrier.database != nil else {
      let why = target.readback == nil ? nil : carrier.unasked
      return lines.append(
        "verdict    acknowledged, not verified: \(why ?? "the target has no read-back")")
    }
    for round in 1...Self.readsMax {
      let before = lines
      var rows: ReadbackRows
      switch ask(readback) {
      case .rows(let found): rows = found
      case .none: return
      // The target may have no list for a phone before it has stored any fix.
      case .noRows where round < Self.readsMax && !carrier.countsPages:
        lines = before
        pause()
        continue
      case .noRows(let why): return fail(why)
      }
      rows.drop(before: context.now / 1_000)
      if !carrier.countsPages { lines.append("  \(Self.counts(rows))") }
      let verdict = Self.verdict(rows, context)
      guard !verdict.isVerified, round < Self.readsMax else {
        lines += verdict.lines
        return verdict.isVerified ? () : fail(verdict.line)
      }
      lines = before
      pause()
    }
  }

  private static func counts(_ rows: ReadbackRows) -> String {
    "\(rows.rows.count) rows, \(rows.unreadable) unreadable"
  }

  static func verdict(
    _ rows: ReadbackRows, _ context: UploadContext
  ) -> (isVerified: Bool, lines: [String], line: String) {
    let found = rows.compare(Array(context.fixes), shift: .zero)
    let all = context.fixes.count
    guard found.confirmed < all else { return (true, ["verdict    stored and read back"], "") }
    var lines = found.displaced.map { ["  \($0.sentence)"] } ?? []
    guard found.missing == 0, let unreadable = found.unreadable else {
      let what =
        found.isDisplaced ? "differ from what was sent" : "are missing"
      return (
        false, lines, "verdict    acknowledged, but \(found.missing) of \(all) fixes \(what)"
      )
    }
    lines.append("  a row that cannot be read: \(unreadable.example)")
    return (
      false, lines,
      "verdict    acknowledged, not verified: the rows of \(unreadable.fixes) of \(all) fixes "
        + "cannot be read"
    )
  }

  private enum Found {
    case rows(ReadbackRows)
    case none
    case noRows(String)
  }

  private mutating func ask(_ readback: Readback) -> Found {
    if let database = carrier.database {
      lines.append("read back  SELECT in \(database.name)")
      switch database.rows(context) {
      case .success(let rows): return .rows(rows)
      case .failure(let problem):
        lines.append("  \(problem)")
        ending = .unreachable
        return .none
      }
    }
    context.page = .first
    defer { context.page = nil }
    var (all, before): (ReadbackRows?, ReadbackRows?)
    while let page = context.page {
      guard let sent = send(.readback, context), case .answered(_, let status, _) = sent.end.result
      else { return .none }
      do throws(ReadbackError) {
        let rows = try sent.end.readRows()
        lines.append("  \(status)" + (carrier.countsPages ? ", \(Self.counts(rows))" : ""))
        if all == nil { all = rows } else { all?.append(rows) }
        context.page = try page.next(after: rows, before: before, readback)
        before = rows
      } catch {
        return .noRows("  \(status), not verified: \(error)")
      }
    }
    return all.map { .rows($0) } ?? .none
  }

  // MARK: Requests

  /// Sends a request; nil if the target has no such request, or did not answer.
  private mutating func send(_ kind: RequestKind, _ context: UploadContext) -> Sent? {
    let rules = kind == .registration ? target.registerAnswers : target.uploadAnswers
    guard let program = carrier.programs[kind],
      let sent = carrier.send(kind, program, context, rules)
    else { return nil }
    lines.append(
      "\(step(kind, context).padded(to: 10)) \(sent.words), \(Figure.grouped(sent.bytes)) bytes")
    guard case .unanswered(_, let reason, _) = sent.end.result else {
      lines.append("  in \(Self.text(sent.end.times, over: target.carrier))")
      return sent
    }
    lines.append("  \(reason)")
    ending = .unreachable
    return nil
  }

  private func step(_ kind: RequestKind, _ context: UploadContext) -> String {
    switch kind {
    case .registration: "register"
    case .upload, .backlog: "upload"
    case .event: "event"
    case .readback where carrier.countsPages: "read-back"
    case .readback:
      if let page = context.page, page.number > 1 { "page \(page.number)" } else { "read back" }
    case .eventReadback: "events"
    case .view: "view"
    }
  }

  private mutating func judge(_ step: String, _ sent: Sent, rules: Int) -> [String?] {
    guard case .answered(let answer, let status, let kept) = sent.end.result else { return [] }
    let rule = answer.rule.map { "rule \($0 + 1) of \(rules)" } ?? "none of \(rules) rules"
    lines.append("  \(sent.status ?? status) met \(rule): \(Self.text(answer.outcome))")
    if let excerpt = sent.excerpt { lines.append("  answered \(excerpt)") }
    switch answer.outcome {
    case .stored, .duplicate: break
    case .retry, .refused, .failed, .partly:
      if let serverText = sent.serverText { lines.append("  server message '\(serverText)'") }
      fail("verdict    the \(step) was not accepted")
    }
    return kept
  }

  private mutating func fail(_ line: String) {
    lines.append(line)
    ending = max(ending, .failed)
  }

  // MARK: Texts

  static func head(_ target: Target) -> String {
    "target     \(target.name) at \(TargetAddress(target.url)?.authority ?? target.url)"
  }

  static func text(_ outcome: Targets.Answer.Outcome) -> String {
    switch outcome {
    case .stored: "stored"
    case .duplicate: "stored before"
    case .retry(let after): "try again" + (after.map { " after \($0.seconds) s" } ?? "")
    case .refused(let reason): "refused (\(reason))"
    case .failed: "failed"
    case .partly(let taken, _): "\(taken) fixes stored, the others refused"
    }
  }

  private static func text(_ times: ExchangeTimes, over carrier: Target.Carrier) -> String {
    let (writing, answering) =
      switch carrier {
      case .http, .grpc: ("written", "first byte")
      case .mqtt: ("greeting", "acknowledgement")
      case .websocket: ("opening", "answer")
      }
    let parts = [
      ("name", times.resolving), ("TCP", times.connecting), ("TLS", times.securing),
      (writing, times.writing), (answering, times.answering), ("rest", times.reading),
    ].filter { $0.1 > .zero }
    let text = parts.map { "\($0) \(milliseconds($1))" }.joined(separator: ", ")
    return "\(milliseconds(times.whole)) ms" + (text.isEmpty ? "" : " (\(text))")
  }

  private static func milliseconds(_ duration: WallDuration) -> String {
    Figure.plain((Double(duration.microseconds) / 10).rounded() / 100)
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
