internal import Measure

/// What runs are compared by.
package enum RunFigure: String, CaseIterable, Sendable, Codable {
  case offered, throughput
  case ackedShare = "acked-share"
  case responseP50 = "response-p50"
  case responseP90 = "response-p90"
  case responseP99 = "response-p99"
  case responseP999 = "response-p999"
  case failedShare = "failed-share"
  case freshReachable = "fresh-reachable"
  case freshInstalled = "fresh-installed"
  case freshMoving = "fresh-moving"
  case located
  case answered, caused, uplift
  case battery
  case bytesPerBatch = "bytes-per-batch"
  case bytesPerFix = "bytes-per-fix"
  case collectorCPU = "collector-cpu-per-batch"
  case collectorMemory = "collector-memory"
  case peakRate = "peak-rate"
  case undelivered, lost
  case capacityLower = "capacity-lower"
  case capacityUpper = "capacity-upper"
  case perCore = "capacity-per-core"
  case planCPU = "cpu-per-batch"
  case instances, storage, cost

  /// As tables name it.
  package var title: String {
    switch self {
    case .offered: "offered batches/s"
    case .throughput: "acked batches/s"
    case .ackedShare: "acked of offered"
    case .responseP50: "response p50"
    case .responseP90: "response p90"
    case .responseP99: "response p99"
    case .responseP999: "response p99.9"
    case .failedShare: "failed batches"
    case .freshReachable: "fresh, reachable"
    case .freshInstalled: "fresh, installed"
    case .freshMoving: "fresh, moving"
    case .located: "located, reachable"
    case .answered: "pushes answered"
    case .caused: "pushes caused"
    case .uplift: "push uplift"
    case .battery: "battery a day"
    case .bytesPerBatch: "bytes a batch"
    case .bytesPerFix: "bytes a fix"
    case .collectorCPU: "collector CPU a batch"
    case .collectorMemory: "collector memory"
    case .peakRate: "peak batches/s"
    case .undelivered: "undelivered fixes"
    case .lost: "lost fixes"
    case .capacityLower: "capacity, lower bound"
    case .capacityUpper: "capacity, upper bound"
    case .perCore: "capacity a core"
    case .planCPU: "CPU a batch"
    case .instances: "instances"
    case .storage: "storage a day"
    case .cost: "cost a month"
    }
  }

  /// Which way is better.
  package enum Good: String, Sendable, Codable { case more, less, neither }

  package var good: Good {
    switch self {
    case .ackedShare, .freshReachable, .freshInstalled, .freshMoving, .located, .answered,
      .caused, .uplift, .capacityLower, .capacityUpper, .perCore:
      .more
    case .responseP50, .responseP90, .responseP99, .responseP999, .failedShare, .battery,
      .bytesPerBatch, .bytesPerFix, .collectorCPU, .collectorMemory, .undelivered, .lost,
      .planCPU, .instances, .storage, .cost:
      .less
    // An open loop offers what the scenario does: less of it is another load, not a worse answer.
    case .offered, .throughput, .peakRate: .neither
    }
  }

  package enum Unit: String, Sendable, Codable {
    case perSecond = "batches/s"
    case microseconds
    /// 0 … 1.
    case share
    case percent = "percent-of-battery"
    case bytes
    case count
    case money
  }

  package var unit: Unit {
    switch self {
    case .offered, .throughput, .peakRate, .capacityLower, .capacityUpper, .perCore: .perSecond
    case .responseP50, .responseP90, .responseP99, .responseP999, .collectorCPU, .planCPU:
      .microseconds
    case .ackedShare, .failedShare, .freshReachable, .freshInstalled, .freshMoving, .located,
      .answered, .caused, .uplift, .undelivered:
      .share
    case .battery: .percent
    case .bytesPerBatch, .bytesPerFix, .collectorMemory, .storage: .bytes
    case .lost, .instances: .count
    case .cost: .money
    }
  }

  func text(_ value: Double) -> String {
    switch unit {
    case .perSecond, .count, .money: Figure.quantity(value)
    case .microseconds: Figure.time(value)
    case .share: Figure.percent(value)
    case .percent: "\(Figure.quantity(value)) %"
    case .bytes: value < 1_024 ? "\(Figure.quantity(value)) B" : Figure.bytes(Int(value.rounded()))
    }
  }

  /// Where the interval of its ratio comes from.
  package enum Method: String, Sendable, Codable {
    /// Blocks of rows of the timeline, at the same places in both runs …
    case pairedBlocks = "paired-blocks"
    /// … or apart.
    case blocks
    /// The interval that each run has by itself.
    case ownIntervals = "own-intervals"
    /// There is none.
    case none
  }
}

/// What a run says of a figure.
struct RunFinding: Equatable {
  /// nil: it does not say it, or what it says is not to be relied on.
  var value: Double?
  var text: String
  /// The interval that the record itself has.
  var own: Ratio?

  static let nothing = RunFinding(value: nil, text: "—", own: nil)

  init(value: Double?, text: String, own: Ratio? = nil) {
    self.value = value
    self.text = text
    self.own = own
  }

  init(_ figure: RunFigure, _ value: Double?, own: Ratio? = nil) {
    guard let value else {
      self = .nothing
      return
    }
    self.init(value: value, text: figure.text(value), own: own)
  }

  init(_ figure: RunFigure, _ record: RunRecord) {
    switch figure {
    case .responseP50: self.init(record.latency.response, .p50)
    case .responseP90: self.init(record.latency.response, .p90)
    case .responseP99: self.init(record.latency.response, .p99)
    case .responseP999: self.init(record.latency.response, .p999)
    case .answered: self.init(figure, record.wake.answered)
    case .caused: self.init(figure, record.wake.caused)
    case .uplift: self.init(figure, record.wake.uplift)
    case .offered, .throughput, .ackedShare, .failedShare, .freshReachable, .freshInstalled,
      .freshMoving,
      .located, .battery, .bytesPerBatch, .bytesPerFix, .collectorCPU, .collectorMemory,
      .peakRate, .undelivered, .lost:
      self.init(figure, PlanWords.isPlan(record) ? nil : Self.value(figure, record))
    case .capacityLower, .capacityUpper, .perCore, .planCPU, .instances, .storage, .cost:
      self.init(plan: figure, record)
    }
  }

  private init(_ figures: RunRecord.Figures, _ level: RunRecord.Latency.Level) {
    let text = figures.text(level)
    if figures.generatorBound.contains(level.rawValue) {
      // What the generator's lateness decides says nothing of what is compared.
      self.init(value: nil, text: "late")
    } else {
      // Beyond a deadline it is at least the deadline.
      let value = figures[level] ?? figures.beyond[level.rawValue]
      self.init(value: value.map(Double.init), text: text)
    }
  }

  private init(_ figure: RunFigure, _ ratio: Ratio?) {
    self.init(figure, ratio?.value, own: ratio)
  }

  private static func value(_ figure: RunFigure, _ record: RunRecord) -> Double? {
    let collector = record.machine.processes["collector"]
    let response = record.latency.response
    switch figure {
    case .offered: return record.offered.batchesPerSecond
    case .throughput: return record.throughput.batchesPerSecond
    case .ackedShare:
      guard let offered = record.offered.batchesPerSecond, offered > 0 else { return nil }
      return record.throughput.batchesPerSecond.map { $0 / offered }
    case .failedShare:
      return response.count > 0 ? Double(response.censored) / Double(response.count) : nil
    case .freshReachable: return record.freshness.reachable.share
    case .freshInstalled: return record.freshness.installed.share
    case .freshMoving: return record.freshness.moving.share
    case .located: return record.freshness.reachable.located
    case .battery: return record.energy.batteryPercentPerDay
    case .bytesPerBatch: return record.traffic.bytesPerBatch
    case .bytesPerFix: return record.traffic.bytesPerFix
    case .collectorCPU:
      let batches = record.ledger.batches.acknowledged
      return collector.flatMap { batches > 0 ? $0.cpuSeconds * 1e6 / Double(batches) : nil }
    case .collectorMemory: return collector.map { Double($0.peakResidentBytes) }
    case .peakRate: return record.offered.batchesPerSecondMax
    case .undelivered:
      let fixes = record.ledger.fixes
      return fixes.generated > 0 ? Double(fixes.undelivered) / Double(fixes.generated) : nil
    case .lost: return record.ledger.fixes.generated > 0 ? Double(record.ledger.fixes.lost) : nil
    case .responseP50, .responseP90, .responseP99, .responseP999, .answered, .caused, .uplift,
      .capacityLower, .capacityUpper, .perCore, .planCPU, .instances, .storage, .cost:
      return nil
    }
  }

  // MARK: Plans

  private init(plan figure: RunFigure, _ record: RunRecord) {
    guard PlanWords.isPlan(record) else {
      self = .nothing
      return
    }
    let facts = Facts(record)
    switch figure {
    case .capacityLower:
      let found = Self.searched("lowerBound", facts)
      let value = facts.number("capacity.lowerBound")
      self.init(figure, value, own: value.flatMap { Self.own($0, found) })
    case .capacityUpper:
      let found = Self.searched("upperBound", facts)
      let value = facts.number("capacity.upperBound")
      self.init(figure, value, own: value.flatMap { Self.own($0, found) })
    case .perCore:
      let values = ["value", "low", "high"].map { facts.number("capacity.perCore.\($0)") }
      if let value = values[0], let low = values[1], let high = values[2] {
        self.init(figure, value, own: Self.own(value, [low, high]))
      } else {
        self = .nothing
      }
    case .planCPU:
      self.init(figure, facts.number("capacity.cpuSecondsPerBatch").map { $0 * 1e6 })
    case .instances:
      let value = facts.number("size.instances")
      let ends = ["low", "high"].compactMap { facts.number("size.sampling.\($0)") }
      self.init(figure, value, own: value.flatMap { Self.own($0, ends) })
    case .storage: self.init(figure, facts.number("size.storageBytesPerDay"))
    case .cost:
      let isPriced = facts.text("size.currency", .text).map { $0 != "none" } ?? false
      self.init(figure, isPriced ? facts.number("size.costPerMonth") : nil)
    case .offered, .throughput, .ackedShare, .responseP50, .responseP90, .responseP99,
      .responseP999, .failedShare, .freshReachable, .freshInstalled, .freshMoving, .located,
      .answered, .caused,
      .uplift, .battery, .bytesPerBatch, .bytesPerFix, .collectorCPU, .collectorMemory, .peakRate,
      .undelivered, .lost:
      self = .nothing
    }
  }

  /// What each search of a plan found.
  private static func searched(_ key: String, _ facts: Facts) -> [Double] {
    var found: [Double] = []
    for number in 0..<1_000 {
      guard facts.value("capacity.searches.\(number)") != nil else { break }
      if let value = facts.number("capacity.searches.\(number).\(key)") { found.append(value) }
    }
    return found
  }

  /// One search alone says nothing of how far another would be.
  private static func own(_ value: Double, _ found: [Double]) -> Ratio? {
    guard let low = found.min(), let high = found.max(), low < high else { return nil }
    return Ratio(value: value, low: min(value, low), high: max(value, high))
  }
}
