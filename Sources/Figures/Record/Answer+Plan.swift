extension Answer {
  /// The answer of a demand or a plan; nil for other records.
  var planned: Sentence? {
    if facts.value("size.instances") != nil { return plan }
    return facts.value("demand.curve") == nil ? nil : demand
  }

  private var demand: Sentence? {
    guard let phones = facts.piece("demand.phones", .count),
      let name = facts.piece("scenario.name", .text),
      let mean = facts.piece("demand.curve.mean", .quantity),
      let peak = interval("demand.peakSecond", .quantity),
      let rate = interval("demand.sustained.1", .quantity)
    else { return nil }
    let scaled: Sentence =
      (facts.number("demand.scale") ?? 1) > 1
      ? facts.piece("demand.livedPhones", .count).map { " (\($0) simulated)" } ?? "" : ""
    return """
      \(phones) phones of \(name)\(scaled) send \(mean) batches/s on average\(busiestHour ?? "") \
      and \(peak) in the busiest second; to keep every wait below 1 s, a backend must sustain \
      \(rate) batches/s.
      """
  }

  /// The rate in the busiest hour; nil without its interval over the model's parameters.
  private var busiestHour: Sentence? {
    guard let rate = facts.piece("demand.curve.peakHour.batchesPerSecond", .quantity),
      let interval = modelled(EnsembleFigures.busiestHour, .quantity)
    else { return nil }
    return ", \(rate)\(interval) in the busiest hour"
  }

  private var plan: Sentence? {
    guard let phones = facts.piece("size.phones", .count),
      let name = facts.piece("scenario.name", .text),
      let instances = facts.piece("size.instances", .count),
      let low = facts.piece("size.interval.low", .count),
      let high = facts.piece("size.interval.high", .count),
      let cores = facts.piece("size.instance.cores", .count),
      let memory = facts.piece("size.instance.memoryBytes", .bytes),
      let limiting = facts.piece("size.limiting", .text)
    else { return nil }
    let amounts: [Sentence] = [
      facts.piece("size.networkInBitsPerSecond", .bits).map { "\($0) in" },
      facts.piece("size.networkOutBitsPerSecond", .bits).map { "\($0) out" },
      facts.piece("size.storageBytesPerDay", .bytes).map { "\($0) stored a day" },
      facts.piece("size.pushQuotaShare", .percent).map { "\($0) of the push quota" },
    ].compactMap(\.self)
    let plural: Sentence = facts.number("size.instances") == 1 ? "instance" : "instances"
    let each: Sentence = facts.number("size.instance.cores") == 1 ? "core" : "cores"
    let caveat = facts.piece("size.caveat", .text).map { " (\($0))" as Sentence }
    return """
      \(phones) phones of \(name) need \(instances) \(plural) [\(low) – \(high)]\
      \(modelled(EnsembleFigures.instances, .count) ?? "") of \(cores) \(each) and \(memory), \
      limited by \(limiting); \(amounts.listed)\(caveat ?? "").
      """
  }

  /// Returns a text such as " (2 – 5 over the model’s parameters)"; nil without an ensemble.
  private func modelled(_ figure: String, _ form: Facts.Form) -> Sentence? {
    guard let low = facts.piece("ensemble.figures.\(figure).low", form),
      let high = facts.piece("ensemble.figures.\(figure).high", form)
    else { return nil }
    return " (\(low) – \(high) over the model’s parameters)"
  }

  /// Returns a text such as "1,200 [1,100 – 1,300]", or only the value if it has no interval.
  private func interval(_ key: String, _ form: Facts.Form) -> Sentence? {
    guard let value = facts.piece("\(key).value", form) else { return nil }
    guard let low = facts.piece("\(key).low", form), let high = facts.piece("\(key).high", form),
      facts.number("\(key).low") != facts.number("\(key).high")
    else { return value }
    return "\(value) [\(low) – \(high)]"
  }
}
