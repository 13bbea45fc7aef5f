import Capacity
import Core
import Figures
@testable import Report

/// A search of four candidates, with round numbers.
enum TuneFixture {
  static let record: TuneRecord = {
    var record = TuneRecord()
    record.scenario.name = "city"
    record.scenario.question = "What is <fresh>?"
    record.seed = 42
    record.policy = "hybrid"
    record.axes = [
      .init(key: "policies[hybrid].send.interval", values: ["1min", "5min"]),
      .init(key: "push.silentAfter", values: ["15min", "1h"]),
    ]
    record.figures = ["fresh", "battery"]
    record.question = TuneQuestion(
      goals: [.init(figure: 0, direction: .maximize)],
      bounds: [.init(figure: 1, limit: 2, isUpper: true)])
    record.schedule = TuneSchedule(candidates: 4, phones: 600, seconds: 3_600, warmStart: 3_600)
    (record.cost.search, record.cost.grid) = (100, 200)
    record.candidates = [
      candidate(["1min", "15min"], rung: 1, fresh: 0.7, battery: 3),
      candidate(["1min", "1h"], rung: 1, fresh: 0.6, battery: 1.5),
      candidate(["5min", "15min"], rung: 1, fresh: 0.5, battery: 1.6),
      candidate(["5min", "1h"], rung: 0, fresh: 0.2, battery: 1.4),
    ]
    (record.front, record.winner) = ([0, 1], 1)
    record.margins = [
      .init(candidate: 0, goal: Ratio(value: -0.1, low: -0.12, high: -0.08)),
      .init(candidate: 2, goal: Ratio(value: 0.1, low: -0.01, high: 0.21)),
    ]
    record.confirmation = confirmation
    return record
  }()

  private static func ratio(_ value: Double, _ width: Double) -> Ratio {
    Ratio(value: value, low: value - width, high: value + width)
  }

  private static func candidate(
    _ values: [String], rung: Int, fresh: Double, battery: Double
  ) -> TuneRecord.Candidate {
    var one = TuneRecord.Candidate(values: values)
    (one.rung, one.figures) = (rung, [ratio(fresh, 0.02), ratio(battery, 0.1)])
    return one
  }

  private static var confirmation: TuneRecord.Confirmation {
    var found = TuneRecord.Confirmation()
    (found.seeds, found.phones) = ([7, 8], 1_200)
    found.winner = [ratio(0.59, 0.02), ratio(1.95, 0.1)]
    found.asWritten = [ratio(0.4, 0.02), ratio(1.2, 0.1)]
    found.difference = [ratio(0.19, 0.02), ratio(0.75, 0.1)]
    found.bounds = [.unsure]
    return found
  }
}
