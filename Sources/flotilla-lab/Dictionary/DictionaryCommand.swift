internal import Commands
internal import Core
internal import Foundation
internal import Scenarios
internal import Wire

struct DictionaryOptions: Equatable {
  var scenario = ScenarioOptions()
  /// The names of the policies; nil for every policy with a file.
  var policies: String?
  var kibibytes = 16
  var threads = 0
  /// The output path; nil for `flotilla.dict` in the working directory.
  var out: String?
  var isJSON = false
}

enum DictionaryCommand {
  static var command: Command {
    Command(
      "dictionary", "Train a zstd dictionary for batches, and measure its benefit.", [train],
      examples: ["flotilla-lab dictionary train city --out city.dict"])
  }

  private static var train: Command {
    Command(
      "train",
      "Train a dictionary on simulated batches of all policies; measure it on other phones.",
      positionals: [.scenario(\.scenario)],
      options: Option.scenario(\.scenario) + [
        .text("--policies", "A,B,…", \.policies, "Policies; default: all with a file."),
        .count("--kib", \.kibibytes, 1...1_024, "Maximum size of the dictionary, in KiB."),
        .text("--out", "FILE", \.out, "Output file; default flotilla.dict."),
        .count("--threads", \.threads, 0...1_024, "Number of threads; 0: one per core."),
        .flag("--json", \.isJSON, "Print the table as JSON."),
      ],
      examples: [
        "flotilla-lab dictionary train city --phones 200 --duration 24h --out city.dict",
        "flotilla-lab dictionary train city --policies hybrid,significant-change --kib 8",
        "flotilla load city --set encoding=columns --set run.dictionary=city.dict",
        "flotilla collect --dictionary city.dict",
      ],
      start: DictionaryOptions(), body: run)
  }

  private static func run(_ options: DictionaryOptions, _ console: Console) throws -> ExitCode {
    let names =
      try options.policies.map { try ScenarioOptions.names($0, of: "--policies") }
      ?? options.scenario.library.policyNames
    let threads =
      options.threads > 0 ? options.threads : ProcessInfo.processInfo.activeProcessorCount
    let interruption = Interruption(drainingOn: console)
    var training = DictionaryTraining()
    for name in names {
      guard !interruption.isRequested else { return .interrupted }
      let scenario = try options.scenario.load(policy: name, origin: "--policies \(name)")
      training.add(name, scenario, threads: threads)
      console.printError(
        "simulated \(name), \(Figure.grouped(training.batchCount)) training batches")
    }
    let dictionary: PayloadDictionary
    do throws(DictionaryError) {
      dictionary = try training.train(byteCount: options.kibibytes << 10)
    } catch {
      throw CommandError(exit: .badInput, message: error.description)
    }
    let path = options.out ?? "flotilla.dict"
    try DictionaryFile.write(dictionary, path)
    let rows = training.measure(dictionary)
    console.line(options.isJSON ? try json(rows, dictionary) : text(rows, dictionary, path))
    return .pass
  }

  // MARK: Benefit

  private static func text(
    _ rows: [DictionaryTraining.Row], _ dictionary: PayloadDictionary, _ path: String
  ) -> String {
    let head = ["policy", "batches", "fixes", "columns", "zstd", "dictionary", "packed"]
    let cells = rows.map { row in
      [row.policy, Figure.grouped(row.batches), Figure.grouped(row.fixes)]
        + [row.plain, row.compressed, row.withDictionary, row.packed].map {
          String(format: "%.2f", $0)
        }
    }
    return """
      Payload bytes per fix, on phones outside the training set:
      \(BenchTable.aligned([head] + cells, right: 1...6))

      \(path): dictionary \(dictionary.id), \(Figure.grouped(dictionary.bytes.count)) bytes
      """
  }

  private struct Table: Encodable {
    let dictionary: UInt32
    let bytes: Int
    let rows: [DictionaryTraining.Row]
  }

  private static func json(
    _ rows: [DictionaryTraining.Row], _ dictionary: PayloadDictionary
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let table = Table(
      dictionary: dictionary.id, bytes: dictionary.bytes.count, rows: rows)
    return String(decoding: try encoder.encode(table), as: UTF8.self)
  }
}
