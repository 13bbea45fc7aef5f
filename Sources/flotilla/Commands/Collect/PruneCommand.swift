internal import Collector
internal import Commands
internal import Core

struct PruneOptions: Equatable {
  var store = ""
  /// The number of days to keep; 0 if not given.
  var days = 0
}

enum PruneCommand {
  static var command: Command {
    Command(
      "prune", "Delete old days from a collector's PostgreSQL store.",
      positionals: [
        Positional(name: "STORE", help: "URL of the database.") { $1.store = $0 }
      ],
      options: [
        .count(
          "--days", \.days, 1...36_500,
          "Days to keep, counted back from the last batch; a batch has the day of its newest fix.")
      ],
      examples: [
        "flotilla prune postgresql://flotilla@db.example/fleet --days 30"
      ],
      start: PruneOptions(), body: run)
  }

  private static func run(_ options: PruneOptions, _ console: Console) throws -> ExitCode {
    guard options.days > 0 else { throw UsageError.missingArgument("--days", of: "prune") }
    guard case .postgreSQL(let address) = StoreAddress(named: options.store) else {
      throw CommandError(
        exit: .badInput,
        message: "\(options.store): a file cannot be pruned. Give a database, such as "
          + "postgresql://flotilla@db.example/fleet, or start a new file.")
    }
    let outcome = try PostgresRetention.run(address, days: options.days)
    console.line(line(outcome))
    return .pass
  }

  private static func line(_ outcome: PostgresRetention.Outcome) -> String {
    guard let keptFrom = outcome.keptFrom else { return "dropped   nothing: the store is empty" }
    let figures = [Int(outcome.batches), Int(outcome.fixes)].map(Figure.grouped)
    let day = AuditTable.text(keptFrom).prefix(10)
    return "dropped   \(figures[0]) batches, \(figures[1]) fixes; kept from \(day) on"
  }
}
