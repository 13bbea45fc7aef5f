internal import Commands
internal import Core
internal import Foundation
internal import Run
internal import Scenarios
internal import Wire

enum AskCommand {
  static var command: Command { AskOptions.command(run) }

  private static func run(_ options: AskOptions, _ console: Console) throws -> ExitCode {
    guard let phone = options.phone else {
      throw UsageError.missingArgument("--phone ID", of: "flotilla ask")
    }
    guard let address = Endpoint(options.target) else {
      throw UsageError.badValue(
        option: "HOST:PORT", value: options.target,
        wanted: "HOST:PORT, such as 127.0.0.1:7070 or [::1]:7070")
    }
    let token = try options.tokenFile.map(CollectCommand.token)
    let tls = try options.tls.client(of: "flotilla ask")
    let question = AskRequest(
      phone: phone, deadline: options.deadline, accuracyLimit: options.accuracy)
    let interruption = Interruption(console, announce: { _ in })
    let reply = try question.ask(
      address, token: token, tls: tls,
      shouldStop: { interruption.isRequested })
    guard let reply else { return .interrupted }
    if options.isJSON {
      console.line(try AskJSON(question, reply).jsonText(isPretty: true))
    } else {
      for line in AskText(question, reply).lines { console.line(line) }
    }
    return reply.outcome == .answered ? .pass : .missed
  }
}

/// The times of a reply, in seconds.
private struct AskParts: Encodable {
  /// The time from the request to the provider's answer to the push, a part of `fix`.
  let provider: Double?
  /// The time from the request to the fix's timestamp.
  var fix: Double?
  /// The time from the fix to the arrival of its upload.
  var upload: Double?
  /// The time from the arrival to durable storage and the reply.
  var store: Double?
  let took: Double
  /// The age of the position at the reply; nil without a position.
  let age: Double?

  private enum CodingKeys: String, CodingKey { case provider, fix, upload, store }

  init(_ reply: AskReply) {
    provider = reply.providerAfter?.seconds
    took = reply.endedAfter.seconds
    age = reply.position.map { (reply.askedAt + reply.endedAfter - $0.time.instant).seconds }
    guard let position = reply.position, let arrived = reply.arrivedAfter else { return }
    let taken = position.time.instant - reply.askedAt
    fix = taken.seconds
    upload = (arrived - taken).seconds
    if reply.outcome == .answered { store = (reply.endedAfter - arrived).seconds }
  }
}

private struct AskText {
  let question: AskRequest
  let reply: AskReply
  private let parts: AskParts

  init(_ question: AskRequest, _ reply: AskReply) {
    self.question = question
    self.reply = reply
    parts = AskParts(reply)
  }

  var lines: [String] {
    let phone = "Phone \(question.phone.rawValue)"
    let limit = ArgumentText.text(question.deadline)
    guard reply.outcome == .answered, let position = reply.position else {
      var lines = ["\(phone) gave no position: \(Self.why(reply, within: limit))"]
      if let held {
        lines.append("The \(reply.outcome == .onlyCoarse ? "best" : "newest") fix is \(held).")
      }
      return lines
    }
    return ["\(phone) is at \(Self.place(position)), taken \(span(parts.age)) ago."]
      + [
        ("took", parts.took, "of at most \(limit)"),
        ("push", parts.provider, "until the provider accepted it"),
        ("fix", parts.fix, "until the phone took the fix"),
        ("upload", parts.upload, "from the fix to the collector"),
        ("store", parts.store, "until it was durable"),
      ].compactMap { name, seconds, what in
        seconds.map {
          "  \(name.padding(toLength: 8, withPad: " ", startingAt: 0))\(span($0)) \(what)"
        }
      }
  }

  private var held: String? {
    reply.position.map { "\(Self.place($0)), \(span(parts.age)) old" }
  }

  private static func place(_ position: AskReply.Position) -> String {
    let place = String(
      format: "%.6f, %.6f", position.coordinate.latitude, position.coordinate.longitude)
    return position.accuracyMeters.map { "\(place) ± \($0) m" } ?? place
  }

  private func span(_ seconds: Double?) -> String {
    guard let seconds else { return "?" }
    if seconds < 120 { return String(format: "%.1f s", seconds) }
    let minutes = Int(seconds / 60)
    return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }

  static func why(_ reply: AskReply, within limit: String) -> String {
    switch reply.outcome {
    case .answered: "it did."
    case .unknown: "the phone never registered; no push was sent."
    case .noPermission: "its app lacks Always permission; no push was sent."
    case .noToken: "it has no valid push token; no push was sent."
    case .noProvider: "no push provider is connected to the collector."
    case .refused: "the provider rejected the push with status \(reply.pushStatus ?? 0)."
    case .silent:
      """
      no fix arrived within \(limit). The phone is asleep, off or offline, or the push did not \
      wake its app; a server cannot distinguish these cases.
      """
    case .onlyOlder: "every fix that arrived within \(limit) is older than the request."
    case .onlyCoarse: "every fix taken within \(limit) is too inaccurate."
    }
  }
}

private struct AskJSON: Encodable {
  struct Position: Encodable {
    let latitude: Double
    let longitude: Double
    let accuracyMeters: Int?
    let takenAt: String
    let ageSeconds: Double
  }
  let phone: UInt32
  let outcome: String
  let answered: Bool
  let why: String?
  let askedAt: String
  let deadlineSeconds: Double
  let tookSeconds: Double
  let pushStatus: UInt32?
  let position: Position?
  let parts: AskParts

  init(_ question: AskRequest, _ reply: AskReply) {
    let times = AskParts(reply)
    parts = times
    phone = question.phone.rawValue
    outcome = "\(reply.outcome)"
    answered = reply.outcome == .answered
    why =
      answered ? nil : AskText.why(reply, within: ArgumentText.text(question.deadline))
    askedAt = AuditTable.text(reply.askedAt)
    deadlineSeconds = question.deadline.seconds
    tookSeconds = times.took
    pushStatus = reply.pushStatus
    position = reply.position.map { position in
      Position(
        latitude: position.coordinate.latitude, longitude: position.coordinate.longitude,
        accuracyMeters: position.accuracyMeters.map { Int($0) },
        takenAt: AuditTable.text(position.time.instant), ageSeconds: times.age ?? 0)
    }
  }
}
