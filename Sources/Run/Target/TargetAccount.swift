internal import Core
internal import Figures
internal import Fleet
internal import Uploads
internal import Targets

package struct TargetAccount: Equatable, Sendable, Codable {
  /// The figures of the target, of what was sent before the run, and of the read-back.
  var reported: TargetFigures
  var fixes: FixAccount
  var tally: TargetTally
  var parts: PartHistograms
  var views = ViewTally()
  var figures: TargetFigures {
    var figures = reported
    figures.fixes = fixes.figures
    figures.answers = tally.rows.map { fate, count in
      TargetFigures.Answers(
        request: fate.kind.rawValue, status: fate.status, rule: fate.rule.map { $0 + 1 },
        meaning: fate.meaning, count: count)
    }
    figures.parts = parts.parts
    figures.views = views.figures
    let stored = tally.rows.filter { fate, _ in
      [.upload, .backlog].contains(fate.kind)
        && ["stored", "duplicate", "partly"].contains(fate.meaning)
    }.map(\.count).reduce(0, +)
    if let messages = figures.views?.messages, stored > 0 {
      figures.views?.perUpload = Double(messages) / Double(stored)
    }
    return figures
  }

  mutating func merge(_ other: TargetAccount) {
    fixes.merge(other.fixes)
    tally.merge(other.tally)
    parts.merge(other.parts)
    views.merge(other.views)
    if let sent = other.reported.primed {
      reported.primed = reported.primed ?? TargetFigures.Primed()
      reported.primed?.merge(sent)
    }
    for part in [\TargetFigures.readback, \.eventReadback] {
      guard let found = other.reported[keyPath: part] else { continue }
      var sum = reported[keyPath: part] ?? TargetFigures.Readback()
      sum.merge(found)
      reported[keyPath: part] = sum
    }
  }

  /// Sentences on the acknowledged fixes and events that the server lacks; empty if none are known.
  var losses: [String] {
    let events = reported.eventReadback
    return losses(reported.readback, of: fixes[.stored], "fixes")
      + losses(events, of: (events?.confirmed ?? 0) + (events?.missing ?? 0), "events")
  }

  private func losses(_ found: TargetFigures.Readback?, of count: Int, _ what: String) -> [String] {
    guard let found, found.missing > 0 else { return [] }
    let phones = found.phonesMissing.map(String.init).joined(separator: ", ")
    let end = found.isDisplaced ? "differ from what was sent" : "are missing on read-back"
    return [
      """
      \(Figure.grouped(found.missing)) of \(Figure.grouped(count)) \(what) that \(reported.name) \
      answered as stored \(end), among them some of phones \(phones).
      """
    ] + (found.displaced.map { [$0.sentence] } ?? [])
  }

  var doubts: [String] {
    (reported.readback?.doubts(of: reported.name) ?? [])
      + (reported.eventReadback?.doubts(of: reported.name, "events") ?? [])
  }
}

extension FixAccount {
  var figures: TargetFigures.Fixes {
    var fixes = TargetFigures.Fixes()
    fixes.handed = handed
    fixes.stored = self[.stored]
    fixes.duplicate = duplicates
    fixes.refusedBy = refusedBy
    fixes.droppedBy = droppedBy
    fixes.failed = self[.failed]
    fixes.unknown = self[.unknown] + self[.inFlight]
    fixes.waiting = self[.waiting]
    fixes.removed = self[.removed]
    return fixes
  }
}

/// Returns the phones' side of the ledger, with the target's answers if there were any.
func reconcile(_ shares: [FleetAccount], of target: TargetAccount?) -> Reconciliation {
  let phones = reconcile(shares, with: nil)
  guard let target else { return phones }
  var violations = phones.violations + target.fixes.check()
  var ledger = phones.ledger
  // A batch with one outcome at its phone may have stored and refused fixes in its requests.
  let perceived = ledger.fixes.acknowledged + ledger.fixes.refused
  if perceived > target.fixes.settled {
    violations.append(
      "target: phones report \(perceived) fixes as sent, but only "
        + "\(target.fixes.settled) were stored, refused or dropped.")
  }
  ledger.fixes.acknowledged = target.fixes[.stored]
  ledger.fixes.refusedBy = target.fixes.refusedBy
  if target.fixes[.dropped] > 0 { ledger.fixes.evict(target.fixes[.dropped], .app) }
  // Fixes that the target settled without the phone's knowledge still count in the phone's outbox.
  ledger.fixes.outbox -= target.fixes.settled - perceived
  if ledger.fixes.outbox < 0 {
    // The app was deleted while answers were in flight, and its fixes were counted as evicted.
    let known = min(-ledger.fixes.outbox, ledger.fixes.evictedBy[.reinstall] ?? 0)
    ledger.fixes.evict(-known, .reinstall)
    ledger.fixes.outbox += known
  }
  ledger.fixes.lost = target.reported.readback?.missing ?? 0
  ledger.events?.lost = target.reported.eventReadback?.missing ?? 0
  return Reconciliation(
    ledger: ledger, violations: target.losses + violations + ledger.fixes.balance(of: "fixes"))
}
