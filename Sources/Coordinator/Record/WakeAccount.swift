package import Figures
package import ServerLogic
package import SimulationCore
internal import Telemetry

/// Holds what a server's wake scheduler requested, and which silent phones it could not push.
package struct WakeAccount: Codable, Equatable, Sendable {
  /// Lists the occasions of the measured time, those of withheld pushes included.
  package var occasions: [WakeOccasion] = []
  /// Lists the sweep of each push that was requested.
  package var requests: [SimInstant] = []
  /// Lists the silent phones that could not be pushed, in the order of their numbers.
  package var unreachable: [UnreachableSilence] = []
  /// Is their sum, from a server that does not tell them apart; nil where it does, or reported
  /// nothing.
  package var unreachableSum: UnreachableSum?

  /// Sums the occasions on which phones could not be pushed.
  package struct UnreachableSum: Codable, Equatable, Sendable {
    /// Counts the occasions on which a silent phone would have been pushed, had it been reachable.
    package var eligible: Int
    /// Counts the occasions that a good fix of the phone answered within W all the same.
    package var answered: Int
  }

  /// Makes the account of a server that requested nothing.
  package init() {}

  /// Adds what was requested from another range of phones. Occasions are then sorted by (sweep,
  /// phone), and phones by number, whichever range is added first.
  package mutating func merge(_ other: WakeAccount) {
    occasions += other.occasions
    occasions.sort { $0.pushID < $1.pushID }
    requests += other.requests
    requests.sort()
    unreachable += other.unreachable
    unreachable.sort { $0.phone < $1.phone }
    guard let more = other.unreachableSum else { return }
    let sum = unreachableSum ?? UnreachableSum(eligible: 0, answered: 0)
    unreachableSum = UnreachableSum(
      eligible: sum.eligible + more.eligible, answered: sum.answered + more.answered)
  }
}

extension WakeAccount {
  /// Makes the account of a backend in process, after the measured time.
  init(_ backend: Backend) {
    occasions = backend.occasions
    requests.reserveCapacity(occasions.count)
    for occasion in occasions where !occasion.isWithheld { requests.append(occasion.at) }
    backend.forEachUnreachable { phone, tally in
      unreachable.append(
        UnreachableSilence(
          phone: phone.rawValue, occasions: Int(tally.eligible), answered: Int(tally.answered)))
    }
  }
}
