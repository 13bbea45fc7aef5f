internal import Core

extension Scenario {
  /// The scenario as YAML with defaults and policies. Reading the text gives an equal scenario.
  package var text: String { text(withSources: false) }

  package func text(withSources: Bool) -> String {
    var text = ""
    let writer = YAMLText(withNotes: withSources)
    writer.write(shown, indent: 0, into: &text)
    return text
  }

  /// The scenario's values, with only those run settings that differ from their defaults.
  private var shown: Shown {
    var plain = self
    plain.run = RunSettings()
    return .map(
      ScenarioSchema.scenario.fields.compactMap { field in
        let shown = field.show(self, self)
        guard RunSchema.names.contains(field.name) else { return (field.name, shown) }
        return shown.differing(from: field.show(plain, self)).map { (field.name, $0) }
      })
  }

  /// A hash for caches and records, the same on every machine, since no recording's path counts.
  package var hash: UInt64 {
    var hash = StableHash(of: withoutPaths.text)
    for recording in recordings { hash.combine(recording.digest) }
    return hash.value
  }

  /// The scenario without run settings and paths of files.
  private var withoutPaths: Scenario {
    var copy = self
    copy.run = RunSettings()
    for i in fleet.cohorts.indices {
      guard case .recorded(var replay) = fleet.cohorts[i].mobility else { continue }
      replay.gpx = replay.recordings.map { "recording \($0)" }
      copy.fleet.cohorts[i].mobility = .recorded(replay)
    }
    return copy
  }

  package func text(ofPolicy number: Int) -> String {
    var text = ""
    YAMLText(withNotes: false).write(
      PolicySchema.policy.show(policies[number], self), indent: 0, into: &text)
    return text
  }

  /// Sentences about valid settings that are probably unintended.
  package var remarks: [String] {
    var remarks = shortened.map { ["\($0.sentence)."] } ?? []
    for (index, fault) in faults.enumerated() where !(start..<measureEnd).contains(fault.at) {
      remarks.append(
        "faults[\(index)] at \(CivilText.text(fault.at, clock)) is outside the run, which lasts "
          + "from \(CivilText.text(start, clock)) to \(CivilText.text(measureEnd, clock)); "
          + "it never happens.")
    }
    for (index, rollout) in rollouts.enumerated() where rollout.at >= measureEnd {
      remarks.append(
        "rollouts[\(index)] at \(CivilText.text(rollout.at, clock)) is after the end of the run; "
          + "no phone receives it.")
    }
    if let event = city.event,
      event.until + event.departures < start - warmStart || event.from > measureEnd
    {
      remarks.append("city.event is outside the simulated time; nobody attends it.")
    }
    for cohort in fleet.cohorts { remarks += recordingRemarks(cohort) }
    for (index, policy) in policies.enumerated() {
      var systems: [Named<OSProfile>] = []
      for (number, cohort) in fleet.cohorts.enumerated() where hasPolicy(index, cohort: number) {
        if !systems.contains(where: { $0.name == cohort.os.name }) { systems.append(cohort.os) }
      }
      let all = policy.remarks(on: systems) + policy.settings.androidRemarks(systems)
      remarks += all.map { "policy '\(policy.name)': \($0)" }
    }
    return remarks
  }

  private func recordingRemarks(_ cohort: Cohort) -> [String] {
    guard case .recorded(let replay) = cohort.mobility else { return [] }
    var remarks: [String] = []
    let phones = Int((cohort.share * Double(fleet.phones)).rounded())
    if phones < replay.recordings.count {
      remarks.append(
        "cohort '\(cohort.name)' has \(phones) phones for \(replay.recordings.count) recordings; "
          + "the last \(replay.recordings.count - phones) are not replayed.")
    }
    for recording in replay.recordings.prefix(phones).map({ recordings[$0] }) {
      let shift = replay.shift(of: recording, start: start, clock: clock)
      let first = recording.points[0].time + shift
      let last = recording.points[recording.points.count - 1].time + shift
      if first < start - warmStart || last > measureEnd {
        remarks.append(
          "\(RecordingFiles.shown(recording.path)) is replayed from "
            + "\(CivilText.text(first, clock)) to \(CivilText.text(last, clock)), "
            + "not all of it simulated.")
      }
    }
    return remarks
  }
}

struct YAMLText {
  let withNotes: Bool

  func write(_ shown: Shown, indent: Int, into text: inout String) {
    let margin = String(repeating: "  ", count: indent)
    switch shown {
    case .scalar(let value): text += "\(margin)\(Self.quoted(value))\n"
    case .noted(let value, _): write(value, indent: indent, into: &text)
    case .map(let entries):
      for (key, value) in entries {
        text += "\(margin)\(key):"
        writeValue(value, indent: indent + 1, into: &text)
      }
    case .list(let items):
      for item in items {
        var inner = ""
        write(item, indent: indent + 1, into: &inner)
        // The dash takes two columns of the first line's indentation.
        text += "\(margin)- \(inner.dropFirst(2 * (indent + 1)))"
      }
    }
  }

  private func writeValue(_ shown: Shown, indent: Int, into text: inout String) {
    switch shown {
    case .scalar(let value): text += " \(Self.quoted(value))\n"
    case .noted(let value, let note):
      writeValue(value, indent: indent, into: &text)
      if withNotes {
        text.removeLast()
        text += "  # \(note.text)\n"
      }
    case .map, .list:
      if let line = Self.oneLine(shown) {
        text += " \(line)\n"
      } else {
        text += "\n"
        write(shown, indent: indent, into: &text)
      }
    }
  }

  private static func oneLine(_ shown: Shown) -> String? {
    switch shown {
    case .scalar(let value): return quoted(value)
    case .noted(let value, _): return oneLine(value)
    case .map(let entries): return entries.isEmpty ? "{}" : nil
    case .list(let items):
      let words = items.compactMap { $0.scalar.map(quoted) }
      return words.count == items.count ? "[\(words.joined(separator: ", "))]" : nil
    }
  }

  private static func quoted(_ value: String) -> String {
    let isPlain =
      value.first.map { $0.isLetter || $0.isNumber || "+-".contains($0) } ?? false
    let unsafe = value.contains {
      !($0.isASCII && ($0.isLetter || $0.isNumber || "+-_.:/%*()".contains($0)))
    }
    if isPlain, !unsafe, value != "-", !value.hasSuffix(":") { return value }
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      default:
        if needsEscape(scalar) {
          let digits = String(scalar.value, radix: 16)
          text += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text + "\""
  }

  /// Returns whether a scalar is a control or line break, or one that libyaml refuses or changes.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }
}
