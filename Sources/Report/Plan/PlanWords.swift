package import Capacity
package import Figures

/// The sentences of a demand and of a plan, for page and terminal.
package enum PlanWords {
  /// Whether a record is of a demand or a plan, and not of a run.
  package static func isPlan(_ record: RunRecord) -> Bool {
    record.plan != nil
  }

  /// Why a demand says less than it seems to.
  package static func reasons(_ demand: DemandRecord) -> [String] {
    guard demand.isScaledTooFar else { return [] }
    return [
      """
      \(Figure.grouped(demand.livedPhones)) of \(Figure.grouped(demand.phones)) phones were lived \
      and their demand was scaled \(Figure.quantity(demand.scale)) ×, more than the \
      \(Figure.plain(SubsetScaling.factorMax)) × up to which a busiest second is to be trusted.
      """
    ]
  }

  static func ratio(_ ratio: Ratio, _ text: (Double) -> String = Figure.quantity) -> String {
    ratio.low == ratio.high
      ? text(ratio.value) : "\(text(ratio.value)) [\(text(ratio.low)) – \(text(ratio.high))]"
  }

  /// Rows of what is asked, as name and value.
  static func demandRows(_ demand: DemandRecord) -> [[String]] {
    let curve = demand.curve
    let delays: [[String]] = zip(curve.sustained, demand.sustained).map { rate, ratio in
      [
        "to be sustained, so that none waits over \(delay(rate.delay))",
        "\(Self.ratio(ratio)) batches/s",
      ]
    }
    return [
      ["on average", "\(Figure.quantity(curve.mean)) batches/s"],
      ["busiest second", "\(Self.ratio(demand.peakSecond)) batches/s"],
      ["busiest minute", "\(Figure.quantity(curve.peakMinute.batchesPerSecond)) batches/s"],
      ["busiest hour", "\(Figure.quantity(curve.peakHour.batchesPerSecond)) batches/s"],
      [
        "exceeded by one second in 1,000",
        """
        \(Figure.quantity(curve.secondP999)) batches/s; by chance alone it would be \
        \(Figure.quantity(curve.poissonP999))
        """,
      ],
    ] + delays + [
      [
        "a phone and day",
        """
        \(Figure.quantity(demand.batchesPerPhoneDay)) batches of \
        \(Figure.quantity(demand.fixesPerBatch)) fixes and \
        \(Figure.quantity(demand.bytesPerBatch)) bytes
        """,
      ],
      ["bytes in the busiest second", Figure.bits(demand.peakBytesPerSecond * 8)],
      ["connections open at once", Figure.quantity(demand.peakConnections)],
      ["pushes in the busiest minute", Figure.quantity(demand.peakPushesPerMinute)],
      [
        "variance of a count N",
        """
        \(Figure.plain(demand.dispersion.own)) N + \
        \(scientific(demand.dispersion.shared)) N²
        """,
      ],
    ]
  }

  static func delay(_ seconds: Double) -> String {
    seconds < 1 ? "\(Figure.plain(seconds * 1_000)) ms" : "\(Figure.plain(seconds)) s"
  }

  /// "2.3e-05": coefficients of squares are small.
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

  // MARK: The terminal

  /// What `demand` prints at its end.
  package static func lines(_ record: RunRecord) -> [String] {
    var lines = head(record)
    if let plan = record.plan {
      lines += table(demandRows(plan.demand))
      lines += zip(plan.demand.policies, plan.demand.batchesPerPolicy).map { name, batches in
        "  policy \(name): \(Figure.quantity(batches)) batches"
      }
      if let capacity = plan.capacity { lines += [""] + table(capacityRows(capacity)) }
      if let size = plan.size { lines += [""] + table(sizeRows(size)) }
      if let growth = plan.growth { lines += [""] + GrowthWords(growth).lines }
    }
    return lines + [""]
  }

  private static func head(_ record: RunRecord) -> [String] {
    var lines: [String] = []
    if let answer = Answer(record).sentence { lines.append("answer   \(answer.text)") }
    lines.append("verdict  \(record.verdict.rawValue)")
    return lines + record.reasons.map { "         \($0)" } + [""]
  }

  private static func table(_ rows: [[String]]) -> [String] {
    let width = rows.map { $0[0].count }.max() ?? 0
    return rows.map { row in
      "  \(row[0])\(String(repeating: " ", count: width - row[0].count))  \(row[1])"
    }
  }

  static func capacityRows(_ capacity: CapacityRecord) -> [[String]] {
    func rate(_ value: Double?) -> String {
      value.map { "\(Figure.quantity($0)) \(capacity.unit)" } ?? "—"
    }
    var rows = [
      [
        capacity.database == nil ? "a core carries" : "a core of collectors carries",
        "\(ratio(capacity.perCore)) \(capacity.unit), \(source(capacity))",
      ]
    ]
    if let database = capacity.database { rows += databaseRows(database, capacity.unit) }
    guard capacity.source == .measured else { return rows + lawRows(capacity) }
    rows += [
      ["lower bound, upper bound", "\(rate(capacity.lowerBound)), \(rate(capacity.upperBound))"],
      ["demonstrated by a trial", rate(capacity.demonstrated)],
      [
        "derived from the processor",
        "\(rate(capacity.derived)), extrapolated"
          + (capacity.isFarApart ? "; more than 10 % from the demonstrated one" : ""),
      ],
      [
        "with the scenario’s phones",
        capacity.verified.map { $0 ? "passed at the lower bound" : "did not pass" } ?? "not tried",
      ],
      [
        "the generator alone",
        rate(capacity.generatorCeiling)
          + (capacity.isGeneratorStrong == false
            ? "; less than 1.3 × the upper bound: it may be what is measured" : ""),
      ],
    ]
    return rows + tlsRows(capacity) + lawRows(capacity)
  }

  private static func tlsRows(_ capacity: CapacityRecord) -> [[String]] {
    guard let tls = capacity.tls else { return [] }
    func time(_ upload: TLSCost.Upload) -> String { Figure.time(upload.cpuSeconds * 1e6) }
    return [
      [
        "TLS takes",
        """
        \(Figure.percent(tls.coreShare)) of the cores: \(time(tls.mean)) of an upload, \
        \(time(tls.full)) with a full handshake (\(tls.key)), \(time(tls.resumed)) with a resumed \
        one, \(Figure.percent(tls.resumedShare)) of them resumed; bounds and trials are without it
        """,
      ]
    ]
  }

  private static func databaseRows(_ database: DatabaseCapacity, _ unit: String) -> [[String]] {
    func time(_ seconds: Double?) -> String { seconds.map { Figure.time($0 * 1e6) } ?? "—" }
    return [
      [
        "a core of the database carries",
        database.perCore.map { "\(ratio($0)) \(unit)" }
          ?? "not seen: it carried \(ratio(database.carried)) \(unit)",
      ],
      [
        "processor time a batch",
        """
        collector \(time(database.collectorCpuSecondsPerBatch)), database \
        \(time(database.cpuSecondsPerBatch))
        """,
      ],
    ]
  }

  private static func lawRows(_ capacity: CapacityRecord) -> [[String]] {
    guard let law = capacity.law else { return [["scalability law", capacity.lawNote]] }
    let peak = law.peakLoad.map { "peak at \(ratio($0)) \(law.loads)" } ?? noPeak(law)
    return [
      [
        "scalability law",
        """
        \(Figure.percent(law.alpha.value)) one after the other (α \
        [\(Figure.percent(law.alpha.low)) – \(Figure.percent(law.alpha.high))]), \(peak); \
        \(capacity.lawNote)
        """,
      ]
    ]
  }

  private static func noPeak(_ law: LawRecord) -> String {
    law.mayHavePeak ? "no peak that is certain" : "no peak"
  }

  private static func source(_ capacity: CapacityRecord) -> String {
    switch capacity.source {
    case .measured: "measured here"
    case .given: "as given by --capacity"
    case .curve: "by the curve that was given"
    }
  }

  private static func zones(_ size: SizeRecord) -> String {
    size.zones > 1 ? ", so that one of \(size.zones) zones may be gone \(size.withZoneLoss)" : ""
  }

  static func sizeRows(_ size: SizeRecord) -> [[String]] {
    instanceRows(size) + needRows(size) + databaseRows(size) + amountRows(size) + costRows(size)
  }

  private static func instanceRows(_ size: SizeRecord) -> [[String]] {
    [
      [
        "instances",
        """
        \(size.instances): \(size.needed) and spares; N+1 \(size.withOneSpare), N+2 \
        \(size.withTwoSpares)\(zones(size))
        """,
      ],
      ["interval by sampling", interval(size.sampling)],
      ["interval by inputs", interval(size.inputs)],
    ]
  }

  private static func needRows(_ size: SizeRecord) -> [[String]] {
    size.needs.map { need in
      [
        "\(need.resource.rawValue) asks for",
        """
        \(need.instances), used to \(Figure.percent(need.utilisation)) of what is planned with
        """,
      ]
    }
  }

  /// None where each collector has a file.
  private static func databaseRows(_ size: SizeRecord) -> [[String]] {
    guard let database = size.database else { return [] }
    return [["database", databaseWords(database, size.instance)]]
  }

  static func databaseWords(_ database: DatabaseSize, _ instance: SizeRecord.Instance) -> String {
    guard let cores = database.cores, let instances = database.instances else {
      return database.likeMeasured == 1
        ? "one such as was measured"
        : "as \(database.likeMeasured) such as was measured; its processor time was not seen"
    }
    let used = database.utilisation.map { ", used to \(Figure.percent($0)) at the peak" } ?? ""
    let what = "\(cores) \(cores == 1 ? "core" : "cores")\(used)"
    return instances == 1
      ? what
      : """
      \(what): more than \(instance.name) has, so a larger server, or \(instances) with collectors \
      and phones of their own each
      """
  }

  private static func amountRows(_ size: SizeRecord) -> [[String]] {
    [
      [
        "network at the peak",
        """
        \(Figure.bits(size.networkInBitsPerSecond)) in, \
        \(Figure.bits(size.networkOutBitsPerSecond)) out
        """,
      ],
      [
        "storage",
        """
        \(Figure.bytes(Int(size.storageBytesPerDay))) a day; \
        \(Figure.bytes(Int(size.storedBytes))) for \(Figure.quantity(size.retentionDays)) days, \
        kept \(size.replication) times
        """,
      ],
      ["push quota", "\(Figure.percent(size.pushQuotaShare)) in the busiest minute"],
      ["headroom", "\(Figure.quantity(size.headroom)) × the peak"],
      [
        "exhausted",
        size.daysUntilExhausted.map {
          """
          in \(Figure.quantity($0.rounded())) days at \
          \(Figure.percent(size.growthPerMonth)) growth a month
          """
        } ?? "never, without growth",
      ],
    ]
  }

  /// None without prices.
  private static func costRows(_ size: SizeRecord) -> [[String]] {
    guard size.currency != "none" else { return [] }
    let cost = Figure.quantity(size.costPerMonth)
    let rows = [["cost a month", "\(cost) \(size.currency) \(interval(size.costInterval))"]]
    guard let database = size.database, database.instances != nil else { return rows }
    return rows + [
      ["of the database", "\(Figure.quantity(database.costPerMonth)) \(size.currency) beside it"]
    ]
  }

  private static func interval(_ ends: SizeRecord.Interval) -> String {
    "[\(Figure.quantity(ends.low)) – \(Figure.quantity(ends.high))]"
  }
}
