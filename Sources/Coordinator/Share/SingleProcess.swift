package import Processes
package import SimulationCore

/// Carries out a run in one process, which has all phones and waits for no other.
package struct SingleProcess: LoneProcess {
  /// Is the place of a process that has all phones.
  package let place = SharePlace.alone
  /// Holds when the live part begins, and the second that was posted last.
  package let seconds: OwnSeconds

  /// Makes the link of a run that has no other process.
  ///
  /// - Parameter startsIn: returns the time that is left to the instant at which the live part
  ///   begins; nil where it begins as soon as the fleet is ready.
  package init(startsIn: (@Sendable () -> WallDuration)? = nil) {
    seconds = OwnSeconds(startsIn: startsIn)
  }
}
