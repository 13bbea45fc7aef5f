internal import Commands
internal import Core
internal import Foundation
internal import Scenarios
internal import Transport

struct ChaosOptions: Equatable {
  var rounds = 20
  var seed = 1
  var phones = 2_000
  var seconds = 15
  var store = ChaosStore.sqlite
  var carrier = CarrierKind.flotilla
  var isSecured = false
  /// The folder that keeps all rounds; nil to keep only rounds with differences, in `runs`.
  var keep: String?
}

enum ChaosStore: String, CaseIterable {
  case sqlite, postgresql
}

enum ChaosCommand {
  static var command: Command {
    Command(
      "chaos", "Kill the collector and the fleet, inject network faults, and compare the ledgers.",
      options: [
        .count("--rounds", \.rounds, 1...100_000, "Number of rounds, each with random faults."),
        .count(
          "--seed", \.seed, 0...Int(Int32.max),
          "Random seed of the first round; each next round adds 1."),
        .count("--phones", \.phones, 1...1_000_000, "Number of phones."),
        .count("--seconds", \.seconds, 1...3_600, "Length of a round, in wall-clock seconds."),
        .word(
          "--store", \.store,
          "Store of the collector; a temporary PostgreSQL server is also killed."),
        .word("--carrier", \.carrier, "Wire protocol."),
        .flag(
          "--tls", \.isSecured, "Connect over TLS, with half of the sessions resumed if possible."),
        .text("--keep", "DIR", \.keep, "Keep the files of all rounds in this folder."),
      ],
      examples: [
        "flotilla-lab chaos --rounds 20 --seed 1",
        "flotilla-lab chaos --store postgresql",
        "flotilla-lab chaos --rounds 20 --carrier grpc --tls",
        "flotilla-lab chaos --rounds 1 --seed 7 --keep runs/round-7",
      ],
      start: ChaosOptions(), body: run)
  }

  private static func run(_ options: ChaosOptions, _ console: Console) throws -> ExitCode {
    let scenario = try scenario()
    let interruption = Interruption(drainingOn: console)
    var setting = ChaosSetting(
      executable: Programs.flotilla,
      scenario: scenario.name, phones: options.phones, speed: scenario.speed,
      lasts: .seconds(Int64(options.seconds)),
      hasDatabase: options.store == .postgresql, wall: { MonotonicClock.now })
    setting.carrier = options.carrier
    setting.isSecured = options.isSecured
    let folder = URL(
      fileURLWithPath: options.keep ?? "runs/chaos-\(getpid())", isDirectory: true)
    console.line(ChaosTable.header)
    for number in 1...options.rounds {
      let seed = UInt64(options.seed + number - 1)
      let place = folder.appendingPathComponent("round-\(seed)", isDirectory: true)
      try empty(place)
      let row: ChaosRow
      do throws(ChaosError) {
        row = try ChaosRound(
          setting, seed: seed, folder: place, shouldStop: { interruption.isRequested }
        ).run()
      } catch .interrupted {
        return .interrupted
      } catch {
        throw CommandError(exit: .cannotListenOrWrite, message: error.description)
      }
      console.line(ChaosTable.row(number, row))
      guard row.holds else {
        printRound(row, options, place, console)
        return .loss
      }
      if options.keep == nil { try empty(place) }
    }
    if options.keep == nil { try empty(folder) }
    return .pass
  }

  private static func scenario() throws -> Scenario {
    var options = ScenarioOptions()
    options.names = ["chaos"]
    return try options.load()
  }

  private static func empty(_ folder: URL) throws {
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    do { try FileManager.default.removeItem(at: folder) } catch {
      throw CommandError(
        exit: .cannotListenOrWrite, message: "\(folder.path): cannot be emptied (\(error)).")
    }
  }

  private static func printRound(
    _ row: ChaosRow, _ options: ChaosOptions, _ folder: URL, _ console: Console
  ) {
    for difference in row.differences { console.printError(difference) }
    console.printError(
      """
      Files in \(folder.path); to repeat, run: flotilla-lab chaos --rounds 1 --seed \(row.seed) \
      --phones \(options.phones) --seconds \(options.seconds) --store \(options.store.rawValue) \
      --carrier \(options.carrier.rawValue)\(options.isSecured ? " --tls" : "")
      """)
  }
}
