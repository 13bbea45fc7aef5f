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
  var place: SharePlace { get }

  /// Returns the values of all processes, in phone order; nil for a process that has ended.
  ///
  /// Waits for every process that has not ended.
  func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?]

  /// Determines the last phone of a sweep whose rate is that of the whole fleet.
  func agree(on bids: SweepBids) -> SweepCut

  /// Returns one instant for all processes, by this machine's clock; waits as `exchange` does.
  ///
  /// - Parameter lead: the time from the moment at which the last process is ready to the instant.
  func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant

  /// Sends an interval to the first process, without waiting; nil once there are no more.
  func post(_ interval: ShareInterval?)

  /// Returns the sum of all processes' intervals of the earliest second not yet returned; nil until
  /// it is complete, and always nil in a process that is not the first.
  func takeInterval() -> ShareInterval?

  /// Asks all processes to end early.
  func stop()

  /// Whether another process has asked for an early end.
  var isStopped: Bool { get }

  /// What was measured of the processes when the start instant was agreed on, as sentences
  /// without their full stop.
  var notes: [String] { get }

  /// Does not wait; a parcel for a process that has ended is lost.
  func send(_ parcel: Data, to process: Int)

  /// In the order of their arrival.
  func takeParcels() -> [(from: Int, parcel: Data)]

  /// Ends this process's part of the run.
  ///
  /// - Returns: the parts of all processes, in phone order, once all have ended; in a process that
  ///   is not the first its own part alone, at once.
  func end(_ mine: ShareEnd) -> [ShareEnd]
}

/// What a process leaves when its part of a run is over.
package indirect enum ShareEnd: Codable, Equatable, Sendable {
  /// It simulated its phones, to the end of the run or until it was stopped.
  case measured(RunShare)
  /// It was stopped before the measured time began.
  case unmeasured
  /// The reason as a sentence.
  case failed(String)
}

extension ShareLink {
  /// Returns the first process's value; nil once it has ended.
  package func fromFirst<Value: Codable & Sendable>(_ mine: Value?) -> Value? {
    exchange(mine).first.flatMap(\.self).flatMap(\.self)
  }

  package func agree(on bids: SweepBids) -> SweepCut {
    SweepBids.cut(exchange(bids).compactMap(\.self))
  }

  func stopping(_ isInterrupted: @escaping () -> Bool) -> () -> Bool {
    {
      if isStopped { return true }
      guard isInterrupted() else { return false }
      stop()
      return true
    }
  }
}
