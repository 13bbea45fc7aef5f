internal import Commands
internal import Wire

struct WireOptions: RowOptions {
  var rounds = 5
  var pool: String?
  var dictionary: String?
  var json = false
}

enum WireCommand {
  static var command: Command {
    Command(
      "wire",
      "Measure the codec: nanoseconds per batch to encode and decode, and bytes per fix.",
      options: [
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds, after one warm-up round."),
        .text("--pool", "FILE", \.pool, "Also measure the batches of the peers (pool.bin)."),
        .text(
          "--dictionary", "FILE", \.dictionary, "Also measure columns with this zstd dictionary."),
      ],
      examples: ["flotilla-lab bench wire", "flotilla-lab bench wire --pool pool.bin --json"],
      rows: { (options: WireOptions, stand) in try rows(options, stand) })
  }

  static let sizes = [1, 5, 20, 100, 500]
  private static let others: [BatchCodec] = [
    .columns(level: 0), .columns(level: 1), .columns(level: 3, literals: true), .rows(.none),
    .rows(.gzip), .rows(.zstd),
  ]

  /// Measures the default codec at all sizes and movements, and other codecs at 20 fixes.
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
          message: "\(path): not a pool of the peers' benchmark; create one with gen_pool.")
      }
      return stand.rows(
        WireBench(batches, .shipped, source: "peers"), warmUp: 1, rounds: options.rounds)
    }
  }
}
