package import Scenarios

package struct MessageCalls: Sendable {
  package struct Call: Sendable {
    /// The path of the gRPC method: `/package.Service/Method`.
    package let path: String
    package let message: MessageProgram
    /// The paths to read from the answer, in the order of `AnswerRules.paths`.
    package let answer: AnswerPaths
  }

  package let register: Call?
  package let upload: Call
  /// The upload while a backlog waits; nil to send `upload`.
  package let backlog: Call?
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
    var (message, answer) = (MessageProgram.nothing, AnswerPaths.nothing)
    let origin = form.message?.origin ?? .whole("the target")
    if let method = method(form.call, origin), let mapping = form.message {
      do throws(ScenarioError) {
        message = try MessageProgram(mapping, as: method.input, of: schema, names)
      } catch { diagnostics += error.diagnostics }
      do throws(ScenarioError) {
        answer = try AnswerPaths(wanted, of: method.output, in: schema)
      } catch { diagnostics += error.diagnostics }
    }
    return .init(path: form.call, message: message, answer: answer)
  }

  mutating func readback(_ readback: Readback?) -> (MessageCalls.Call?, AnswerRows?) {
    guard let readback, readback.postgres.isEmpty else { return (nil, nil) }
    let origin = readback.request.message?.origin ?? .whole("the target")
    let call = call(readback.request, readback.cursor.map { [.init($0, at: origin)] } ?? [])
    guard let method = schema.method(readback.request.call) else { return (call, nil) }
    do throws(ScenarioError) {
      let rows = try AnswerRows(
        .init(readback.rows, at: origin),
        columns: [readback.time, readback.latitude.path, readback.longitude.path].map {
          .init($0, at: origin)
        }, of: method.output, in: schema)
      return (call, rows)
    } catch {
      diagnostics += error.diagnostics
      return (call, nil)
    }
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
