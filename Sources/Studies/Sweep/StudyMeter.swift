internal import Coordinator
internal import Figures
internal import Scenarios
internal import SimulationCore
internal import Synchronization

/// How far a study is, for display.
package struct StudyProgress: Equatable, Sendable {
  /// What is lived, such as "rung 2 of 3, 12 candidates by 333 phones".
  package var step: String
  /// The number of lives that have ended.
  package var done: Int
  /// The part of all that is lived, 0 ... 1; running lives count for what they have done.
  package var share: Double
  /// What the rest will take at the pace so far; nil before anything is lived.
  package var secondsLeft: Double?

  /// The progress in a line: "run 120 of 873  13.7 %  312 s left".
  package var line: String {
    let left = secondsLeft.map { "  \(Figure.plain($0.rounded())) s left" } ?? ""
    return "\(step)  \(Figure.percent(share))\(left)"
  }
}

/// Adds up how far all lives of a study are together.
final class StudyMeter: Sendable {
  private struct State {
    var step: String?
    var done = 0
    /// The weight of what each life has done.
    var lived: [Double] = []
  }

  private let plan: RunPlan
  private let all: Double
  private let began: WallInstant
  private let report: @Sendable (StudyProgress) -> Void
  private let state = Mutex(State())

  /// - Parameter all: the weight of all lives; until a step begins, a life's is 1.
  init(_ plan: RunPlan, all: Double, show: @escaping @Sendable (StudyProgress) -> Void) {
    self.plan = plan
    self.all = all
    report = show
    began = plan.wall()
  }

  /// Takes note of what is lived from now on.
  func begin(_ step: String) {
    state.withLock { state in
      state.step = step
      report(progress(state))
    }
  }

  /// Returns the number of a life that begins.
  func beginLife() -> Int {
    state.withLock { state in
      state.lived.append(0)
      return state.lived.count - 1
    }
  }

  /// Takes note of a life that has ended.
  func end(_ life: Int, weight: Double = 1) {
    state.withLock { state in
      state.lived[life] = weight
      state.done += 1
      report(progress(state))
    }
  }

  /// Takes note of how far a life is. Reports one at a time, so that the progress shown never goes
  /// back.
  func show(_ progress: RunProgress, _ scenario: Scenario, of life: Int, weight: Double = 1) {
    guard case .virtual(let one) = progress else { return }
    state.withLock { state in
      state.lived[life] = weight * one.lived(of: scenario)
      report(self.progress(state))
    }
  }

  private func progress(_ state: State) -> StudyProgress {
    let lived = state.lived.reduce(0, +)
    let elapsed = (plan.wall() - began).seconds
    return StudyProgress(
      step: state.step ?? "run \(state.done) of \(Int(all))", done: state.done,
      share: min(1, lived / max(all, 1e-9)),
      secondsLeft: lived > 0 ? max(0, elapsed * (all - lived) / lived) : nil)
  }
}

extension Snapshot {
  /// Returns the share of a scenario that is lived, its warm start included.
  func lived(of scenario: Scenario) -> Double {
    let (warm, live) = (scenario.warmStart.seconds, scenario.duration.seconds)
    let share = progress.share ?? 0
    return (progress.phase == "warm start" ? warm * share : warm + live * share)
      / max(1, warm + live)
  }
}
