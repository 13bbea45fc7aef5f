internal import Core
internal import Figures

/// One step of a search for a target's sustained rate, with the first violated level of service.
/// Callers pass all instants. An unanswered upload is late once the latency limit has passed.
struct SearchStep: Sendable {
  struct Levels: Equatable, Sendable {
    /// The limit of the p99 response.
    var latency: WallDuration
    /// The share of uploads that may fail, 0 ... 1.
    var failedShare: Double
  }

  let begins: WallInstant
  private let levels: Levels
  private var offered: [WallInstant] = []
  private var responses = Histogram()
  private var lags = Histogram()
  private var step: TargetCapacity.Step
  private var late = 0
  private var lateSends = 0
  private var statuses: [String: Int] = [:]
  /// Whether an upload was due while every phone waited for an answer.
  private(set) var isStarved = false

  /// The minimum number of samples to judge a p99.
  private static let samplesMin = 20
  /// The minimum number of failed or late uploads that violates a level.
  private static let countMin = 3
  private static let lateShareMax = 0.01

  init(load: Double, begins: WallInstant, _ levels: Levels) {
    step = TargetCapacity.Step(load: load, seconds: 0)
    self.begins = begins
    self.levels = levels
  }

  mutating func offer(at instant: WallInstant) { offered.append(instant) }
  mutating func starve() { isStarved = true }

  mutating func end(
    isStored: Bool, status: String, response: WallDuration, lag: WallDuration
  ) {
    lags.record(lag.microseconds)
    if lag > lagMax { lateSends += 1 }
    guard isStored else {
      step.failed += 1
      statuses[status, default: 0] += 1
      responses.recordCensored(atLeast: response.microseconds)
      return
    }
    step.stored += 1
    if response > levels.latency { late += 1 }
    responses.record(response.microseconds)
  }

  private var ended: Int { step.stored + step.failed }

  var isAnswered: Bool { ended >= offered.count }

  /// Returns how a level of service was violated before `now`, or nil.
  func broken(at now: WallInstant) -> String? {
    if isStarved {
      return "every phone waited for an answer, \(offered.count - ended) uploads were unanswered"
    }
    let due = offered.count { $0 + levels.latency <= now }
    guard due >= Self.samplesMin else { return nil }
    if step.failed >= Self.countMin, Double(step.failed) > levels.failedShare * Double(ended) {
      let worst = statuses.ranked.first?.key ?? ""
      let share = Figure.percent(Double(step.failed) / Double(ended))
      return "\(share) of the uploads failed, most of them with \(worst)"
    }
    let waiting = max(0, due - ended)
    let slow = late + waiting
    guard slow >= Self.countMin, Double(slow) > Self.lateShareMax * Double(due) else { return nil }
    let share = Figure.percent(Double(slow) / Double(due))
    return
      "\(share) of the uploads took longer than \(Figure.time(Double(levels.latency.microseconds)))"
  }

  /// The maximum lag of a send: a twentieth of the latency limit, at least a millisecond.
  private var lagMax: WallDuration {
    max(.milliseconds(1), .microseconds(levels.latency.microseconds / 20))
  }

  /// Why the step does not count; nil if the generator kept up.
  var invalid: String? {
    guard lateSends >= Self.countMin, Double(lateSends) > Self.lateShareMax * Double(ended) else {
      return nil
    }
    let share = Figure.percent(Double(lateSends) / Double(ended))
    return "the generator was more than \(Figure.time(Double(lagMax.microseconds))) late in "
      + "\(share) of its sends"
  }

  func record(until now: WallInstant, broke: String?) -> TargetCapacity.Step {
    var step = step
    step.seconds = ((now - begins).seconds * 10).rounded() / 10
    step.offered = offered.count
    step.open = max(0, offered.count - ended)
    step.p50Microseconds = responses.percentile(0.5).microseconds
    step.p99Microseconds = responses.percentile(0.99).microseconds
    step.lagP99Microseconds = lags.percentile(0.99).microseconds
    step.invalid = invalid
    step.broke = step.invalid == nil ? broke : nil
    return step
  }
}
