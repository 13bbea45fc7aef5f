package import Core
internal import Fleet
internal import Foundation
internal import Phone
internal import Push
internal import Scenarios

extension PhoneStory {
  /// Describes the course of a request for one position, gate by gate.
  package func requestLines(at asked: SimInstant, within deadline: SimDuration) -> [String] {
    let course = RequestCourse(self, asked, within: deadline)
    let limit = ArgumentText.text(deadline)
    return [
      introduction,
      "Asked at \(ClockText.text(asked, scenario.clock)) for a position within \(limit).",
    ]
      + course.lines + [course.verdict]
  }
}

struct RequestCourse {
  struct Answer {
    var fix: Fix
    var offMeters: Double
    var storedAt: SimInstant
  }

  private let story: PhoneStory
  private let asked: SimInstant
  private let deadline: SimDuration
  private let steps: [(at: SimInstant, step: RequestStep)]
  /// The first accurate enough position at the server; nil if there was none before the run's end.
  let answer: Answer?

  init(_ story: PhoneStory, _ asked: SimInstant, within deadline: SimDuration) {
    self.story = story
    self.asked = asked
    self.deadline = deadline
    steps = story.requestSteps.filter { $0.at >= asked }
    answer = Self.answer(story, asked)
  }

  private static func answer(_ story: PhoneStory, _ asked: SimInstant) -> Answer? {
    let limit = story.scenario.push.accuracyLimit.meters
    var kept: [(fix: Fix, off: Double)] = []
    for (at, what) in story.entries where at >= asked {
      if case .fix(let fix, _, let off, isKept: true) = what, fix.time.instant > asked,
        Double(fix.accuracyMeters) <= limit
      {
        kept.append((fix, off))
      }
      if case .stored(let newest) = what,
        let best = kept.last(where: { $0.fix.time <= FixTime(newest) })
      {
        return Answer(fix: best.fix, offMeters: best.off, storedAt: at)
      }
    }
    return nil
  }

  // MARK: Lines

  /// The steps of the push and, from the wake on, the app's events, as lines in order of time.
  var lines: [String] {
    var all: [(at: SimInstant, rank: Int, text: String)] = []
    for (at, step) in steps {
      let line = text(step)
      all.append((at, line.who == "end" ? 2 : 0, Self.row(line)))
    }
    all += entries.map { ($0.at, 1, $0.text) }
    let ordered = all.enumerated().sorted {
      ($0.element.at, $0.element.rank, $0.offset) < ($1.element.at, $1.element.rank, $1.offset)
    }
    return ordered.map { _, line in
      "\(story.time(line.at))  \(Self.offset(line.at - asked))  \(line.text)"
    }
  }

  /// The phone's events, from the wake or the answering fix to the end of the request. Consecutive
  /// dropped fixes share one line.
  private var entries: [(at: SimInstant, text: String)] {
    guard let from = wokeAt ?? answer?.fix.time.instant else { return [] }
    let until = answer?.storedAt ?? endedAt ?? asked + deadline
    var all: [(at: SimInstant, text: String)] = []
    var dropped: [SimInstant] = []
    func flush() {
      guard let first = dropped.first else { return }
      let count = dropped.count == 1 ? "1 fix" : "\(dropped.count) fixes"
      all.append((first, Self.row(("fix", "\(count), dropped by the filter"))))
      dropped = []
    }
    for (place, (at, what)) in story.entries.enumerated() where at >= from && at <= until {
      if case .fix(_, _, offMeters: _, isKept: false) = what {
        dropped.append(at)
      } else if let line = story.line(what, story.trace.sources[place]) {
        flush()
        all.append((at, Self.row(line)))
      }
    }
    flush()
    return all
  }

  private static func row(_ line: (who: String, what: String)) -> String {
    line.who.padding(toLength: 10, withPad: " ", startingAt: 0) + line.what
  }

  private static func offset(_ time: SimDuration) -> String {
    let text = "+" + span(time)
    return String(repeating: " ", count: max(0, 11 - text.count)) + text
  }

  private static func span(_ time: SimDuration) -> String {
    time < .minutes(2) ? String(format: "%.1f s", time.seconds) : PhoneStory.text(time)
  }

  private func text(_ step: RequestStep) -> (who: String, what: String) {
    switch step {
    case .serverDown: ("server", "is down in the scenario, sends no push")
    case .unreachable: ("server", "sends no push: \(Self.sentence(step))")
    case .asked: ("server", "pushes the phone")
    case .refused(let status): ("provider", "refuses the push with \(status)")
    case .onItsWay: ("provider", "accepts and forwards the push")
    case .kept(let gate): ("provider", "stores the push, the phone \(Self.sentence(gate))")
    case .arrived: ("phone", "the push arrives")
    case .phone(let step): ("gates", Self.text(step))
    case .ended(let outcome): ("end", "of the push: \(outcome.rawValue)")
    }
  }

  private static func text(_ step: Device.PushStep) -> String {
    switch step {
    case .passed: "no gate of the phone stops it"
    case .released: "the gate that held it opens"
    case .stopped(let gate): "\(name(gate)) stops it"
    case .stored(let gate): "\(name(gate)) holds it"
    case .discarded: "it is discarded: the app was force-quit, or opened by its owner"
    case .withoutPermission: "the app may not use location in the background"
    case .wakesNobody: "it wakes no app: only an app in the foreground would get it"
    case .woke: "the app runs for it"
    case .failed(isSwitchedOff: true): "the phone is switched off"
    case .failed(isSwitchedOff: false): "the app does not start"
    case .shown: "it is shown to the phone's owner"
    }
  }

  private static func name(_ gate: PushGate) -> String {
    switch gate {
    case .open: "no gate"
    case .forceQuit: "force-quit"
    case .lowPower: "Low Power Mode"
    case .refreshOff: "Background App Refresh being off"
    case .throttled: "the phone's budget for background pushes"
    case .alertOnly: "the missing content-available"
    case .beforeFirstUnlock: "a phone not unlocked since its start"
    case .stopped: "the app being stopped until it is opened"
    case .doze: "Doze, in which no job runs,"
    }
  }

  private static func sentence(_ gate: StorageGate) -> String {
    switch gate {
    case .switchedOff, .offline: "is unreachable"
    case .restricted: "saves power"
    case .doze: "dozes"
    case .bucketQuota: "dozes and has had its pushes of high priority"
    case .deprioritized: "dozes and treats the push as a normal one"
    }
  }

  // MARK: The end

  private func first(_ isMeant: (RequestStep) -> Bool) -> SimInstant? {
    steps.first { isMeant($0.step) }?.at
  }

  private var wokeAt: SimInstant? { first { $0 == .phone(.woke) } }

  private var endedAt: SimInstant? {
    first { step in
      if case .ended = step { return true }
      return false
    }
  }

  /// A sentence on whether the position came in time, with the parts of its delay or the cause.
  var verdict: String {
    let limit = ArgumentText.text(deadline)
    guard let answer else { return "No position within \(limit): \(cause)." }
    let wait = answer.storedAt - asked
    let age = Self.span(answer.storedAt - answer.fix.time.instant)
    let position =
      "a position \(age) old, ± \(answer.fix.accuracyMeters) m and "
      + "\(Int(answer.offMeters.rounded())) m off"
    guard wait <= deadline else {
      return "No position within \(limit): \(cause). After \(Self.span(wait)): \(position)."
    }
    return "Answered after \(Self.span(wait)) with \(position)\(parts(answer))."
  }

  private func parts(_ answer: Answer) -> String {
    let taken = answer.fix.time.instant
    guard let arrivedAt = first({ $0 == .arrived }), let wokeAt, wokeAt <= taken else {
      return "; the phone reported on its schedule, not because of the push"
    }
    let parts = [
      ("way", arrivedAt - asked), ("gates", wokeAt - arrivedAt), ("fix", taken - wokeAt),
      ("upload", answer.storedAt - taken),
    ]
    return ": " + parts.map { "\($0.0) \(Self.span($0.1))" }.joined(separator: ", ")
  }

  private var cause: String {
    let before = steps.filter { $0.at <= asked + deadline }
    guard let last = before.last?.step else { return "the run was over" }
    guard last == .phone(.woke) else { return Self.sentence(last) }
    let hasFix = (answer?.fix.time.instant ?? .distantFuture) <= asked + deadline
    return hasFix
      ? "its fix had not reached the server yet" : "the app ran and had no fix good enough yet"
  }

  private static func sentence(_ last: RequestStep) -> String {
    switch last {
    case .serverDown: "the server was down in the scenario"
    case .unreachable(_, tokenIsValid: false): "the server has no valid push token for it"
    case .unreachable(.notDetermined, tokenIsValid: true):
      "the server has no location permission on record for it"
    case .unreachable: "its app has no Always permission, as the server knows"
    case .asked: "the provider dropped the push: its token is inactive"
    case .refused(let status): "the provider refused the push with \(status)"
    case .onItsWay: "the push was still on its way"
    case .kept(let gate): "the provider stored the push, as the phone \(sentence(gate))"
    case .arrived: "the push had just arrived"
    case .phone(let step): text(step)
    case .ended(let outcome): "the push ended as \(outcome.rawValue)"
    }
  }
}
