internal import Commands
internal import Foundation

struct MQTTBenchOptions: Equatable {
  var clients = 20_000
  /// A twentieth more than the bar: an offer exactly at a rate is acknowledged a little below it as
  /// often as above.
  var rate = 5_250
  var seconds = 5
  var rounds = 3
  /// One generator's part.
  var part: String?
  var json = false
}

enum MQTTBenchCommand {
  static var command: Command {
    Command(
      "mqtt",
      """
      Clients of MQTT on one core, each with a connection that is kept, which publish with QoS 1 \
      to mosquitto on the other. Where a process may have fewer descriptors than that, several \
      generators, each with a broker of its own.
      """,
      options: [
        .count("--clients", \.clients, 1...1_000_000, "That are connected."),
        .count("--rate", \.rate, 1...1_000_000, "Publishes a second, of all."),
        .count("--seconds", \.seconds, 1...3_600, "Of a round, without connecting."),
        .count("--rounds", \.rounds, 1...1_000, "That count."),
        .text("--part", "PORT,FIRST,CLIENTS,RATE,SECONDS", \.part, "Be one generator instead."),
        .flag("--json", \.json, "Rows as JSON."),
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
        message: "mosquitto: it is not installed; apt-get install mosquitto does it.")
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
