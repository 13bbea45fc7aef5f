package import Core
internal import Foundation
package import Transport

/// Offers batches at a rate, regardless of their results: an open loop with Poisson arrivals
/// (Schroeder, Wierman, Harchol-Balter, "Open versus closed", NSDI 2006). A refused batch is
/// offered again only in its phone's turn.
package final class OfferedLoad {
  private let sender: OpenLoopSender
  private let phones: Int
  /// The order of uploads; empty for all phones in turn.
  private let identities: [UInt32]
  private var arrivals = Draw(seed: 1, phone: 0, .benchArrivals)
  private(set) var number = 0

  /// The time by which a batch is submitted early, so that the pacing thread may be late.
  private static let ahead = WallDuration.milliseconds(30)
  private static let step = WallDuration.milliseconds(5)

  package init(_ sender: OpenLoopSender, phones: Int, identities: [UInt32] = []) {
    self.sender = sender
    self.phones = phones
    self.identities = identities
  }

  private func phone(_ number: Int) -> UInt32 {
    identities.isEmpty ? UInt32(number % phones) : identities[number % identities.count]
  }

  package func offer(
    _ perSecond: Double, from start: WallInstant, until end: WallInstant,
    everyStep: () -> Void = {}, shouldStop: () -> Bool
  ) {
    var next = start + gap(perSecond)
    Waiter.shared.takeTurns {
      guard MonotonicClock.now < end, !shouldStop() else { return nil }
      let horizon = min(MonotonicClock.now + Self.ahead, end)
      var offers: [Offer] = []
      while next < horizon {
        offers.append(Offer(phone: phone(number), intended: next))
        number += 1
        next = next + gap(perSecond)
      }
      sender.submit(offers)
      everyStep()
      return MonotonicClock.now + Self.step
    }
  }

  private func gap(_ perSecond: Double) -> WallDuration {
    // Exponential gaps are rounded to microseconds at random, so that the mean rate is exact.
    let exact = arrivals.exponential(mean: 1e6 / perSecond)
    return .microseconds(Int64(exact + arrivals.uniform()))
  }
}
