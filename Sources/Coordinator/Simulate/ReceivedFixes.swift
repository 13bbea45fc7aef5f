internal import Figures
internal import Fleet
package import SimulationCore
package import Telemetry

/// Is a fix as the server of a simulated fleet would log it.
package struct ReceivedFix: Sendable, BitwiseCopyable {
  /// Is the phone that sent it.
  package var phone: PhoneID
  /// Is the fix.
  package var fix: Fix
  /// Is when the server had it.
  package var received: SimInstant
}

/// Lives a scenario in virtual time and hands over what its server receives, fix by fix.
package struct ReceivedFixes {
  private let plan: RunPlan

  /// Makes the run of a plan.
  package init(_ plan: RunPlan) { self.plan = plan }

  /// Lives the scenario.
  ///
  /// - Parameter take: called with each fix from the scenario's start on, in the order of receipt,
  ///   on the calling thread.
  /// - Returns: false where the run was stopped.
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
