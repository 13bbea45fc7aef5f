internal import Foundation
internal import Transport
internal import Uploads

package enum ChaosTable {
  /// The columns, wide enough for a round of 20,000 uploads; a longer value shifts its row.
  private static let columns: [(name: String, width: Int)] = [
    ("round", 5), ("seed", 4), ("phones", 6), ("uploads", 7), ("acked", 6), ("resent", 6),
    ("dupl", 5), ("kills", 8), ("stored", 6), ("lost", 4), ("twice", 5), ("verdict", 7),
    ("seconds", 7),
  ]

  package static var header: String {
    line(columns.map(\.name)) + "  faults done"
  }

  /// - Parameter round: the number of the round, from 1.
  package static func row(_ round: Int, _ row: ChaosRow) -> String {
    let proof = row.proof
    func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "-" }
    return line([
      "\(round)", "\(row.seed)", number(proof?.phones), number(proof?.submitted),
      number(proof?.acknowledged), number(proof?.resent), number(proof?.duplicates), kills(row),
      number(proof?.stored), number(proof?.lost.count), number(proof?.twice.count),
      row.holds ? "ok" : "DIFFERS", String(format: "%.1f", row.seconds),
    ]) + "  \(row.faults.text)"
  }

  /// Returns the kills of collector, database and fleet, and the collector's stops: "3c 3d 1f 1s".
  private static func kills(_ row: ChaosRow) -> String {
    [
      (row.collectorKills, "c"), (row.databaseKills, "d"), (row.fleetKills, "f"),
      (row.collectorStops, "s"),
    ]
    .filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined(separator: " ")
  }

  private static func line(_ cells: [String]) -> String {
    zip(cells, columns).map { cell, column in
      String(repeating: " ", count: max(0, column.width - cell.count)) + cell
    }.joined(separator: " ")
  }
}
