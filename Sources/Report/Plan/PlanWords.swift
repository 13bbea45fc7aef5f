package import Capacity
internal import Core
package import Figures

package enum PlanWords {
  package static func isPlan(_ record: RunRecord) -> Bool {
    record.plan != nil
  }

  package static func reasons(_ demand: DemandRecord) -> [String] {
    guard demand.isScaledTooFar else { return [] }
    return [
      """
      \(Figure.grouped(demand.livedPhones)) of \(Figure.grouped(demand.phones)) phones were \
      simulated and their demand was scaled \(Figure.quantity(demand.scale)) ×. Above \
      \(Figure.plain(SubsetScaling.factorMax)) × the busiest second is unreliable.
      """
    ]
  }

  package static func lines(_ record: RunRecord) -> [String] {
    PlanPage(record)?.document.lines ?? head(record)
  }

  static func head(_ record: RunRecord) -> [String] {
    (Answer(record).sentence.map { ["answer   \($0.text)"] } ?? [])
      + ["verdict  \(record.verdict.rawValue)"] + record.reasons.map { "         \($0)" }
  }
}

extension Ratio {
  /// The value with its ends, such as "12 [10 – 15]"; only the value if both ends are equal.
  var withEnds: String {
    let value = Figure.quantity(value)
    return low == high ? value : "\(value) [\(Figure.quantity(low)) – \(Figure.quantity(high))]"
  }
}

extension EnsembleFigures? {
  /// Returns a figure's interval, such as " (2 – 5)"; empty if there is none.
  func interval(_ key: String, _ words: String = "") -> String {
    guard let ends = self?.figures[key] else { return "" }
    return " (\(Figure.quantity(ends.low)) – \(Figure.quantity(ends.high))\(words))"
  }
}

extension DemandRecord {
  func facts(_ ensemble: EnsembleFigures?) -> Table {
    let rates = Table(facts: [
      "mean": "\(Figure.quantity(curve.mean)) batches/s",
      "busiest second": "\(peakSecond.withEnds) batches/s",
      "busiest minute": "\(Figure.quantity(curve.peakMinute.batchesPerSecond)) batches/s",
      "busiest hour": """
      \(Figure.quantity(curve.peakHour.batchesPerSecond))\
      \(ensemble.interval(EnsembleFigures.busiestHour)) batches/s
      """,
      "p99.9 of seconds": """
      \(Figure.quantity(curve.secondP999)) batches/s (Poisson arrivals: \
      \(Figure.quantity(curve.poissonP999)))
      """,
    ])
    let delays = zip(curve.sustained, sustained).map { rate, ratio in
      let delay =
        rate.delay < 1
        ? "\(Figure.plain(rate.delay * 1_000)) ms" : "\(Figure.plain(rate.delay)) s"
      return ["to sustain for a wait of at most \(delay)", "\(ratio.withEnds) batches/s"]
    }
    let seen = views.map { views in
      [
        views.title,
        """
        mean \(Figure.quantity(views.mean))/s, busiest second \(Figure.quantity(views.peakSecond)), \
        busiest minute \(Figure.quantity(views.peakMinute))/s
        """,
      ]
    }
    var table = Table(facts: [
      "per phone-day": """
      \(Figure.quantity(batchesPerPhoneDay))\(ensemble.interval(StudyFigure.batches.key)) batches \
      of \(Figure.quantity(fixesPerBatch)) fixes and \(Figure.quantity(bytesPerBatch)) bytes
      """,
      "bandwidth in the busiest second": Figure.bits(peakBytesPerSecond * 8),
      "open connections, peak": Figure.quantity(peakConnections),
      "pushes in the busiest minute": Figure.quantity(peakPushesPerMinute),
      "variance of N arrivals":
        "\(Figure.plain(dispersion.own)) N + \(Self.scientific(dispersion.shared)) N²",
    ])
    table.rows = rates.rows + (seen.map { [$0] } ?? []) + delays + table.rows
    return table
  }

  /// Returns a text such as "2.3e-05", since coefficients of squares are small.
  private static func scientific(_ value: Double) -> String {
    guard value > 0 else { return "0" }
    var (mantissa, power) = (value, 0)
    while mantissa < 1 {
      mantissa *= 10
      power -= 1
    }
    let text = Figure.plain((mantissa * 100).rounded() / 100)
    return power == 0 ? text : "\(text)e\(power)"
  }
}

extension CapacityRecord {
  var facts: Table {
    func rate(_ value: Double?) -> String {
      value.map { "\(Figure.quantity($0)) \(unit)" } ?? "—"
    }
    func measured(_ text: String) -> String? { source == .measured ? text : nil }
    return Table(facts: [
      database == nil ? "capacity per core" : "capacity per collector core":
        "\(perCore.withEnds) \(unit), \(sourceWords)",
      "capacity per database core": database.map { database in
        database.perCore.map { "\($0.withEnds) \(unit)" }
          ?? "not measured: it carried \(database.carried.withEnds) \(unit)"
      },
      "CPU time per batch": database.map(Self.times),
      "lower bound, upper bound": measured("\(rate(lowerBound)), \(rate(upperBound))"),
      "measured by a trial": measured(rate(demonstrated)),
      "derived from CPU time": measured(
        "\(rate(derived)), extrapolated"
          + (isFarApart ? "; more than 10 % from the measured capacity" : "")),
      "with the scenario’s phones": measured(
        verified.map { $0 ? "passed at the lower bound" : "failed" } ?? "not run"),
      "generator without a collector": measured(
        rate(generatorCeiling)
          + (isGeneratorStrong == false
            ? "; less than 1.3 × the upper bound, so it may be the limit" : "")),
      "TLS": source == .measured ? tls.map(Self.words) : nil,
      "scalability (USL)": law.map(words) ?? lawNote,
    ])
  }

  private static func words(_ tls: TLSCost) -> String {
    func time(_ upload: TLSCost.Upload) -> String { Figure.time(upload.cpuSeconds * 1e6) }
    return """
      \(Figure.percent(tls.coreShare)) of CPU: \(time(tls.mean)) per upload, \
      \(time(tls.full)) with a full handshake (\(tls.key)), \(time(tls.resumed)) resumed \
      (\(Figure.percent(tls.resumedShare)) of them). Bounds and trials are without TLS
      """
  }

  private static func times(_ database: DatabaseCapacity) -> String {
    func time(_ seconds: Double?) -> String { seconds.map { Figure.time($0 * 1e6) } ?? "—" }
    return """
      collector \(time(database.collectorCpuSecondsPerBatch)), database \
      \(time(database.cpuSecondsPerBatch))
      """
  }

  private func words(_ law: LawRecord) -> String {
    let peak =
      law.peakLoad.map { "peak at \($0.withEnds) \(law.loads)" }
      ?? (law.mayHavePeak ? "peak uncertain" : "no peak")
    return """
      \(Figure.percent(law.alpha.value)) serial (α \
      [\(Figure.percent(law.alpha.low)) – \(Figure.percent(law.alpha.high))]), \(peak); \(lawNote)
      """
  }

  private var sourceWords: String {
    switch source {
    case .measured: "measured here"
    case .given: "given by --capacity"
    case .curve: "from the given curve"
    }
  }
}

extension SizeRecord {
  func facts(_ ensemble: EnsembleFigures?) -> Table {
    let model = " over the model’s parameters"
    let zone = zones > 1 ? ", with one of \(zones) zones lost \(withZoneLoss)" : ""
    let bought = Table(facts: [
      "instances": """
      \(instances)\(ensemble.interval(EnsembleFigures.instances, model)): \(needed) needed, the \
      rest spare; N+1 \(withOneSpare), N+2 \(withTwoSpares)\(zone)
      """,
      "interval over sampling": sampling.text, "interval over assumptions": inputs.text,
      "rate to sustain at the peak": ensemble?.figures[EnsembleFigures.peak].map { _ in
        "\(rate.withEnds)\(ensemble.interval(EnsembleFigures.peak, model)) batches/s"
      },
    ])
    let reads = peakReads.map { reads in
      [
        "requests at the peak",
        """
        \(Figure.quantity(rate.value)) batches/s and \(Figure.quantity(reads)) reads/s by viewers, each \
        counted as a batch
        """,
      ]
    }
    let needed = needs.map { need in
      [
        "needed for \(need.resource.rawValue)",
        """
        \(need.instances), at \(Figure.percent(need.utilisation)) of their planned share at the peak
        """,
      ]
    }
    let hasPrices = currency != "none"
    let databaseCost = database.flatMap { $0.instances == nil ? nil : $0.costPerMonth }
    var table = Table(facts: [
      "database": database.map(words),
      "network at the peak, with TCP and TLS": """
      \(Figure.bits(networkInBitsPerSecond)) in, \(Figure.bits(networkOutBitsPerSecond)) out
      """,
      "storage": """
      \(Figure.bytes(storageBytesPerDay)) a day, \(Figure.bytes(storedBytes)) for \
      \(Figure.quantity(retentionDays)) days, \(replication) copies counted
      """,
      "push quota": "\(Figure.percent(pushQuotaShare)) in the busiest minute",
      "reserve": "the needed instances carry \(Figure.quantity(headroom)) × the peak",
      "reserve used up": daysUntilExhausted.map {
        """
        in \(Figure.quantity($0.rounded())) days at \(Figure.percent(growthPerMonth)) growth a month
        """
      } ?? "never, without growth",
      "cost a month":
        hasPrices ? "\(Figure.quantity(costPerMonth)) \(currency) \(costInterval.text)" : nil,
      "database, a month":
        hasPrices ? databaseCost.map { "\(Figure.quantity($0)) \(currency) more" } : nil,
    ])
    table.rows = bought.rows + (reads.map { [$0] } ?? []) + needed + table.rows
    return table
  }

  func words(_ database: DatabaseSize) -> String {
    guard let cores = database.cores, let instances = database.instances else {
      return database.likeMeasured == 1
        ? "one server like the measured server"
        : "\(database.likeMeasured) servers like the measured server (CPU time not measured)"
    }
    let used = database.utilisation.map { ", \(Figure.percent($0)) used at the peak" } ?? ""
    let what = "\(cores) \(cores == 1 ? "core" : "cores")\(used)"
    return instances == 1
      ? what
      : """
      \(what): more than \(instance.name) has. Use a larger server, or \(instances) databases \
      with separate collectors and phones
      """
  }
}

extension SizeRecord.Interval {
  fileprivate var text: String { "[\(Figure.quantity(low)) – \(Figure.quantity(high))]" }
}
