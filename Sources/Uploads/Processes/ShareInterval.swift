package import Core
package import Figures
package import Fleet

/// The figures of one process of a live fleet for one interval. `PackedInterval` adds the intervals
/// of all processes, and the sum makes a timeline row and a snapshot.
package struct ShareInterval: Codable, Equatable, Sendable {
  package struct Moment: Codable, Equatable, Sendable {
    package var at: SimInstant
    /// The wall-clock time since the live part began, in seconds.
    package var wallSeconds: Double
    /// The interval's length in wall-clock seconds.
    package var seconds: Double
    /// "ramp", "measure" or "drain".
    package var phase: String

    package init(at: SimInstant, wallSeconds: Double, seconds: Double, phase: String) {
      (self.at, self.wallSeconds, self.seconds, self.phase) = (at, wallSeconds, seconds, phase)
    }
  }

  /// The last whole second in the interval, counted from the start of the live part.
  package var second: Int
  package var moment: Moment
  package var phones: Int
  package var senders: [Snapshot.ProcessLoad] = []
  package var counts = Sheet()
  package var freshness: FreshnessMetrics
  package var load = Interval()
}

// MARK: As it travels

extension ShareInterval {
  package init() {
    second = 0
    moment = Moment(at: .distantPast, wallSeconds: 0, seconds: 0, phase: "")
    phones = 0
    freshness = FreshnessMetrics(limit: .zero, reach: Distance(meters: 0), cohorts: 0)
  }

  /// An empty interval, whose copies share its histograms until figures are added to a copy.
  static let empty = ShareInterval()

  /// Passes the fields that are not added column by column.
  mutating func passHead(_ columns: inout PackedColumns) {
    second = Int(columns.agree(Int64(second)))
    moment.at = SimInstant(microseconds: columns.agree(moment.at.microseconds))
    moment.wallSeconds = columns.agree(real: moment.wallSeconds) ?? 0
    moment.seconds = columns.agree(real: moment.seconds) ?? 0
    moment.phase = columns.agree(moment.phase)
    phones = Int(columns.agree(Int64(phones)))
    let count = columns.agree(Int64(senders.count))
    guard (0...Self.sendersMax).contains(count) else { return columns.refuse() }
    senders = (0..<Int(count)).compactMap { place in
      guard columns.isSound else { return nil }
      return .init(
        &columns,
        writing: place < senders.count
          ? senders[place] : .init(name: "", cores: 0, residentBytes: 0))
    }
  }

  private static let sendersMax: Int64 = 1 << 20

  mutating func passCounts(_ columns: inout PackedColumns) {
    counts.pass(&columns)
    freshness.pass(&columns)
  }
}

extension Snapshot.ProcessLoad {
  fileprivate init(_ columns: inout PackedColumns, writing own: Self) {
    self.init(
      name: columns.agree(own.name), cores: columns.agree(real: own.cores),
      residentBytes: Int(columns.agree(Int64(own.residentBytes))),
      waited: columns.agree(real: own.waited))
    let rate = columns.agree(real: own.sending?.batchesPerSecond)
    let lag = columns.agree(own.sending?.lagMaxMicroseconds ?? -1)
    sending = rate.map { .init(batchesPerSecond: $0, lagMaxMicroseconds: lag < 0 ? nil : lag) }
  }
}

extension Interval {
  mutating func pass(_ columns: inout PackedColumns) {
    counters.pass(&columns)
    latency.response.pass(&columns)
    latency.generatorLag.pass(&columns)
    latency.connect.pass(&columns)
    latency.hold.pass(&columns)
    latency.service.pass(&columns)
    latency.attempt.pass(&columns)
    guard columns.agree(latency.secured == nil ? 0 : 1) == 1 else { return }
    var secured = latency.secured ?? SecuredHistograms()
    latency.secured = nil
    secured.tcp.pass(&columns)
    secured.full.pass(&columns)
    secured.resumed.pass(&columns)
    latency.secured = secured
  }
}

extension FreshnessMetrics {
  /// Passes the figures. An addition needs empty figures, or figures of the same scenario.
  fileprivate mutating func pass(_ columns: inout PackedColumns) {
    let own = [
      limit.microseconds, Int64(bitPattern: reach.meters.bitPattern), Int64(cohorts.count),
    ]
    let terms = own.map { columns.agree($0) }
    guard (0...Self.cohortsMax).contains(terms[2]) else { return columns.refuse() }
    if terms != own {
      guard own == [0, 0, 0] else { return columns.refuse() }
      self = FreshnessMetrics(
        limit: .microseconds(terms[0]),
        reach: Distance(meters: Double(bitPattern: UInt64(bitPattern: terms[1]))),
        cohorts: Int(terms[2]))
    }
    for number in cohorts.indices {
      columns.pass(&cohorts[number].total)
      columns.pass(&cohorts[number].fresh)
    }
    installed.pass(&columns)
    reachable.pass(&columns)
    moving.pass(&columns)
  }

  private static let cohortsMax: Int64 = 1 << 12
}

extension PopulationMetrics {
  fileprivate mutating func pass(_ columns: inout PackedColumns) {
    ages.pass(&columns)
    columns.pass(&located)
    columns.pass(&total)
  }
}
