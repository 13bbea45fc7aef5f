internal import Core

enum PriceSchema {
  static var prices: ObjectShape<PriceList> {
    ObjectShape(fields: [
      Field("currency", \.currency, .name, "Currency of the prices, such as EUR."),
      Field("instance", \.instance, instance, "Instance type of a collector."),
      Field("storage", \.storage, .number(0...1e6), "Price per gigabyte and month."),
      Field(
        "trafficOut", \.trafficOut, .number(0...1e6), "Price per gigabyte of outgoing traffic."),
      Field("pushes", \.pushes, .number(0...1e6), "Price per million silent pushes."),
      Field(
        "retention", \.retention, .time(.hours(1), .hours(24 * 3_650)),
        "Retention time of batches."),
      Field("replication", \.replication, .count(1...10), "Number of copies of a batch."),
      Field("spare", \.spare, .count(0...100), "Number of instances that may fail at peak load."),
      Field(
        "zones", \.zones, .count(1...20),
        "Number of zones, one of which may fail; 1: no zone failure."),
      Field(
        "headroom", \.headroom, .share,
        "Planned share of an instance's sustained throughput."),
      Field("growth", \.growth, .share, "Fleet growth per month."),
      Field("pushQuota", \.pushQuota, .rate(0.001, 1e9), "Push rate limit of the provider."),
    ]) { prices, origin, reading in
      if prices.headroom <= 0 {
        reading.diagnose(origin, "'headroom' is 0, so no instance has any capacity; write more.")
      }
    }
  }

  private static var instance: ObjectShape<PriceList.Instance> {
    ObjectShape(fields: [
      Field("name", \.name, .sentence, "Name of the instance type."),
      Field("cores", \.cores, .count(1...1_024), "Number of cores."),
      Field(
        "memory", \.memoryBytes, amount("memory", Quantity.sizes, 1e6...1e14, "2G or 4GiB"),
        "Memory size."),
      Field(
        "network", \.networkBits, amount("bits a second", bits, 1e6...1e13, "1Gbit"),
        "Bandwidth in each direction."),
      Field("price", \.price, .number(0...1e6), "Price per hour."),
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
