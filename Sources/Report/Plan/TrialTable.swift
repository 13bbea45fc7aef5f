package import Capacity
internal import Core

extension Table {
  init(trials: [TrialRecord]) {
    func time(_ microseconds: Double?) -> String? { microseconds.map(Figure.time) }
    self.init(
      trials, words: [11],
      [
        "trial": { $0.search > 0 ? "\($0.kind.rawValue) \($0.search)" : $0.kind.rawValue },
        "load/s": { Figure.quantity($0.load) }, "s": { Figure.quantity($0.seconds) },
        "offered/s": { Figure.quantity($0.offeredPerSecond) },
        "acknowledged/s": { Figure.quantity($0.acknowledgedPerSecond) },
        "lost or late": { Figure.percent($0.lossRatio) }, "p50": { time($0.p50Microseconds) },
        "p99": { time($0.p99Microseconds) }, "lag p99": { time($0.lagP99Microseconds) },
        "good seconds": { Figure.percent($0.goodSeconds) },
        "cores": { Figure.plain($0.collectorCores) },
        "": { $0.invalid.map { "invalid, \($0)" } ?? ($0.isHigh ? "too much" : "sustained") },
      ])
  }
}

extension TrialRecord {
  /// Returns the text of `trials.csv`: raw numbers, with empty fields for unknown ones.
  package static func csv(_ trials: [TrialRecord]) -> String {
    let head =
      "kind,search,load_per_s,seconds,offered_per_s,acked_per_s,refused,failed,late,loss_ratio,"
      + "p50_us,p99_us,mean_us,lag_p99_us,good_seconds,backlog_growth_per_s,collector_cores,"
      + "generator_cores,stolen_share,resident_bytes,database_cores,result,why\n"
    return trials.reduce(into: head) { text, trial in
      let numbers: [Double?] = [
        trial.load, trial.seconds, trial.offeredPerSecond, trial.acknowledgedPerSecond,
        Double(trial.refused), Double(trial.failed), Double(trial.late), trial.lossRatio,
        trial.p50Microseconds, trial.p99Microseconds, trial.meanMicroseconds,
        trial.lagP99Microseconds, trial.goodSeconds, trial.backlogGrowth, trial.collectorCores,
        trial.generatorCores, trial.stolenShare, trial.residentBytes, trial.databaseCores,
      ]
      let result = trial.invalid == nil ? (trial.isHigh ? "too-much" : "carried") : "invalid"
      let fields = [trial.kind.rawValue, "\(trial.search)"] + numbers.map(Table.field) + [result]
      let why = (trial.invalid ?? "").replacing("\"", with: "\"\"")
      text += "\(fields.joined(separator: ",")),\"\(why)\"\n"
    }
  }
}
