internal import Core
internal import Figures

extension RunSections {
  var agreement: HTML? {
    guard let agreement = record.agreement else { return nil }
    return page.section(
      "agreement", "Live run and simulation compared",
      "\(agreement.sentences.joined(separator: " "))",
      tables: [
        .facts("Live and simulated as a table", Table(head: ["", "value"], rows: rows(agreement)))
      ],
      notes: [
        """
        Both runs have the same people, phones and random numbers. Live answers come from the \
        collector over sockets, simulated answers from an ideal network.
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
      ["pushes answered, simulated", share(agreement.answered)],
      ["live − simulated, points", difference],
      ["95 % interval, points", interval],
      ["uploads live", Figure.grouped(agreement.uploadsLive)],
      ["uploads simulated", Figure.grouped(agreement.uploadsSimulated)],
      ["minutes compared", Figure.grouped(agreement.minutesCompared)],
      ["difference of rates, median", share(agreement.rateDifferenceMedian)],
      ["difference of rates, max", share(agreement.rateDifferenceMax)],
      ["phones with identical behaviour", Figure.percent(agreement.phonesAlike)],
    ]
  }

  private func share(_ value: Double?) -> String { value.map(Figure.percent) ?? "—" }

  private func points(_ share: Double) -> String {
    Figure.plain((share * 10_000).rounded() / 100)
  }
}
