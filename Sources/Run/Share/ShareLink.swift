package import Core
package import Foundation
package import ServerLogic
package import Uploads

/// Connects a process to the others that run the same run at the same time, each with its own range
/// of phones.
///
/// Every process makes the same calls of `exchange` and `startInstant` in the same order and then
/// calls `end` once, even if its part of the run was stopped or has failed. A process that dies
/// counts as ended with `failed`; the implementation must detect that. All members except `stop`
/// and `isStopped` are called from the run's own thread.
package protocol ShareLink: Sendable {
  var place: SharePlace { get }

  /// Waits for and returns the values of all processes, in phone order; nil for an ended one.
  func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?]

  /// Determines the last phone of a sweep whose rate is that of the whole fleet.
  func agree(on bids: SweepBids) -> SweepCut

  /// One instant for all processes: `lead` after the last is ready, by this machine's clock.
  func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant

  /// Sends an interval to the first process, without waiting; nil after the last.
  func post(_ interval: ShareInterval?)

  /// Returns the sum of all processes' intervals of the earliest second not yet returned; nil until
  /// it is complete, and always nil in a process that is not the first.
  func takeInterval() -> ShareInterval?

  /// Requests all processes to end early.
  func stop()

  var isStopped: Bool { get }

  /// The measurements made for the start instant, as sentences without their full stop.
  var notes: [String] { get }

  /// Does not wait; a parcel for a process that has ended is dropped.
  func send(_ parcel: Data, to process: Int)

  func takeParcels() -> [(from: Int, parcel: Data)]

  /// Ends this process's part; returns all ends in phone order in the first process, else its own.
  func end(_ mine: ShareEnd) -> [ShareEnd]
}

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
