package import Figures

extension BenchRow {
  /// Converts an overload record to one row, in which each figure has a single sample.
  package init(_ record: OverloadRecord) {
    let figures: [(name: String, value: Double?)] = [
      ("sustainablePerSecond", record.sustainable > 0 ? record.sustainable : nil),
      ("offeredFactor", record.offeredFactor),
      ("goodputShare", record.goodputShare),
      ("acceptedP99Milliseconds", record.overloadP99Microseconds.map { $0 / 1_000 }),
      ("backAfterSeconds", record.backAfterSeconds.map(Double.init)),
    ]
    self.init(
      bench: "overload",
      parameters: [
        ("connections", .count(record.connections)), ("fixes", .count(record.fixesPerBatch)),
        ("seconds", .count(record.seconds(of: .overload).count)), ("store", .word(record.store)),
      ],
      figures: figures.compactMap { name, value in value.map { (name, BenchFigure([$0])) } },
      bars: [
        BenchBar("goodputShare", .atLeast(0.9)),
        BenchBar("acceptedP99Milliseconds", .atMost(record.latencyLimitMicroseconds / 1_000)),
        BenchBar("backAfterSeconds", .atMost(Double(OverloadRecord.recovery))),
      ])
  }
}
