package import Foundation
package import Uploads
package import ServerLogic
package import SimulationCore

/// Connects a process to the others that carry out the same run at the same time, each with its
/// own range of the phones.
///
/// Every process makes the same calls of `exchange` and `startInstant` in the same order and then
/// calls `end` once, even where its part of the run was stopped or has failed. A process that dies
/// counts as one that ended with `failed`; noticing that is the kind's task. All members but `stop`
/// and `isStopped` are called from the run's own thread.
package protocol ShareLink: Sendable {
  /// Is this process's place among those of the run.
  var place: SharePlace { get }

  /// Gives each process the values of all, in the order of their phones; nil stands for a process
  /// that has ended.
  ///
  /// Waits for every process that has not ended. A process that ends releases those that wait.
  func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?]

  /// Determines up to which phone a sweep comes whose rate is that of the whole fleet.
  func agree(on bids: SweepBids) -> SweepCut

  /// Returns one instant for all processes, in the time of this machine's clock; waits as
  /// `exchange` does.
  ///
  /// - Parameters:
  ///   - lead: the time from the moment at which the last process is ready to the instant.
  ///   - wall: reads this machine's monotonic clock.
  func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant

  /// Sends what this process saw of a second to the first process, without waiting; nil once there
  /// is no more.
  func post(_ interval: ShareInterval?)

  /// Returns the sum of what all processes saw of the earliest second that no call has returned
  /// yet; nil until it is complete, and always nil where this process is not the first.
  func takeInterval() -> ShareInterval?

  /// Asks all processes to end their part of the run early, as an interruption of each would.
  func stop()

  /// Whether another process has asked for an early end.
  var isStopped: Bool { get }

  /// What was measured of the processes when the start instant was agreed on, as sentences
  /// without their full stop.
  var notes: [String] { get }

  /// Sends a parcel to another process, without waiting; one for a process that has ended is lost.
  func send(_ parcel: Data, to process: Int)

  /// Returns the parcels that have come since the last call, in the order of their arrival.
  func takeParcels() -> [(from: Int, parcel: Data)]

  /// Ends this process's part of the run with what it leaves.
  ///
  /// - Returns: what every process leaves, in the order of their phones, once all have ended; in a
  ///   process that is not the first its own part alone, at once.
  func end(_ mine: ShareEnd) -> [ShareEnd]
}

/// What a process leaves when its part of a run is over.
package indirect enum ShareEnd: Codable, Equatable, Sendable {
  /// It simulated its phones, to the end of the run or until it was stopped.
  case measured(RunShare)
  /// It was stopped before the measured time began.
  case unmeasured
  /// It could not go on; the sentence says why.
  case failed(String)
}

extension ShareLink {
  /// Gives every process the value of the first; nil once the first process has ended.
  package func fromFirst<Value: Codable & Sendable>(_ mine: Value?) -> Value? {
    exchange(mine).first.flatMap(\.self).flatMap(\.self)
  }

  /// Asks all processes for their bids.
  package func agree(on bids: SweepBids) -> SweepCut {
    SweepBids.cut(exchange(bids).compactMap(\.self))
  }

  /// Combines the interruption of this process with those of the others: each stops them all.
  func stopping(_ isInterrupted: @escaping () -> Bool) -> () -> Bool {
    {
      if isStopped { return true }
      guard isInterrupted() else { return false }
      stop()
      return true
    }
  }
}
