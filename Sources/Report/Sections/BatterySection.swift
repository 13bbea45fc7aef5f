internal import Core
internal import Figures

extension PhoneSections {
  var batteries: HTML? {
    guard let cohorts = record.energy.batteries, !cohorts.isEmpty else { return nil }
    let phones = cohorts.reduce(0) { $0 + $1.phones }
    guard phones > 0 else { return nil }
    let ranEmpty =
      cohorts.reduce(0) { $0 + $1.ranEmptyPerPhoneDay * Double($1.phones) } / Double(phones)
    return page.section(
      "batteries", "What became of the batteries",
      """
      In a day \(Figure.percent(ranEmpty)) of the phones ran empty; an empty phone is silent until \
      it was charged and its owner has unlocked it.
      """,
      chart: nil,
      tables: [
        .facts("Batteries as a table", Self.table(cohorts)),
        .facts("Charge over the day as a table", Self.curve(cohorts)),
      ],
      notes: [
        """
        Half empty after: of phones that left a charger full and stayed unplugged half had run \
        empty then (Kaplan and Meier's estimate: one that was charged earlier counts until then); \
        "—" where too few stayed unplugged so long. Charges are what the \
        phones show at the full hour: mean, and the range of nine phones in ten.
        """
      ])
  }

  private static func table(_ cohorts: [BatteryFigures]) -> Table {
    Table(head: BatteryFigures.head, rows: cohorts.map(\.cells))
  }

  private static func curve(_ cohorts: [BatteryFigures]) -> Table {
    Table(
      head: ["hour"] + cohorts.map(\.name),
      rows: (0..<24).map { hour in
        ["\(hour):00"]
          + cohorts.map { cohort in
            cohort.charge.first { $0.hour == hour }.map {
              "\(Figure.plain($0.mean.rounded())) % "
                + "(\(Figure.plain($0.p5)) – \(Figure.plain($0.p95)))"
            } ?? "—"
          }
      })
  }
}
