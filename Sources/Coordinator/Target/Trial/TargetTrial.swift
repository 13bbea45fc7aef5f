internal import Figures
internal import SimulationCore
package import Targets
internal import Telemetry
package import Transport
package import Uploads

/// Tries a target out with one registration, one upload and one read-back, in the name of one
/// phone, and says which rule each answer met and what came back.
package struct TargetTrial {
  /// How a trial ended, worst last.
  package enum Ending: Int, Comparable, Sendable {
    /// What was stored was read back, or cannot be.
    case passed
    /// An answer was not what it has to be, or what was stored is not there.
    case failed
    /// A request had no answer.
    case unreachable

    /// Compares how bad two endings are.
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  private let target: Target
  private let http: TargetHTTP
  private let programs: TargetPrograms
  /// Writes what is shown, with a mask for each secret.
  private let masked: TargetPrograms
  private var context: UploadContext
  private let call: (HTTPRequest) -> HTTPExchange
  private let pause: () -> Void
  private let database: TargetDatabase?
  /// Holds the lines to be printed.
  package private(set) var lines: [String] = []
  /// Is the ending so far.
  package private(set) var ending = Ending.passed

  /// - Parameters:
  ///   - now: the wall clock, in microseconds since 1970.
  ///   - columns: the phone's row of the files with identities.
  ///   - call: sends a request and waits for its end.
  ///   - pause: waits for a moment, in which a server may store what it has acknowledged.
  ///   - database: what is read back in the place of a request; nil: none is.
  package init(
    _ target: Target, _ http: TargetHTTP, _ programs: TargetPrograms, phone: UInt32,
    columns: [String], now: Int64, call: @escaping (HTTPRequest) -> HTTPExchange,
    pause: @escaping () -> Void, database: TargetDatabase? = nil
  ) {
    self.database = database
    self.target = target
    self.http = http
    self.programs = programs
    self.call = call
    self.pause = pause
    masked = TargetPrograms(masked: target)
    context = Self.context(target, phone: phone, columns: columns, now: now)
  }

  /// What a phone has to say in a trial.
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

  /// As many as a request takes, at most two: a minute apart, some metres from each other, so that
  /// each can be told when they are read back.
  private static func fixes(until now: Int64, of target: Target) -> [Fix] {
    let isOne = target.upload.fixes == .newest || target.upload.fixes == .upTo(1)
    // Servers that keep whole seconds shall give back what was sent.
    let seconds = now / 1_000_000
    return (isOne ? 1..<2 : 0..<2).map { number in
      Fix(
        coordinate: Coordinate(
          latitudeE6: 52_520_000 + Int32(number) * 300, longitudeE6: 13_405_000),
        time: FixTime(centiseconds: (seconds - 60 + Int64(number) * 60) * 100),
        accuracyMeters: 12, speedDecimetersPerSecond: 14, courseDegrees: 0)
    }
  }

  /// Carries the trial out; later steps are left out where one has failed.
  package mutating func run() {
    let place = TargetAddress(target.url)?.authority ?? target.url
    lines.append("target     \(target.name) at \(place)")
    if programs.register != nil { register() }
    if ending == .passed { upload() }
    if ending == .passed { readBack() }
    lines = lines.map(shown)
  }

  /// A text of the server's, without the secrets that it may give back.
  private func shown(_ text: String) -> String {
    Redaction.secrets(programs.names.secrets(of: context), in: text)
  }

  // MARK: Steps

  private mutating func register() {
    guard let program = programs.register, let shown = masked.register else { return }
    let rules = target.registerAnswers
    var bare = context
    bare.fixes = []
    guard let answer = send("register", program, shown, bare) else { return }
    let (judged, kept) = rules.judge(answer, now: context.now)
    // The answer to a registration may hold a token: what it says is not shown.
    judge("register", answer, judged, rules: rules.rules.count, showsBody: false)
    guard ending == .passed else { return }
    for (name, value) in zip(target.keptNames, kept) {
      guard let value else {
        fail("  its answer has no \(name), which the target keeps")
        return
      }
      context.kept.append(value)
      lines.append("  kept \(name)")
    }
  }

  private mutating func upload() {
    guard let answer = send("upload", programs.upload, masked.upload, context) else { return }
    let rules = target.uploadAnswers
    judge(
      "upload", answer,
      rules.judge(answer, count: context.fixes.count, now: context.now).answer,
      rules: rules.rules.count, showsBody: true)
  }

  /// A server may store what it has acknowledged a moment later.
  private static let readsMax = 10

  private mutating func readBack() {
    guard let readback = target.readback, programs.readback != nil || database != nil else {
      let why =
        target.readback == nil
        ? "the target has no read-back" : "its read-back is SQL, and no database was opened"
      lines.append("verdict    acknowledged, not verified: \(why)")
      return
    }
    for round in 1...Self.readsMax {
      let before = lines
      var rows: ReadbackRows
      switch ask(readback) {
      case .rows(let found): rows = found
      case .none: return
      // A phone that is not there yet may have no list at all.
      case .noRows where round < Self.readsMax:
        lines = before
        pause()
        continue
      case .noRows(let why): return fail(why)
      }
      rows.drop(before: context.now / 1_000)
      lines.append("  \(rows.rows.count) rows, \(rows.unreadable) unreadable")
      let verdict = Self.verdict(rows, context)
      guard !verdict.isVerified, round < Self.readsMax else {
        lines += verdict.lines
        return verdict.isVerified ? () : fail(verdict.line)
      }
      lines = before
      pause()
    }
  }

  /// Returns how the fixes of a trial are held.
  static func verdict(
    _ rows: ReadbackRows, _ context: UploadContext
  ) -> (isVerified: Bool, lines: [String], line: String) {
    let found = rows.compare(Array(context.fixes), shift: .zero)
    let all = context.fixes.count
    guard found.confirmed < all else { return (true, ["verdict    stored, and read back"], "") }
    var lines = found.displaced.map { ["  \($0.sentence)"] } ?? []
    guard found.missing == 0, let unreadable = found.unreadable else {
      let what =
        found.isDisplaced ? "are not held as they were sent" : "are not there"
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

  /// What a read-back gave.
  private enum Found {
    case rows(ReadbackRows)
    /// There is no answer, and a line says so.
    case none
    case noRows(String)
  }

  private mutating func ask(_ readback: Readback) -> Found {
    if let database {
      lines.append("read back  SELECT in \(database.name)")
      switch database.rows(context) {
      case .success(let rows): return .rows(rows)
      case .failure(let problem):
        lines.append("  \(problem)")
        ending = .unreachable
        return .none
      }
    }
    guard let program = programs.readback, let shown = masked.readback else { return .none }
    context.page = .first
    defer { context.page = nil }
    var (all, before): (ReadbackRows?, ReadbackRows?)
    while let page = context.page {
      guard let answer = send("read back", program, shown, context) else { return .none }
      do throws(ReadbackError) {
        let rows = try ReadbackRows(answer, readback)
        lines.append("  \(answer.status)")
        if all == nil { all = rows } else { all?.append(rows) }
        context.page = try page.next(after: rows, before: before, readback)
        before = rows
      } catch {
        return .noRows("  \(answer.status), not verified: \(error)")
      }
    }
    return all.map { .rows($0) } ?? .none
  }

  // MARK: Requests

  /// nil: there is no answer.
  private mutating func send(
    _ step: String, _ program: RequestProgram, _ shown: RequestProgram, _ context: UploadContext
  ) -> HTTPAnswer? {
    let request = http.request(program, context)
    let end = call(request)
    // With masks, and with what was kept, which may be the phone's key, masked too.
    var safe = context
    safe.kept = context.kept.map { _ in TargetNames.mask }
    safe.columns = zip(masked.names.columns, context.columns).map {
      $0.isSecret ? TargetNames.mask : $1
    }
    // What the server names as the next page is shown by its number.
    safe.page = context.page.map {
      ReadbackPage(
        number: $0.number, offset: $0.offset, cursor: $0.cursor.map { _ in TargetNames.mask },
        address: nil)
    }
    let step = context.page.map { $0.number > 1 ? "page \($0.number)" : step } ?? step
    let url = http.request(shown, safe).url
    lines.append(
      "\(step.padded(to: 10)) \(request.method) \(url), \(Figure.grouped(end.bytesSent)) bytes")
    switch end.result {
    case .success(let answer):
      lines.append("  in \(Self.text(end.times))")
      return answer
    case .failure(let failure):
      lines.append("  \(failure)")
      ending = .unreachable
      return nil
    }
  }

  private mutating func judge(
    _ step: String, _ answer: HTTPAnswer, _ judged: Targets.Answer, rules: Int, showsBody: Bool
  ) {
    let rule = judged.rule.map { "rule \($0 + 1) of \(rules)" } ?? "none of \(rules) rules"
    lines.append("  \(answer.status) met \(rule): \(Self.text(judged.outcome))")
    if showsBody { lines.append("  answered \(excerpt(answer))") }
    switch judged.outcome {
    case .stored, .duplicate: break
    case .retry, .refused, .failed, .partly:
      fail("verdict    the \(step == "register" ? "registration" : step) was not taken")
    }
  }

  private mutating func fail(_ line: String) {
    lines.append(line)
    ending = max(ending, .failed)
  }

  // MARK: Texts

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

  static func text(_ times: HTTPTimes) -> String {
    let parts = [
      ("name", times.resolving), ("TCP", times.connecting), ("TLS", times.securing),
      ("written", times.writing), ("first byte", times.answering), ("rest", times.reading),
    ].filter { $0.1 > .zero }
    let text = parts.map { "\($0) \(milliseconds($1))" }.joined(separator: ", ")
    return "\(milliseconds(times.whole)) ms" + (text.isEmpty ? "" : " (\(text))")
  }

  private static func milliseconds(_ duration: WallDuration) -> String {
    Figure.plain((Double(duration.microseconds) / 10).rounded() / 100)
  }

  private static let excerptBytes = 200

  /// The beginning of a body, as one line.
  private func excerpt(_ answer: HTTPAnswer) -> String {
    let body = answer.body
    if body.isEmpty, !answer.isCut { return "with an empty body" }
    // A secret that the cut would part is taken out before.
    // swift-format-ignore
    let text = shown(String(decoding: body.prefix(Self.excerptBytes * 40), as: UTF8.self))
    let line = ForeignText.inLine(String(text.prefix(Self.excerptBytes)))
    let more = answer.isCut ? "more than " : ""
    return line + (body.count > Self.excerptBytes ? " … (\(more)\(body.count) bytes)" : "")
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
