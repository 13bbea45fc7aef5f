package import Scenarios

package struct MessageCalls: Sendable {
  package struct Call: Sendable {
    /// The path of the gRPC method: `/package.Service/Method`; empty over HTTP and MQTT.
    package let path: String
    /// The message; nil for a body that is not protobuf.
    package let message: MessageProgram?
    /// The paths to read from the answer, in the order of `AnswerRules.paths`; nil for an answer
    /// that is not protobuf.
    package let answer: AnswerPaths?
  }

  package let register: Call?
  package let upload: Call
  /// The upload while a backlog waits; nil to send `upload`.
  package let backlog: Call?
  package let events: Call?
  package let readback: Call?
  /// The paths of time, latitude and longitude in each row of the answer to `readback`.
  package let rows: AnswerRows?

  /// - Throws: all mistakes of all calls at once, each with its line in the target's file.
  package init(
    _ target: Target, _ names: TargetNames, schema: MessageSchema
  ) throws(ScenarioError) {
    var compiler = CallCompiler(schema: schema, names: names)
    let rules = target.uploadAnswers
    upload = compiler.call(target.upload.request, rules.wanted(keep: []))
    backlog = target.upload.backlog.map { compiler.call($0.request, rules.wanted(keep: [])) }
    events = target.events.map {
      compiler.call($0.request, target.eventAnswers.wanted(keep: []))
    }
    register = target.register.map {
      compiler.call($0.request, target.registerAnswers.wanted(keep: $0.keep.map(\.origin)))
    }
    (readback, rows) = compiler.readback(target.readback)
    if !compiler.diagnostics.isEmpty { throw ScenarioError(compiler.diagnostics) }
  }
}

private struct CallCompiler {
  let schema: MessageSchema
  let names: TargetNames
  var diagnostics: [Diagnostic] = []

  mutating func call(
    _ form: RequestForm, _ wanted: [AnswerPaths.Wanted]
  ) -> MessageCalls.Call {
    var (message, answer) = (MessageProgram?.none, AnswerPaths?.none)
    let types = types(of: form)
    if let input = types.input, let mapping = form.message {
      do throws(ScenarioError) {
        message = try MessageProgram(
          mapping, as: input, of: schema, names, canBeList: form.call.isEmpty)
      } catch { diagnostics += error.diagnostics }
    }
    if let output = types.output {
      do throws(ScenarioError) {
        answer = try AnswerPaths(wanted, of: output, in: schema)
      } catch { diagnostics += error.diagnostics }
    }
    return .init(path: form.call, message: message, answer: answer)
  }

  /// Returns the types of a request's message and its answer; nil for what is not protobuf.
  private mutating func types(of form: RequestForm) -> (input: Int?, output: Int?) {
    guard form.call.isEmpty else {
      let method = method(form.call, form.message?.origin ?? .whole("the target"))
      return (method?.input, method?.output)
    }
    return (type(form.proto), type(form.answerProto))
  }

  private mutating func type(_ wanted: RequestForm.TypeName?) -> Int? {
    guard let wanted else { return nil }
    if let found = schema.message(named: wanted.name) { return found }
    let names = schema.messages.filter { !$0.isMapEntry }.map(\.name)
    let list = names.prefix(8).joined(separator: ", ")
    let longer = names.first { $0.hasSuffix(".\(wanted.name)") }
    diagnostics.append(
      Diagnostic(
        origin: wanted.origin,
        text: "the schema has no message '\(wanted.name)'; it has \(list.isEmpty ? "none" : list)."
          + (longer.map { " Did you mean '\($0)'?" } ?? Spelling.hint(for: wanted.name, in: names)))
    )
    return nil
  }

  mutating func readback(_ readback: Readback?) -> (MessageCalls.Call?, AnswerRows?) {
    guard let readback, readback.postgres.isEmpty else { return (nil, nil) }
    let request = readback.request
    let origin = request.message?.origin ?? request.answerProto?.origin ?? .whole("the target")
    var next = readback.cursor
    if case .field(let path)? = readback.next { next = path }
    let call = call(readback.request, next.map { [.init($0, at: origin)] } ?? [])
    guard let output = output(of: readback.request) else { return (call, nil) }
    do throws(ScenarioError) {
      let rows = try AnswerRows(
        .init(readback.rows, at: origin),
        columns: [readback.time, readback.latitude.path, readback.longitude.path].map {
          .init($0, at: origin)
        }, of: output, in: schema)
      return (call, rows)
    } catch {
      diagnostics += error.diagnostics
      return (call, nil)
    }
  }

  private func output(of form: RequestForm) -> Int? {
    form.call.isEmpty
      ? form.answerProto.flatMap { schema.message(named: $0.name) }
      : schema.method(form.call)?.output
  }

  private mutating func method(_ path: String, _ origin: Origin) -> MessageSchema.Method? {
    guard let method = schema.method(path) else {
      let paths = schema.methods.map(\.path)
      let list = paths.prefix(8).joined(separator: ", ")
      diagnostics.append(
        Diagnostic(
          origin: origin,
          text: "the schema has no method '\(path)'; it has \(list.isEmpty ? "none" : list)."
            + Spelling.hint(for: path, in: paths)))
      return nil
    }
    guard !method.isStreaming else {
      diagnostics.append(
        Diagnostic(origin: origin, text: "'\(path)' streams; a call has one message each way."))
      return nil
    }
    return method
  }
}

extension AnswerRules {
  fileprivate func wanted(keep: [Origin]) -> [AnswerPaths.Wanted] {
    let conditions = paths.count - keep.count
    return paths.enumerated().map { index, path in
      guard index < conditions else { return .init(path, at: keep[index - conditions]) }
      let rule = rules.first { $0.taken == path || $0.fields.contains { $0.path == path } }
      return .init(path, at: rule?.origin ?? .whole("the target"))
    }
  }
}
