internal import Coordinator
internal import Figures
internal import Scenarios
internal import SimulationCore
internal import Synchronization

/// Reports how far a study is, for display.
package struct SensitivityProgress: Equatable, Sendable {
  /// Counts the runs that are finished.
  package var done: Int
  /// Counts all runs.
  package var runs: Int
  /// Is the part of all that is lived, 0 ... 1; running ones count for what they have done.
  package var share: Double
  /// Is what the rest will take at the pace so far; nil before anything is lived.
  package var secondsLeft: Double?
}

/// Adds up how far all runs of a study are together.
final class SensitivityMeter: Sendable {
  private struct State {
    var shares: [Double]
    var done = 0
  }

  private let plan: RunPlan
  private let began: WallInstant
  private let report: @Sendable (SensitivityProgress) -> Void
  private let state: Mutex<State>

  init(_ plan: RunPlan, runs: Int, show: @escaping @Sendable (SensitivityProgress) -> Void) {
    self.plan = plan
    report = show
    began = plan.wall()
    state = Mutex(State(shares: [Double](repeating: 0, count: runs)))
  }

  /// Takes note of a finished run.
  func end(_ number: Int) {
    state.withLock { state in
      state.shares[number] = 1
      state.done += 1
      report(progress(state))
    }
  }

  /// Takes note of how far a run is. Reports one at a time, so that the progress shown never goes
  /// back.
  func show(_ progress: RunProgress, of number: Int) {
    guard case .virtual(let one) = progress else { return }
    state.withLock { state in
      let scenario = plan.scenario
      let (warm, live) = (scenario.warmStart.seconds, scenario.duration.seconds)
      let share = one.progress.share ?? 0
      let lived = one.progress.phase == "warm start" ? warm * share : warm + live * share
      state.shares[number] = lived / max(1, warm + live)
      report(self.progress(state))
    }
  }

  private func progress(_ state: State) -> SensitivityProgress {
    let lived = state.shares.reduce(0, +)
    let runs = Double(state.shares.count)
    let elapsed = (plan.wall() - began).seconds
    return SensitivityProgress(
      done: state.done, runs: state.shares.count, share: min(1, lived / max(1, runs)),
      secondsLeft: lived > 0 ? elapsed * (runs - lived) / lived : nil)
  }
}
