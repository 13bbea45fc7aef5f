internal import Core

enum PriceSchema {
  static var prices: ObjectShape<PriceList> {
    ObjectShape(fields: [
      Field("currency", \.currency, .name, "What prices are in, such as EUR."),
      Field("instance", \.instance, instance, "What a collector runs on."),
      Field("storage", \.storage, .number(0...1e6), "For a gigabyte and month."),
      Field("trafficOut", \.trafficOut, .number(0...1e6), "For a gigabyte that leaves."),
      Field("pushes", \.pushes, .number(0...1e6), "For a million silent pushes."),
      Field(
        "retention", \.retention, .time(.hours(1), .hours(24 * 3_650)),
        "How long batches are kept."),
      Field("replication", \.replication, .count(1...10), "How many times they are kept."),
      Field("spare", \.spare, .count(0...100), "Instances that may be missing at the peak."),
      Field("zones", \.zones, .count(1...20), "One of them may be missing; 1: that is not asked."),
      Field(
        "headroom", \.headroom, .share,
        "The share of what an instance sustains that is planned with."),
      Field("growth", \.growth, .share, "Of the fleet, in a month."),
      Field("pushQuota", \.pushQuota, .rate(0.001, 1e9), "What the provider lets through."),
    ]) { prices, origin, reading in
      if prices.headroom <= 0 {
        reading.diagnose(origin, "headroom is 0, so that no instance carries anything.")
      }
    }
  }

  private static var instance: ObjectShape<PriceList.Instance> {
    ObjectShape(fields: [
      Field("name", \.name, .sentence, "What it is called."),
      Field("cores", \.cores, .count(1...1_024), "How many it has."),
      Field(
        "memory", \.memoryBytes, amount("memory", Quantity.sizes, 1e6...1e14, "2G or 4GiB"),
        "How much it has."),
      Field(
        "network", \.networkBits, amount("bits a second", bits, 1e6...1e13, "1Gbit"),
        "What it sends and takes, each way."),
      Field("price", \.price, .number(0...1e6), "For an hour."),
    ])
  }

  private static let bits = [
    Unit(symbol: "Gbit", worth: 1e9), Unit(symbol: "Mbit", worth: 1e6),
    Unit(symbol: "kbit", worth: 1e3),
  ]

  private static func amount(
    _ what: String, _ units: [Unit], _ range: ClosedRange<Double>, _ example: String
  ) -> Shape<Double> {
    .scalar(
      "\(what) with its unit, such as \(example)",
      parse: { (text, _) throws(ValueError) in
        let (number, unit) = try Quantity.parse(text, units)
        guard range.contains(number * unit.worth) else {
          throw ValueError("'\(text)' is out of range")
        }
        return number * unit.worth
      },
      show: { value, _ in Quantity.text(value, units) })
  }
}
