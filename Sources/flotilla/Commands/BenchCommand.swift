internal import Bench
internal import Scenarios
internal import Transport

/// The options of `flotilla bench …`.
struct BenchOptions: Equatable {
  var phones = 1_000_000
  var rounds = 3
  var json = false
}

/// `flotilla bench`: the program's own benchmarks.
enum BenchCommand {
  static var command: Command {
    Command(
      "bench", "Measure the program itself: medians with least and most, a CPU probe beside them.",
      [push, OverloadCommand.command],
      examples: [
        "flotilla bench push", "flotilla bench overload --seconds 20",
        "flotilla bench push --phones 100000 --json",
      ])
  }

  private static var push: Command {
    Command(
      "push", "The due work of the wake scheduler's sweeps, and its memory.",
      options: [
        .count("--phones", \.phones, 1...10_000_000, "Registered phones."),
        .count(
          "--rounds", \.rounds, 1...1_000, "Hours of sweeps that count, after two to warm up."),
        .flag("--json", \.json, "Rows as JSON."),
      ],
      examples: ["flotilla bench push", "flotilla bench push --phones 100000 --json"],
      start: BenchOptions(), body: runPush)
  }

  /// An hour in which phones register, and one that has seen no steady hour before.
  private static let warmUp = 2

  private static func runPush(_ options: BenchOptions, _ console: Console) throws -> ExitCode {
    let interruption = Interruption(console)
    let harness = Harness(
      warmUp: warmUp, rounds: options.rounds, clock: { MonotonicClock.now })
    var rows: [BenchRow] = []
    for scheduler in [PushSettings.Scheduler.fixed, .adaptive] {
      var bench = PushBench(phones: options.phones, scheduler: scheduler)
      let done = harness.run(&bench) { _, _ in !interruption.isRequested }
      guard let done else { return .interrupted }
      rows += done
    }
    let table = BenchTable(rows)
    guard !options.json else {
      console.line(try table.json())
      return .pass
    }
    console.line(table.text)
    let isWithin = rows.filter { $0.bench == "push" }.allSatisfy(PushBench.isWithinBar)
    console.line(
      """

      The bar, for a million phones: the worst sweep below 5 ms and everything below 64 MB. \
      \(isWithin ? "Met." : "Missed.")
      """)
    return .pass
  }
}
