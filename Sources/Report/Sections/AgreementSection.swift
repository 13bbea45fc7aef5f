internal import Core
internal import Figures

extension LedgerSections {
  var agreement: HTML? {
    guard let agreement = record.agreement else { return nil }
    return page.section(
      "agreement", "The same scenario in virtual time",
      "\(agreement.sentences.joined(separator: " "))",
      tables: [
        .facts("Live and virtual as a table", Table(head: ["", "value"], rows: rows(agreement)))
      ],
      notes: [
        """
        Both lived the same people, phones and chance; live, answers came from the collector \
        over sockets, in virtual time from an ideal network.
        """
      ])
  }

  private func rows(_ agreement: RunRecord.Agreement) -> [[String]] {
    var interval = "—"
    if let difference = agreement.answeredDifference {
      interval = "\(points(difference.low)) to \(points(difference.high))"
    }
    let difference = (agreement.answeredDifference?.value).map(points) ?? "—"
    return [
      ["pushes answered in virtual time", share(agreement.answered)],
      ["live less virtual, points", difference],
      ["95 % interval, points", interval],
      ["uploads live", Figure.grouped(agreement.uploadsLive)],
      ["uploads in virtual time", Figure.grouped(agreement.uploadsSimulated)],
      ["minutes compared", Figure.grouped(agreement.minutesCompared)],
      ["rates part by, median", share(agreement.rateDifferenceMedian)],
      ["rates part by, at most", share(agreement.rateDifferenceMax)],
      ["phones that did the same", Figure.percent(agreement.phonesAlike)],
    ]
  }

  private func share(_ value: Double?) -> String { value.map(Figure.percent) ?? "—" }

  private func points(_ share: Double) -> String {
    Figure.plain((share * 10_000).rounded() / 100)
  }
}
