internal import Commands
internal import Foundation

struct MQTTBenchOptions: Equatable {
  var clients = 20_000
  /// The publishes offered per second: 5 % above the bar, as the acknowledged rate varies.
  var rate = 5_250
  var seconds = 5
  var rounds = 3
  /// The part of a single generator process, as text; nil for the whole benchmark.
  var part: String?
  var json = false
}

enum MQTTBenchCommand {
  static var command: Command {
    Command(
      "mqtt",
      """
      Measure MQTT clients on one core, each with a persistent connection, that publish with QoS 1 \
      to mosquitto on the other core. If the limit of open files is too low, several generators \
      run, each with its own broker.
      """,
      options: [
        .count("--clients", \.clients, 1...1_000_000, "Number of connected clients."),
        .count("--rate", \.rate, 1...1_000_000, "Total publishes per second."),
        .count(
          "--seconds", \.seconds, 1...3_600, "Length of a round in seconds, without connecting."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds."),
        .text("--part", "PORT,FIRST,CLIENTS,RATE,SECONDS", \.part, "Run as one generator."),
        .flag("--json", \.json, "Print the rows as JSON."),
      ],
      examples: [
        "flotilla-lab bench mqtt", "flotilla-lab bench mqtt --clients 1000 --rate 10000 --json",
      ],
      start: MQTTBenchOptions(), body: run)
  }

  private static func run(_ options: MQTTBenchOptions, _ console: Console) throws -> ExitCode {
    if let text = options.part { return try generate(text, console) }
    guard MQTTBench.broker != nil else {
      throw CommandError(
        exit: .cannotListenOrWrite,
        message: "mosquitto is not installed; run 'apt-get install mosquitto'.")
    }
    let stand = BenchStand(console)
    return try stand.finish(try rows(options, stand), json: options.json)
  }

  static func rows(_ options: MQTTBenchOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      try stand.rows(
        MQTTBench(
          executable: Programs.lab, folder: folder, clients: options.clients,
          rate: Double(options.rate), seconds: options.seconds,
          shouldStop: { stand.interruption.isRequested }),
        warmUp: 0, rounds: options.rounds)
    }
  }

  private static func generate(_ text: String, _ console: Console) throws -> ExitCode {
    guard let part = MQTTBenchGenerator.Part(text) else {
      throw UsageError.badValue(
        option: "--part", value: text, wanted: "PORT,FIRST,CLIENTS,RATE,SECONDS")
    }
    MQTTBenchGenerator.run(
      part, say: { console.line($0) }, nextLine: { readLine() }, shouldStop: { false })
    return .pass
  }
}
