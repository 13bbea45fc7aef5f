internal import Core
package import Figures

/// The live page of a run, a replay or a collector, which `live.js` keeps up to date.
package struct LivePage: Sendable {
  /// The snapshot that the page shows when it opens.
  package let first: Snapshot
  private let utcOffsetSeconds: Double
  private let outages: [StormFigures]
  private let hasMap: Bool

  /// - Parameter utcOffsetSeconds: The UTC offset of the time line's clock.
  /// - Parameter outages: The outages to mark on the time line, future ones included.
  /// - Parameter hasMap: Whether the page receives the places of phones.
  package init(
    _ first: Snapshot, utcOffsetSeconds: Double = 0, outages: [StormFigures] = [],
    hasMap: Bool = false
  ) {
    self.first = first
    self.utcOffsetSeconds = utcOffsetSeconds
    self.outages = outages
    self.hasMap = hasMap
  }

  package func html(_ libraries: PageLibraries) -> String {
    let note: HTML =
      libraries.dygraphs == nil
      ? """
      <p class="note">No charts: dygraphs was not found on the machine of this run; make deps \
      installs it.</p>

      """
      : Page.zoomHint
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
      \(TimePanel.note(on: outages) { clock($0) })\(note)</section>
      \(hasMap ? map(libraries) : "")<section id="notes" hidden>
      <h2>Log</h2>
      <ul></ul>
      </section>
      \(ChartData.script(setup, id: "live"))
      """
    let parts = Page(libraries: libraries).live(hasMap: hasMap)
    return document(
      title: "\(first.name): live",
      (parts.head + HTML(trusted: Self.rules), parts.scripts + Page.script(PageLibraries.live)),
      connects: true, main)
  }

  private func clock(_ seconds: Double) -> String {
    Snapshot.Progress.timeOfDay(seconds + utcOffsetSeconds)
  }

  private func map(_ libraries: PageLibraries) -> HTML {
    let body: HTML =
      libraries.leaflet == nil
      ? """
      <p class="note">The map is missing: Leaflet was not found on the machine of this run; make \
      deps installs it.</p>
      """
      : """
      <p id="places-words">The map begins with the live part of the run.</p>
      <div class="places" hidden></div>
      <p class="note">\(PlaceData.key(minutes: "<span id=\"fresh-minutes\">…</span>")) An \
      outline marks the phones whose day so far can be shown.</p>
      """
    return """
      <section id="places">
      <h2>Map</h2>
      \(body)
      </section>

      """
  }

  private var setup: JSONValue {
    .object([
      "columns": .array(
        TimelineRow.header.split(separator: ",").map { .string(String($0)) }),
      "utcOffset": .number(utcOffsetSeconds), "panels": .array(panels.map(\.json)),
      "isRecorded": .bool(isRecorded),
      "outages": .array(
        outages.map {
          .array([.number($0.beginsAt), .number($0.endsAt), .string($0.title)])
        }),
    ])
  }

  private var isRecorded: Bool { first.outlook.standing == .recorded }

  private var panels: [TimePanel] {
    if first.source == .collect {
      return [
        .throughput(unit: "batches/s"), latencySoFar, .connections, .freshSoFar, .pushes,
      ]
    }
    let unit = first.source == .load ? "batches/s" : "batches per simulated second"
    let fresh = isRecorded ? TimePanel.fresh : .freshSoFar
    return [.throughput(unit: unit), .latency, .inFlight, fresh, .pushes]
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
    #places [hidden] { display: none; }
    #notes ul { padding-left: 20px; overflow-wrap: anywhere; }

    """

  // MARK: Events

  /// Returns a state as one line of JSON. The last of `notes` is the newest.
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
        LiveHeadlines(snapshot).all.map { tile($0, snapshot) }),
    ])
  }

  /// Returns the places of phones at the first instant, as one line of JSON.
  package static func map(_ sample: PhoneSample) -> String {
    // Leaves midnight at 0, since `live.js` subtracts the midnight of its charts.
    line(PlaceData(sample, midnight: 0))
  }

  /// Returns the phones that changed since the previous frame, as one line of JSON.
  package static func map(_ frame: PhoneFrame) -> String { line(frame) }

  /// Returns a phone's day, as one line of JSON.
  package static func day(_ day: PhoneSample.Day) -> String { line(day) }

  /// Returns the end of the run as one line of JSON, with the report's page if there is one.
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

  private static func tile(_ headline: Headline, _ snapshot: Snapshot) -> JSONValue {
    let level = headline.level.map { snapshot.outlook.levels[$0] }
    let isLate = snapshot.latency?.response.isLate == true
    return .object([
      "id": .string(headline.id), "title": .string(headline.title),
      "value": .string(headline.value.text),
      "note": headline.note.map { .string($0.text) } ?? .null,
      "column": headline.column.map { .string($0) } ?? .null,
      "level": level.map { level in
        .object([
          "bound": .string(level.bound),
          "met": (level.actual == nil ? nil : level.judged(isLate: isLate).isMet)
            .map { .bool($0) } ?? .null,
        ])
      } ?? .null,
    ])
  }

  private static func line(_ members: [String: JSONValue]) -> String {
    line(JSONValue.object(members))
  }

  private static func line(_ value: some Encodable) -> String {
    // Encoding cannot fail, since numbers are finite and keys are strings. The JSON is one line,
    // since line breaks in strings are escaped.
    (try? value.jsonText()) ?? "{}"
  }
}
