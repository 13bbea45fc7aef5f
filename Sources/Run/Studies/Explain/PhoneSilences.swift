internal import Core
internal import Figures
internal import Fleet
internal import Phone
internal import Scenarios

struct PhoneSilence {
  var from: SimInstant
  var to: SimInstant
  var causes = StaleLedger()
  var wakes = 0
  var kept = 0
  var dropped = 0
  var pushes: [WakeOutcome: Int] = [:]
  var moved = SimDuration.zero

  var length: SimDuration { to - from }
  var mainCause: StaleCause {
    StaleCause.allCases.max { causes[$0] < causes[$1] } ?? .policySilent
  }
}

extension PhoneStory {
  package func silenceLines(count: Int) -> [String] {
    let longest = silences.sorted { ($1.length, $0.from) < ($0.length, $1.from) }.prefix(count)
    guard !longest.isEmpty else { return ["The server never went without a report."] }
    var lines = ["The longest silences, from one report at the server to the next:"]
    for silence in longest {
      let from = ClockText.text(silence.from, scenario.clock)
      lines.append(
        "\(from) to \(time(silence.to)), \(Self.text(silence.length)): \(why(silence))")
      lines.append("    Meanwhile: \(Self.facts(silence)).")
    }
    return lines
  }

  var silences: [PhoneSilence] {
    var all: [PhoneSilence] = []
    var open = PhoneSilence(from: begin, to: begin)
    var cause = StaleCause.policySilent
    var isMoving = false
    var mark = begin
    func pass(to at: SimInstant) {
      open.causes.add(at - mark, cause)
      if isMoving { open.moved += at - mark }
      mark = at
    }
    for (at, what) in entries where at <= end {
      pass(to: at)
      switch what {
      case .stored:
        open.to = at
        all.append(open)
        open = PhoneSilence(from: at, to: at)
      case .cause(let next): cause = next
      case .truth(let segment, wifi: _): isMoving = segment.isMoving
      case .fix(_, _, offMeters: _, isKept: let isKept):
        if isKept { open.kept += 1 } else { open.dropped += 1 }
      case .process(.background): open.wakes += 1
      case .pushEnded(let outcome): open.pushes[outcome, default: 0] += 1
      case .process, .authorized, .crashed, .delivered, .command, .outbox, .pushRequested, .edge,
        .live, .region, .consent:
        break
      }
    }
    pass(to: end)
    open.to = end
    all.append(open)
    return all.filter { $0.length > .zero }
  }

  private func why(_ silence: PhoneSilence) -> String {
    let parts = StaleCause.allCases.filter { silence.causes[$0] > .zero }
    let (cause, own) = (silence.mainCause, silence.mainCause.words(on: system))
    let sentence = own == cause.words ? Self.sentence(cause) : own
    guard parts.count > 1 else { return sentence }
    let shares = parts.sorted { silence.causes[$1] < silence.causes[$0] }
      .map { "\($0.rawValue) \(Self.text(silence.causes[$0]))" }
    return "\(sentence) (\(shares.joined(separator: ", ")))"
  }

  private static func sentence(_ cause: StaleCause) -> String {
    switch cause {
    case .switchedOff: "the phone was switched off"
    case .batteryEmpty: "the phone's battery was empty"
    case .beforeFirstUnlock: "the phone had restarted and was not unlocked since"
    case .noPermission:
      "the app has no Always permission, or no answer to the second prompt, and was not opened"
    case .preciseOff: "precise location is off, so no region exit was reported"
    case .forceQuit: "its owner had force-quit the app"
    case .endedForMemory: "the phone needed memory and ended the app, and nothing started it again"
    case .reinstalled: "its owner had reinstalled the app and not opened it yet"
    case .updated: "a new version of the app was installed, and nothing started it again"
    case .policySilent: "nothing triggered a report by the policy"
    case .noPosition: "the location service was on, and the phone found no position"
    case .waitingForWifi: "fixes waited for Wi-Fi"
    case .inOutbox: "fixes waited in the outbox"
    case .offline: "the phone had no data path"
    case .pushGate: "a push was stopped at the phone's gates"
    case .server: "the server did not accept the upload"
    }
  }

  private static func facts(_ silence: PhoneSilence) -> String {
    var facts = [
      silence.moved > .zero ? "\(text(silence.moved)) on the way" : "the person stayed",
      "\(silence.wakes) wake\(silence.wakes == 1 ? "" : "s")",
      "\(silence.kept) fix\(silence.kept == 1 ? "" : "es") kept, \(silence.dropped) dropped",
    ]
    let pushes = silence.pushes.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\($0.value) \($0.key.rawValue)" }
    facts.append(pushes.isEmpty ? "no push" : "pushes: \(pushes.joined(separator: ", "))")
    return facts.joined(separator: "; ")
  }
}
