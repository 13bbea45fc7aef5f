package import Core

/// A log and its two halves, for estimates before and after simulations, which its owner runs.
package struct LogStudy: Sendable {
  package let log: PhoneLog
  package let clock: CivilClock
  /// The evaluated window of the log: at most a week.
  package let window: Range<SimInstant>
  package let fitted: LogSample
  /// The held-out half; nil if the log has only one phone.
  package let held: LogSample?
  package let whole: LogSample

  /// The longest window. Longer logs are cut, since simulated weeks repeat.
  private static let windowMax = SimDuration.hours(168)

  /// Returns nil for an empty log. A nil `utcOffset` is derived from the longitudes.
  package init?(_ log: PhoneLog, utcOffset: SimDuration? = nil) {
    guard let all = log.window else { return nil }
    // A time zone is 15 degrees wide. The user sets the offset near borders and in summer time.
    let byLongitude = log.centre.map { SimDuration.hours(Int64(($0.longitude / 15).rounded())) }
    let clock = CivilClock(utcOffset: utcOffset ?? byLongitude ?? .zero)
    // The window begins at a full minute, as scenarios do.
    let minute: Int64 = 60_000_000
    let start = SimInstant(microseconds: all.lowerBound.microseconds / minute * minute)
    self.init(log, clock, start..<min(all.upperBound, start + Self.windowMax))
  }

  private init(_ log: PhoneLog, _ clock: CivilClock, _ window: Range<SimInstant>) {
    self.log = log
    self.clock = clock
    self.window = window
    whole = LogSample(log, in: window, clock: clock)
    if let halves = log.halves(in: window) {
      fitted = LogSample(log, of: halves.fitted, in: window, clock: clock)
      held = LogSample(log, of: halves.held, in: window, clock: clock)
    } else {
      fitted = whole
      held = nil
    }
  }

  package func first(_ duration: SimDuration) -> LogStudy {
    let end = min(window.upperBound, window.lowerBound + duration)
    if end == window.upperBound { return self }
    return LogStudy(log, clock, window.lowerBound..<end)
  }

  package var start: FitStart? { FitStart(fitted) }

  package func sample(of simulated: PhoneLog) -> LogSample {
    LogSample(simulated, in: window, clock: clock)
  }

  package func describe(files: [String]) -> FitRecord.Log {
    var record = FitRecord.Log()
    record.files = files
    record.columns = LogColumn.allCases.filter(log.columns.contains)
    record.counts = log.counts
    record.notes = notes
    record.phones = whole.phones
    record.fixes = whole.fixes
    record.from = CivilText.text(window.lowerBound, clock)
    record.until = CivilText.text(window.upperBound, clock)
    record.seconds = (window.upperBound - window.lowerBound).seconds
    record.utcOffset = CivilText.offsetText(clock.utcOffset)
    record.fittedPhones = fitted.phones
    record.heldPhones = held?.phones ?? 0
    record.sources = SourceMix(whole.accuracies)
    record.batteryPerHour = batteryPerHour
    record.versions = versions
    return record
  }

  /// Compares every figure of the log with a simulation; `simulated` is nil without a simulation.
  package func figures(_ simulated: LogSample?) -> [FitRecord.Figure] {
    FitFigure.allCases.map { figure in
      var row = FitRecord.Figure(figure)
      row.log = FitRecord.Values(whole, figure)
      row.missing = missing(figure)
      if let held { row.floor = fitted.distance(to: held, in: figure) }
      guard let simulated else { return row }
      row.simulated = FitRecord.Values(simulated, figure)
      row.fittedDistance = fitted.distance(to: simulated, in: figure)
      row.heldDistance = held?.distance(to: simulated, in: figure)
      if row.missing == nil, row.simulated == nil {
        row.missing =
          "the simulation has \(simulated.count(of: figure)) of \(figure.valuesMin) required values"
      }
      return row
    }
  }

  private func missing(_ figure: FitFigure) -> String? {
    if let column = figure.column, !log.columns.contains(column) {
      return "the log has no column '\(column.rawValue)'"
    }
    let needed = figure.valuesMin
    let count = whole.count(of: figure)
    if count < needed { return "too few values: \(count) of \(needed) required" }
    guard let held else { return nil }
    let least = min(fitted.count(of: figure), held.count(of: figure))
    return least < needed
      ? "too few values in one half: \(least) of \(needed) required" : nil
  }

  private var notes: [String]? {
    var notes = log.notes
    if !log.columns.contains(.phone) {
      notes.append("no column 'phone', so each file is one phone")
    }
    let astray = log.astray
    if astray > 0 {
      notes.append("\(astray) more than a week away from all others, skipped")
    }
    return notes.isEmpty ? nil : notes
  }

  // MARK: What is only described

  /// The battery's loss in percentage points per hour while not charging; nil below 1 h of data.
  private var batteryPerHour: Double? {
    let levels = log.rows.lazy.map(\.battery).filter { !$0.isNaN }
    guard let most = levels.max() else { return nil }
    let scale: Double = most <= 1 ? 100 : 1
    var fallen = 0.0
    var hours = 0.0
    for phone in log.phones.indices {
      var last: LogRow?
      for row in log.rows(of: phone) where !row.battery.isNaN {
        if let before = last {
          let took = Double(row.time - before.time) / 3.6e9
          // Skips a rising level, which is a charge, and a gap of hours, which may hide a charge.
          if row.battery <= before.battery, took <= 3 {
            fallen += Double(before.battery - row.battery) * scale
            hours += took
          }
        }
        last = row
      }
    }
    return hours >= 1 ? fallen / hours : nil
  }

  private var versions: [FitRecord.Version] {
    var counts: [String: Int] = [:]
    for phone in log.phones.indices {
      let newest = log.rows(of: phone).last { $0.version != LogRow.noVersion }
      guard let newest else { continue }
      counts[log.versions[Int(newest.version)], default: 0] += 1
    }
    return counts.map { FitRecord.Version(name: $0.key, phones: $0.value) }
      .sorted { ($1.phones, $0.name) < ($0.phones, $1.name) }
  }
}
