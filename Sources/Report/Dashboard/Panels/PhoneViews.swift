internal import Core
internal import Figures

/// The views that keys open in place of the overview: cohorts, states, phones and one phone.
struct PhoneViews {
  private let scene: Scene
  private let canvas: Canvas

  static func draw(_ scene: Scene, on canvas: Canvas, _ frame: inout Frame) {
    let views = PhoneViews(scene: scene, canvas: canvas.part(row: 2, height: canvas.height - 3))
    Panel.drawTitle(scene, views.path, on: canvas, &frame)
    Panel.drawOutlook(scene.snapshot.outlook, on: canvas.part(row: 1), &frame)
    let used = views.drawView(&frame)
    let rest = views.canvas.part(row: used + 1)
    guard rest.height >= 3 else { return }
    Panel.drawRow([.log(scene)], widths: [canvas.width], on: rest, &frame)
  }

  /// - Returns: The number of rows used.
  private func drawView(_ frame: inout Frame) -> Int {
    let navigation = scene.navigation
    switch navigation.view {
    case .overview: return 0
    case .cohorts(let selected):
      guard let cohorts = scene.snapshot.cohorts else { return draw(scene.whyNoCohorts, &frame) }
      return drawCohorts(cohorts, selected, &frame)
    case .states, .phones, .phone:
      if let why = scene.whyNoPhones { return draw(why, &frame) }
    }
    switch navigation.view {
    case .overview, .cohorts: return 0
    case .states(_, let selected): return drawStates(selected, &frame)
    case .phones(let filter, _, let selected): return drawPhones(filter, selected, &frame)
    case .phone: return drawPhone(navigation.answer, &frame)
    }
  }

  private func draw(_ lines: [String], _ frame: inout Frame) -> Int {
    for (row, line) in lines.enumerated() {
      canvas.write(line.fitted(to: canvas.width - 2), at: 1, row: row + 1, on: &frame)
    }
    return lines.count + 1
  }

  // MARK: Where it is

  /// The path of the view for the title, such as "stale, force-quit, page 2".
  private var path: String {
    switch scene.navigation.view {
    case .overview: return scene.snapshot.detail
    case .cohorts: return "▸ cohorts"
    case .states(let cohort, _): return "▸ phones\(name(cohort)) by state"
    case .phone(let number): return "▸ phone \(number)"
    case .phones(let filter, let pages, _):
      let state = filter.state == .any ? "" : ", \(filter.state.title)"
      let page = pages.count > 1 ? ", page \(pages.count)" : ""
      return "▸ phones\(name(filter.cohort))\(state)\(page)\(progress)"
    }
  }

  private func name(_ cohort: Int?) -> String {
    guard let cohort, let cohorts = scene.snapshot.cohorts, cohort < cohorts.count else {
      return ""
    }
    return " of \(cohorts[cohort].name)"
  }

  private var progress: String {
    guard let page = scene.navigation.page else { return "" }
    let (seen, all) = (page.next - page.range.lowerBound, page.range.count)
    if page.isFull { return "" }
    return page.isAtEnd
      ? ", the end" : ", \(Figure.grouped(seen)) of \(Figure.grouped(all)) searched"
  }

  // MARK: Lists

  /// Draws as many rows around the selected one as fit.
  private func drawRows(
    _ count: Int, _ selected: Int, from row: Int, _ frame: inout Frame,
    _ draw: (_ item: Int, Canvas, inout Frame) -> Void
  ) -> Int {
    let shown = max(0, min(count, canvas.height - row))
    let first = max(0, min(selected, count - 1) - shown + 1)
    for offset in 0..<shown {
      let line = canvas.part(column: 1, row: row + offset, width: canvas.width - 2, height: 1)
      if first + offset == selected { line.write("▸", .title, on: &frame) }
      draw(first + offset, line, &frame)
    }
    return row + shown
  }

  private func drawCohorts(
    _ cohorts: [Snapshot.Cohort], _ selected: Int, _ frame: inout Frame
  ) -> Int {
    let head = canvas.part(column: 1)
    head.write("cohort", at: 2, .faint, on: &frame)
    head.writeRight("phones", endingAt: 27, .faint, on: &frame)
    head.write("fresh, of reachable", at: 29, .faint, on: &frame)
    head.write("policy", at: 50, .faint, on: &frame)
    head.write("system", at: 66, .faint, on: &frame)
    return drawRows(cohorts.count, selected, from: 1, &frame) { item, line, frame in
      let cohort = cohorts[item]
      line.write(cohort.name.fitted(to: 17), at: 2, .bold, on: &frame)
      line.writeRight(
        cohort.phones.map(Figure.grouped) ?? "—", endingAt: 27, on: &frame)
      if let share = cohort.fresh {
        Gauge(share: share)
          .draw(line, at: 29, row: 0, width: 11, .tone(.accent), on: &frame)
      }
      line.writeRight(cohort.fresh.map(Figure.percent) ?? "—", endingAt: 48, on: &frame)
      line.write((cohort.policy ?? "—").fitted(to: 15), at: 50, on: &frame)
      line.write((cohort.system ?? "—").fitted(to: line.width - 66), at: 66, on: &frame)
    }
  }

  private func drawStates(_ selected: Int, _ frame: inout Frame) -> Int {
    let head = canvas.part(column: 1)
    head.write("state", at: 2, .faint, on: &frame)
    var cohort: Int?
    if case .states(let shown, _) = scene.navigation.view { cohort = shown }
    if cohort == nil { head.writeRight("phones", endingAt: 40, .faint, on: &frame) }
    let states = PhoneState.all
    return drawRows(states.count, selected, from: 1, &frame) { item, line, frame in
      line.write(states[item].title, at: 2, on: &frame)
      guard cohort == nil, let count = count(states[item]) else { return }
      line.writeRight(Figure.grouped(count), endingAt: 40, on: &frame)
    }
  }

  /// Returns the number of phones in a state; nil if the snapshot has no such count.
  private func count(_ state: PhoneState) -> Int? {
    guard let phones = scene.snapshot.phones else { return nil }
    return switch state {
    case .any: phones.installed
    case .foreground: phones.foreground
    case .background: phones.background
    case .suspended: phones.suspended
    case .notRunning: phones.notRunning
    case .moving: phones.moving
    case .offline: phones.offline
    case .switchedOff: phones.switchedOff
    case .unreachable: phones.installed - phones.reachable
    case .fresh, .stale, .because: nil
    }
  }

  private func drawPhones(
    _ filter: PhoneFilter, _ selected: Int, _ frame: inout Frame
  ) -> Int {
    var row = 0
    if let cohort = filter.cohort, let cohorts = scene.snapshot.cohorts, cohort < cohorts.count {
      canvas.write(words(cohorts[cohort]), at: 1, on: &frame)
      row = 1
    }
    guard let page = scene.navigation.page else {
      canvas.write("Asking the phones …", at: 3, row: row + 1, .faint, on: &frame)
      return row + 2
    }
    let head = canvas.part(column: 1, row: row)
    head.writeRight("phone", endingAt: 9, .faint, on: &frame)
    for (title, column) in [("cohort", 11), ("newest", 23), ("why stale", 32), ("app", 53)] {
      head.write(title, at: column, .faint, on: &frame)
    }
    head.writeRight("outbox", endingAt: 71, .faint, on: &frame)
    head.writeRight("charge", endingAt: 78, .faint, on: &frame)
    row = drawRows(page.phones.count, selected, from: row + 1, &frame) { item, line, frame in
      draw(page.phones[item], line, &frame)
    }
    for note in notes(page) where row < canvas.height {
      canvas.write(note, at: 3, row: row, .faint, on: &frame)
      row += 1
    }
    return row
  }

  private func notes(_ page: PhonePage) -> [String] {
    var notes: [String] = []
    if page.phones.isEmpty { notes.append(page.isAtEnd ? "No such phone." : "None found yet.") }
    if page.isPart {
      let (first, last) = (page.range.lowerBound, page.range.upperBound - 1)
      notes.append("Phones \(first) to \(last) only; other processes have the rest.")
    }
    return notes
  }

  private func words(_ cohort: Snapshot.Cohort) -> [Word] {
    [
      Word("fresh ", .faint), Word(cohort.fresh.map(Figure.percent) ?? "—", .bold),
      Word(" of reachable  phones ", .faint), Word(cohort.phones.map(Figure.grouped) ?? "—"),
      Word("  policy ", .faint), Word(cohort.policy ?? "—"), Word("  system ", .faint),
      Word(cohort.system ?? "—"),
    ]
  }

  private func draw(_ phone: PhoneFacts, _ line: Canvas, _ frame: inout Frame) {
    line.writeRight("\(phone.number)", endingAt: 9, .bold, on: &frame)
    line.write(phone.cohort.fitted(to: 11), at: 11, on: &frame)
    let age = phone.newest.map { Self.age($0.ago) } ?? "none"
    line.write(age, at: 23, phone.cause == nil ? .tone(.good) : .tone(.warning), on: &frame)
    line.write(phone.cause?.rawValue ?? "fresh", at: 32, on: &frame)
    line.write(phone.app.rawValue, at: 53, on: &frame)
    line.writeRight(Figure.grouped(phone.outboxFixes), endingAt: 71, on: &frame)
    line.writeRight("\(phone.batteryPercent) %", endingAt: 78, on: &frame)
  }

  /// Returns text such as "48 s", "12 min", "3 h" or "2 days".
  private static func age(_ age: SimDuration) -> String {
    let seconds = Int(age.seconds)
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3_600: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3_600) h"
    default: return "\(seconds / 86_400) days"
    }
  }

  // MARK: One phone

  private func drawPhone(_ answer: PhoneAnswer?, _ frame: inout Frame) -> Int {
    switch answer?.content {
    case nil, .page: return draw(["Asking the phone …"], &frame)
    case .elsewhere:
      return draw(
        [
          "Another process of this run simulates this phone; only its own",
          "process could show it.",
        ], &frame)
    case .phone(let phone):
      let rows = rows(phone, answer?.clock ?? "")
      for (row, line) in rows.enumerated() where row + 1 < canvas.height {
        canvas.write(line.name, at: 1, row: row + 1, .faint, on: &frame)
        canvas.write(
          line.text.fitted(to: canvas.width - 14), at: 13, row: row + 1, line.style, on: &frame)
      }
      return rows.count + 1
    }
  }

  private func rows(
    _ phone: PhoneFacts, _ clock: String
  ) -> [(name: String, text: String, style: Style)] {
    let state = phone.cause.map { "stale: \($0.rawValue)" } ?? "fresh"
    return [
      ("cohort", "\(phone.cohort), policy \(phone.policy), system \(phone.system)", .plain),
      ("state", state, Style(tone: phone.cause == nil ? .good : .warning, isBold: true)),
      (
        "position",
        phone.newest.map { "\(Self.text($0)), the newest at the server" }
          ?? "none at the server", .plain
      ),
      ("permission", permission(phone), .plain),
      ("app", phone.app.rawValue, .plain),
      ("phone", condition(phone), .plain),
      ("last wake", phone.wake.map(Self.text) ?? "none since the run began", .plain),
      ("outbox", outbox(phone), .plain),
      ("battery", battery(phone), .plain),
      ("last push", phone.push.map(Self.text) ?? "none since the run began", .plain),
      ("as of", clock, .faint),
    ]
  }

  private static func text(_ past: PhoneFacts.Past) -> String {
    "\(Panel.duration(past.ago.seconds)) old, \(past.clock)"
  }

  private static func text(_ event: PhoneFacts.Event) -> String {
    "\(event.what), \(Panel.duration(event.at.ago.seconds)) ago, \(event.at.clock)"
  }

  private func permission(_ phone: PhoneFacts) -> String {
    let permission =
      switch phone.permission {
      case .always: "Always"
      case .whenInUse: "When In Use"
      case .denied: "denied"
      case .notDetermined: "not asked for yet"
      }
    return permission + (phone.isPrecise ? ", precise" : ", approximate only")
      + (phone.hasPushToken ? ", push token valid" : ", push token dead")
  }

  private func condition(_ phone: PhoneFacts) -> String {
    if phone.isSwitchedOff { return "switched off" }
    return (phone.isMoving ? "moving" : "at rest")
      + (phone.isOffline ? ", no data path" : phone.isOnWifi ? ", on Wi-Fi" : ", mobile data")
  }

  private func outbox(_ phone: PhoneFacts) -> String {
    let count = phone.outboxFixes == 1 ? "1 fix" : "\(Figure.grouped(phone.outboxFixes)) fixes"
    return phone.inFlightFixes > 0
      ? "\(count), \(Figure.grouped(phone.inFlightFixes)) in flight" : count
  }

  private func battery(_ phone: PhoneFacts) -> String {
    "\(phone.batteryPercent) %" + (phone.isCharging ? ", charging" : "")
      + (phone.isInLowPowerMode ? ", Low Power Mode" : "")
      + (phone.batteryAt.map { ", at \($0.clock)" } ?? "")
  }
}

extension Scene {
  /// The lines that say why no phone can be opened; nil if phones can be opened.
  var whyNoPhones: [String]? {
    let explained = "'flotilla explain SCENARIO --phone N' simulates the day of one."
    if role.isReplay { return ["A record has no single phones.", explained] }
    switch snapshot.source {
    case .collect:
      return [
        "A collector knows uploads, not the state of phones.",
        "'flotilla ask HOST:PORT --phone N' asks one for its position.",
      ]
    case .simulate: return ["Single phones are shown while a load runs.", explained]
    case .load:
      return snapshot.phones == nil || snapshot.cohorts == nil
        ? ["Phones can be opened once they are live."] : nil
    }
  }

  var whyNoCohorts: [String] {
    if role.isReplay { return ["This record has no figures of single cohorts."] }
    return switch snapshot.source {
    case .collect: ["A collector does not know which phones are of a cohort."]
    case .simulate: ["Cohorts are shown while a load runs, and in a record."]
    case .load: ["Cohorts are counted once the phones are live."]
    }
  }

  package var choice: Navigation.Choice {
    Navigation.Choice(
      cohorts: snapshot.cohorts?.count ?? 0,
      phones: whyNoPhones == nil ? snapshot.phones?.installed ?? 0 : 0)
  }
}
