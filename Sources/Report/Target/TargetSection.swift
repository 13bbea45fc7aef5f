internal import Core
internal import Figures

extension LoadSections {
  var target: HTML? {
    guard let target = record.target else { return nil }
    let readback = target.readback.flatMap { $0.phones + $0.unread > 0 ? $0 : nil }
    let server = target.server.map { server -> String in
      let memory =
        server.residentBytesMax > 0
        ? " and \(Figure.bytes(Int(server.residentBytesMax))) of memory at most" : ""
      return
        " By its own metrics the server used \(Figure.quantity(server.coresUsed)) cores\(memory)."
    }
    return page.section(
      "target", "What \(target.name) said",
      """
      The fleet sent to \(target.address) over \(target.carrier) as \(target.client) does. \
      \(target.sureness)\(server ?? "")\(target.primed.map { " \($0.sentence)" } ?? "")
      """,
      open: answers(target),
      tables: [
        .facts(
          "Positions by what became of them",
          Table(head: ["", "positions"], rows: rows(target.fixes, target))),
        target.primed.map { .facts("What was sent ahead of the run", sentAhead($0, target)) },
        target.parts.isEmpty ? nil : .facts("A response by its parts", parts(target)),
        readback.map { .facts("What was read back", read($0)) },
      ],
      notes: [
        """
        A rate, a response and a failure of this run are those of requests: a batch may need \
        several. Refused: the server would not have it and the app threw it away. Dropped: the app \
        threw it away by its own rule. Failed: the last answer did not take it, and it is still on \
        its phone. Unknown: it was sent, and no answer came.
        """
      ])
  }

  private func answers(_ target: TargetFigures) -> Table {
    Table(
      head: ["request", "answered", "rule", "means", "times"],
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
        ["not sent ahead", Figure.grouped(primed.left)],
        ["phones with positions", Figure.grouped(primed.phones)],
        ["phones given up", Figure.grouped(primed.phonesGivenUp)],
        ["requests", Figure.grouped(primed.requests)],
        ["requests a second, at most", Figure.quantity(primed.perSecondMax)],
        ["took", Figure.time(primed.wallSeconds * 1e6)],
      ])
  }

  private func rows(_ fixes: TargetFigures.Fixes, _ target: TargetFigures) -> [[String]] {
    let stored = target.acknowledges == false ? target.storedLabel : "stored, by its word"
    let counts = [
      ("handed over by phones", fixes.handed), (stored, fixes.stored),
      ("of those, stored before", fixes.duplicate), ("refused", fixes.refused),
      ("dropped by the app", fixes.dropped), ("failed", fixes.failed),
      ("unknown", fixes.unknown), ("not sent yet", fixes.waiting),
      ("gone with a deleted app", fixes.removed),
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
      ["phones that could not be", Figure.grouped(readback.unread)],
      ["confirmed", Figure.grouped(readback.confirmed)],
      ["missing although stored", Figure.grouped(readback.missing)],
      ["there more than once", Figure.grouped(readback.twice)],
      ["there without an answer", Figure.grouped(readback.heldUnknown)],
    ]
    for (reason, count) in (readback.unreadBy ?? [:]).sorted(by: { $0.key < $1.key }) {
      rows.append(["phones not read: \(reason)", Figure.grouped(count)])
    }
    if let unasked = readback.unasked {
      rows.append(["phones that there was no time for", Figure.grouped(unasked)])
    }
    if let unreadable = readback.unreadable {
      rows.append(["rows that cannot be read", Figure.grouped(unreadable.rows)])
      rows.append(["stored fixes that may be among them", Figure.grouped(unreadable.fixes)])
      rows.append(["one such row", unreadable.example])
    }
    if let displaced = readback.displaced {
      rows.append(["latitude and longitude exchanged", Figure.grouped(displaced.mirrored)])
      rows.append(["at their time, at another place", Figure.grouped(displaced.elsewhere)])
      rows.append(["at their place, with another time", Figure.grouped(displaced.otherTime)])
      rows.append(["one of them", displaced.example])
    }
    if !readback.phonesMissing.isEmpty {
      rows.append(
        [
          "phones with missing ones",
          readback.phonesMissing.map(String.init).joined(separator: ", "),
        ]
      )
    }
    return Table(head: ["", "positions"], rows: rows)
  }
}
