internal import Foundation
package import SimulationCore
package import Transport

/// Offers batches at a rate, whatever becomes of them: an open loop with Poisson arrivals, as many
/// phones make that know nothing of each other (Schroeder, Wierman, Harchol-Balter, "Open versus
/// closed", NSDI 2006).
///
/// The batches were encoded beforehand; a name and its check are put on each. No batch is tried
/// twice by itself: a phone that was refused comes again in its turn.
package final class OfferedLoad {
  private let sender: OpenLoopSender
  private let phones: Int
  /// Who uploads, in this order; empty: everybody in turn.
  private let identities: [UInt32]
  private var arrivals = Draw(seed: 1, phone: 0, .benchArrivals)
  /// Offers handed over so far.
  private(set) var number = 0

  /// Ahead of their time by this much, so that the pacing thread may be late.
  private static let ahead = WallDuration.milliseconds(30)
  private static let step = WallDuration.milliseconds(5)

  /// - Parameter identities: gone through in turn.
  package init(_ sender: OpenLoopSender, phones: Int, identities: [UInt32] = []) {
    self.sender = sender
    self.phones = phones
    self.identities = identities
  }

  private func phone(_ number: Int) -> UInt32 {
    identities.isEmpty ? UInt32(number % phones) : identities[number % identities.count]
  }

  /// Returns when the last batch has been handed over, at `end`.
  ///
  /// - Parameter shouldStop: asked every few milliseconds.
  package func offer(
    _ perSecond: Double, from start: WallInstant, until end: WallInstant,
    everyStep: () -> Void = {}, shouldStop: () -> Bool
  ) {
    var next = start + gap(perSecond)
    while MonotonicClock.now < end, !shouldStop() {
      let horizon = min(MonotonicClock.now + Self.ahead, end)
      var offers: [Offer] = []
      while next < horizon {
        offers.append(Offer(phone: phone(number), intended: next))
        number += 1
        next = next + gap(perSecond)
      }
      sender.submit(offers)
      everyStep()
      usleep(UInt32(Self.step.microseconds))
    }
  }

  private func gap(_ perSecond: Double) -> WallDuration {
    // Whole microseconds of exponential gaps, rounded by chance, so that the rate is kept.
    let exact = arrivals.exponential(mean: 1e6 / perSecond)
    return .microseconds(Int64(exact + arrivals.uniform()))
  }
}
