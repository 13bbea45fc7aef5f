package import Core

/// A figure by which policies, sweep points and settings are compared. A new figure needs a line
/// here, and possibly a column of `ComparedTally`.
package struct StudyFigure: RawRepresentable, Hashable, Sendable, Codable {
  /// The key in `compare.json`, `sweep.json`, `tune.json` and the options of `tune`.
  package let key: String
  /// The word in `sensitivity.json` and in the options of `sensitivity`: `key`, but for one figure.
  package let rawValue: String
  package let unit: FigureUnit
  /// The phones that a search of settings counts: reachable phones for pushes and for what the
  /// server knows, and all installed phones for costs.
  package let population: ComparisonRecord.Population
  package let head: String
  package let title: String
  let sums: ComparedTally.Sums

  private init(
    _ key: String, _ unit: FigureUnit, _ sums: ComparedTally.Sums,
    of population: ComparisonRecord.Population = .reachable, head: String = "", title: String = "",
    alias: String? = nil
  ) {
    (self.key, self.unit, self.sums, self.population) = (key, unit, sums, population)
    (self.head, self.title, rawValue) = (head, title, alias ?? key)
  }

  package static let freshness = Self(
    "fresh", .share, .per(.fresh, .total), head: "fresh %", title: "fresh phone-time",
    alias: "freshness")
  package static let freshnessMoving = Self("fresh-moving", .share, .per(.movingFresh, .moving))
  package static let located = Self("located", .share, .per(.located, .total))
  package static let never = Self("never-heard-of", .share, .per(.never, .total))
  package static let errorMean = Self("error-mean", .meters, .per(.error, .errorTime))
  package static let errorMedian = Self("error-p50", .meters, .errorQuantile(0.5))
  package static let errorP95 = Self("error-p95", .meters, .errorQuantile(0.95))
  package static let staysMissed = Self("stays-missed", .share, .per(.staysMissed, .stays))
  package static let staysInvented = Self(
    "stays-invented", .perDay, .per(.staysInvented, .phoneDays))

  package static let battery = Self(
    "battery", .percentPerDay, .per(.batteryPercent, .phoneDays), of: .installed,
    head: "battery %", title: "battery per phone-day")
  package static let fixes = Self("fixes", .perDay, .per(.fixes, .phoneDays), of: .installed)
  package static let batches = Self(
    "batches", .perDay, .per(.batches, .phoneDays), of: .installed,
    title: "batches per phone-day")
  package static let bytes = Self("bytes", .bytesPerDay, .per(.bytes, .phoneDays), of: .installed)
  package static let wakes = Self(
    "wakes", .perDay, .wakes(WakeCause.allCases.filter(\.isWake)), of: .installed)
  package static let pushes = Self(
    "pushes", .perDay, .per(.pushes, .phoneDays), head: "pushes", title: "Pushes per phone-day")

  package static func stale(_ cause: StaleCause) -> Self {
    Self("stale-\(cause.rawValue)", .minutesPerDay, .stale(cause))
  }

  package static func wakesBy(_ cause: WakeCause) -> Self {
    Self("wakes-\(cause.rawValue)", .perDay, .wakes([cause]), of: .installed)
  }

  // `answered`, its share of silent phones, `caused` and `uplift` come from the run's record. The
  // other figures of pushes are differences from the same phones without pushes.
  package static let answered = Self(
    "answered", .share, .none, head: "answered %", title: "answered pushes")
  /// The share of all silent phones that answered, unreachable ones included.
  package static let answeredOfSilent = Self(
    "answered-of-silent", .share, .none, head: "of silent %",
    title: "answered, of all silent phones")
  package static let caused = Self("caused", .share, .none)
  package static let uplift = Self(
    "uplift", .share, .none, head: "uplift", title: "Uplift, percentage points")
  /// Stale phone-minutes without pushes minus those with pushes.
  package static let removed = Self("removed", .minutesPerDay, .none, head: "removed min")
  package static let extraJoules = Self("extra-joules", .joulesPerDay, .none, head: "more J")
  package static let removedPerPush = Self(
    "removed-per-push", .minutesPerPush, .none, head: "min/push",
    title: "Stale phone-minutes removed per push")
  package static let removedPerJoule = Self(
    "removed-per-joule", .minutesPerJoule, .none, head: "min/J")

  // MARK: Figures of each study

  private static let measured = [
    freshness, freshnessMoving, located, never, errorMean, errorMedian, errorP95, staysMissed,
    staysInvented, battery, fixes, batches, bytes, wakes, pushes,
  ]

  package static let compared =
    measured + StaleCause.allCases.map(stale) + WakeCause.allCases.map(wakesBy)

  package static let searched = measured.filter { $0 != errorMedian && $0 != errorP95 }

  package static let swept = [
    answered, answeredOfSilent, uplift, freshness, battery, pushes, removed, extraJoules,
    removedPerPush, removedPerJoule,
  ]

  package static let headlines = [freshness, answered, answeredOfSilent, battery, batches]

  /// The figures that the record of a single run has.
  package static let ofRun = headlines + [located, caused, uplift]

  /// Returns the key that the figure has in a comparison of a population.
  package func key(of population: ComparisonRecord.Population) -> String {
    "\(population.rawValue)-\(key)"
  }

  /// The key that a search's figure has in an ensemble.
  package var searchedKey: String { key(of: population) }

  package init?(rawValue: String) {
    guard let figure = Self.headlines.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = figure
  }

  package init?(key: String) {
    guard let figure = Self.searched.first(where: { $0.key == key }) else { return nil }
    self = figure
  }

  package func value(in record: RunRecord) -> Double? {
    switch (self, record.demand) {
    case (.freshness, _): record.freshness.reachable.share
    case (.located, _): record.freshness.reachable.located
    case (.answered, _): record.wake.answered?.value
    case (.answeredOfSilent, _): record.wake.answeredOfSilent?.value
    case (.caused, _): record.wake.caused?.value
    case (.uplift, _): record.wake.uplift?.value
    case (.battery, _): record.energy.perPhoneDay?.percentOfBattery
    case (.batches, .simulated(let demand)): demand.batchesPerPhoneDay
    case _: nil
    }
  }
}
