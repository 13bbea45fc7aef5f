internal import Capacity
internal import Core

extension DemandRecord {
  /// The demand of a fleet with both systems beside that of as many iPhones; nil with one system.
  var systemTable: Table? {
    guard systems != nil, seconds > 0 else { return nil }
    let days = seconds / 86_400
    let rows: [(String, IPhonesOnly?, (Double) -> String)] = [
      ("requests/s, mean", iPhonesOnly { $0.batches / seconds }, Figure.quantity),
      ("requests/s, busiest hour", iPhonesOnly(busiest: 60), Figure.quantity),
      ("requests/s, busiest minute", iPhonesOnly(busiest: 1), Figure.quantity),
      ("bytes a day", iPhonesOnly { $0.bytes / days }, Figure.bytes),
      ("stored rows a day", iPhonesOnly { $0.fixes / days }, Figure.quantity),
      ("pushes a day", iPhonesOnly { $0.pushes / days }, Figure.quantity),
    ]
    return Table(
      head: ["", "this fleet", "as many iPhones", "ratio"],
      rows: rows.compactMap { name, found, text in
        found.map { found in
          [
            name, text(found.mixed), text(found.iPhones),
            found.ratio.map { "\(Figure.quantity($0)) ×" } ?? "—",
          ]
        }
      })
  }

  /// What a plan for iPhones alone would get wrong; nil with one system.
  var systemSentence: String? {
    guard let systems, let ratio = iPhonesOnly(busiest: 60)?.ratio else { return nil }
    let all = systems.reduce(0) { $0 + $1.phones }
    let android = systems.reduce(0) { $0 + ($1.system == .android ? $1.phones : 0) }
    let share = "\(Figure.percent(android / max(1, all))) of the phones have Android."
    let what = "A plan for iPhones alone would"
    if abs(ratio - 1) < 0.05 { return "\(share) \(what) be right within 5 % in the busiest hour." }
    return ratio > 1
      ? "\(share) \(what) be \(Figure.quantity(ratio)) times too small in the busiest hour."
      : "\(share) \(what) be \(Figure.quantity(1 / ratio)) times too large in the busiest hour."
  }

  var systemSection: Block? {
    guard let systemTable, let systemSentence else { return nil }
    return .section(
      "systems", "Both systems and iPhones alone", systemSentence, open: systemTable,
      notes: [
        """
        As many iPhones: each sends and is pushed like the mean iPhone of this fleet. Its busiest \
        hour need not be that of the fleet.
        """
      ])
  }
}
