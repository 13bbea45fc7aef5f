internal import Core
internal import Figures

enum RunDifference {
  /// The greatest number of differing settings to list; further settings are only counted.
  private static let settingsMax = 6

  static func sentences(_ a: RunRecord, _ b: RunRecord) -> [String] {
    var sentences: [String] = []
    func note(_ name: String, _ first: String, _ second: String) {
      if first != second { sentences.append("\(name): \(first) → \(second)") }
    }
    note("kind", kind(a), kind(b))
    note("scenario", a.scenario.name, b.scenario.name)
    note("phones", Figure.grouped(a.scenario.phones), Figure.grouped(b.scenario.phones))
    note("speed", Figure.plain(a.scenario.speed), Figure.plain(b.scenario.speed))
    note("seed", "\(a.seed)", "\(b.seed)")
    note(
      "duration", "\(Figure.plain(a.scenario.durationSeconds / 60)) min",
      "\(Figure.plain(b.scenario.durationSeconds / 60)) min")
    note("program", a.tool.version, b.tool.version)
    note("machine", machine(a), machine(b))
    return sentences + settings(a.scenario.text, b.scenario.text)
  }

  private static func kind(_ record: RunRecord) -> String {
    if PlanWords.isPlan(record) { return record.capacity == nil ? "demand" : "plan" }
    return record.latency.attempt.count > 0 ? "load" : "simulation"
  }

  private static func machine(_ record: RunRecord) -> String {
    "\(record.machine.host), \(record.machine.cores) cores"
  }

  // MARK: Settings

  private static let shown: Set = [
    "scenario", "question", "seed", "speed", "duration", "fleet.phones",
  ]

  static func settings(_ a: String, _ b: String) -> [String] {
    let (first, second) = (paths(a), paths(b))
    let (before, now) = (
      Dictionary(first, uniquingKeysWith: { a, _ in a }),
      Dictionary(second, uniquingKeysWith: { a, _ in a })
    )
    var found = first.compactMap { path, value in
      now[path].flatMap { $0 == value ? nil : "\(path): \(value) → \($0)" }
    }
    if found.count > settingsMax {
      let more = found.count - settingsMax
      found = found.prefix(settingsMax) + ["\(more) more settings"]
    }
    return found + alone(first, without: now, "first") + alone(second, without: before, "second")
  }

  /// Returns lines on the settings that only one run has, counted by block, such as a policy.
  private static func alone(
    _ paths: [(String, String)], without others: [String: String], _ which: String
  ) -> [String] {
    var counts: [(block: String, count: Int)] = []
    for (path, _) in paths where others[path] == nil {
      let block = path.split(separator: ".").prefix(2).joined(separator: ".")
      if counts.last?.block == block {
        counts[counts.count - 1].count += 1
      } else {
        counts.append((block, 1))
      }
    }
    return counts.map { block, count in
      "\(block): \(count) \(count == 1 ? "setting" : "settings") only in the \(which)"
    }
  }

  /// Returns the settings in a scenario's text, by path such as "fleet.cohorts.commuters.policy".
  static func paths(_ text: String) -> [(String, String)] {
    var found: [(String, String)] = []
    var open: [(indent: Int, name: String)] = []
    var items: [String: Int] = [:]
    for line in text.split(separator: "\n") {
      var indent = line.prefix { $0 == " " }.count
      var body = line.dropFirst(indent)
      while let last = open.last, last.indent >= indent { open.removeLast() }
      if body.hasPrefix("- ") {
        body = body.dropFirst(2)
        let list = open.map(\.name).joined(separator: ".")
        let number = items[list, default: 0]
        items[list] = number + 1
        // Identifies items by name, if they have one, and otherwise by number.
        open.append((indent, body.hasPrefix("name: ") ? String(body.dropFirst(6)) : "\(number)"))
        indent += 2
      }
      guard let colon = body.firstIndex(of: ":") else { continue }
      let name = String(body[..<colon])
      let value = body[body.index(after: colon)...].drop { $0 == " " }
      if value.isEmpty {
        open.append((indent, name))
      } else {
        let path = (open.map(\.name) + [name]).joined(separator: ".")
        if !shown.contains(path) { found.append((path, String(value))) }
      }
    }
    return found
  }
}
