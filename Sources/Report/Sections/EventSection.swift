internal import Core
internal import Figures

extension RunSections {
  /// The events that apps sent beside their fixes; nil if no policy sends events.
  var events: HTML? {
    guard let events = record.events, let account = record.ledger.events else { return nil }
    let counts: [(String, Int)] = [
      ("generated", account.generated), ("of these carried in", account.carried),
      ("evicted", account.evicted), ("refused", account.refused),
      ("in outboxes", account.outbox), ("in flight", account.inFlight),
      ("acknowledged", account.acknowledged), ("false", events.wrong),
      ("repeated", events.repeated), ("requests without a data path", events.offline),
      ("failed requests", events.failed), ("requests without an answer", events.unanswered),
    ]
    let words = events.sentences(account, record.target?.eventReadback).joined(separator: "; ")
    return page.section(
      "events", "Events", "\(words).",
      open: Table(head: EventFigures.head, rows: events.rows),
      tables: [
        .facts(
          "Events by state",
          Table(head: ["", "events"], rows: counts.map { [$0.0, Figure.grouped($0.1)] }))
      ],
      notes: [
        """
        Generated = evicted + refused + in outboxes + in flight + acknowledged. The latency lasts \
        from the true instant, such as the crossing of a border, to the receipt by the server, and \
        its parts add up to it. False: the phone had not crossed the border. Repeated: the same \
        event of the same place came before.
        """
      ])
  }
}
