package import Capacity
internal import Figures

/// Every trial of a plan, with those that do not count.
package enum TrialTable {
  static let head = [
    "trial", "load/s", "s", "offered/s", "acknowledged/s", "lost or late", "p50", "p99", "lag p99",
    "good seconds", "cores", "",
  ]

  static func rows(_ trials: [TrialRecord]) -> [[String]] {
    func time(_ microseconds: Double?) -> String { microseconds.map(Figure.time) ?? "—" }
    return trials.map { trial in
      [
        name(trial), Figure.quantity(trial.load), Figure.quantity(trial.seconds),
        Figure.quantity(trial.offeredPerSecond), Figure.quantity(trial.acknowledgedPerSecond),
        Figure.percent(trial.lossRatio), time(trial.p50Microseconds), time(trial.p99Microseconds),
        time(trial.lagP99Microseconds), Figure.percent(trial.goodSeconds),
        Figure.plain(trial.collectorCores),
        trial.invalid.map { "invalid, \($0)" } ?? (trial.isHigh ? "too much" : "carried"),
      ]
    }
  }

  private static func name(_ trial: TrialRecord) -> String {
    trial.search > 0 ? "\(trial.kind.rawValue) \(trial.search)" : trial.kind.rawValue
  }

  /// `trials.csv`: numbers as they are, nothing where nobody knows.
  package static func csv(_ trials: [TrialRecord]) -> String {
    let head =
      "kind,search,load_per_s,seconds,offered_per_s,acked_per_s,refused,failed,late,loss_ratio,"
      + "p50_us,p99_us,mean_us,lag_p99_us,good_seconds,backlog_growth_per_s,collector_cores,"
      + "generator_cores,stolen_share,resident_bytes,database_cores,result,why"
    func cell(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
    let rows = trials.map { trial in
      let numbers: [Double?] = [
        trial.load, trial.seconds, trial.offeredPerSecond, trial.acknowledgedPerSecond,
        Double(trial.refused), Double(trial.failed), Double(trial.late), trial.lossRatio,
        trial.p50Microseconds, trial.p99Microseconds, trial.meanMicroseconds,
        trial.lagP99Microseconds, trial.goodSeconds, trial.backlogGrowth, trial.collectorCores,
        trial.generatorCores, trial.stolenShare, trial.residentBytes, trial.databaseCores,
      ]
      let result = trial.invalid == nil ? (trial.isHigh ? "too-much" : "carried") : "invalid"
      let why = (trial.invalid ?? "").replacing("\"", with: "\"\"")
      return
        ([trial.kind.rawValue, "\(trial.search)"] + numbers.map(cell) + [result, "\"\(why)\""])
        .joined(separator: ",")
    }
    return ([head] + rows).joined(separator: "\n") + "\n"
  }
}
