package import Core
package import Foundation
package import ServerLogic
package import Uploads

/// Connects a process to the other processes of a run, each with a separate range of phones.
///
/// Every process makes the same calls of `exchange` and `startInstant` in the same order and then
/// calls `end` once, even if its part of the run was stopped or has failed. A process that dies
/// counts as ended with `failed`; the implementation must detect this. All members except `stop`
/// and `isStopped` are called from the run's own thread.
package protocol ShareLink: Sendable {
  var place: SharePlace { get }

  /// Waits for all processes' values and returns them in phone order, nil for an ended process.
  func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?]

  /// Agrees on the last phone that a sweep may push, because all processes share one push rate.
  func agree(on bids: SweepBids) -> SweepCut

  /// Returns one start for all processes, `lead` after the last is ready, by this machine's clock.
  func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant

  /// Sends an interval to the first process without waiting; nil means that none will follow.
  func post(_ interval: ShareInterval?)

  /// Returns the sum of all processes' intervals of the earliest second not yet returned; nil until
  /// all have arrived. Returns nil in every process but the first.
  func takeInterval() -> ShareInterval?

  /// Asks all processes to end early.
  func stop()

  var isStopped: Bool { get }

  /// The results of the clock comparison for the start, as sentences without their full stop.
  var notes: [String] { get }

  /// Sends a parcel without waiting; drops a parcel for a process that has ended.
  func send(_ parcel: Data, to process: Int)

  func takeParcels() -> [(from: Int, parcel: Data)]

  /// Ends this process's part. Returns all ends in the first process, only `mine` in the others.
  func end(_ mine: ShareEnd) -> [ShareEnd]
}

package indirect enum ShareEnd: Codable, Equatable, Sendable {
  /// The process simulated its phones to the end of the run, or until it was stopped.
  case measured(RunShare)
  /// The process was stopped before the measured time began.
  case unmeasured
  /// The process failed; the reason is a sentence.
  case failed(String)
}

extension ShareLink {
  /// Returns the first process's value; nil if the first process has ended.
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
