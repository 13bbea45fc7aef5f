internal import Core
package import Figures
internal import Foundation

/// The page of a run that goes on, or of a collector: tiles and time line of the report, kept up to
/// date by events (`live.js`).
package struct LivePage: Sendable {
  private let first: Snapshot
  private let utcOffsetSeconds: Double

  /// - Parameter first: Before anything is known.
  /// - Parameter utcOffsetSeconds: Of the clock that the time line shows.
  package init(_ first: Snapshot, utcOffsetSeconds: Double) {
    self.first = first
    self.utcOffsetSeconds = utcOffsetSeconds
  }

  package func html(_ libraries: PageLibraries) -> String {
    let charts = Page(libraries: libraries).charts
    let note: HTML =
      charts == nil
      ? """
      <p class="note">No charts: dygraphs was not found on the machine of this run; make deps \
      installs it.</p>

      """
      : """
      <p class="note">Drag to zoom, double-click to show all; arrow keys move the cursor, + and − \
      zoom.</p>

      """
    let main: HTML = """
      <header id="answers">
      <h1><span id="name">\(first.name)</span> <strong class="badge open" id="standing" \
      role="status">starting</strong></h1>
      <p class="question" id="detail">\(first.detail)</p>
      <p class="answer" id="reason"></p>
      <p id="now"></p>
      <progress id="share" max="1" hidden></progress>
      <p class="note" id="link" role="status">Connecting …</p>
      <p id="ended" hidden></p>
      <ul class="tiles" id="tiles"></ul>
      </header>
      <section id="time">
      <h2>Time line</h2>
      <div class="panels" id="panels"></div>
      \(note)</section>
      <section id="notes" hidden>
      <h2>Log</h2>
      <ul></ul>
      </section>
      \(ChartData.script(setup, id: "live"))
      """
    let own = Page.script(PageLibraries.live)
    let head: HTML = (charts?.head ?? "") + HTML(trusted: Self.rules)
    return document(
      title: "\(first.name): live", (head, (charts?.scripts ?? "") + own), connects: true, main)
  }

  private var setup: JSONValue {
    let panels: [TimePanel] =
      first.source == .collect
      ? [.throughput(unit: "batches/s"), latencySoFar, .connections, .freshSoFar, .pushes]
      : [.throughput(unit: "batches/s"), .latency, .inFlight, .freshSoFar, .pushes]
    return .object([
      "columns": .array(
        TimelineRow.header.split(separator: ",").map { .string(String($0)) }),
      "utcOffset": .number(utcOffsetSeconds), "panels": .array(panels.map(\.json)),
    ])
  }

  private var latencySoFar: TimePanel {
    var panel = TimePanel.latency
    panel.title = "Ingest time of all batches so far"
    panel.unit = "ingest so far"
    return panel
  }

  private static let rules = """
    .badge.open { background: var(--grey); }
    #share { width: 100%; height: 6px; accent-color: var(--blue); }
    #now { color: var(--quiet); margin: 0; font-variant-numeric: tabular-nums; }
    #notes ul { padding-left: 20px; overflow-wrap: anywhere; }

    """

  // MARK: Events

  /// The newest state, as one line of JSON.
  /// - Parameter notes: Lines of the log, the newest last.
  package static func state(_ snapshot: Snapshot, notes: [String] = []) -> String {
    let (progress, outlook) = (snapshot.progress, snapshot.outlook)
    var parts = [progress.phase]
    if !progress.scenarioTime.isEmpty { parts.append(progress.scenarioTime) }
    parts.append("\(Panel.duration(progress.elapsedSeconds)) elapsed")
    if let left = progress.leftSeconds { parts.append("\(Panel.duration(left)) left") }
    return line([
      "name": .string(snapshot.name), "detail": .string(snapshot.detail),
      "now": .string(parts.filter { !$0.isEmpty }.joined(separator: " · ")),
      "share": progress.share.map(ChartData.number) ?? .null,
      "standing": .string(outlook.standing.rawValue), "tone": .string(tone(outlook.standing)),
      "reason": .string(outlook.reason.prefix(1).uppercased() + outlook.reason.dropFirst()),
      "notes": .array(notes.map { .string($0) }),
      "tiles": .array(
        LiveHeadlines(snapshot).all.map { tile($0, outlook.levels) }),
    ])
  }

  /// The end, as one line of JSON.
  /// - Parameter report: The page of the report; nil if there is none.
  package static func end(_ words: String, verdict: Verdict?, report: String?) -> String {
    line([
      "words": .string(words),
      "standing": verdict.map { .string($0.rawValue.replacing("-", with: " ")) } ?? .null,
      "tone": .string(verdict == .pass ? "pass" : "bad"),
      "report": report.map { .string($0) } ?? .null,
    ])
  }

  private static func tone(_ standing: Outlook.Standing) -> String {
    switch standing.tone {
    case .good: "pass"
    case .warning, .bad: "bad"
    case _: "open"
    }
  }

  private static func tile(_ headline: Headline, _ levels: [ServiceLevelResult]) -> JSONValue {
    let level = headline.level.map { levels[$0] }
    return .object([
      "id": .string(headline.id), "title": .string(headline.title),
      "value": .string(headline.value.text),
      "note": headline.note.map { .string($0.text) } ?? .null,
      "column": headline.column.map { .string($0) } ?? .null,
      "level": level.map { level in
        .object([
          "bound": .string(level.bound),
          "met": level.actual == nil ? .null : .bool(level.pass),
        ])
      } ?? .null,
    ])
  }

  private static func line(_ members: [String: JSONValue]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers are finite and keys are strings; JSON has no line break outside of strings, and
    // escapes those inside.
    return (try? encoder.encode(JSONValue.object(members)))
      .map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
