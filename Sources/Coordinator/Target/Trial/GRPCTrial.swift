internal import Figures
internal import SimulationCore
internal import Targets
internal import Telemetry
internal import Transport
internal import Uploads
internal import Wire

/// Tries a target over gRPC out with one registration, one upload and one read-back, in the name of
/// one phone, and says which rule each answer met and what came back.
struct GRPCTrial {
  private let target: Target
  private let grpc: TargetGRPC
  private let programs: TargetPrograms
  private var context: UploadContext
  private let call: (GRPCRequest) -> (answer: GRPCAnswer, times: HTTPTimes)
  private let pause: () -> Void
  private let writer = MessageWriter()
  /// Holds the lines to be printed.
  private(set) var lines: [String] = []
  /// Is the ending so far.
  private(set) var ending = TargetTrial.Ending.passed

  /// - Parameters:
  ///   - context: is what the requests are written from.
  ///   - call: sends a request and waits for its end.
  ///   - pause: waits for a moment, in which a server may store what it has acknowledged.
  init(
    _ target: Target, _ grpc: TargetGRPC, _ programs: TargetPrograms, _ context: UploadContext,
    call: @escaping (GRPCRequest) -> (answer: GRPCAnswer, times: HTTPTimes),
    pause: @escaping () -> Void
  ) {
    self.target = target
    self.grpc = grpc
    self.programs = programs
    self.context = context
    self.call = call
    self.pause = pause
  }

  /// Carries the trial out; later steps are left out where one has failed.
  mutating func run() {
    let place = TargetAddress(target.url)?.authority ?? target.url
    lines.append("target     \(target.name) at \(place)")
    register()
    if ending == .passed { upload() }
    if ending == .passed { readBack() }
    lines = lines.map(shown)
  }

  /// A text of the server's, without the secrets that it may give back.
  private func shown(_ text: String) -> String {
    ForeignText.inLine(Redaction.secrets(programs.names.secrets(of: context), in: text))
  }

  // MARK: Steps

  private mutating func register() {
    var bare = context
    bare.fixes = []
    guard let answer = send("register", .registration, bare) else { return }
    let rules = target.registerAnswers
    let judged = grpc.judge(answer, .registration, rules)
    // The answer to a registration may hold a token: what it says is not shown.
    judge("registration", answer, judged.answer, rules)
    guard ending == .passed else { return }
    for (name, value) in zip(target.keptNames, judged.kept) {
      guard let value else { return fail("  its answer has no \(name), which the target keeps") }
      context.kept.append(value)
      lines.append("  kept \(name)")
    }
  }

  private mutating func upload() {
    guard let answer = send("upload", .upload, context) else { return }
    let rules = target.uploadAnswers
    let judged = grpc.judge(answer, .upload, rules, count: context.fixes.count)
    judge("upload", answer, judged.answer, rules)
    let fields = zip(rules.paths, judged.fields)
      .map { path, text in "\(path) \(text ?? "(absent)")" }
    if !fields.isEmpty { lines.append("  answered \(fields.joined(separator: ", "))") }
  }

  /// A server may store what it has acknowledged a moment later.
  private static let readsMax = 10

  private mutating func readBack() {
    guard let readback = target.readback, grpc.calls.readback != nil else {
      let why =
        target.readback == nil
        ? "the target has no read-back" : "its read-back is SQL, which a trial does not ask"
      lines.append("verdict    acknowledged, not verified: \(why)")
      return
    }
    for round in 1...Self.readsMax {
      let before = lines
      guard var rows = ask(readback) else { return }
      rows.drop(before: context.now / 1_000)
      let verdict = TargetTrial.verdict(rows, context)
      guard !verdict.isVerified, round < Self.readsMax else {
        lines += verdict.lines
        return verdict.isVerified ? () : fail(verdict.line)
      }
      lines = before
      pause()
    }
  }

  /// Asks for all pages; nil: there is no answer, and a line says so.
  private mutating func ask(_ readback: Readback) -> ReadbackRows? {
    context.page = .first
    defer { context.page = nil }
    var (all, before): (ReadbackRows?, ReadbackRows?)
    while let page = context.page {
      guard let answer = send("read-back", .readback, context) else { return nil }
      do throws(ReadbackError) {
        let rows = try grpc.rows(answer, readback)
        lines.append(
          "  \(answer.statusName), \(rows.rows.count) rows, \(rows.unreadable) unreadable")
        if all == nil { all = rows } else { all?.append(rows) }
        context.page = try page.next(after: rows, before: before, readback)
        before = rows
      } catch {
        fail("  \(answer.statusName), not verified: \(error)")
        return nil
      }
    }
    return all
  }

  // MARK: Calls

  /// nil: there is no such call, or no answer.
  private mutating func send(
    _ step: String, _ kind: RequestKind, _ context: UploadContext
  ) -> GRPCAnswer? {
    guard let request = grpc.request(kind, programs, context, by: writer) else { return nil }
    let (answer, times) = call(request)
    lines.append(
      "\(step.padded(to: 10)) CALL \(request.path), \(Figure.grouped(request.message.count)) bytes")
    if let failure = answer.failure {
      lines.append("  \(failure.reason)")
      ending = .unreachable
      return nil
    }
    lines.append("  in \(TargetTrial.text(times))")
    return answer
  }

  private mutating func judge(
    _ step: String, _ answer: GRPCAnswer, _ judged: Targets.Answer, _ rules: AnswerRules
  ) {
    let count = rules.rules.count
    let rule = judged.rule.map { "rule \($0 + 1) of \(count)" } ?? "none of \(count) rules"
    lines.append("  \(answer.statusName) met \(rule): \(TargetTrial.text(judged.outcome))")
    switch judged.outcome {
    case .stored, .duplicate: break
    case .retry, .refused, .failed, .partly:
      if !answer.status.text.isEmpty {
        lines.append("  it says '\(shown(answer.status.text).prefix(Self.textMax))'")
      }
      fail("verdict    the \(step) was not taken")
    }
  }

  /// Of a server's own text, in characters.
  private static let textMax = 200

  private mutating func fail(_ line: String) {
    lines.append(line)
    ending = max(ending, .failed)
  }
}
