internal import Core
internal import Figures

extension RunSections {
  var target: HTML? {
    guard let target = record.target else { return nil }
    let readback = target.readback.flatMap { $0.phones + $0.unread > 0 ? $0 : nil }
    let server = target.server.map { server -> String in
      let memory =
        server.residentBytesMax > 0
        ? " and at most \(Figure.bytes(server.residentBytesMax)) of memory" : ""
      return
        " The server’s metrics report \(Figure.quantity(server.coresUsed)) cores\(memory)."
    }
    return page.section(
      "target", "Responses of \(target.name)",
      """
      The fleet sent to \(target.address) over \(target.carrier) like \(target.client). \
      \(target.sureness)\(server ?? "")\(target.primed.map { " \($0.sentence)" } ?? "")\
      \(target.views.map { " Viewers: \($0.sentence)." } ?? "")
      """,
      open: answers(target),
      tables: [
        .facts(
          "Positions by state",
          Table(head: ["", "positions"], rows: rows(target.fixes, target))),
        target.primed.map { .facts("Sent before the run", sentAhead($0, target)) },
        target.parts.isEmpty ? nil : .facts("Parts of the response", parts(target)),
        readback.map { .facts("Read-back", read($0)) },
      ],
      notes: [
        """
        Rates, responses and failures count requests; a batch may need several. Refused: rejected \
        by the server and discarded by the app. Dropped: discarded by a rule of the app. Failed: \
        not accepted by the last answer; still on the phone. Unknown: sent without an answer.
        """
      ])
  }

  private func answers(_ target: TargetFigures) -> Table {
    Table(
      head: ["request", "status", "rule", "meaning", "count"],
      rows: target.answers.map {
        [
          $0.request, $0.status, $0.rule.map(String.init) ?? "—", $0.meaning,
          Figure.grouped($0.count),
        ]
      })
  }

  private func sentAhead(_ primed: TargetFigures.Primed, _ target: TargetFigures) -> Table {
    Table(
      head: ["", "positions"],
      rows: rows(primed.fixes, target) + [
        ["not sent", Figure.grouped(primed.left)],
        ["phones with positions", Figure.grouped(primed.phones)],
        ["phones given up", Figure.grouped(primed.phonesGivenUp)],
        ["requests", Figure.grouped(primed.requests)],
        ["requests/s, limit", Figure.quantity(primed.perSecondMax)],
        ["duration", Figure.time(primed.wallSeconds * 1e6)],
      ])
  }

  private func rows(_ fixes: TargetFigures.Fixes, _ target: TargetFigures) -> [[String]] {
    let stored = target.acknowledges == false ? target.storedLabel : "stored, as answered"
    let counts = [
      ("handed over by phones", fixes.handed), (stored, fixes.stored),
      ("of those, duplicates", fixes.duplicate), ("refused", fixes.refused),
      ("dropped by the app", fixes.dropped), ("failed", fixes.failed),
      ("unknown", fixes.unknown), ("not sent yet", fixes.waiting),
      ("removed with a deleted app", fixes.removed),
    ]
    var rows = counts.map { [$0, Figure.grouped($1)] }
    for (reason, count) in fixes.refusedBy.sorted(by: { $0.key < $1.key }) {
      rows.append(["refused: \(reason)", Figure.grouped(count)])
    }
    for (reason, count) in fixes.droppedBy.sorted(by: { $0.key < $1.key }) {
      rows.append(["dropped: \(reason)", Figure.grouped(count)])
    }
    return rows
  }

  private func parts(_ target: TargetFigures) -> Table {
    func time(_ value: Int64?) -> String { value.map { Figure.time(Double($0)) } ?? "—" }
    return Table(
      head: ["part", "p50", "p90", "p99", "max"],
      rows: target.parts.map {
        [
          $0.name, time($0.metrics.p50), time($0.metrics.p90), time($0.metrics.p99),
          time($0.metrics.max),
        ]
      })
  }

  private func read(_ readback: TargetFigures.Readback) -> Table {
    var rows = [
      ["phones read back", Figure.grouped(readback.phones)],
      ["phones not readable", Figure.grouped(readback.unread)],
      ["confirmed", Figure.grouped(readback.confirmed)],
      ["acknowledged but missing", Figure.grouped(readback.missing)],
      ["stored more than once", Figure.grouped(readback.twice)],
      ["stored without an answer", Figure.grouped(readback.heldUnknown)],
    ]
    for (reason, count) in (readback.unreadBy ?? [:]).sorted(by: { $0.key < $1.key }) {
      rows.append(["phones not read: \(reason)", Figure.grouped(count)])
    }
    if let unasked = readback.unasked {
      rows.append(["phones not read for lack of time", Figure.grouped(unasked)])
    }
    if let unreadable = readback.unreadable {
      rows.append(["unreadable rows", Figure.grouped(unreadable.rows)])
      rows.append(["stored fixes possibly among them", Figure.grouped(unreadable.fixes)])
      rows.append(["example", unreadable.example])
    }
    if let displaced = readback.displaced {
      rows.append(["latitude and longitude swapped", Figure.grouped(displaced.mirrored)])
      rows.append(["same time, other place", Figure.grouped(displaced.elsewhere)])
      rows.append(["same place, other time", Figure.grouped(displaced.otherTime)])
      rows.append(["example", displaced.example])
    }
    if !readback.phonesMissing.isEmpty {
      rows.append(
        [
          "phones with missing fixes",
          readback.phonesMissing.map(String.init).joined(separator: ", "),
        ]
      )
    }
    return Table(head: ["", "positions"], rows: rows)
  }
}
