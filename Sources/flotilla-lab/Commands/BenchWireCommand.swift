internal import Commands
internal import Wire

struct WireOptions: Equatable {
  var rounds = 5
  var pool: String?
  var dictionary: String?
  var json = false
}

enum WireCommand {
  static var command: Command {
    Command(
      "wire",
      "Nanoseconds a batch to encode and to decode, and the bytes a fix that go to the socket.",
      options: [
        .count("--rounds", \.rounds, 1...1_000, "That count, after one to warm up."),
        .text("--pool", "FILE", \.pool, "The peers' batches (pool.bin) beside generated ones."),
        .text(
          "--dictionary", "FILE", \.dictionary, "Columns compressed with it beside the others."),
        .flag("--json", \.json, "Rows as JSON."),
      ],
      examples: ["flotilla-lab bench wire", "flotilla-lab bench wire --pool pool.bin --json"],
      start: WireOptions(), body: run)
  }

  private static func run(_ options: WireOptions, _ console: Console) throws -> ExitCode {
    let stand = BenchStand(console)
    return try stand.finish(try rows(options, stand), json: options.json)
  }

  static let sizes = [1, 5, 20, 100, 500]
  private static let others: [BatchCodec] = [
    .columns(level: 0), .columns(level: 1), .columns(level: 3, literals: true), .rows(.none),
    .rows(.gzip), .rows(.zstd),
  ]

  /// The shipped codec in every size and movement, and at 20 fixes the others and a mapping.
  static func rows(
    _ options: WireOptions, sizes: [Int] = sizes, _ stand: BenchStand
  ) throws -> [BenchRow] {
    var rows = try poolRows(options, stand)
    let dictionary = try options.dictionary.map(DictionaryFile.read)
    let others = Self.others + (dictionary.map { [.columns(with: $0)] } ?? [])
    for kind in WireBatches.Kind.allCases {
      for size in sizes {
        let batches = WireBatches(kind, fixesPerBatch: size)
        let codecs = size == 20 ? [.shipped] + others : [.shipped]
        for codec in codecs {
          rows += stand.rows(WireBench(batches, codec), warmUp: 1, rounds: options.rounds)
        }
        if size == 20 {
          rows += stand.rows(MappingBench(batches), warmUp: 1, rounds: options.rounds)
        }
      }
    }
    return rows
  }

  private static func poolRows(
    _ options: WireOptions, _ stand: BenchStand
  ) throws -> [BenchRow] {
    guard let path = options.pool else { return [] }
    return try [WireBatches.Kind.driving, .walking, .resting].flatMap { kind in
      guard let batches = WireBatches(kind, peersPool: path) else {
        throw CommandError(
          exit: .badInput,
          message: "\(path): is no pool of the peers' benchmark; gen_pool writes one.")
      }
      return stand.rows(
        WireBench(batches, .shipped, source: "peers"), warmUp: 1, rounds: options.rounds)
    }
  }
}
