internal import Core
internal import Figures

extension RunSections {
  var batteries: HTML? {
    guard let cohorts = record.energy.batteries, !cohorts.isEmpty else { return nil }
    let phones = cohorts.reduce(0) { $0 + $1.phones }
    guard phones > 0 else { return nil }
    let ranEmpty =
      cohorts.reduce(0) { $0 + $1.ranEmptyPerPhoneDay * Double($1.phones) } / Double(phones)
    return page.section(
      "batteries", "Batteries",
      """
      \(Figure.percent(ranEmpty)) of the phones ran empty per day. An empty phone is silent until \
      it is charged and unlocked.
      """,
      chart: nil,
      tables: [
        .facts("Batteries as a table", Self.table(cohorts)),
        .facts("Charge over the day as a table", Self.curve(cohorts)),
      ],
      notes: [
        """
        Median time to empty: of phones that were unplugged with a full battery. A phone that is \
        charged before it is empty counts until then (Kaplan–Meier). “—”: too few phones stayed \
        unplugged long enough. Charge: mean and 5th to 95th percentile of the displayed charge at \
        the full hour.
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
