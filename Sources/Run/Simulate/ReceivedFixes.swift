package import Core
internal import Figures
internal import Phone

package struct ReceivedFix: Sendable, BitwiseCopyable {
  package var phone: PhoneID
  package var fix: Fix
  package var received: SimInstant
}

package struct ReceivedFixes {
  private let plan: RunPlan

  package init(_ plan: RunPlan) { self.plan = plan }

  /// Calls `take` on this thread for each fix received after the warm start; false if stopped.
  package func run(
    progress: @escaping (RunProgress) -> Void = { _ in },
    shouldStop: @escaping () -> Bool, _ take: @escaping (ReceivedFix) -> Void
  ) -> Bool {
    var simulation = Simulation(plan)
    simulation.arrived = { order, fixes in
      for fix in fixes {
        take(ReceivedFix(phone: order.id.phone, fix: fix, received: order.reachesServer))
      }
    }
    let outcome = simulation.run(progress: progress, shouldStop: shouldStop)
    return outcome.record.verdict != .interrupted
  }
}
